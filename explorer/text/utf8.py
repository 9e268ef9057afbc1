"""Decodes UTF-8 by hand, with the role of every byte and the fault of every malformed run.

The rules are table 3-7 of the Unicode Standard. A malformed run follows "U+FFFD Substitution of Maximal Subparts" of
section 3.9, so there is one for each replacement character of `bytes.decode("utf-8", "replace")`. Also maps between
bytes and characters of well-formed UTF-8.

Left out: other encodings, lenient variants of UTF-8 that allow surrogates, and the byte order mark, which is an
ordinary character here.
"""

import re
from enum import Enum, StrEnum
from itertools import accumulate, compress, count, islice
from typing import NamedTuple


class Fault(Enum):
    """The rule of UTF-8 that a malformed run breaks; the value is one sentence about it."""

    STRAY = "A continuation byte comes where a character must begin."
    TRUNCATED = "The character breaks off: a continuation byte is missing."
    OVERLONG = "Overlong: the same code point has a shorter encoding, and only the shortest is allowed."
    SURROGATE = "This encodes half of a surrogate pair (U+D800 to U+DFFF), which is not a character in UTF-8."
    TOO_HIGH = "This encodes a code point above U+10FFFF, where Unicode ends."
    IMPOSSIBLE = "No UTF-8 text can contain this byte."


class Role(StrEnum):
    """The role of a byte by its leading bits, whether or not it is in the right position."""

    SINGLE = "single"  # 0xxxxxxx: a whole character
    LEAD = "lead"  # 110xxxxx, 1110xxxx, 11110xxx: begins a character of 2, 3, 4 bytes
    CONTINUATION = "continuation"  # 10xxxxxx
    BAD = "bad"  # C0, C1, F5 to FF: occurs in no well-formed text


class ByteFields(NamedTuple):
    """One byte, split into its marker and its payload bits.

    >>> fields_of(0xC3)
    ByteFields(value=195, role=<Role.LEAD: 'lead'>, prefix_bits=3, payload=3)
    >>> fields_of(0xC3).bits
    ('110', '00011')
    """

    value: int
    """The byte, 0 to 255."""
    role: Role
    prefix_bits: int
    """Number of leading bits that are the marker: 1 (single), 2 (continuation), 3 to 5 (lead), up to 8 (bad)."""
    payload: int
    """The other 8 - prefix_bits bits, as a number."""

    @property
    def bits(self) -> tuple[str, str]:
        """Marker and payload as binary digits, 8 in all."""
        digits = f"{self.value:08b}"
        return digits[: self.prefix_bits], digits[self.prefix_bits :]


class Decoded(NamedTuple):
    """One decoded character, or one malformed run (one U+FFFD)."""

    start: int
    """Offset of the first byte."""
    length: int
    """Number of bytes: 1 to 4, in a malformed run 1 to 3."""
    code_point: int | None
    """None in a malformed run."""
    fault: Fault | None
    """None in a well-formed character."""
    fields: tuple[ByteFields, ...]
    """One per byte."""


def _fields_of(byte: int) -> ByteFields:
    ones = 8 - (byte ^ 0xFF).bit_length()
    prefix = min(ones + 1, 8)
    by_ones = (Role.SINGLE, Role.CONTINUATION, Role.LEAD)
    role = Role.BAD if byte in (0xC0, 0xC1) or byte > 0xF4 else by_ones[min(ones, 2)]
    return ByteFields(byte, role, prefix, byte & ((1 << (8 - prefix)) - 1))


_FIELDS = tuple(_fields_of(byte) for byte in range(256))
_BEGINS_CHARACTER = bytes(byte & 0xC0 != 0x80 for byte in range(256))
"""For `bytes.translate`: a continuation byte becomes 0, every other byte 1."""

# After these lead bytes the second byte has a narrower range than 80..BF; outside of it, this rule is broken.
_NARROW_SECOND = {
    0xE0: (0xA0, 0xBF, Fault.OVERLONG),
    0xED: (0x80, 0x9F, Fault.SURROGATE),
    0xF0: (0x90, 0xBF, Fault.OVERLONG),
    0xF4: (0x80, 0x8F, Fault.TOO_HIGH),
}


def fields_of(byte: int) -> ByteFields:
    """The bit fields of one byte (0 to 255)."""
    return _FIELDS[byte]


def decode_utf8(data: bytes) -> list[Decoded]:
    """Decodes UTF-8 into characters and malformed runs, with their offsets; a malformed run has a `fault`.

    Together they cover all of `data`. Never raises.

    >>> [(d.start, d.length, d.code_point, d.fault) for d in decode_utf8(b"A\\xc3\\x85\\xe2\\x82")]
    [(0, 1, 65, None), (1, 2, 197, None), (3, 2, None, <Fault.TRUNCATED: 'The character breaks off: ...'>)]
    """
    decoded = []
    start = 0
    while start < len(data):
        code_point, length, fault = _decode_one(data, start)
        fields = tuple(_FIELDS[byte] for byte in data[start : start + length])
        decoded.append(Decoded(start, length, code_point if fault is None else None, fault, fields))
        start += length
    return decoded


def character_of_each_byte(data: bytes) -> list[int]:
    """For each byte of well-formed UTF-8, the index of the character it belongs to.

    >>> character_of_each_byte("né!".encode())
    [0, 1, 1, 2]
    """
    if data.isascii():
        return list(range(len(data)))
    return list(islice(accumulate(data.translate(_BEGINS_CHARACTER), initial=-1), 1, None))


def character_offsets(data: bytes) -> list[int]:
    """The byte offset of each character of well-formed UTF-8, and the length of `data` at the end.

    >>> character_offsets("né!".encode())
    [0, 1, 3, 4]
    """
    if data.isascii():
        return list(range(len(data) + 1))
    return [*compress(count(), data.translate(_BEGINS_CHARACTER)), len(data)]


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def first_fault(data: bytes) -> tuple[int, bytes, Fault] | None:
    """The first malformed run: its offset, its bytes, the broken rule; None for well-formed data.

    The bytes include the continuation bytes after the run, which help to find it.

    >>> first_fault(b"ab\\xc0\\xafc")
    (2, b'\\xc0\\xaf', <Fault.OVERLONG: 'Overlong: ...'>)
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        window = data[error.start : error.start + 4]
        fault = decode_utf8(window)[0].fault
        run = re.match(rb"(?s).[\x80-\xbf]*", window)
        assert fault is not None  # the standard library refused these bytes
        assert run is not None
        return error.start, run[0], fault
    return None


def _decode_one(data: bytes, start: int) -> tuple[int, int, Fault | None]:
    """(code point so far, number of bytes, fault) of the character or run that begins at `start`."""
    lead = data[start]
    if lead < 0x80:
        return lead, 1, None
    if lead < 0xC0:
        return 0, 1, Fault.STRAY
    if lead < 0xC2:
        return 0, 1, Fault.OVERLONG
    if lead > 0xF4:
        return 0, 1, Fault.TOO_HIGH if lead < 0xF8 else Fault.IMPOSSIBLE
    needed = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    code_point = _FIELDS[lead].payload
    for taken in range(1, needed):
        byte = data[start + taken] if start + taken < len(data) else 0
        if byte & 0xC0 != 0x80:
            return 0, taken, Fault.TRUNCATED
        if taken == 1 and lead in _NARROW_SECOND:
            low, high, fault = _NARROW_SECOND[lead]
            if not low <= byte <= high:
                return 0, 1, fault
        code_point = code_point << 6 | byte & 0x3F
    return code_point, needed, None


def width(lead: int) -> int:
    """The number of bytes of a character with this first byte; 1 for a byte that begins no character.

    >>> [width(byte) for byte in (0x41, 0xC3, 0xE2, 0xF0, 0x9F, 0xFF)]
    [1, 2, 3, 4, 1, 1]
    """
    if 0xC2 <= lead < 0xE0:
        return 2
    if 0xE0 <= lead < 0xF0:
        return 3
    return 4 if 0xF0 <= lead < 0xF5 else 1

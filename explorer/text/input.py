"""How text comes in: bytes as UTF-8, decoded by hand, and what a person types, with its escapes.

UTF-8 is decoded with the role of every byte and the fault of every malformed run. The rules are table 3-7 of the
Unicode Standard. A malformed run follows "U+FFFD Substitution of Maximal Subparts" of section 3.9, so there is one for
each replacement character of `bytes.decode("utf-8", "replace")`, and of Rust's `String::from_utf8_lossy`, which Hugging
Face's tokenizers use. llama.cpp's `unicode_cpts_from_utf8` differs (`read_by_llama_cpp`): it tests only the leading
bits of each byte, so it accepts overlong forms, surrogates and numbers above U+10FFFF; where a test fails it writes
U+FFFD and goes on one byte later. Also maps between bytes and characters of well-formed UTF-8.

Left out: other encodings, and the byte order mark, which is an ordinary character here.

Text that a person gives may have typed escapes and surrogates. Anything that is not a character raises InputError with
its position. Escapes are written as in Python and JavaScript, surrogate pairs as in JSON; bytes are decoded as UTF-8.
`unescape` checks escapes only; `clean` checks surrogates that are already in the string.

Left out: escapes for raw bytes (each names a code point), octal and named escapes, encodings other than UTF-8, and any
other change to the text: it is not trimmed or normalized.
"""

import re
from collections.abc import Iterator
from enum import Enum, StrEnum
from itertools import accumulate, compress, count, islice
from typing import NamedTuple

from explorer.errors import InputError
from explorer.text.say import visible, visible_char


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


def text_of(data: bytes) -> str | None:
    """The text that the bytes are, None where they are not valid UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    return text_of(data) is not None


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


REPLACEMENT = 0xFFFD
LAST = 0x10FFFF
"""The last code point of Unicode."""

LEADS = ((0x80, 0x00, 0x7F), (0x40, 0x80, 0), (0x20, 0xC0, 0x1F), (0x10, 0xE0, 0x0F), (0x08, 0xF0, 0x07))
"""llama.cpp's tests of a first byte, in order: the mask that must give 0, the bits before it, the mask of the rest."""


class Read(NamedTuple):
    """One number that llama.cpp reads from the bytes [start, start + length). accepted: False where it throws."""

    start: int
    length: int
    number: int
    accepted: bool


def read_by_llama_cpp(data: bytes) -> list[Read]:
    """The numbers that `unicode_cpts_from_utf8` returns.

    >>> [hex(each.number) for each in read_by_llama_cpp(b"A\\xc0\\x80\\xff\\xed\\xa0\\x80")]
    ['0x41', '0x0', '0xfffd', '0xd800']
    """
    found, at = [], 0
    while at < len(data):
        number = _number_at(data, at)
        length = 1 if number is None else _length(data[at])
        found.append(Read(at, length, REPLACEMENT if number is None else number, number is not None))
        at += length
    return found


def _length(lead: int) -> int:
    return next((size for size, (mask, _, _) in enumerate(LEADS) if not lead & mask), 0) or 1


def _number_at(data: bytes, at: int) -> int | None:
    """What `unicode_cpt_from_utf8` returns; None where it throws."""
    lead = data[at]
    test = next((index for index, (mask, _, _) in enumerate(LEADS) if not lead & mask), None)
    if test is None or test == 1:
        return None
    rest = data[at + 1 : at + _length(lead)]
    if len(rest) + 1 < _length(lead) or any(byte & 0xC0 != 0x80 for byte in rest):
        return None
    number = lead & LEADS[test][2]
    for byte in rest:
        number = number << 6 | byte & 0x3F
    return number


def shown(number: int) -> str:
    """A number that need not be a code point of Unicode.

    >>> shown(65), shown(0xD800), shown(0x110000)
    ('A', 'U+D800', '0x110000')
    """
    return f"0x{number:X}" if number > LAST else visible_char(chr(number))[0]


def strict_error(data: bytes) -> str | None:
    """What Python's strict decoder raises, None for UTF-8.

    >>> strict_error(b"ab\\xff")
    'UnicodeDecodeError at byte 2: invalid start byte'
    """
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"UnicodeDecodeError at byte {error.start}: {error.reason}"
    return None


def bytes_of_hex(typed: str, most: int) -> bytes:
    """Bytes typed in hexadecimal: two digits each, with or without spaces, commas, `0x` or `\\x` between them.

    Raises InputError for anything else, and for more than `most` bytes.

    >>> bytes_of_hex("C3 85 0x57,\\\\x68", 10)
    b'\\xc3\\x85Wh'
    """
    digits = typed.lower().replace("0x", " ").replace("\\x", " ").replace(",", " ").split()
    for group in digits:
        if len(group) % 2 or not all(digit in "0123456789abcdef" for digit in group):
            raise InputError(
                f"{visible(group[:20])} is not a byte in hexadecimal; write two digits for each byte, as in C3 85"
            )
    data = bytes.fromhex("".join(digits))
    if len(data) > most:
        raise InputError(f"{len(data):,} bytes are given, at most {most:,} can be drawn; give fewer")
    return data


_ESCAPE = re.compile(
    r"\\(?:(?P<letter>[ntr0\\])|x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})|U(?P<U>[0-9A-Fa-f]{8})"
    r"|u\{(?P<brace>[0-9A-Fa-f]{1,8})\})"
)
_LETTERS = {"n": 0x0A, "t": 0x09, "r": 0x0D, "0": 0x00, "\\": 0x5C}
_DIGITS = {"x": r"\xHH with two", "u": r"\uXXXX with four", "U": r"\UXXXXXXXX with eight"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")


def unescape(text: str) -> str:
    """Replaces backslash escapes: \\n \\t \\r \\0 \\\\ \\xHH \\uXXXX \\UXXXXXXXX \\u{X…}, all naming code points.

    A surrogate pair written as two escapes (as in JSON) is joined. Raises InputError for an unknown or unfinished
    escape, for half a pair and for a number above U+10FFFF, naming the position (characters, from 1) and what to write.

    >>> unescape(r"a\\tb \\u00c5 \\u{1F60A}")
    'a\\tb Å 😊'
    """
    parts: list[str] = []
    at = 0
    for start, end, ch in escapes(text):
        parts += (text[at:start], ch)
        at = end
    return "".join([*parts, text[at:]])


def escapes(text: str) -> Iterator[tuple[int, int, str]]:
    """The escapes that `unescape` replaces: (start, end, the character it names).

    >>> list(escapes(r"a\\tb"))
    [(1, 3, '\\t')]
    """
    at = 0
    while (slash := text.find("\\", at)) >= 0:
        code, at = _escape(text, slash)
        if 0xD800 <= code < 0xDC00:
            low, end = _escape(text, at) if text.startswith("\\u", at) else (0, at)
            if not 0xDC00 <= low < 0xE000:
                raise _half_pair(slash + 1, code)
            code, at = 0x10000 + (code - 0xD800 << 10) + (low - 0xDC00), end
        elif 0xDC00 <= code < 0xE000:
            raise _half_pair(slash + 1, code)
        yield slash, at, chr(code)


def _escape(text: str, slash: int) -> tuple[int, int]:
    """(code point, index after it) of the escape whose backslash is at index `slash`."""
    position = slash + 1
    found = _ESCAPE.match(text, slash)
    if found is None:
        raise InputError(f"position {position}: {_advice(text[slash + 1 : slash + 3])}")
    if found["letter"]:
        return _LETTERS[found["letter"]], found.end()
    code = int(found["x"] or found["u"] or found["U"] or found["brace"], 16)
    if code > 0x10FFFF:
        raise InputError(
            f"position {position}: {found[0]} is above U+10FFFF, where Unicode ends; write a smaller number"
        )
    return code, found.end()


def _advice(after: str) -> str:
    """What is wrong with an escape, given the one or two characters after its backslash."""
    if not after:
        return r"a backslash ends the text; write \\ for a backslash"
    if after == "u{":
        return r"unfinished escape \u{; write one to eight hexadecimal digits and a closing }"
    if after[0] in _DIGITS:
        return rf"unfinished escape \{after[0]}; write {_DIGITS[after[0]]} hexadecimal digits"
    return rf"unknown escape \{visible(after[0])}; write \\ for a backslash, or \n \t \r \0 \xHH \uXXXX \u{{X…}}"


def _half_pair(position: int, code: int) -> InputError:
    return InputError(
        f"position {position}: half of a surrogate pair (U+{code:04X}); give the whole character or both halves"
    )


def clean(text: str) -> str:
    """The text with surrogate pairs joined. Raises InputError with the position for half of a pair.

    Such halves come from JavaScript and from files read with "surrogateescape"; no tokenizer can encode them.
    """
    if not _SURROGATE.search(text):
        return text
    lone = _SURROGATE.search(_PAIR.sub("xx", text))
    if lone:
        raise _half_pair(lone.start() + 1, ord(text[lone.start()]))
    return _PAIR.sub(lambda pair: chr(0x10000 + (ord(pair[1]) - 0xD800 << 10) + ord(pair[2]) - 0xDC00), text)


def whole_characters(text: str) -> str:
    """The text with surrogate pairs joined and U+FFFD for half of one, as in a browser's encoder.

    >>> whole_characters("\\ud83d\\ude0a\\ud83d")
    '😊\ufffd'
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def from_bytes(data: bytes, where: str) -> str:
    """Decodes UTF-8. Raises InputError naming `where`, the first malformed bytes (offset, hex) and the rule.

    A byte order mark is kept, because a tokenizer would see it as a character.

    >>> from_bytes(b"caf\\xe9", "menu.txt")
    Traceback (most recent call last):
    explorer.errors.InputError: menu.txt: byte offset 3 (E9) is not UTF-8. The character breaks off: ...
    """
    bad = first_fault(data)
    if bad is None:
        return data.decode("utf-8")
    offset, run, fault = bad
    raise InputError(
        f"{where}: byte offset {offset} ({run.hex(' ').upper()}) is not UTF-8. {fault.value} "
        "Save the text as UTF-8 and try again."
    )

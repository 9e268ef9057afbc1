"""What other programs make of bytes that need not be UTF-8.

Python and Rust (`String::from_utf8_lossy`, which Hugging Face's tokenizers use) write one U+FFFD for each malformed run
of `decode_utf8`. llama.cpp's `unicode_cpts_from_utf8` differs: it tests only the leading bits of each byte, so it
accepts overlong forms, surrogates and numbers above U+10FFFF; where a test fails it writes U+FFFD and goes on one byte
later.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from explorer.errors import InputError
from explorer.text.visible import visible, visible_char

REPLACEMENT: Final = 0xFFFD
LAST: Final = 0x10FFFF
"""The last code point of Unicode."""

LEADS: Final = ((0x80, 0x00, 0x7F), (0x40, 0x80, 0), (0x20, 0xC0, 0x1F), (0x10, 0xE0, 0x0F), (0x08, 0xF0, 0x07))
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

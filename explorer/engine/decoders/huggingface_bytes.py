"""Hugging Face's decoders that turn tokens into bytes: `ByteLevel` and `ByteFallback`.

Follows `chain` of `pre_tokenizers/byte_level.rs` and `decoders/byte_fallback.rs` of its tokenizers.
"""

from __future__ import annotations

import re
from typing import Final

from explorer.engine.decoders.attributed_bytes import AttributedBytes, attributed, joined, substituted
from explorer.engine.decoders.chain import StepEmit
from explorer.engine.decoders.rows import DecodeEvent
from explorer.engine.unicode.byte_map import bytes_of
from explorer.text import decode_utf8
from explorer.text.utf8 import character_offsets

REPLACEMENT: Final = "\ufffd".encode()


class ByteLevelDecoder:
    """Turns printable characters back into bytes; a string with any other character stays as it is. Joins all strings.

    last: no other decoder follows, so bytes that aren't valid UTF-8 stay; otherwise each malformed run becomes U+FFFD.

    >>> strings = [attributed("ĠÃ".encode(), 0), attributed("©".encode(), 1)]
    >>> [each.data for each in ByteLevelDecoder().run(strings, lambda *row: None)]
    [b' \\xc3\\xa9']
    """

    fuses = True

    def __init__(self, last: bool = True) -> None:
        self.last = last

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The bytes of the token's printable characters, or its string as it is."""
        try:
            back = bytes_of(data.decode())
        except UnicodeDecodeError:
            return data
        return data if back is None else back

    def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """All strings as one, in bytes."""
        text = joined([self.decoded(string, emit) for string in strings])
        return [text if self.last else with_replacements(text, emit)]

    @staticmethod
    def decoded(string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
        """One string in bytes."""
        data, owners, first = string
        back = bytes_of(data.decode())
        if back is None:
            emit(DecodeEvent.RAW, first, len(data))
            return string
        emit(DecodeEvent.PRINTABLE, first, len(back))
        if not back or owners[0] == owners[-1]:
            return attributed(back, first)
        # a printable character has one or two bytes; the byte it spells belongs to the owner of the first
        return AttributedBytes(back, [owners[at] for at in character_offsets(data)[:-1]], first)


def with_replacements(string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
    """The string with U+FFFD for each malformed run of bytes. It belongs to the owner of the run's first byte.

    >>> with_replacements(attributed(b"a\\xc3", 5), lambda *row: None).data.decode()
    'a\ufffd'
    """
    try:
        string.data.decode()
    except UnicodeDecodeError:
        faults = [(each.start, each.start + each.length) for each in decode_utf8(string.data) if each.fault]
        for start, _ in faults:
            emit(DecodeEvent.REPLACED, string.owners[start], len(REPLACEMENT))
        return substituted(string, faults, REPLACEMENT)
    return string


BYTE_TOKEN: Final = re.compile(rb"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")
"""A byte token: anything that Rust's `u8::from_str_radix` reads as two hexadecimal digits, a plus sign included."""


class ByteFallbackDecoder:
    """Turns runs of byte tokens into text. A run that isn't valid UTF-8 becomes one U+FFFD per byte.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"<0xC3>", b"<0xA9>", b"a", b"<0xC3>"))]
    >>> [each.data.decode() for each in ByteFallbackDecoder().run(strings, lambda *row: None)]
    ['é', 'a', '\ufffd']
    """

    fuses = False

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The byte of a byte token, any other string as it is."""
        match = None if fused else BYTE_TOKEN.fullmatch(data)
        return data if match is None else bytes([int(match[1], 16)])

    def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """The strings, each run of byte tokens as one."""
        made: list[AttributedBytes] = []
        data, owners = bytearray(), list[int]()
        for string in strings:
            match = BYTE_TOKEN.fullmatch(string.data)
            if match:
                data.append(int(match[1], 16))
                owners.append(string.first)
            else:
                made += self.decoded(bytes(data), owners, emit)
                data, owners = bytearray(), []
                made.append(string)
        return made + self.decoded(bytes(data), owners, emit)

    @staticmethod
    def decoded(data: bytes, owners: list[int], emit: StepEmit) -> list[AttributedBytes]:
        """The strings that a run of byte tokens gives."""
        try:
            data.decode()
        except UnicodeDecodeError:
            for owner in owners:
                emit(DecodeEvent.REPLACED, owner, len(REPLACEMENT))
            return [attributed(REPLACEMENT, owner) for owner in owners]
        for owner in owners:
            emit(DecodeEvent.BYTE, owner, 1)
        return [AttributedBytes(data, owners, owners[0])] if data else []

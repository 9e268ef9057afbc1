"""What the tokenizers of `transformers` that are written in Python do with the strings of tokens.

Follows `_decode` of its versions 4 and 5 and `convert_tokens_to_string` of `ByT5Tokenizer`, which reads bytes as UTF-8
and ignores errors.
"""

from __future__ import annotations

from collections.abc import Container

from explorer.engine.decoders.attributed_bytes import AttributedBytes, attributed, joined, substituted
from explorer.engine.decoders.chain import StepEmit
from explorer.engine.decoders.rows import DecodeEvent
from explorer.text import decode_utf8


def without_malformed(string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
    """The string without the bytes that are not valid UTF-8.

    >>> without_malformed(attributed(b"a\\xc3b", 0), lambda *row: None).data
    b'ab'
    """
    try:
        string.data.decode()
    except UnicodeDecodeError:
        faults = [(each.start, each.start + each.length) for each in decode_utf8(string.data) if each.fault]
        for start, end in faults:
            for at in range(start, end):
                emit(DecodeEvent.IGNORED, string.owners[at], 1)
        return substituted(string, faults, b"")
    return string


class IgnoreMalformedDecoder:
    """Joins all strings and leaves out the bytes that are not valid UTF-8.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"\\xc3", b"\\xa9", b"\\xc3", b"a"))]
    >>> [each.data.decode() for each in IgnoreMalformedDecoder().run(strings, lambda *row: None)]
    ['éa']
    """

    fuses = True

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string as it is: a lone byte of a character stays that byte."""
        return data

    def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """All strings as one, in valid UTF-8."""
        return [without_malformed(joined(strings), emit)]


class SpacedTokensDecoder(IgnoreMalformedDecoder):
    """The same in version 4, which sets some added tokens apart and puts a space on both sides of each.

    apart: their strings.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"a", b"<x>", b"<x>", b"b"))]
    >>> [each.data for each in SpacedTokensDecoder([b"<x>"]).run(strings, lambda *row: None)]
    [b'a <x> <x> b']
    """

    def __init__(self, apart: Container[bytes]) -> None:
        self.apart = apart

    def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """All strings as one."""
        parts: list[AttributedBytes] = []
        text: list[AttributedBytes] = []
        for string in strings:
            if string.data not in self.apart:
                text.append(string)
                continue
            read = without_malformed(joined(text), emit)
            if read.data:
                parts.append(read)
            parts.append(string)
            text = []
        if text:
            # the original puts a space before it even if nothing of it is left
            parts.append(without_malformed(joined(text), emit))
        spaced: list[AttributedBytes] = []
        for part in parts:
            if spaced:
                emit(DecodeEvent.APART, part.first, 1)
                spaced.append(attributed(b" ", part.first))
            spaced.append(part)
        return [joined(spaced)]

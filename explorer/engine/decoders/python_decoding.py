"""What the tokenizers of `transformers` that are written in Python do with the strings of tokens.

Follows `_decode` of its versions 4 and 5, and `convert_tokens_to_string` of `ByT5Tokenizer`, which reads bytes as UTF-8
and ignores errors.

`Tidy`, for clean_up_tokenization_spaces, follows `PreTrainedTokenizerBase.clean_up_tokenization`. It has one rule less
than the clean-up of the WordPiece decoder and sees the whole text, so spaces between tokens go, too.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from explorer.engine.decoders.chain import (
    AttributedBytes,
    DecodeEvent,
    DecoderStep,
    StepEmit,
    Strings,
    alone,
    attributed,
    joined,
    substituted,
)
from explorer.engine.decoders.huggingface import malformed
from explorer.text.input import text_of


class IgnoreMalformedDecoder(DecoderStep):
    """Joins all strings and leaves out the bytes that are not valid UTF-8.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"\\xc3", b"\\xa9", b"\\xc3", b"a"))]
    >>> [each.data.decode() for each in IgnoreMalformedDecoder().run(strings, lambda *row: None)]
    ['éa']
    """

    fuses = True

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, in valid UTF-8."""
        text = joined(strings)
        faults = malformed(text.data)
        for start, end in faults:
            for at in range(start, end):
                emit(DecodeEvent.IGNORED, text.owners[at], 1)
        return [substituted(text, faults, b"") if faults else text]


class SpacedTokensDecoder(DecoderStep):
    """What version 4 does: it sets some added tokens apart, decodes what is between them, and puts a space on both
    sides of each.

    apart: their strings. steps: the decoder of the class, which sees the strings between two of them.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"a", b"<x>", b"<x>", b"b"))]
    >>> [each.data for each in SpacedTokensDecoder([b"<x>"]).run(strings, lambda *row: None)]
    [b'a <x> <x> b']
    """

    fuses = True

    def __init__(self, apart: Container[bytes], steps: Sequence[DecoderStep] = (IgnoreMalformedDecoder(),)) -> None:
        self.apart, self.steps = apart, tuple(steps)

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string as the steps decode it alone."""
        return data if data in self.apart else alone(data, self.steps, fused)

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one."""
        parts: Strings = []
        text: Strings = []
        for string in strings:
            if string.data not in self.apart:
                text.append(string)
                continue
            read = self.between(text, emit)
            parts += [read, string] if read.data else [string]
            text = []
        if text:
            # the original puts a space before it even if nothing of it is left
            parts.append(self.between(text, emit))
        spaced: Strings = []
        for part in parts:
            if spaced:
                emit(DecodeEvent.APART, part.first, 1)
                spaced.append(attributed(b" ", part.first))
            spaced.append(part)
        return [joined(spaced)]

    def between(self, strings: Strings, emit: StepEmit) -> AttributedBytes:
        """The strings between two tokens that are set apart, decoded."""
        for step in self.steps:
            strings = step.run(strings, emit)
        return joined(strings)


class LowercaseDecoder(DecoderStep):
    """Joins all strings and lowercases the text.

    >>> [each.data.decode() for each in LowercaseDecoder().run([attributed("ÉΣ".encode(), 0)], lambda *row: None)]
    ['éς']
    """

    fuses = True

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string in lower case; unchanged if it is part of a character."""
        text = text_of(data)
        return data if text is None else text.lower().encode()

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, in lower case."""
        whole = joined(strings)
        text = whole.data.decode()
        low = text.lower()
        if low == text:
            return [whole]
        data, owners, at, done = bytearray(), list[int](), 0, 0
        for ch in text:
            now = low[done : done + len(ch.lower())]
            done += len(now)
            if now != ch:
                emit(DecodeEvent.SUBSTITUTED, whole.owners[at], len(now.encode()))
            data += now.encode()
            owners += [whole.owners[at]] * len(now.encode())
            at += len(ch.encode())
        return [AttributedBytes(bytes(data), owners, whole.first)]


RULES: Final = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
"""The strings that lose their spaces. Each rule runs over the text that the rules before it left."""


class TidyDecoder(DecoderStep):
    """Joins all strings and drops spaces before punctuation and contractions.

    >>> from explorer.engine.decoders.chain import attributed
    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"a", b" ", b". it ' s"))]
    >>> [each.data for each in TidyDecoder().run(strings, lambda *row: None)]
    [b"a. it's"]
    """

    fuses = True

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The token's string without those spaces."""
        for rule in RULES:
            data = data.replace(rule.encode(), rule.replace(" ", "").encode())
        return data

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, without those spaces."""
        text = joined(strings)
        dropped: list[int] = []
        for rule in RULES:
            data = rule.encode()
            at = text.data.find(data)
            spaces = []
            while at >= 0:
                spaces += [at + offset for offset, byte in enumerate(data) if byte == 0x20]
                at = text.data.find(data, at + len(data))
            if spaces:
                dropped += [text.owners[space] for space in spaces]
                text = substituted(text, [(space, space + 1) for space in spaces], b"")
        for owner in sorted(set(dropped)):
            emit(DecodeEvent.TIDIED, owner, dropped.count(owner))
        return [text]

"""What the tokenizers of `transformers` that are written in Python do with the strings of tokens.

Follows `_decode` of its versions 4 and 5, and `convert_tokens_to_string` of `ByT5Tokenizer`, which reads bytes as UTF-8
and ignores errors, of `GPT2Tokenizer`, and of Llama's and T5's (`PieceRunsDecoder`).

`Tidy`, for clean_up_tokenization_spaces, follows `PreTrainedTokenizerBase.clean_up_tokenization`. It has one rule less
than the clean-up of the WordPiece decoder and sees the whole text, so spaces between tokens go, too.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Final

from explorer.engine.decoders.chain import (
    AttributedBytes,
    DecoderStep,
    StepEmit,
    Strings,
    attributed,
    joined,
    substituted,
)
from explorer.engine.decoders.huggingface import ByteLevelDecoder, malformed
from explorer.engine.decoders.rows import DecodeEvent
from explorer.engine.part import Decoder
from explorer.engine.trace import silent
from explorer.engine.unicode.byte_map import bytes_of
from explorer.errors import InputError, shown
from explorer.text.utf8 import text_of
from explorer.vocabulary import SPACE_MARK


def without_malformed(string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
    """The string without the bytes that are not valid UTF-8.

    >>> without_malformed(attributed(b"a\\xc3b", 0), lambda *row: None).data
    b'ab'
    """
    faults = malformed(string.data)
    for start, end in faults:
        for at in range(start, end):
            emit(DecodeEvent.IGNORED, string.owners[at], 1)
    return substituted(string, faults, b"") if faults else string


class IgnoreMalformedDecoder(DecoderStep):
    """Joins all strings and leaves out the bytes that are not valid UTF-8.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"\\xc3", b"\\xa9", b"\\xc3", b"a"))]
    >>> [each.data.decode() for each in IgnoreMalformedDecoder().run(strings, lambda *row: None)]
    ['éa']
    """

    fuses = True

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, in valid UTF-8."""
        return [without_malformed(joined(strings), emit)]


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
        if data in self.apart:
            return data
        for step in self.steps:
            data = step.alone(data, fused)
            fused = fused or step.fuses
        return data

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one."""
        parts: Strings = []
        text: Strings = []
        for string in strings:
            if string.data not in self.apart:
                text.append(string)
                continue
            read = self.between(text, emit)
            if read.data:
                parts.append(read)
            parts.append(string)
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


class StrictBytesDecoder(ByteLevelDecoder):
    """Turns printable characters back into bytes, each malformed run of them into U+FFFD, and joins all strings.

    Raises InputError for a string with any other character: GPT-2's tokenizer in Python fails there.

    >>> strings = [attributed("ĠÃ".encode(), 0), attributed(b"a", 1)]
    >>> [each.data.decode() for each in StrictBytesDecoder().run(strings, lambda *row: None)]
    [' \ufffda']
    """

    def __init__(self) -> None:
        super().__init__(last=False)

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, in valid UTF-8."""
        for string in strings:
            if bytes_of(string.data.decode()) is None:
                raise InputError(
                    f"the token {shown(string.data.decode())} has a character that spells no byte, and the original "
                    "fails to decode it; leave it out"
                )
        return super().run(strings, emit)


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


_MARK: Final = SPACE_MARK.encode()


class PieceRunsDecoder(DecoderStep):
    """Joins all strings as the classes of `transformers` do that decode with sentencepiece: special tokens as they are
    spelled, what is between them by sentencepiece.

    ids: of sentencepiece's pieces. decoder: sentencepiece's. special: the strings that are spelled. first: whether the
    ▁ of the first string goes. spaced: whether a space comes before every special token that follows no other (T5), or
    only after the first string (Llama), which also puts one after a first special token.

    Follows `convert_tokens_to_string` of `T5Tokenizer` and, with `spaced` off, of `LlamaTokenizer`.
    """

    fuses = True

    def __init__(
        self, ids: Mapping[bytes, int], decoder: Decoder, special: Container[bytes], *, first: bool, spaced: bool
    ) -> None:
        self.ids, self.decoder, self.special = ids, decoder, special
        self.first, self.spaced = first, spaced
        self.stand_in = next((id for piece, id in ids.items() if decoder.alone(id) == piece and piece), 0)
        """the id used for a string that is not a piece, which sentencepiece writes unchanged"""

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string as sentencepiece decodes it alone."""
        id = None if data in self.special else self.ids.get(data)
        return data if id is None else self.decoder.alone(id)

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one."""
        made: Strings = []
        run: Strings = []
        after_special = False
        for index, string in enumerate(strings):
            if not index and self.first and string.data.startswith(_MARK):
                string = AttributedBytes(string.data[len(_MARK) :], string.owners[len(_MARK) :], string.first)
            if string.data in self.special:
                # the original writes the space before the text that it has gathered
                if not after_special and (self.spaced or index):
                    made.append(attributed(b" ", (run or [string])[0].first))
                made += [*self.decoded(run), string]
                run, after_special = [], True
                continue
            opens = after_special and index == 1 and self.first and not string.data.startswith(_MARK)
            if opens and not self.spaced:
                made.append(attributed(b" ", string.first))
            run.append(string)
            after_special = False
        whole = joined([*made, *self.decoded(run)])
        if whole.data:
            emit(DecodeEvent.FUSED, whole.first, len(whole.data))
        return [whole]

    def decoded(self, strings: Sequence[AttributedBytes]) -> Strings:
        """The strings of pieces as sentencepiece decodes them."""
        strings = [string for string in strings if string.data]
        if not strings:
            return []
        found = self.decoder.run([self.ids.get(each.data, self.stand_in) for each in strings], False, True, silent)
        return [
            attributed(data if each.data in self.ids else each.data, each.first)
            for data, each in zip(found, strings, strict=True)
        ]

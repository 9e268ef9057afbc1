"""What Llama's and T5's tokenizers of `transformers` in Python do with the strings of tokens."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Final

from explorer.engine.decoders.chain import AttributedBytes, DecoderStep, StepEmit, attributed, joined
from explorer.engine.decoders.rows import DecodeEvent
from explorer.engine.part import Decoder
from explorer.engine.trace import silent
from explorer.vocabulary import SPACE_MARK

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

    def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """All strings as one."""
        made: list[AttributedBytes] = []
        run: list[AttributedBytes] = []
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

    def decoded(self, strings: Sequence[AttributedBytes]) -> list[AttributedBytes]:
        """The strings of pieces as sentencepiece decodes them."""
        strings = [string for string in strings if string.data]
        if not strings:
            return []
        found = self.decoder.run([self.ids.get(each.data, self.stand_in) for each in strings], False, True, silent)
        return [
            attributed(data if each.data in self.ids else each.data, each.first)
            for data, each in zip(found, strings, strict=True)
        ]

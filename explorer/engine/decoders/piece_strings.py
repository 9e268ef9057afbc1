"""What the tokenizers of `transformers` with a SentencePiece model that are in Python do with the strings of tokens.

Follows `convert_tokens_to_string` of `MarianTokenizer` and `M2M100Tokenizer`, which let the model decode what is
between special tokens, and `SentencePieceProcessor::DecodePieces`. A string that is not a piece of the model stays as
it is.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import KW_ONLY, dataclass

from explorer.engine.decoders.chain import (
    AttributedBytes,
    DecoderStep,
    StepEmit,
    attributed,
    joined,
    replaced,
    substituted,
)
from explorer.engine.decoders.rows import DecodeEvent
from explorer.engine.decoders.sentencepiece import PieceReader
from explorer.vocabulary import SPACE_MARK, PieceKind

_SPACE = SPACE_MARK.encode()


@dataclass(eq=False, repr=False)
class PieceStringsDecoder(DecoderStep):
    """Lets a SentencePiece model decode the strings between special tokens, and strips white space at both ends.

    kinds: of the model's pieces. reader: how it decodes them. special: the strings of special tokens. gap: what is
    written after each of them. marks: whether each ▁ that is left becomes a space.

    >>> kinds = {"▁a".encode(): PieceKind.NORMAL, b"<unk>": PieceKind.UNKNOWN}
    >>> decoder = PieceStringsDecoder(kinds, PieceReader(b"?"), special=[b"</s>"], gap=b" ", marks=True)
    >>> strings = ["▁a", "▁a", "</s>", "▁b", "<unk>"]
    >>> decoder.run([attributed(each.encode(), at) for at, each in enumerate(strings)], lambda *row: None)[0].data
    b'a a</s>  b?'
    """

    fuses = True

    kinds: Mapping[bytes, int]
    reader: PieceReader
    _: KW_ONLY
    special: Container[bytes]
    gap: bytes
    marks: bool

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The text of a token alone, ▁ as a space."""
        kind = self.kinds.get(data)
        return self.reader.alone(data, kind if kind == PieceKind.BYTE or data not in self.special else None)

    def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """All strings as one."""
        parts: list[AttributedBytes] = []
        between: list[AttributedBytes] = []
        for string in strings:
            if string.data not in self.special:
                between.append(string)
                continue
            parts += [*self._pieces(between, emit), string]
            if self.gap:
                emit(DecodeEvent.APART, string.first, len(self.gap))
                parts.append(attributed(self.gap, string.first))
            between = []
        whole = joined([*parts, *self._pieces(between, emit)])
        if self.marks:
            whole = replaced(whole, _SPACE, b" ")
        text = whole.data.decode()
        left = len(text[: len(text) - len(text.lstrip())].encode())
        right = len(text.rstrip().encode())
        spans = [(0, left)] if left else []
        if left < len(whole.data) > right:
            spans.append((right, len(whole.data)))
        for start, end in spans:
            for at in range(start, end):
                emit(DecodeEvent.STRIPPED, whole.owners[at], 1)
        return [substituted(whole, spans, b"")]

    def _pieces(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """What the model makes of strings."""

        def emit_at(kind: DecodeEvent, at: int, size: int) -> None:
            if kind != DecodeEvent.PIECE:
                emit(kind, strings[at].first, size)

        parts = self.reader.run([(each.data, self.kinds.get(each.data)) for each in strings], emit_at)
        return [attributed(part, each.first) for part, each in zip(parts, strings, strict=True)]

"""What the tokenizers of `transformers` with a SentencePiece model that are in Python do with the strings of tokens.

Follows `convert_tokens_to_string` of `MarianTokenizer` and `M2M100Tokenizer`, which let the model decode what is
between special tokens, and `SentencePieceProcessor::DecodePieces`. A string that is not a piece of the model stays as
it is.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from explorer.engine.decoders.attributed_bytes import AttributedBytes, attributed, joined, replaced, substituted
from explorer.engine.decoders.chain import StepEmit
from explorer.engine.decoders.rows import DecodeEvent
from explorer.engine.decoders.sentencepiece import REPLACEMENT, character_size
from explorer.vocabulary import SPACE_MARK, PieceKind

_SPACE = SPACE_MARK.encode()


class PieceStringsDecoder:
    """Lets a SentencePiece model decode the strings between special tokens, and strips white space at both ends.

    kinds: of the model's pieces. surface: of its unknown piece. strip_space, strip_all: as of `SentencePieceDecoder`.
    special: the strings of special tokens. gap: what is written after each of them. marks: whether each ▁ that is left
    becomes a space.

    >>> kinds = {"▁a".encode(): PieceKind.NORMAL, b"<unk>": PieceKind.UNKNOWN}
    >>> decoder = PieceStringsDecoder(kinds, b"?", special=[b"</s>"], gap=b" ", marks=True)
    >>> strings = ["▁a", "▁a", "</s>", "▁b", "<unk>"]
    >>> decoder.run([attributed(each.encode(), at) for at, each in enumerate(strings)], lambda *row: None)[0].data
    b'a a</s>  b?'
    """

    fuses = True

    def __init__(
        self, kinds: Mapping[bytes, int], surface: bytes, *, special: Container[bytes], gap: bytes, marks: bool,
        strip_space: bool = True, strip_all: bool = False,
    ) -> None:  # fmt: skip
        self.kinds, self.surface, self.special, self.gap, self.marks = kinds, surface, special, gap, marks
        self.strip_space, self.strip_all = strip_space, strip_all

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The text of a token alone, ▁ as a space."""
        byte = self._byte(data)
        if byte is not None:
            return byte
        kind = self.kinds.get(data)
        if kind == PieceKind.CONTROL and data not in self.special:
            return b""
        return self.surface if kind == PieceKind.UNKNOWN and data not in self.special else data.replace(_SPACE, b" ")

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

    def _byte(self, data: bytes) -> bytes | None:
        """The byte that a piece stands for."""
        return bytes([int(data[3:5], 16)]) if self.kinds.get(data) == PieceKind.BYTE else None

    def _pieces(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """What the model makes of strings."""
        parts: list[AttributedBytes] = []
        at_start, stripped, written, at = self.strip_space, False, False, 0
        while at < len(strings):
            run = self._bytes_from(strings, at, emit)
            if run:
                parts += run
                at += len(run)
                written = True
                continue
            at_start = at_start and not stripped and not written
            data, _, first = strings[at]
            kind, stripped = self.kinds.get(data, PieceKind.UNKNOWN), False
            if kind == PieceKind.CONTROL:
                emit(DecodeEvent.HIDDEN, first, 0)
                data = b""
            elif kind == PieceKind.UNKNOWN:
                if data in self.kinds:
                    emit(DecodeEvent.SURFACE, first, len(self.surface))
                    data = self.surface
            else:
                if at_start and data.startswith(_SPACE):
                    emit(DecodeEvent.SPACE, first, 1)
                    data, stripped = data.removeprefix(_SPACE), not self.strip_all
                data = data.replace(_SPACE, b" ")
            written = written or bool(data)
            parts.append(attributed(data, first))
            at += 1
        return parts

    def _bytes_from(self, strings: list[AttributedBytes], at: int, emit: StepEmit) -> list[AttributedBytes]:
        """The run of pieces for bytes at an index; U+FFFD for each that is not part of a valid character."""
        run = bytearray()
        for string in strings[at:]:
            byte = self._byte(string.data)
            if byte is None:
                break
            run += byte
        parts: list[AttributedBytes] = []
        while len(parts) < len(run):
            size = character_size(run, len(parts))
            for index in range(len(parts), len(parts) + max(size, 1)):
                owner = strings[at + index].first
                data = bytes(run[index : index + 1]) if size else REPLACEMENT
                emit(DecodeEvent.BYTE if size else DecodeEvent.REPLACED, owner, len(data))
                parts.append(attributed(data, owner))
        return parts

"""Toy vocabularies small enough to check by eye."""

from __future__ import annotations

from explorer.engine.decoders.pieces import PieceDecoder, SpmDecoder, raw
from explorer.engine.models.bpe import Bpe, MergeList
from explorer.engine.models.merges import MergeRow
from explorer.engine.models.spm import Spm
from explorer.engine.part import Events, Options, Segment, Token
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, RegexSplit
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.regexes.safe import Alternative, Pattern, cut
from explorer.facts import Fact
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind, Vocabulary

NORMAL, UNKNOWN, CONTROL, UNUSED, BYTE = (
    PieceKind.NORMAL, PieceKind.UNKNOWN, PieceKind.CONTROL, PieceKind.UNUSED, PieceKind.BYTE
)  # fmt: skip


def vocabulary(*pieces: tuple[str | bytes, float] | tuple[str | bytes, float, PieceKind]) -> Vocabulary:
    """From (piece, score) or (piece, score, kind)."""
    return Vocabulary.of(
        [piece[0].encode() if isinstance(piece[0], str) else piece[0] for piece in pieces],
        [piece[1] for piece in pieces],
        [piece[2] if len(piece) > 2 else NORMAL for piece in pieces],
    )


def run(model: Spm, text: str) -> tuple[list[str], Events[MergeRow]]:
    """The pieces one segment becomes and every decision."""
    events: Events[MergeRow] = Events(MergeRow)
    tokens = model.run([Segment.of(text)], Options(), events.emit)
    assert all(isinstance(token, Token) for token in tokens)
    return [model.vocabulary.spelling(token.id) for token in tokens], events


def decoder(v: Vocabulary) -> SpmDecoder:
    return SpmDecoder(v, strip_space=False)


def pattern_of(regex: str) -> Pattern:
    """The pattern with this text; an unknown one is split at its top-level `|` and has no sentences."""
    parts = tuple(Alternative(part, "") for part in cut(regex))
    return BY_REGEX.get(regex) or Pattern("of the file", "the vocabulary file", parts)


def tokenizer(*facts: Fact, patterns: tuple[str, ...] = (r"\w+",), special: tuple[str, ...] = ("<s>",)) -> Opened:
    """A toy that cuts by patterns, merges nothing, and has facts to show."""
    pieces = [(chr(byte).encode("latin-1"), 0.0, NORMAL) for byte in range(256)]
    v = vocabulary(*pieces, *((spelling, 0.0, CONTROL) for spelling in special))
    cuts = PreTokenization([RegexSplit(pattern_of(each)) for each in patterns])
    return Opened(
        "toy", "BPE", "toy", v, (cuts, Bpe(v, MergeList([]))), PieceDecoder(v, raw, special=frozenset()), facts
    )

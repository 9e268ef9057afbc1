"""The rules of Unigram: scores, sums and the pieces that count, as each original has them. Data, not an algorithm.

Follows sentencepiece 0.2.3, llama.cpp and Hugging Face's tokenizers; `unigram.py` says where.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

from explorer.vocabulary import PieceKind, Vocabulary

UNKNOWN_PENALTY = 10.0
"""The unknown token scores this much less than the lowest score."""

LARGEST_FLOAT = 3.4028234663852886e38
"""FLT_MAX, the lowest score of a vocabulary without normal pieces."""

SUM_LIMIT = 100_000.0
"""sentencepiece: a sum beyond ±this is set to 0 and all later ones are lowered by as much, so that 32 bits stay precise
enough on a long text."""

PIECES = frozenset((PieceKind.NORMAL, PieceKind.USER_DEFINED, PieceKind.UNUSED))


class UnigramRules(NamedTuple):
    """The differences between the originals.

    single: sums are 32-bit floats.
    unknown_score: the score of the unknown token.
    bonus: the score of a user-defined piece for each byte but the first; None: its own score.
    limit: sums beyond ±limit are rebased; None: never.
    pieces: the kinds of piece that are looked up. passed_over: those of them that are skipped.
    fuse_unknown: a run of unknown characters becomes one unknown token.
    byte_fallback: an unknown character becomes its byte tokens.
    by_spelling: a run of unknown tokens is joined and its spelling looked up again, as Hugging Face does; where one of
        its bytes has no token, the whole run becomes one unknown token.
    """

    single: bool
    unknown_score: float
    bonus: float | None
    limit: float | None = None
    pieces: frozenset[PieceKind] = PIECES
    passed_over: frozenset[PieceKind] = frozenset()
    fuse_unknown: bool = True
    byte_fallback: bool = False
    by_spelling: bool = False


def single(value: float) -> float:
    """The value rounded to a 32-bit float."""
    return array("f", (value,))[0]


def _of_kind(vocabulary: Vocabulary, kind: PieceKind) -> Iterable[float]:
    # int: comparing with an enum member takes three times as long, 250,000 times
    return compress(vocabulary.scores, map(int(kind).__eq__, vocabulary.kinds))


def llama_cpp_rules(vocabulary: Vocabulary) -> UnigramRules:
    """64-bit sums; user-defined pieces score 0; UNUSED ones are used; no byte fallback."""
    lowest = min(_of_kind(vocabulary, PieceKind.NORMAL), default=LARGEST_FLOAT)
    return UnigramRules(single=False, unknown_score=single(lowest - UNKNOWN_PENALTY), bonus=0.0)


def sentencepiece_rules(vocabulary: Vocabulary, *, byte_fallback: bool = False) -> UnigramRules:
    """32-bit sums, rebased; user-defined pieces score 0.1 per byte but the first; UNUSED ones are skipped."""
    lowest = min(_of_kind(vocabulary, PieceKind.NORMAL), default=LARGEST_FLOAT)
    return UnigramRules(
        single=True,
        unknown_score=single(lowest - UNKNOWN_PENALTY),
        bonus=0.1,
        limit=SUM_LIMIT,
        passed_over=frozenset((PieceKind.UNUSED,)),
        fuse_unknown=not byte_fallback,
        byte_fallback=byte_fallback,
    )


def huggingface_rules(scores: Sequence[float], *, byte_fallback: bool = False) -> UnigramRules:
    """64-bit sums; the original does not know kinds: every piece is used with its own score.

    scores: of all the model's own pieces.
    """
    return UnigramRules(
        single=False,
        unknown_score=min(scores, default=0.0) - UNKNOWN_PENALTY,
        bonus=None,
        pieces=frozenset(PieceKind),
        byte_fallback=byte_fallback,
        by_spelling=True,
    )

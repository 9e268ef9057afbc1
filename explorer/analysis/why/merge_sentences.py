"""Sentences about merges: bytes of a character, and what scores, merge numbers and ranks mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from explorer.analysis.why.merge_replay import Pair
from explorer.analysis.why.spellings import Speller
from explorer.text.quantities import number
from explorer.text.say import Say
from explorer.vocabulary import PieceKind, Vocabulary

LIST: Final = Say("The number is the merge's position in the list. The earliest merge joins first.")
RANKS: Final = Say("The rank is the number of the joined token. The smallest rank joins first.")
SCORE: Final = Say("The highest score joins first.")


def of_byte(text: str, byte: str, which: int, count: int, id: int) -> Say:
    """A byte of a character that is not a piece. which: from 1."""
    return Say.of("{0:q} is not a piece. Its byte {1:t}, {2} of {3}, becomes token {4:t}.",
                  text, byte, which, count, str(id))  # fmt: skip


def meaning_of_score(vocabulary: Vocabulary, merges: Sequence[Pair], speller: Speller) -> Say:
    """What the scores of a token's merges say.

    sentencepiece's trainer writes pieces in the order it learns them and gives each minus the number of pieces before
    it. That is said only if it holds here: as many normal pieces have a smaller id.
    """
    shown = [merges[0], merges[-1]]
    scores = [vocabulary.scores[merge.token] for merge in shown]
    before = [vocabulary.kinds[: merge.token].count(PieceKind.NORMAL) for merge in shown]
    if [-score for score in scores] != before:
        return SCORE
    texts = [speller.token(merge.token) for merge in shown]
    if scores[0] == scores[1]:
        return Say.of("A score says when the piece was learned: {0:q} after {1:t} others. Early ones join first.",
                      texts[0], number(-scores[0]))  # fmt: skip
    return Say.of(
        "A score says when the piece was learned: {0:q} after {1:t} others, {2:q} after {3:t}. Early ones join first.",
        texts[0], number(-scores[0]), texts[1], number(-scores[1]),
    )  # fmt: skip

"""The ways to write a word, held against all of them written out."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.training.lattice import word_ways
from explorer.training.training import Learned
from tests.tiers import amount

SCORES = st.floats(-9, -0.5)


def written_out(word: str, scores: dict[str, float], unknown: float) -> Iterator[tuple[tuple[str, ...], float]]:
    """Every way to write a word, with its score."""
    if not word:
        yield (), 0.0
    for end in range(1, len(word) + 1):
        score = scores.get(word[:end], unknown if end == 1 else None)
        if score is not None:
            for rest, more in written_out(word[end:], scores, unknown):
                yield (word[:end], *rest), score + more


@settings(max_examples=amount(40), deadline=None)
@given(
    st.dictionaries(st.text("ab猫", min_size=1, max_size=3), SCORES, min_size=1),
    st.text("ab猫", min_size=1, max_size=7),
)
def test_against_all_ways(scores: dict[str, float], word: str) -> None:
    tokens = ("<unk>", *scores)
    learned = Learned(tokens, tokens, scores=(0.0, *scores.values()), special=(0,))
    found = word_ways(learned, word)
    ways = list(written_out(word, scores, min(scores.values()) - 10))
    assert found.ways == len(ways)
    top = max(score for _, score in ways)
    assert found.score == pytest.approx(top)
    assert sum(dict(ways)[found.best] for _ in (0,)) == pytest.approx(top)
    whole = sum(math.exp(score) for _, score in ways)
    for piece in found.pieces:
        share = sum(math.exp(score) * way.count(piece.text) for way, score in ways) / whole
        assert piece.expected == pytest.approx(share, abs=1e-9)
        assert piece.used == found.best.count(piece.text)
        fewer = {text: score for text, score in scores.items() if text != piece.text}
        if piece.used and fewer:
            others = written_out(word, fewer, min(fewer.values()) - 10)
            assert piece.loss == pytest.approx(top - max(score for _, score in others))
    assert {piece.text for piece in found.pieces} == {text for way, _ in ways for text in way if text in scores}

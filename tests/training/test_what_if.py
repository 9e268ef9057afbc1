"""A pair that is forbidden is never merged, all others as before; and what two trainings learned, told apart."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.training import words
from explorer.training.huggingface import bpe
from explorer.training.training import Train
from explorer.training.why import difference
from tests.tiers import amount
from tests.training.corpora import corpora
from tests.training.huggingface import cut
from tests.training.recount import check_events, pairs_in
from tests.training.test_events import by_count


@settings(max_examples=amount(30))
@given(corpora(), st.integers(0, 2**32), st.none() | st.integers(2, 5))
def test_a_forbidden_pair_is_not_merged(texts: list[str], seed: int, longest: int | None) -> None:
    """Of the pairs that count, the best is merged at every step; those that don't count are forbidden or too long."""
    counted = words.count(texts, cut("only white space"))
    options = bpe.Options(vocab_size=60, max_token_length=longest)
    before = bpe.train(counted, options).learned
    forbidden = random.Random(seed).sample(before.pairs, min(2, len(before.merges)))
    training = bpe.train(counted, options, forbidden=forbidden)
    state = check_events(training, by_count, uncounted=True)
    symbols = training.learned.symbols
    assert not set(forbidden) & set(training.learned.pairs)
    for left, right in pairs_in(state):
        if not state.counts.get((left, right)):
            too_long = longest is not None and len(symbols[left] + symbols[right]) >= longest
            assert too_long or (symbols[left], symbols[right]) in forbidden
    said = {(symbols[row.a], symbols[row.b]) for row in training.events if row.kind == Train.FORBIDDEN}
    assert said <= set(forbidden)
    found = difference(before, training.learned)
    assert set(found.gone) == set(before.tokens) - set(training.learned.tokens)
    assert set(found.new) == set(training.learned.tokens) - set(before.tokens)
    if forbidden:
        first = min(map(before.pairs.index, forbidden))
        assert found.first == first + 1
        assert found.before == before.pairs[first]


@settings(max_examples=amount(40))
@given(corpora())
def test_ties_go_to_the_highest_ids(texts: list[str]) -> None:
    counted = words.count(texts, cut("only white space"))
    learned = bpe.train(counted, bpe.Options(vocab_size=60), last_first=True).learned
    ids = {token: id for id, token in enumerate(learned.symbols)}
    rows = [([ids[ch] for ch in word], times) for word, times in counted.items()]
    for left, right, made in learned.merges:
        counts: Counter[tuple[int, int]] = Counter()
        for row, times in rows:
            for pair in pairwise(row):
                counts[pair] += times
        most = max(counts.values())
        assert (left, right) == max(pair for pair, n in counts.items() if n == most)
        for row, _ in rows:
            at = 0
            while at + 1 < len(row):
                if (row[at], row[at + 1]) == (left, right):
                    row[at : at + 2] = [made]
                at += 1


def test_nothing_forbidden_changes_nothing() -> None:
    learned = bpe.train({"low": 5, "lower": 2}, bpe.Options(20)).learned
    assert difference(learned, bpe.train({"low": 5, "lower": 2}, bpe.Options(20), forbidden=[("x", "y")]).learned) == (
        (), (), 0, (), ()
    )  # fmt: skip

"""The events of Hugging Face's trainers: a replay rebuilds every count, and each winner is the best pair."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.training import words
from explorer.training.huggingface import bpe, word_level
from explorer.training.training import State, Train, TrainRow
from tests.tiers import amount
from tests.training.corpora import HOSTILE, NOTES, corpora
from tests.training.huggingface import cut
from tests.training.recount import check_events, replayed, text_of
from tests.training.test_huggingface_bpe import options_of


def by_count(state: State, pair: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    return state.counts[pair], pair


def test_kinds_are_numbered_without_gaps() -> None:
    assert [kind.value for kind in Train] == list(range(len(Train)))
    assert [kind.value for kind in word_level.TakeWord] == list(range(len(word_level.TakeWord)))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    counted = words.count(HOSTILE[name], cut("white space"))
    training = bpe.train(counted, bpe.Options(vocab_size=200))
    state = check_events(training, by_count)
    assert text_of(training, state) == list(counted)


@settings(max_examples=amount(100))
@given(corpora(), st.integers(0, 2**32))
def test_any_corpus_and_options(texts: list[str], seed: int) -> None:
    options = replace(options_of(random.Random(seed)), special_tokens=())
    counted = words.count(texts, cut("only white space"))
    training = bpe.train(counted, options)
    state = check_events(training, by_count, uncounted=options.max_token_length is not None)
    kept = set(training.learned.tokens)
    assert text_of(training, state) == ["".join(ch for ch in word if ch in kept) for word in counted]


def test_the_reason_for_the_end() -> None:
    last = bpe.train({"abab": 3}, bpe.Options(vocab_size=3)).events[-1]
    assert last == (Train.STOP_SIZE, 3, 3, 0)
    last = bpe.train({"abab": 3}, bpe.Options(vocab_size=30)).events[-1]
    assert last == (Train.STOP_NO_PAIR, 4, 30, 0)
    last = bpe.train({"ab": 3, "cd": 1}, bpe.Options(vocab_size=30, min_frequency=2)).events[-1]
    assert last == (Train.STOP_RARE, 2, 3, 1)


def test_too_long_pairs_are_said_and_not_counted() -> None:
    events = bpe.train({"abcd": 2}, bpe.Options(max_token_length=3)).events
    assert (Train.TOO_LONG, 4, 2, 3) in list(events)  # ab + c
    state = replayed(events)
    assert [len(word) for word in state.words] == [2]  # ab + cd


def test_the_two_lines_of_the_notes_by_eye() -> None:
    """Words begin with ▁, so spaces are counted: (h, e) is the most frequent pair, and 31 pairs tie behind it."""
    counted = words.count(NOTES, cut("metaspace"))
    assert sum(counted.values()) == 18
    training = bpe.train(counted, bpe.Options(vocab_size=40))
    rows = list(training.events)
    spelled = training.learned.symbols
    counts = {spelled[row.a] + spelled[row.b]: row.n for row in rows if row.kind == Train.PAIR}
    assert counts["he"] == 3
    assert [counts[pair] for pair in ("▁t", "Th", "th", "ov", "ve")] == [2, 1, 2, 2, 2]
    assert list(counts.values()).count(2) == 31
    assert sum(n == 3 for n in counts.values()) == 1
    assert len([row for row in rows if row.kind == Train.LETTER]) == 30
    winners = [TrainRow(*row) for row in rows if row.kind == Train.WINNER]
    ties = [row.n for row in rows if row.kind == Train.TIES]
    assert [(spelled[row.a] + spelled[row.b], row.n) for row in winners[:1]] == [("he", 3)]
    assert ties[0] == 0

"""Why a piece, a word or a substring is a token, or not: held against what was learned and the state replayed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.text.say import plain
from explorer.training.trainers import TRAINERS
from explorer.training.training import UnigramState
from explorer.training.why import Cause, why
from explorer.training.words import CUTTINGS
from tests.tiers import amount

TEXTS = st.text("abc é", max_size=30)
IN = {Cause.SPECIAL, Cause.LETTER, Cause.MERGED}


@pytest.mark.parametrize("whom", ["huggingface", "sentencepiece"])
@settings(max_examples=amount(6), deadline=None)
@given(TEXTS, st.integers(9, 14))
def test_pieces(whom: str, text: str, size: int) -> None:
    """A piece that was dropped was there before that event, and is gone after it."""
    trainer = TRAINERS["unigram", whom]
    texts = [f"{text} ab abc abab", "cabab"]
    corpus: Any = CUTTINGS["metaspace"].words(texts) if trainer.of_words else texts
    more = {} if trainer.of_words else {"hard_vocab_limit": False}
    try:
        training = trainer.train(corpus, trainer.options(vocab_size=size, **more))
        _ = training.events
    except InputError:  # too small for the characters
        return
    for token in {*training.learned.symbols, *training.learned.tokens, "zz", "ab c"}:
        found = why(training, token, texts)
        assert plain(found.say)
        assert (found.cause in IN) == (token in training.learned.ids)
        if found.cause == Cause.DROPPED:
            assert found.event is not None
            state, events = UnigramState(), list(training.events)
            number = events[found.event].a
            for row in events[: found.event]:
                state.apply(row)
            assert number in state.scores
            for row in events[found.event :]:
                state.apply(row)
            assert number not in state.scores
    assert why(training, "zz", texts).cause == Cause.ABSENT


@settings(max_examples=amount(8), deadline=None)
@given(TEXTS, st.integers(0, 5), st.integers(0, 3))
def test_words(text: str, size: int, least: int) -> None:
    texts = [f"{text} ab abc ab"]
    words = CUTTINGS["whitespace"].words(texts)
    trainer = TRAINERS["wordlevel", "huggingface"]
    training = trainer.train(words, trainer.options(vocab_size=size, min_frequency=least, special_tokens=("[UNK]",)))
    for word, n in words.items():
        found = why(training, word, texts, list(words))
        better = sum((-m, other) < (-n, word) for other, m in words.items())
        rare, full = n < least, better >= max(0, size - 1)
        assert found.cause == (Cause.RARE if rare else Cause.FULL if full else Cause.MERGED)
        assert found.count == n
    if "bc" not in words:
        assert why(training, "bc", texts, list(words)).cause == Cause.CUT
    assert why(training, "[UNK]", texts, list(words)).cause in (Cause.SPECIAL, Cause.ABSENT)


@settings(max_examples=amount(6), deadline=None)
@given(TEXTS, st.integers(4, 25))
def test_substrings(text: str, size: int) -> None:
    """A token's count is at most that of its occurrences; what is no token would not reach the threshold by ends."""
    texts = [f"{text} ab abc ab"]
    words = CUTTINGS["whitespace"].words(texts)
    trainer = TRAINERS["wordpiece", "tensorflow-text"]
    training = trainer.train(words, trainer.options(vocab_size=size, lower_thresh=1, reserved_tokens=("[UNK]",)))
    asked = {("##" if start else "") + word[start:end]
             for word in words for start, end in combinations(range(len(word) + 1), 2)}  # fmt: skip
    for token in asked:
        found = why(training, token, texts, list(words))
        assert (found.cause in IN) == (token in training.learned.ids)
        if found.cause == Cause.MERGED:
            inside = token.startswith("##")
            ends = sum(
                n for word, n in words.items() if word.endswith(token.removeprefix("##")) and (inside or word == token)
            )
            assert found.count <= ends
        else:
            assert found.cause in (Cause.RARE, Cause.LETTER)
    assert why(training, "[UNK]", texts, list(words)).cause == Cause.SPECIAL
    assert why(training, "zz", texts, list(words)).cause == Cause.ABSENT

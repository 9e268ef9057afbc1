"""WordLevel is what tokenizers' own trainer learns."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.training import words
from explorer.training.huggingface import word_level
from explorer.training.huggingface.word_level import TakeWord
from tests.tiers import amount
from tests.training.corpora import HOSTILE, corpora, generated
from tests.training.huggingface import CUTS, cut, original


def check(texts: list[str], how: str, options: word_level.Options) -> None:
    training = word_level.train(words.count(texts, cut(how)), options)
    assert training.learned.ids == original(texts, how, options).vocab
    taken = [row for row in training.events if row.kind in (TakeWord.SPECIAL, TakeWord.TAKEN)]
    assert [row.b for row in taken] == list(range(len(training.learned.tokens)))
    assert len(taken) == len(training.learned.tokens)


def options_of(choose: random.Random) -> word_level.Options:
    special = ("<s>", "a", "the", "<s>", "[UNK]")
    return word_level.Options(
        choose.choice((0, 1, 3, 10, 100)), choose.choice((0, 1, 2, 5)), special[: choose.choice((0, 0, 1, 2, 5))]
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    for how in CUTS:
        for seed in range(5):
            check(list(HOSTILE[name]), how, options_of(random.Random(seed)))


def test_generated_corpora() -> None:
    for seed in range(amount(200)):
        how = random.Random(seed).choice(sorted(CUTS))
        check(generated(seed), how, options_of(random.Random(seed)))


@settings(max_examples=amount(60))
@given(corpora(), st.sampled_from(sorted(CUTS)), st.integers(0, 2**32))
def test_any_corpus(texts: list[str], how: str, seed: int) -> None:
    check(texts, how, options_of(random.Random(seed)))


def test_equal_counts_are_said() -> None:
    rows = list(word_level.train({"b": 2, "a": 2, "c": 9}, word_level.Options(vocab_size=2)).events)
    assert [(TakeWord(row.kind).name, row.a, row.b, row.n) for row in rows[3:]] == [
        ("TAKEN", 2, 0, 9),
        ("TIES", 1, 2, 2),
        ("TAKEN", 1, 1, 2),
        ("NO_ROOM", 0, 2, 2),
    ]

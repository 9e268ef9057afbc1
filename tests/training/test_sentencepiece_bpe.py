"""BPE is what sentencepiece's own trainer learns: the same pieces, ids, scores and types."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.training.sentencepiece import bpe
from explorer.training.sentencepiece.sentences import Options
from explorer.training.training import State, Train
from tests.tiers import amount
from tests.training.corpora import HOSTILE, corpora, generated, standard_library
from tests.training.recount import check_events
from tests.training.sentencepiece import RULES, lines_given, lines_read, options_of, original, ours, with_rule


def check(texts: Sequence[str], options: Options, rule: str = "identity") -> bool:
    """The same model, or both refuse; whether there is one."""
    theirs = original(texts, options, rule)
    try:
        mine = ours(bpe.train(lines_given(texts), with_rule(options, rule)).learned)
    except InputError:
        mine = None
    assert mine == theirs
    return theirs is not None


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    for rule in ("identity", "nmt_nfkc"):
        for size in (20, 60, 300):
            check(HOSTILE[name], Options(vocab_size=size, hard_vocab_limit=False), rule)
            check(HOSTILE[name], Options(vocab_size=size), rule)


@pytest.mark.sample(1)
@pytest.mark.parametrize("block", range(8))
def test_generated_corpora_with_all_options(block: int) -> None:
    trained = 0
    for seed in range(block * 60, block * 60 + amount(60)):
        choose = random.Random(seed)
        trained += check(generated(seed), options_of(choose), choose.choice(RULES))
    assert trained > amount(20)


@settings(max_examples=amount(100))
@given(corpora(), st.sampled_from(RULES), st.integers(0, 2**32))
def test_any_corpus(texts: list[str], rule: str, seed: int) -> None:
    check(texts, options_of(random.Random(seed)), rule)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "name", ["kanji", "prose", "emoji", "combining marks", "right to left", "planes", "white space", "empty lines"]
)
def test_characters_chosen_by_what_they_save(name: str) -> None:
    """`auto_character_coverage`, at every size from the smallest on: all merges, some, none."""
    for size in (200, 260, 262, 264, 268, 275, 290, 320, 380, 500):
        options = Options(vocab_size=size, byte_fallback=True, auto_character_coverage=True, hard_vocab_limit=False)
        check(HOSTILE[name], options, "nmt_nfkc")


def test_characters_chosen_with_other_options() -> None:
    trained = 0
    for seed in range(amount(60)):
        choose = random.Random(seed)
        options = replace(
            options_of(choose), byte_fallback=True, auto_character_coverage=True, required_chars="",
            vocab_size=choose.choice((261, 270, 290, 350, 600)),
        )  # fmt: skip
        trained += check(generated(seed), options, choose.choice(RULES))
    assert trained > amount(15)


def test_half_a_megabyte_of_real_text() -> None:
    assert check(lines_read(standard_library(amount(500_000))), Options(vocab_size=4_000), "nmt_nfkc")


def by_count(state: State, pair: tuple[int, int], texts: Sequence[str]) -> tuple[int, tuple[int, str]]:
    text = texts[pair[0]] + texts[pair[1]]
    return state.counts[pair], (len(text), text)


@settings(max_examples=amount(80))
@given(corpora(), st.integers(0, 2**32))
def test_events(texts: list[str], seed: int) -> None:
    options = options_of(random.Random(seed))
    try:
        training = bpe.train(lines_given(texts), options)
        _ = training.events
    except InputError:
        return
    symbols = training.learned.symbols
    check_events(training, lambda state, pair: by_count(state, pair, symbols), uncounted=True, zeros=True)
    rows = list(training.events)
    assert sum(row.kind == Train.TOKEN for row in rows) + sum(row.kind == Train.REQUIRED for row in rows) == len(
        training.learned.tokens
    ) - len(training.learned.special)

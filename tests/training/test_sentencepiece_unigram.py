"""Unigram of sentencepiece: ours gives the pieces, ids and scores of the original, to the bit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.training.sentencepiece import unigram
from tests.tiers import amount
from tests.training.corpora import HOSTILE, corpora, generated, standard_library
from tests.training.sentencepiece import RULES, lines_given, lines_read, original, ours, unigram_options_of, with_rule
from tests.training.unigram_events import check_unigram_events


def check(texts: Sequence[str], options: unigram.Options, rule: str = "identity") -> bool:
    """The same model, or both refuse; whether there is one."""
    theirs = original(texts, options, rule)
    try:
        mine = ours(unigram.train(lines_given(texts), with_rule(options, rule)).learned)
    except InputError:
        mine = None
    assert mine == theirs
    return theirs is not None


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    for rule in ("identity", "nmt_nfkc"):
        for size in (20, 60, 300):
            check(HOSTILE[name], unigram.Options(vocab_size=size, hard_vocab_limit=False), rule)


@pytest.mark.sample(1)
@pytest.mark.parametrize("block", range(8))
def test_generated_corpora_with_all_options(block: int) -> None:
    trained = 0
    for seed in range(block * 60, block * 60 + amount(60)):
        choose = random.Random(seed)
        trained += check(generated(seed), unigram_options_of(choose), choose.choice(RULES))
        options = replace(unigram_options_of(choose), hard_vocab_limit=False)
        trained += check(generated(seed), options, choose.choice(RULES))
    assert trained > amount(40)


@settings(max_examples=amount(60))
@given(corpora(), st.sampled_from(RULES), st.integers(0, 2**32))
def test_any_corpus(texts: list[str], rule: str, seed: int) -> None:
    check(texts, unigram_options_of(random.Random(seed)), rule)


@pytest.mark.long
@pytest.mark.parametrize("longest", [20, 40])
def test_so_many_ways_that_the_search_gives_up(longest: int) -> None:
    """Runs of one letter have thousands of equally good ways; the original then keeps only the best it has so far."""
    options = unigram.Options(vocab_size=60, max_sentencepiece_length=longest, hard_vocab_limit=False, num_threads=2)
    assert check(["a" * size for size in range(1, 60)] + ["ab" * size for size in range(1, 30)], options)


@pytest.mark.long
def test_real_text_and_the_number_of_threads() -> None:
    texts = lines_read(standard_library(10_000))
    models = [replace(unigram.Options(vocab_size=400), num_threads=threads) for threads in (1, 16)]
    for options in models:
        assert check(texts, options, "nmt_nfkc")
    few, many = (unigram.train(texts, with_rule(options, "nmt_nfkc")).learned for options in models)
    assert few.scores != many.scores


def test_white_space_alone_is_an_error() -> None:
    """The original stops its process."""
    options = unigram.Options(vocab_size=300, required_chars="xyz", hard_vocab_limit=False)
    with pytest.raises(InputError, match="corpus"):
        assert unigram.train(lines_given(["\n\u1680 \t"]), with_rule(options, "nmt_nfkc")).learned


@settings(max_examples=amount(40))
@given(corpora(), st.integers(0, 2**32))
def test_events(texts: list[str], seed: int) -> None:
    options = replace(unigram_options_of(random.Random(seed)), hard_vocab_limit=False)
    try:
        training = unigram.train(lines_given(texts), options)
        _ = training.events
    except InputError:
        return
    check_unigram_events(training)

"""Unigram of Hugging Face: the same pieces, and the same scores but for the last digits, which are random there."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, trainers

from explorer.errors import InputError
from explorer.training import words
from explorer.training.huggingface import unigram
from explorer.training.training import Learned
from explorer.training.unigram import branching
from tests.tiers import amount
from tests.training.corpora import HOSTILE, corpora, generated, lines_of, standard_library
from tests.training.huggingface import CUTS, cut
from tests.training.unigram_events import check_unigram_events


def original(texts: Sequence[str], name: str, options: unigram.Options) -> list[tuple[str, float | None]] | None:
    """The original's vocabulary, None where it refuses."""
    whole = json.loads(Tokenizer(models.Unigram()).to_str())
    whole["normalizer"], whole["pre_tokenizer"] = CUTS[name]
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    trainer = trainers.UnigramTrainer(
        vocab_size=options.vocab_size, special_tokens=list(options.special_tokens), unk_token=options.unk_token,
        initial_alphabet=list(options.initial_alphabet), shrinking_factor=options.shrinking_factor,
        max_piece_length=options.max_piece_length, n_sub_iterations=options.n_sub_iterations, show_progress=False,
    )  # fmt: skip
    try:
        tokenizer.train_from_iterator(list(texts), trainer)
    except BaseException as error:  # a panic of Rust's is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None
    return [(token, score) for token, score in json.loads(tokenizer.to_str())["model"]["vocab"]]


def check(texts: Sequence[str], name: str, options: unigram.Options) -> bool:
    """The same tokens and sorted scores, or both refuse; whether there is a model."""
    counted = words.count(texts, cut(name))
    try:
        learned: Learned[str] | None = unigram.train(counted, options).learned
    except InputError:
        learned = None
    if not counted and options.vocab_size == 0:
        # the original prunes its empty list again and again, and never ends
        assert learned is None
        return False
    theirs = original(texts, name, options)
    if learned is None:
        # without a piece of its own the original gives characters no score that a file can hold
        assert theirs is None or all(score is None or score == 0.0 for _, score in theirs)
        return False
    assert theirs is not None
    assert Counter(learned.tokens) == Counter(token for token, _ in theirs)
    special = len(learned.special)
    assert list(learned.tokens[:special]) == [token for token, _ in theirs[:special]]
    for mine, score in zip(sorted(learned.scores), sorted(score or 0.0 for _, score in theirs), strict=True):
        assert mine == pytest.approx(score, abs=1e-9)
    return True


def options_of(choose: random.Random) -> unigram.Options:
    return unigram.Options(
        vocab_size=choose.choice((0, 5, 20, 40, 80, 150, 300)),
        special_tokens=choose.choice(((), (), ("<s>", "<unk>"), ("a", "[UNK]"))),
        initial_alphabet=choose.choice(((), (), ("z", "猫"))),
        unk_token=choose.choice((None, "<unk>", "[UNK]")),
        shrinking_factor=choose.choice((0.75, 0.75, 0.5, 0.9)),
        max_piece_length=choose.choice((16, 16, 1, 2, 4)),
        n_sub_iterations=choose.choice((2, 2, 1, 3)),
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    for how in CUTS:
        for size in (30, 300):
            check(HOSTILE[name], how, unigram.Options(vocab_size=size, unk_token="<unk>"))


@pytest.mark.sample(1)
@pytest.mark.parametrize("block", range(8))
def test_generated_corpora_with_all_options(block: int) -> None:
    trained = 0
    for seed in range(block * 50, block * 50 + amount(50)):
        choose = random.Random(seed)
        trained += check(generated(seed), choose.choice(list(CUTS)), options_of(choose))
    assert trained > amount(20)


@settings(max_examples=amount(100))
@given(corpora(), st.sampled_from(list(CUTS)), st.integers(0, 2**32))
def test_any_corpus(texts: list[str], name: str, seed: int) -> None:
    check(texts, name, options_of(random.Random(seed)))


def test_real_text() -> None:
    assert check(lines_of(standard_library(amount(30_000))), "metaspace", unigram.Options(vocab_size=500))


def test_its_own_unknown_piece_in_the_text() -> None:
    options = unigram.Options(vocab_size=30)
    assert not check(["a <UNK> b <UNK> c"], "only white space", options)
    assert check(["a<UNK> b<UNK>x <UNK>y a<UNK>z"] * 4, "only white space", options)


@settings(max_examples=amount(60))
@given(corpora(), st.integers(0, 2**32))
def test_events(texts: list[str], seed: int) -> None:
    try:
        training = unigram.train(words.count(texts, cut("metaspace")), options_of(random.Random(seed)))
        _ = training.events
    except InputError:
        return
    check_unigram_events(training)


@given(st.text("ab.", max_size=30), st.integers(2, 5))
def test_strings_that_repeat(text: str, longest: int) -> None:
    """Against a count of all strings and of what follows them."""
    plain = {}
    for begin in range(len(text)):
        for end in range(begin + 2, min(len(text), begin + longest) + 1):
            string = text[begin:end]
            at = [place for place in range(len(text)) if text.startswith(string, place)]
            if len({text[place + len(string) : place + len(string) + 1] for place in at}) > 1:
                plain[string] = len(at)
    assert dict(branching(text, longest, lambda string: True)) == plain

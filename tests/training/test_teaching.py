"""minbpe and tiktoken's teaching code: the same merges as their own loops, which count all pairs anew at each step."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken import _educational

from explorer.errors import InputError
from explorer.training import teaching, words
from explorer.training.training import State
from tests.tiers import amount
from tests.training.corpora import HOSTILE, corpora, generated
from tests.training.recount import check_events, text_of

GPT2 = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
PATTERNS = (GPT2, r"\S+|\s+", r"(?s).", r"(?s).+")


def naive(chunks: Sequence[str], size: int) -> list[tuple[int, int]]:
    """The merges by minbpe's published rules: all pairs counted anew at each step, `max` takes the first of equals."""
    ids = [list(chunk.encode()) for chunk in chunks]
    merges: list[tuple[int, int]] = []
    while len(merges) < size - 256:
        counts: dict[tuple[int, int], int] = {}
        for chunk in ids:
            for pair in pairwise(chunk):
                counts[pair] = counts.get(pair, 0) + 1
        if not counts:
            break
        best = max(counts, key=lambda pair: counts[pair])
        for chunk in ids:
            at = 0
            while at + 1 < len(chunk):
                if (chunk[at], chunk[at + 1]) == best:
                    chunk[at : at + 2] = [256 + len(merges)]
                at += 1
        merges.append(best)
    return merges


def ours(chunks: Sequence[str], size: int) -> list[tuple[int, int]]:
    counted = words.count(chunks)
    training = teaching.train(counted, teaching.Options(size))
    return [(left, right) for left, right, _ in training.learned.merges]


def check(texts: Sequence[str], size: int) -> None:
    text = "\n".join(texts)
    assert ours([text], size) == naive([text] if text else [], size)
    for pattern in PATTERNS:
        chunks = regex.findall(pattern, text)
        assert ours(chunks, size) == naive(chunks, size)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    for size in (256, 257, 300):
        check(HOSTILE[name], size)


def test_generated_corpora() -> None:
    for seed in range(amount(120)):
        check(generated(seed), 256 + seed % 60)


@settings(max_examples=amount(60))
@given(corpora(), st.integers(256, 300))
def test_any_corpus(texts: list[str], size: int) -> None:
    check(texts, size)


def test_tiktoken_itself() -> None:
    """Its own function, which fails where no pair is left; ours ends there."""
    compared = 0
    for seed in range(amount(150)):
        text = "\n".join(generated(seed))
        for pattern in PATTERNS[:2]:
            chunks = regex.findall(pattern, text)
            learned = teaching.train(words.count(chunks), teaching.Options(256 + seed % 40)).learned
            size = len(learned.tokens)
            with redirect_stdout(io.StringIO()):
                ranks = _educational.bpe_train(text, size, pattern, visualise=None)
            assert {token: id for id, token in enumerate(learned.tokens)} == ranks
            compared += 1
            if size < 256 + seed % 40:
                with pytest.raises(ValueError, match="empty"):
                    _educational.bpe_train(text, size + 1, pattern, visualise=None)
    assert compared == 2 * amount(150)


def by_first_place(state: State, pair: tuple[int, int]) -> tuple[int, tuple[int, int]]:
    for number, word in enumerate(state.words):
        for at, each in enumerate(pairwise(word)):
            if each == pair:
                return state.counts[pair], (number, at)
    raise AssertionError(pair)


@settings(max_examples=amount(60))
@given(corpora(), st.sampled_from(PATTERNS[:2]))
def test_events(texts: list[str], pattern: str) -> None:
    counted = words.count(regex.findall(pattern, "\n".join(texts)))
    training = teaching.train(counted, teaching.Options(280))
    state = check_events(training, by_first_place)
    assert text_of(training, state) == [word.encode() for word in counted]


def test_fewer_tokens_than_bytes_are_refused() -> None:
    with pytest.raises(InputError, match=r"vocab_size.* 255\b.* 256\b"):
        teaching.Options(255)

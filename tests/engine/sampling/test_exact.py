"""Exact probabilities against another way to compute them: every sequence of random choices, weighed."""

from __future__ import annotations

from collections import defaultdict
from math import exp, isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.cpp_library import Generator
from explorer.engine.models.merges import PairLookup
from explorer.engine.models.unigram import Unigram, huggingface_rules
from explorer.engine.part import Segment
from explorer.engine.sampling.dropout import DropoutRule, Verdict, drop, exact
from explorer.engine.sampling.lattice import HUGGING_FACE, SENTENCEPIECE, Lattice, n_best
from explorer.vocabulary import Vocabulary
from tests.tiers import amount

RANKS = {b"ab": 0, b"bc": 1, b"abc": 2, b"aa": 3, b"aaa": 4, b"abab": 5, b"ca": 1.5}


def pair(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
    rank = RANKS.get(left + right)
    return None if rank is None else (float(rank), left + right, 0)


class OutOfNumbersError(Exception):
    pass


def by_choices(
    rule: DropoutRule, pieces: list[bytes], alpha: float, pair: PairLookup = pair
) -> dict[tuple[int, ...], float]:
    """All ends of a word: each number is below alpha or not, and every combination is played."""
    ends: dict[tuple[int, ...], float] = defaultdict(float)
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        dropped = waiting.pop()
        numbers = iter(dropped)

        def draw(numbers: object = numbers) -> float:
            try:
                return alpha / 2 if next(numbers) else (1 + alpha) / 2  # type: ignore[call-overload]  # an iterator
            except StopIteration:
                raise OutOfNumbersError from None

        try:
            chain, _ = drop(rule, pieces, pair, alpha, draw)
        except OutOfNumbersError:
            waiting += [(*dropped, True), (*dropped, False)]
            continue
        chance = 1.0
        for each in dropped:
            chance *= alpha if each else 1 - alpha
        ends[tuple(chain.first)] += chance
    return ends


@pytest.mark.parametrize("rule", list(DropoutRule))
@pytest.mark.parametrize("text", ["ab", "abc", "aaa", "abca", "aaaa"])
def test_dropout(rule: DropoutRule, text: str) -> None:
    pieces = [ch.encode() for ch in text]
    odds = exact(rule, pieces, pair, b"".join, 0.3)
    assert odds is not None
    assert odds.rest == 0
    found = odds.ways
    want = by_choices(rule, pieces, 0.3)
    assert set(found) == set(want)
    assert all(isclose(found[way], want[way], rel_tol=1e-9) for way in found)
    assert isclose(sum(found.values()), 1.0)


def tied(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
    """Different texts with one score, as a SentencePiece vocabulary may have them."""
    return (0.0 if len(left + right) == 2 else 1.0, left + right, 0) if left + right in RANKS else None


@pytest.mark.parametrize("rule", list(DropoutRule))
@pytest.mark.parametrize("text", ["abc", "cab", "abca", "caab"])
def test_of_pairs_with_one_score_the_left_one_is_first(rule: DropoutRule, text: str) -> None:
    pieces = [ch.encode() for ch in text]
    odds = exact(rule, pieces, tied, b"".join, 0.3)
    want = by_choices(rule, pieces, 0.3, tied)
    assert odds is not None
    assert set(odds.ways) == set(want)
    assert all(isclose(odds.ways[way], want[way], rel_tol=1e-9) for way in want)


@pytest.mark.parametrize("rule", list(DropoutRule))
def test_no_merge_is_dropped_at_0_and_all_are_at_1(rule: DropoutRule) -> None:
    pieces = [b"a", b"b", b"c"]
    draw = Generator(1).uniform
    assert drop(rule, pieces, pair, 0.0, draw)[0].pieces == [b"abc"]
    assert drop(rule, pieces, pair, 1.0, draw)[0].pieces == pieces
    none, every = (exact(rule, pieces, pair, b"".join, alpha) for alpha in (0.0, 1.0))
    assert none is not None
    assert every is not None
    assert (none.ways, every.ways) == ({(0,): 1.0}, {(0, 1, 2): 1.0})


def test_a_pair_that_hugging_face_dropped_gets_another_chance() -> None:
    """ab is dropped; bc is not, so ab returns to the queue, where it is out of date."""
    numbers = iter([0.1, 0.9, 0.9, 0.1])
    chain, picks = drop(DropoutRule.HUGGING_FACE, [b"a", b"b", b"c"], pair, 0.5, numbers.__next__)
    assert [(pick.text, pick.verdict) for pick in picks[:2]] == [(b"ab", Verdict.DROPPED), (b"bc", Verdict.MERGED)]
    assert picks[2].text == b"ab"
    assert picks[2].verdict == Verdict.STALE
    assert chain.pieces == [b"a", b"bc"]


PIECES = [b"<unk>", b"a", b"b", b"ab", b"ba", b"aba", b"bb"]


def lattice(text: str) -> Lattice:
    vocabulary = Vocabulary.of(PIECES, [0.0, -1.0, -1.5, -2.0, -1.2, -3.0, -0.3], [2, *[1] * 6])
    return Lattice(Unigram(vocabulary, 0, huggingface_rules(vocabulary.scores)), Segment.of(text))


@given(st.text("abx", min_size=1, max_size=8), st.floats(0, 4))
@settings(max_examples=amount(400), deadline=None)
def test_a_paths_probability_is_its_share_of_the_weight(text: str, alpha: float) -> None:
    made = lattice(text)
    sums = made.exact_sums(alpha, SENTENCEPIECE)
    paths = list(made.paths())
    assert len(paths) == made.ways == len(set(paths))
    weights = [exp(alpha * sum(edge.score for edge in path)) for path in paths]
    for path, weight in zip(paths, weights, strict=True):
        assert isclose(made.chance(path, alpha, SENTENCEPIECE, sums), weight / sum(weights), rel_tol=1e-6)
    again = made.exact_sums(alpha, HUGGING_FACE)
    assert isclose(sum(made.chance(path, alpha, HUGGING_FACE, again) for path in paths), 1.0, rel_tol=1e-6)


@given(st.text("abx", min_size=1, max_size=8), st.integers(1, 40))
@settings(max_examples=amount(400), deadline=None)
def test_an_n_best_list_has_the_best_paths(text: str, count: int) -> None:
    made = lattice(text)
    scores = sorted((sum(edge.score for edge in path) for path in made.paths()), reverse=True)
    found = n_best(made, count, narrow=False)
    assert len({each.path for each in found}) == len(found) == min(count, made.ways)
    for each, score in zip(found, scores, strict=False):
        assert isclose(each.score, score, rel_tol=1e-9, abs_tol=1e-9)
        assert isclose(sum(edge.score for edge in each.path), score, rel_tol=1e-9, abs_tol=1e-9)


def test_the_generator_is_the_one_of_the_c_plus_plus_standard() -> None:
    """The standard names the 10,000th output of a default std::mt19937, whose seed is 5489."""
    generator = Generator(5489)
    assert [generator.word() for _ in range(10_000)][-1] == 4123659995

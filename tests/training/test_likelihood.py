"""WordPiece by likelihood: the course's vocabulary, the notes' numbers, and a recount from scratch at each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.training import likelihood, words
from explorer.training.training import State, Train
from tests.tiers import amount
from tests.training.corpora import HOSTILE, NOTES, corpora, generated
from tests.training.huggingface import cut
from tests.training.recount import check_events, pairs_in

COURSE = (
    "This is the Hugging Face Course.",
    "This chapter is about tokenization.",
    "This section shows several tokenizer algorithms.",
    "Hopefully, you will be able to understand how they are trained and generate tokens.",
)
PRINTED = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] ##a ##b ##c ##d ##e ##f ##g ##h ##i ##k ##l ##m ##n ##o ##p ##r ##s ##t ##u ##v "
    "##w ##y ##z , . C F H T a b c g h i s t u w y ab ##fu Fa Fac ##ct ##ful ##full ##fully Th ch ##hm cha chap chapt "
    "##thm Hu Hug Hugg sh th is ##thms ##za ##zat ##ut"
)  # fmt: skip
"""What chapter 6.6 of the course prints."""


def cased(text: str) -> list[str]:
    """The words of bert-base-cased, whose pre-tokenizer is BERT's and whose normalizer keeps case."""
    from explorer.training.words import by_parts
    from tests.originals.hugging_face_parts import parts

    return list(by_parts(parts(None, {"type": "BertPreTokenizer"}))(text))


def test_the_vocabulary_of_the_course() -> None:
    training = likelihood.train(words.count(COURSE, cased))
    assert training.learned.tokens == tuple(PRINTED.split())


def naive(counted: Mapping[str, int], size: int) -> list[str]:
    """The tokens by the course's rules, everything counted anew at each step."""
    tokens = sorted({word[0] for word in counted} | {f"##{ch}" for word in counted for ch in word[1:]})
    split = {word: [word[0], *(f"##{ch}" for ch in word[1:])] for word in counted}
    while len(tokens) < size:
        symbols: Counter[str] = Counter()
        pairs: dict[tuple[str, str], int] = {}
        for word, n in counted.items():
            for symbol in split[word]:
                symbols[symbol] += n
            for pair in pairwise(split[word]):
                pairs[pair] = pairs.get(pair, 0) + n
        if not pairs:
            break
        scores = {pair: n / (symbols[pair[0]] * symbols[pair[1]]) for pair, n in pairs.items()}
        left, right = max(scores, key=lambda pair: scores[pair])
        made = left + right.removeprefix("##")
        for word in split.values():
            at = 0
            while at + 1 < len(word):
                if word[at : at + 2] == [left, right]:
                    word[at : at + 2] = [made]
                at += 1
        tokens.append(made)
    return tokens


def check(counted: Mapping[str, int], size: int) -> None:
    training = likelihood.train(counted, likelihood.Options(size, ()))
    assert list(training.learned.tokens) == naive(counted, size)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    for how in ("nothing", "white space", "bytes"):
        check(words.count(HOSTILE[name], cut(how)), 80)


def test_generated_corpora() -> None:
    for seed in range(amount(150)):
        check(words.count(generated(seed), cut("only white space")), 20 + seed % 100)


@settings(max_examples=amount(80))
@given(corpora(), st.integers(0, 150))
def test_any_corpus(texts: list[str], size: int) -> None:
    check(words.count(texts, cut("white space")), size)


def by_score(state: State, pair: tuple[int, int]) -> tuple[float, tuple[int, int]]:
    occurs: Counter[int] = Counter()
    for word, times in zip(state.words, state.times, strict=True):
        for symbol in word:
            occurs[symbol] += times
    place = min(
        (number, at)
        for number, word in enumerate(state.words)
        for at, each in enumerate(pairwise(word))
        if each == pair
    )
    return state.counts[pair] / (occurs[pair[0]] * occurs[pair[1]]), place


@settings(max_examples=amount(40))
@given(st.lists(st.text("abc# ", max_size=12), max_size=4))
def test_events(texts: list[str]) -> None:
    check_events(likelihood.train(words.count(texts, cut("white space")), likelihood.Options(40, ())), by_score)


def test_the_two_lines_of_the_notes_by_eye() -> None:
    """Nine pairs tie at 1/2; the most frequent pair, ##h ##e, has 1/5: BPE takes it first, this does not."""
    counted = words.count(NOTES, cut("metaspace"))
    counted = {word.removeprefix("▁"): 0 for word in counted} | {}
    for line in NOTES:
        for word in line.split():
            counted[word] += 1
    training = likelihood.train(counted, likelihood.Options(60, ()))
    state = State()
    for row in training.events:
        if row.kind == Train.WINNER:
            break
        state.apply(row)
    pairs = pairs_in(state)
    occurs = Counter(symbol for word, n in zip(state.words, state.times, strict=True) for symbol in word * n)
    spelled = training.learned.symbols
    scores = {
        f"{spelled[left]} {spelled[right]}": Fraction(n, occurs[left] * occurs[right])
        for (left, right), n in pairs.items()
    }
    best = {pair for pair, score in scores.items() if score == max(scores.values())}
    assert max(scores.values()) == Fraction(1, 2)
    assert best == {
        "##a ##z", "##c ##k", "##i ##c", "##m ##p", "##p ##s", "##w ##n", "##z ##y", "l ##a", "o ##v",
    }  # fmt: skip
    assert scores["##h ##e"] == Fraction(1, 5)
    ties = next(row.n for row in training.events if row.kind == Train.TIES)
    assert ties == 8

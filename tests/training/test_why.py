"""Why a token is in a vocabulary and another is not: every answer is held against merges carried out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.text.say import plain
from explorer.training.huggingface import bpe
from explorer.training.trainers import TRAINERS
from explorer.training.training import State, Train, Training
from explorer.training.why import MERGES, Cause, Question
from explorer.training.words import CUTTINGS
from explorer.views.examples import TWO_LINES as NOTES
from tests.meaning import named
from tests.tiers import amount

Spans = list[list[tuple[int, int, int]]]
"""Of each word its symbols: (start, end) in its first symbols, and the symbol."""

OPTIONS: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("bpe", "huggingface"): {"min_frequency": 2, "limit_alphabet": 5},
    ("bpe", "sentencepiece"): {"hard_vocab_limit": False},
    ("bpe", "minbpe"): {},
    ("wordpiece", "huggingface"): {"special_tokens": ("[UNK]",)},
    ("wordpiece", "likelihood"): {},
}


def by_hand(training: Training[Any]) -> tuple[list[Spans], list[int]]:
    """All words before the first merge and after each, and how often each word occurs."""
    state = State()
    for row in training.events:
        if row.kind in (Train.WORD, Train.SYMBOL):
            state.apply(row)
    words = [[(at, at + 1, symbol) for at, symbol in enumerate(word)] for word in state.words]
    found = [words]
    for left, right, made in training.learned.merges:
        merged = []
        for word in found[-1]:
            out: list[tuple[int, int, int]] = []
            for start, end, symbol in word:
                if out and (out[-1][2], symbol) == (left, right) and out[-1][2] != -1:
                    out[-1] = (out[-1][0], end, -1)
                else:
                    out.append((start, end, symbol))
            merged.append([(start, end, made if symbol == -1 else symbol) for start, end, symbol in out])
        found.append(merged)
    return found, state.times


def spell(training: Training[Any], symbols: list[int], prefix: str) -> Any:
    """What symbols spell side by side."""
    texts = [training.learned.symbols[symbol] for symbol in symbols]
    return texts[0] + type(texts[0])().join(each.removeprefix(prefix) if prefix else each for each in texts[1:])


@settings(max_examples=amount(12), deadline=None)
@given(st.sampled_from(list(OPTIONS)), st.text("abc é", min_size=1, max_size=24), st.integers(6, 16))
def test_every_answer_is_true(trainer_id: tuple[str, str], text: str, size: int) -> None:
    trainer, prefix = TRAINERS[trainer_id], "##" * (trainer_id[0] == "wordpiece")
    texts = [f"{text} ab abc", "cab"]
    corpus: Any = CUTTINGS["whitespace"].words(texts) if trainer.of_words else texts
    options = trainer.options(vocab_size=size + 256 * (trainer_id[1] == "minbpe"), **OPTIONS[trainer_id])
    try:
        training = trainer.train(corpus, options)
        _ = training.events
    except InputError:  # some corpora are refused
        return
    steps, times = by_hand(training)
    question = Question(training, texts, prefix)
    asked = {spell(training, [symbol for _, _, symbol in word[start:end]], prefix)
             for word in steps[0] for start in range(len(word)) for end in range(start + 1, len(word) + 1)}  # fmt: skip
    for token in asked:
        if isinstance(token, bytes):
            try:
                written = token.decode()
            except UnicodeDecodeError:  # nobody can type it
                continue
        else:
            written = token
        why = question.why(written)
        assert plain(why.say)
        in_vocabulary = token in training.learned.ids
        assert in_vocabulary == (why.cause in {Cause.SPECIAL, Cause.LETTER, Cause.MERGED})
        places = [(at, start, end) for at, word in enumerate(steps[0])
                  for start, end in combinations(range(len(word) + 1), 2)
                  if spell(training, [symbol for _, _, symbol in word[start:end]], prefix) == token]  # fmt: skip

        def whole(step: int, places: list[tuple[int, int, int]] = places) -> list[list[int]]:
            """The symbols of each occurrence that no merge has crossed."""
            found = []
            for at, start, end in places:
                word = steps[step][at]
                if start in {each[0] for each in word} and end in {each[1] for each in word}:
                    found.append([symbol for left, right, symbol in word if start <= left and right <= end])
            return found

        if why.cause in (Cause.MERGED, Cause.NOT_KEPT):
            left, right, made = training.learned.merges[why.merge - 1]
            assert training.learned.symbols[made] == token
            pairs: Counter[tuple[int, int]] = Counter()
            for word, n in zip(steps[why.merge - 1], times, strict=True):
                for (*_, a), (*_, b) in pairwise(word):
                    pairs[a, b] += n
            assert why.count == pairs[left, right]
            known = {symbol for word in steps[0] for *_, symbol in word}
            for step in why.steps:
                row = training.events[step.event]
                assert row.kind in MERGES
                assert {row.a, row.b} <= known  # the parts come first
                known.add(row.n)
            assert (row.a, row.b, row.n) == (left, right, made)
            if trainer_id == ("bpe", "huggingface"):
                assert why.ties == sum(n == why.count for n in pairs.values()) - 1
        elif why.cause == Cause.LOST:
            assert whole(why.merge - 1)
            assert not whole(why.merge)
            losing = [number for number in range(1, len(steps)) if len(whole(number)) < len(whole(number - 1))]
            assert [step.say.args[0] for step in why.steps] == losing
        elif why.cause in (Cause.WAITING, Cause.STEPS, Cause.REFUSED):
            ways = whole(len(steps) - 1)
            fewest = min(ways, key=len)
            assert len(why.pieces) == len(fewest)
            assert (len(fewest) > 2) == (why.cause == Cause.STEPS)
            if why.cause == Cause.WAITING:
                n = sum(times[at] for at, word in enumerate(steps[-1]) for (*_, a), (*_, b) in pairwise(word)
                        if [a, b] == fewest)  # fmt: skip
                assert why.count == n
        else:
            assert why.cause in (Cause.LETTER, Cause.SPECIAL, Cause.FULL, Cause.NO_LETTER)
            if why.cause == Cause.LETTER:
                assert any(len(way) == 1 for way in whole(0))


@pytest.mark.parametrize(
    ("token", "cause", "names"),
    [
        ("▁the", Cause.WAITING, {"▁", "the", "2"}),
        ("▁jumps", Cause.STEPS, {"▁", "ju", "mp", "s"}),
        ("he", Cause.MERGED, {"1", "18", "h", "e", "3", "a", "z", "2"}),
        ("az", Cause.MERGED, {"2", "18", "a", "z", "30", "b", "r"}),
        ("ui", Cause.LOST, {"8", "i", "ck"}),
        ("dog lazy", Cause.ABSENT, set()),
        ("lazy▁dog", Cause.CUT, set()),
        ("ß", Cause.ABSENT, set()),
        ("wn", Cause.LOST, {"13", "o", "w"}),
    ],
)
def test_the_notes_by_eye(token: str, cause: Cause, names: set[str]) -> None:
    texts = NOTES.split("\n")
    training = bpe.train(CUTTINGS["metaspace"].words(texts), bpe.Options(vocab_size=48))
    why = Question(training, texts).why(token)
    assert (why.cause, named(why.say)) == (cause, names)

"""Scripts of trainings: the words, pairs and tokens they draw are those of the events; and the notes' corpus by eye."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.opening.formats import open_bytes
from explorer.script.script import Replay, Script
from explorer.text import visible
from explorer.text.say import two_digits
from explorer.training.trainers import TRAINERS
from explorer.training.training import State, Train, Training, UnigramState, UnigramTrain
from explorer.training.words import CUTTINGS
from explorer.views.examples import CLAIMS, PLAYING
from explorer.views.examples import TWO_LINES as NOTES
from explorer.views.steppers.train_unigram_script import UnigramScript
from explorer.views.steppers.training_script import TIE_RULES, MergeScript
from tests.tiers import amount
from tests.training.recount import replayed

SPECIAL = {0: "<unk>", 1: "<s>", 2: "</s>"}


def made(trainer_id: tuple[str, str], text: str, size: int, **options: Any) -> tuple[Training[Any], Script]:
    """A training and its script."""
    trainer = TRAINERS[trainer_id]
    texts: Any = CUTTINGS["whitespace"].words([text]) if trainer.of_words else [text]
    if not trainer.of_words:
        options |= {"hard_vocab_limit": False}
    chosen = trainer.options(vocab_size=size + 256 * (trainer_id[1] == "minbpe"), **options)
    training = trainer.train(texts, chosen)
    special = getattr(chosen, "special_tokens", SPECIAL)
    return training, MergeScript(training, trainer_id, list(texts) if trainer.of_words else [], special).write()


def drawn_words(replay: Replay) -> list[tuple[int, list[int]]]:
    """How often each word occurs, and its symbols."""
    return [(row[0], list(row[2::2])) for key, row in replay.rows("words").items() if key >= 0]


@settings(max_examples=amount(8), deadline=None)
@given(st.sampled_from(list(TIE_RULES)), st.text("abc é▁#猫\n", min_size=1, max_size=30), st.integers(10, 40))
def test_a_script_draws_the_training(trainer_id: tuple[str, str], text: str, size: int) -> None:
    """Forwards: at each merge the words, the ranking and the sentence are a recount's; the end is the trainer's
    result. And back."""
    try:
        training, script = made(trainer_id, f"{text} ab", size)
    except InputError:  # some corpora are refused
        return
    replay = Replay(script)
    first = dict(replay.state)
    state, events = State(), list(training.events)
    at = 0
    while replay.forward():
        kind, args = script.kind(replay.step)["label"], script.args(replay.step)
        event = script.events[replay.step - 1]
        if kind in ("best pair", "tie"):
            for row in events[at:event]:
                state.apply(row)
            at = event
            pairs: Counter[tuple[int, int]] = Counter()
            for word, times in zip(state.words, state.times, strict=True):
                for pair in pairwise(word):
                    pairs[pair] += times
            assert replay.rows("pairs")[0][1] == pairs[events[event].a, events[event].b]
            assert drawn_words(replay) == list(zip(state.times, state.words, strict=True))
            assert replay.rows("words")[-1] == (events[event].a, events[event].b)
        elif kind == "merge":
            before = sum(n * len(word) for n, word in zip(state.times, state.words, strict=True))
            after = sum(n * len(word) for n, word in drawn_words(replay))
            assert args[4:6] == [before, after]
    end = replayed(events)
    assert drawn_words(replay) == list(zip(end.times, end.words, strict=True))
    assert [row[-1] for row in replay.rows("merges").values()] == [made for _, _, made in training.learned.merges]
    texts = script.data["texts"]
    chips = Counter(texts[row[0]] for row in replay.rows("vocabulary").values())
    shown = [each if isinstance(each, str) else None for each in training.learned.tokens]
    if None not in shown and not any(ord(ch) < 33 for text in shown for ch in text or ""):
        assert chips == Counter(shown)
    while replay.back():
        pass
    assert replay.state == first


@settings(max_examples=amount(5), deadline=None)
@given(st.text("abc é猫\n", min_size=1, max_size=40), st.integers(8, 14))
def test_a_unigram_script_draws_the_training(text: str, size: int) -> None:
    """At the end the pieces and tokens are those of the events; and back."""
    trainer = TRAINERS["unigram", "huggingface"]
    words = CUTTINGS["metaspace"].words([f"{text} abab"])
    training = trainer.train(words, trainer.options(vocab_size=size))
    script = UnigramScript(training).write()
    replay, state = Replay(script), UnigramState()
    first = dict(replay.state)
    while replay.forward():
        pass
    for row in training.events:
        state.apply(row)
    texts = script.data["texts"]
    spelled = {piece: visible(training.learned.symbols[piece]) for piece in state.scores}
    assert {piece: texts[row[0]] for piece, row in replay.rows("pieces").items()} == spelled
    assert {piece: texts[row[2]] for piece, row in replay.rows("pieces").items()} == {
        piece: two_digits(score) for piece, score in state.scores.items()
    }
    assert set(replay.rows("tokens")) == {row.b for row in training.events if row.kind == UnigramTrain.TOKEN}
    while replay.back():
        pass
    assert replay.state == first


@pytest.mark.parametrize(
    ("trainer_id", "says"),
    [
        (("bpe", "huggingface"), ["“##h”", "count 3"]),
        (("bpe", "sentencepiece"), ["“h” + “e”", "count 3"]),
        (("wordpiece", "likelihood"), ["“##i” + “##c”", "the score 1/2", "ties with 8 more"]),
    ],
)
def test_the_first_merge_of_the_notes(trainer_id: tuple[str, str], says: list[str]) -> None:
    options = {"continuing_subword_prefix": "##"} if trainer_id == ("bpe", "huggingface") else {}
    _, script = made(trainer_id, NOTES.replace("\n", " "), 60, **options)
    best = next(step for step in range(1, len(script)) if script.kind(step)["label"] in ("best pair", "tie"))
    assert all(each in script.sentence(best) for each in says)


def test_ties_of_the_notes() -> None:
    """After the first merge 31 pairs occur twice."""
    trainer = TRAINERS["bpe", "huggingface"]
    words = CUTTINGS["metaspace"].words(NOTES.split("\n"))
    training = trainer.train(words, trainer.options(vocab_size=48))
    script = MergeScript(training, ("bpe", "huggingface"), list(words)).write()
    tie = next(step for step in range(1, len(script)) if script.kind(step)["label"] == "tie")
    assert script.sentence(tie).startswith("“a” + “z” has count 2. It ties with 30 more")
    assert script.sentence(tie).endswith("Ties go to the lowest left id, then the lowest right id.")
    assert sum(row.kind == Train.TIES for row in training.events) == len(training.learned.merges)


@pytest.mark.parametrize(("size", "expected"), [(28, ["play", "##ing"]), (32, ["playing"])])
def test_what_is_said_of_playing_is_true(size: int, expected: list[str]) -> None:
    assert f"{size} " in CLAIMS[PLAYING]
    trainer_id = "wordpiece", "huggingface"
    trainer, cutting = TRAINERS[trainer_id], CUTTINGS["whitespace"]
    options = trainer.options(vocab_size=size, special_tokens=("[UNK]",))
    learned = trainer.train(cutting.words(PLAYING.split("\n")), options).learned
    tok = open_bytes(trainer.save(learned, options, cutting, None), "trained.json", None)
    assert tok.encode("playing").pieces == expected

"""Scripts of trainings that take whole words or substrings: what they draw is what was learned, and back again."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.answers.train import train_view
from explorer.script.script import Replay
from explorer.text import visible
from explorer.training.top_down import TopDown
from explorer.training.trainers import OFFERED, TRAINERS, TrainRequest
from explorer.training.words import CUTTINGS
from explorer.views.examples import TWO_LINES as NOTES
from explorer.views.steppers.training_script import TopDownScript, WordsScript
from tests.tiers import amount

TEXTS = st.text("abc é猫[\n", max_size=40)


@settings(max_examples=amount(8), deadline=None)
@given(TEXTS, st.integers(0, 9), st.integers(0, 3))
def test_the_words_drawn_are_those_taken(text: str, size: int, least: int) -> None:
    words = CUTTINGS["whitespace"].words([f"{text} ab"])
    trainer = TRAINERS["wordlevel", "huggingface"]
    options = trainer.options(vocab_size=size, min_frequency=least, special_tokens=("[UNK]", "ab"))
    training = trainer.train(words, options)
    script = WordsScript(training, list(words), options.special_tokens).write()
    replay = Replay(script)
    first = dict(replay.state)
    assert [row[1] for row in replay.rows("words").values()] == sorted(words.values(), reverse=True)
    while replay.forward():
        if script.kind(replay.step)["label"] == "tie":
            equals = Counter(words.values())[script.args(replay.step)[2]]
            assert script.sentence(replay.step).startswith(f"{equals} words with count")
    texts = script.data["texts"]
    shown = [texts[row[0]] for row in replay.rows("vocabulary").values()]
    assert shown == [visible(token) for token in training.learned.tokens]
    kept = {texts[row[0]] for row in replay.rows("words").values()}
    taken = training.learned.tokens[min(2, size) :]
    assert kept == {visible(word) for word in taken}
    while replay.back():
        pass
    assert replay.state == first


@settings(max_examples=amount(8), deadline=None)
@given(TEXTS, st.integers(4, 30))
def test_the_substrings_drawn_are_those_kept(text: str, size: int) -> None:
    """In each round the table has the tokens of the events, and the counts below the threshold are said."""
    words = CUTTINGS["whitespace"].words([f"{text} ab abc"])
    trainer = TRAINERS["wordpiece", "tensorflow-text"]
    training = trainer.train(words, trainer.options(vocab_size=size, lower_thresh=1))
    script = TopDownScript(training, list(words)).write()
    replay, events = Replay(script), list(training.events)
    first = dict(replay.state)
    texts = script.data["texts"]
    at = 0
    kept: list[tuple[str, int, int]] = []
    while replay.forward():
        if script.kind(replay.step)["label"] in ("round", "size"):
            event = script.events[replay.step - 1]
            for row in events[at:event]:
                if row.kind == TopDown.ROUND:
                    kept = []
                elif row.kind == TopDown.TOKEN:
                    kept.append((visible(training.learned.symbols[row.a]), row.b, row.n))
            at = event
            if script.kind(replay.step)["label"] == "size":
                assert [(texts[row[0]], *row[1:]) for row in replay.rows("tokens").values()] == kept
    shown = [texts[row[0]] for row in replay.rows("vocabulary").values()]
    assert shown == [visible(token) for token in training.learned.tokens]
    tried = [row.n for row in events if row.kind == TopDown.THRESHOLD]
    assert {row[0] for row in replay.rows("tried").values()} == set(tried)
    while replay.back():
        pass
    assert replay.state == first


@pytest.mark.sample(2)
@pytest.mark.parametrize("trainer_id", OFFERED)
def test_every_offered_trainer_learns_the_notes(trainer_id: tuple[str, str]) -> None:
    offered = OFFERED[trainer_id]
    cutting = offered.cuttings[0] if offered.cuttings else "none"
    view = train_view(TrainRequest(trainer_id, cutting, NOTES, offered.smallest + 48, offered.options))
    assert 0 < view.tokens <= max(offered.smallest + 48, 72)
    assert view.file

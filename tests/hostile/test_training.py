"""Trainings from a visitor: every loop of every trainer asks for its time, options are limited, weights measured."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import Any, Final

import pytest

from explorer.answers.questions import size_of
from explorer.answers.train import trained as trained_question
from explorer.engine import budget
from explorer.errors import InputError
from explorer.training.trainers import (
    LARGEST_OPTION,
    LONGEST,
    LONGEST_OPTION,
    OFFERED,
    TRAINERS,
    TrainRequest,
    learned_from,
)
from explorer.training.words import CUTTINGS
from tests.hostile.test_budget import MOST_LINES

DISTINCT: Final = "".join(map(chr, range(0x4E00, 0x4E00 + 1_900)))
CORPORA: Final = {
    "distinct characters": DISTINCT,
    "one character": "a" * 2_000,
    "many words": " ".join(f"{at:o}x" for at in range(420)),
    "lines": "\n".join(f"{at:o} low lower" for at in range(100)),
    "few words": "low lower lowest\nnew newer",
}
ENOUGH: Final = 30
"""Checks after which a training that keeps asking is stopped."""
LARGE: Final = 10**9


class StopError(BaseException):
    """Ends a training."""


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch, checks: int) -> Iterator[list[int]]:
    """Counts lines of Python between two checks. Stops after so many checks, or once there are too many lines."""
    lines = [0]

    def tell(frame: object, event: str, _: object) -> Any:
        lines[-1] += event == "line"
        if lines[-1] > MOST_LINES:
            raise StopError
        return tell

    def ask(self: budget.Budget, stage: str) -> None:
        lines.append(0)
        if len(lines) > checks:
            raise StopError

    monkeypatch.setattr(budget.Budget, "ask", ask)
    before = sys.gettrace()
    sys.settrace(tell)
    try:
        with suppress(StopError, InputError), budget.run(budget.Budget("a training", 0.0)):
            yield lines
    finally:
        sys.settrace(before)


def trained(trainer_id: tuple[str, str], text: str, **options: Any) -> None:
    """Trains as the page does."""
    trainer, offered = TRAINERS[trainer_id], OFFERED[trainer_id]
    settings = {"vocab_size": max(offered.smallest, 300), **dict(offered.options), **options}
    texts = text.split("\n")
    cutting = CUTTINGS[offered.cuttings[0] if offered.cuttings else "none"]
    corpus = cutting.words(texts) if trainer.of_words else texts
    _ = trainer.train(corpus, trainer.options(**settings)).events


@pytest.mark.sample(12)
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("trainer_id", OFFERED, ids=" ".join)
def test_every_loop_over_the_corpus_asks(
    trainer_id: tuple[str, str], corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(trainer_id, "low lower")  # what is read once
    with watched(monkeypatch, 2_000) as lines:
        trained(trainer_id, CORPORA[corpus], vocab_size=2_400)
    assert max(lines) < MOST_LINES


NUMBERS: Final = [
    (trainer_id, field.name) for trainer_id in OFFERED for field in fields(TRAINERS[trainer_id].options)
    if str(field.type) in ("int", "int | None", "float")
]  # fmt: skip


@pytest.mark.sample(len(NUMBERS))
@pytest.mark.parametrize(
    ("trainer_id", "name"), NUMBERS, ids=lambda each: each if isinstance(each, str) else " ".join(each)
)
def test_no_number_takes_a_trainer_out_of_its_budget(
    trainer_id: tuple[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(trainer_id, "low lower")
    floating = next(each for each in fields(TRAINERS[trainer_id].options) if each.name == name).type == "float"
    for value in (0.999_999_9, 0.000_000_1) if floating else (LARGE, 10_000, 1):
        with watched(monkeypatch, ENOUGH) as lines, suppress(InputError):
            trained(trainer_id, CORPORA["few words"], **{name: value})
        assert max(lines) < MOST_LINES, value


# --- what the page asks ---------------------------------------------------------------------------------------------

BPE: Final = TrainRequest(("bpe", "huggingface"), "none", "low lower", 50)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"options": (("continuing_subword_prefix", "x" * (LONGEST_OPTION + 1)),)},
            "continuing_subword_prefix has 501",
        ),
        ({"options": (("special_tokens", ("x" * 250, "y" * 251)),)}, "special_tokens has 501"),
        ({"options": (("min_frequency", LARGEST_OPTION + 1),)}, "min_frequency is too large"),
        ({"options": (("slack_ratio", float("inf")),)}, "slack_ratio is too large"),
        ({"options": (("slack_ratio", float("nan")),)}, "slack_ratio is too large"),
        ({"options": (("max_piece_length", 101),)}, "max_piece_length is too large; give a number up to 100"),
        ({"text": "x " * 2 * LONGEST}, "The text has 8,000"),
    ],
    ids=("prefix", "tokens", "whole number", "infinity", "NaN", "pieces", "text"),
)
def test_what_fields_would_refuse_is_refused_on_the_server(changes: dict[str, Any], says: str) -> None:
    request = BPE._replace(**changes)
    with pytest.raises(InputError, match=says):
        learned_from(request)


def test_the_longest_option_takes_little_memory() -> None:
    request = BPE._replace(text=DISTINCT, options=(("continuing_subword_prefix", "x" * LONGEST_OPTION),))
    assert size_of(learned_from(request)) < 10_000_000


@pytest.mark.parametrize("text", [DISTINCT, "low lower lowest newer " * 80], ids=["distinct", "words"])
@pytest.mark.parametrize("prefix", ["", "x" * LONGEST_OPTION], ids=["short", "long"])
def test_a_training_weighs_what_it_takes(text: str, prefix: str) -> None:
    request = BPE._replace(text=text, options=(("continuing_subword_prefix", prefix),) if prefix else ())
    learned_from(request._replace(text="ab"))
    gc.collect()
    tracemalloc.start()
    kept = learned_from(request)
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.8 * taken < trained_question.weigh(kept) < 1.3 * taken + 20_000


def test_the_decisions_of_a_training_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.training.trainers.DECISIONS", 100)
    with pytest.raises(InputError, match="more than 100 decisions on this training"):
        trained_question.function(BPE._replace(text="low lower lowest newer newest wider " * 20))

"""The result of a quiz: each question with the answer given and the right one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from explorer.analysis.exports.export import Export
from explorer.analysis.provenance import Provenance
from explorer.engine.options import Options
from explorer.implementations.opened import Opened


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a quiz. answer: None where it was left out. seed: makes this question again."""

    number: int
    kind: str
    seed: int
    text: str
    question: str
    answer: str | None
    right_answer: str
    correct: bool


def quiz_export(tokenizer: Opened, seed: int, answered: Sequence[Answered]) -> Export:
    """A quiz as JSON and CSV. seed: of the quiz, which makes the same questions again."""
    names = [field.name for field in fields(Answered)]
    rows = [["quiz_seed", *names], *([seed, *astuple(each)] for each in answered)]

    def body() -> dict[str, object]:
        questions = [dict(zip(names, astuple(each), strict=True)) for each in answered]
        return {"seed": seed, "correct": sum(each.correct for each in answered), "questions": questions}

    return Export("quiz", Provenance.of([tokenizer], None, Options(True, True)), body, lambda: rows)

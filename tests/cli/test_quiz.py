"""`explorer quiz`: asks, grades and explains; its result is a file."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

from explorer.cli import commands
from explorer.cli.main import main
from explorer.cli.quiz import TEXTS
from explorer.learning.questions import quiz
from tests.bundled import bundled
from tests.meaning import named

TEXT = "What is LoRA?"
ASKED = ("quiz", "-m", "llama-2", "--text", TEXT, "--count", "3", "--seed", "4")


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", lambda spec, **choices: bundled(spec))


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(f"{line}\n" for line in lines).encode())))


def test_answers_are_graded_and_explained(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = quiz([bundled("llama-2")], [TEXT], 3, 4)
    wrong = (second.right + 1) % len(second.choices)
    typed(monkeypatch, str(first.right + 1), "seven", "99", "é", str(wrong + 1))
    assert main(ASKED) == 0
    shown = capsys.readouterr()
    assert not shown.err
    lines = shown.out.splitlines()
    assert sum("Right. " in line for line in lines) == 1
    assert sum("Wrong" in line for line in lines) == 1
    assert second.choices[second.right].shown in next(line for line in lines if line.startswith("Right is"))
    assert sum(line.endswith(f"1 to {len(second.choices)}.") for line in lines) == 3
    assert sum(line.startswith("3. ") for line in lines) == 1
    assert named(lines[-1]) == {"1", "3"}, "the end of the input ends the quiz"
    assert third.seed not in (first.seed, second.seed)


def test_the_result_is_a_file_and_questions_go_beside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = quiz([bundled("llama-2")], [TEXT], 3, 4)
    typed(monkeypatch, str(questions[0].right + 1), "")
    assert main([*ASKED, "--csv"]) == 0
    shown = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(shown.out, newline="")))
    assert [row["kind"] for row in rows] == [each.kind for each in questions]
    assert [row["correct"] for row in rows] == ["True", "False", "False"]
    assert [row["answer"] == "" for row in rows] == [False, True, True]
    assert {row["quiz_seed"] for row in rows} == {"4"}
    assert "1. " in shown.err
    assert named(shown.err.splitlines()[-1]) == {"1", "3", "2"}


def test_answers_are_printed_without_asking(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, "--answers"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for number, question in enumerate(quiz([bundled("llama-2")], [TEXT], 3, 4), 1):
        marked = f" * {question.right + 1}) {question.choices[question.right].shown}"
        assert any(line.startswith(marked) for line in lines)
        assert any(line.startswith(f"{number}. ") for line in lines)
    assert main([*ASKED, "--answers", "--json", "--kind", "next-merge"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["kind"] for each in found["questions"]} == {"next-merge"}


def test_every_kind_is_allowed_by_some_text() -> None:
    kinds = {each.kind for each in quiz([bundled("llama-2"), bundled("bert-uncased")], TEXTS, 30, 1)}
    assert kinds >= {"out-of-date", "missing-merge", "byte-fallback", "longest-match", "normalized", "costs-more"}


def test_wrong_calls_say_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quiz", "-m", "gpt-2", "--text", "a", "--kind", "next-merge"]) == 1
    assert "--text or --kind" in capsys.readouterr().err
    assert main(["quiz", "-m", "gpt-2", "--kind", "merge"]) == 1
    refused = capsys.readouterr().err
    assert "'merge'" in refused
    assert "next-merge" in refused
    with pytest.raises(SystemExit):
        main(["quiz", "-m", "gpt-2", "--count", "0"])
    refused = capsys.readouterr().err.splitlines()[-1]
    assert "--count" in refused
    assert named(refused) == {"0", "1", "1000"}


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Interrupted(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted()))
    assert main(ASKED) == 130
    assert not capsys.readouterr().err

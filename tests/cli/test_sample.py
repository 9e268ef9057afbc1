"""`explorer sample` and `explorer nbest`: ids, steps with their numbers, shares beside probabilities."""

from __future__ import annotations

import re

import pytest

import explorer
from explorer.cli import commands
from explorer.cli.main import main
from tests.bundled import bundled


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", lambda spec, **choices: bundled(spec))


def lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(arguments) == 0
    return capsys.readouterr().out.splitlines()


def test_the_ids_of_a_sample(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = lines(capsys, "sample", "-m", "gpt-2", "--alpha", "0.5", "--seed", "3", " unrelated")
    assert list(map(int, line.split())) == bundled("gpt-2").sample(" unrelated", 0.5, 3).ids


@pytest.mark.parametrize(("name", "text"), [("gpt-2", " unrelated"), ("xlm-r", "able")])
def test_steps_have_the_random_numbers(name: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    *steps, _ = lines(capsys, "sample", "-m", name, "--alpha", "0.4", "--seed", "3", "--steps", text)
    (drawn,) = bundled(name).sample(text, 0.4, 3).drawn
    taken = [pick.number for pick in drawn.picks] or [each.number for each in drawn.choices if len(each.options) > 1]
    assert taken
    found = [re.search(r"(?<=[:;] )0\.[0-9]{4}", line) for line in steps]
    assert [each[0] for each in found if each] == [f"{number:.4f}" for number in taken]


def test_a_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    first, *rows = lines(capsys, "sample", "-m", "gpt-2", "--count", "200", " lower")
    want = explorer.distribution(bundled("gpt-2"), " lower", samples=200)
    assert str(want.total) in first
    assert f"{100 * (want.ways[0].probability or 0):.2f} %" in rows[0]
    assert re.split(r" {2,}", rows[0])[1] == str(want.ways[0].times)


def test_an_n_best_list(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [re.split(r" {2,}", line) for line in lines(capsys, "nbest", "-m", "xlm-r", "-n", "3", "able")]
    want = bundled("xlm-r").nbest("able", 3)
    assert [(float(score), *map(int, ids.split())) for score, ids, _ in rows] == [
        (each.score, *each.ids) for each in want
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("sample", "-m", "gpt-2", "--alpha", "nan", "a"),
        ("sample", "-m", "gpt-2", "--count", "1000000", "a"),
        ("sample", "-m", "gpt-2", "--seed", "-1", "a"),
        ("sample", "-m", "gpt-2", "--rule", "exo", "a"),
        ("sample", "-m", "bert-uncased", "a"),
        ("nbest", "-m", "xlm-r", "-n", "1000000000", "a"),
        ("nbest", "-m", "gpt-2", "a"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "warning: " not in line]
    assert len(said) == 1


def test_steps_are_of_one_sample(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sample", "-m", "gpt-2", "--steps", "--count", "3", "a"])

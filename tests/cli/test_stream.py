"""`explorer stream`: a line for each id, what is held back and marked there, and each method's text in the end."""

from __future__ import annotations

import io
import re
import sys

import pytest

from explorer.analysis.streaming import Method
from explorer.cli import commands
from explorer.cli.main import main
from explorer.cli.pieces import METHODS
from tests.bundled import bundled


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", lambda spec, **choices: bundled(spec))


def test_the_methods_are_all_named() -> None:
    assert tuple(Method) == METHODS


def test_a_character_of_four_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stream", "-m", "llama-2", "[15043, 29871, 243, 162, 167, 154]", "--method", "tokenizers"]) == 0
    *steps, last = capsys.readouterr().out.splitlines()
    rows = [re.split(r" {2,}", line) for line in steps]
    assert [row[:2] for row in rows] == [
        [str(at), str(id)] for at, id in enumerate([15043, 29871, 243, 162, 167, 154], 1)
    ]
    assert [bytes.fromhex(row[2]) for row in rows] == [b" Hello", b" ", b"\xf0", b"\x9f", b"\xa4", b"\x97"]
    assert "F0 9F A4" in rows[4][3]
    assert "🤗" in rows[5][3]
    assert "Hello␣🤗" in last


def test_the_ids_of_a_text_and_the_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stream", "-m", "gpt-2", "--text", "a b"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 1 + len(METHODS)  # ids, what TextStreamer shows at the end, and a line a method
    assert all("a␣b" in line for line in lines[3:])


def test_ids_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[31373]")))
    assert main(["stream", "-m", "gpt-2", "--method", "vllm", "--method", "alone"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    "arguments", [["1"] * 10_001, ["99999999"], ["1", "--method", "exo"], ["--text", "a " * 10_001]]
)
def test_bad_input_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stream", "-m", "llama-2", *arguments]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_ids_and_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["stream", "-m", "llama-2", "1", "--text", "a"])
    assert exit_.value.code == 2

"""`explorer boundary`: what it prints for each kind of question, and for wrong ones."""

from __future__ import annotations

import json

import pytest

from explorer.cli import commands
from explorer.cli.main import main
from tests.bundled import bundled
from tests.meaning import named


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", lambda spec, **_: bundled(spec))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["boundary", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_border_has_ids_tokens_and_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "-m", "gpt-2", "https:", "//example.org")
    assert "://" in named(lines[0])
    assert [line.split()[-1] for line in lines[1:4]] == ["2398", "25", "2398"]
    assert {"1123", ":", "//"} <= named(lines[4])
    assert {"25", "16"} <= named(lines[5])
    assert lines == printed(capsys, "-m", "gpt-2", "https://example.org", "--at", "6")


def test_several_tokenizers_answer_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "-m", "gpt-2", "-m", "gpt-2@llama.cpp", "-m", "llama-3", "The answer is ", "42")
    assert [line for line in lines if line.endswith(":")] == ["GPT-2 (huggingface):", "GPT-2 (llama.cpp):", "Llama 3:"]


def test_every_border(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = printed(capsys, "-m", "gpt-2", "https://example.org", "--every")
    assert line.split(":")[1].split() == ["5", "8", "15", "16"]


def test_one_text_is_about_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert "220" in named(printed(capsys, "-m", "gpt-2", "The answer is ")[0])
    (_, *rest) = printed(capsys, "-m", "gpt-2", "--json", "The answer is ")[0].partition('"borders": ')
    found = json.loads(f"{''.join(rest)[:-1]}".removeprefix('"borders": '))
    assert found[0]["fixed"] == 3
    assert found[0]["lone_space"]["id"] == 220


def test_ids_within_ids(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["-m", "cl100k_base", "--escapes", r"Assistant:\n\nHi"]
    assert ":↵↵" in named(printed(capsys, *asked, "--find", "Assistant:")[0])
    assert printed(capsys, *asked, "--find-ids", "[72803]") == printed(capsys, *asked, "--find", "Assistant")


def test_stop_strings(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "-m", "gpt-2", "--escapes", "--stop", r"\n\nHuman:")
    assert lines[0].endswith(": 198 198 20490 25")
    assert "628" in named(lines[2])


@pytest.mark.parametrize("wrong", [
    ["a", "--at", "2"], ["a", "b", "--at", "1"], ["--stop", ""], ["a", "--find-ids", "x"],
])  # fmt: skip
@pytest.mark.sample(4)
def test_wrong_questions_are_one_line(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["boundary", "-m", "gpt-2", *wrong]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1

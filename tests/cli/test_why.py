"""`explorer why`: the answer first, then its events, then the other cuts."""

from __future__ import annotations

import json
import re

import pytest

from explorer.cli import commands
from explorer.cli.main import main
from tests.bundled import bundled
from tests.meaning import named


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", lambda spec, **choices: bundled(spec))


def test_a_cut_and_the_token_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "-m", "llama-2", "What is LoRA?", "--at", "10"]) == 0
    cut, token = (part.splitlines() for part in capsys.readouterr().out.split("\n\n"))
    assert named(cut[0]) >= {"▁LoRA", "32000"}
    assert cut[1] == "  ▁Lo | RA   (4309 | 4717)"
    assert [re.split(r" {2,}", line)[1:3] for line in cut[2:7]] == [
        ["model event 11", "o + R → oR"],
        ["model event 36", "▁L + o → ▁Lo"],
        ["model event 38", "▁Lo + R → ▁LoR"],
        ["model event 39", "R + A → RA"],
        ["model event 40", "▁Lo + RA → ▁LoRA"],
    ]
    assert ["−4,050" in line for line in cut[2:7]] == [False, True, False, False, False]
    assert named(cut[7]) == {"▁LoRA", "8"}
    assert named(token[0]) == {"RA"}
    assert token[1] == "  RA   (4717)"
    assert re.split(r" {2,}", token[2])[1:3] == ["model event 39", "R + A → RA"]
    assert named(token[3]) == {"RA", "4458"}


def test_the_events_are_those_of_trace(capsys: pytest.CaptureFixture[str]) -> None:
    main(["why", "-m", "llama-2", "What is LoRA?", "--at", "10", "--json"])
    found = json.loads(capsys.readouterr().out)
    main(["trace", "-m", "llama-2", "What is LoRA?", "--json"])
    traced = json.loads(capsys.readouterr().out)
    (cut,) = found["cuts"]
    assert found["stages"] == [stage["name"] for stage in traced["stages"]]
    for step in cut["steps"]:
        stage = traced["stages"][step["stage"]]
        assert stage["kinds"][str(stage["events"][step["event"]][0])] == step["kind"]
    assert cut["cause"] == "not-a-piece"
    assert cut["sentence"]["texts"] == ["▁LoRA", "Llama 2"]
    assert cut["others"]["total"] == 8
    assert (cut["joined"]["stored"], cut["joined"]["id"]) == ("▁LoRA", None)


def test_an_offset_with_no_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "-m", "bert-uncased", "a ", "--at", "1"]) == 0
    assert named(capsys.readouterr().out) == {"1"}


def test_an_offset_beyond_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "-m", "llama-2", "abc", "--at", "4"]) == 1
    assert named(capsys.readouterr().err) == {"4", "0", "3"}


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    main(["why", "-m", "gpt-2", "a\x1b[31m\u202e", "--at", "1"])
    assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())

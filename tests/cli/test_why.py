"""`explorer why`: the answer first, then its events, then the other cuts."""

from __future__ import annotations

import json

import pytest

from explorer.cli import commands
from explorer.cli.main import main
from tests.bundled import bundled


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", lambda spec, **choices: bundled(spec))


def test_a_cut_and_the_token_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "-m", "llama-2", "What is LoRA?", "--at", "10"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "To be one token, “▁LoRA” would have to be a piece of Llama 2. It is not among the 32,000.",
        "  ▁Lo | RA   (4309 | 4717)",
        "  model event 11  o + R → oR        no such piece",
        "  model event 36  ▁L + o → ▁Lo      joined                                      score −4,050",
        "  model event 38  ▁Lo + R → ▁LoR    no such piece",
        "  model event 39  R + A → RA        joined                                      score −4,458",
        "  model event 40  ▁Lo + RA → ▁LoRA  no such piece, and nothing is left to join",
        "  The pieces allow 8 cuts of “▁LoRA”. This one has the fewest tokens.",
        "",
        "One merge makes “RA”.",
        "  RA   (4717)",
        "  model event 39  R + A → RA  joined  score −4,458",
        "  A score says when the piece was learned: “RA” after 4,458 others. Early ones join first.",
    ]


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
    assert capsys.readouterr().out == "No token comes from the text at offset 1.\n"


def test_an_offset_beyond_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "-m", "llama-2", "abc", "--at", "4"]) == 1
    assert capsys.readouterr().err == "explorer: the offset 4 is not in the text, whose offsets are 0 to 3\n"


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    main(["why", "-m", "gpt-2", "a\x1b[31m\u202e", "--at", "1"])
    assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())

"""The step of each event, for every kind of row that has a script."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.divergence.model_causes import ModelSide
from explorer.analysis.divergence.result import States, run, states
from explorer.engine.models.lookup import CharWord, characters
from explorer.engine.pre_tokenizers.by_regex import PreTokenizeEvent
from explorer.engine.tokenizer import Tokenizer
from explorer.script.script import Replay, Script, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.ui.components import tokens
from explorer.views.overview import sections
from explorer.vocabulary import Vocabulary
from tests.analysis.toy_tokenizers import toy
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.stages.lattice.test_plamo2_script import TOK as PLAMO

MODELS = ("llama-2", "xlm-r", "bert-uncased", "bert-uncased@llama.cpp", "rwkv-world", "rwkv-world@first-miss", "gpt-2",
          "llama-3@llama.cpp", "cl100k_base", "characters", "plamo-2")  # fmt: skip
"""At least one for every script writer."""


@cache
def named(spec: str) -> Tokenizer:
    if spec == "characters":
        pieces = Vocabulary.of([b"<unk>", *(ch.encode() for ch in "abc é漢")], kinds=[2, *[1] * 6])
        return toy(pieces, CharWord(pieces, 0, characters({})))
    return PLAMO if spec == "plamo-2" else bundled(spec)


def traced(spec: str, text: str) -> tuple[States, dict[str, Script]]:
    """The states of a run, and its scripts by stage name."""
    tok = named(spec)
    side = states(run(tok, text))
    trace = side.run.trace
    made = sections(tok, trace, round_trip(tok, trace), window_of(trace))
    return side, {section.key: section.script for section in made if section.script is not None}


def shown(replay: Replay, track: str) -> list[int]:
    """The tokens in a track."""
    return [row[1] for row in replay.rows(track).values()]


@pytest.mark.long
@pytest.mark.parametrize("spec", MODELS)
@settings(max_examples=12)
@given(text=texts() | st.text("abc é漢", max_size=12))
def test_the_step_of_a_token_shows_it(spec: str, text: str) -> None:
    side, scripts = traced(spec, text)
    script = scripts["model"]
    assert list(script.events) == sorted(script.events)
    assert len(script.events) == len(script)
    replay = Replay(script)
    for index, given_out in ModelSide(side).outputs.items():
        step = script.step_of(given_out.event)
        assert step > replay.step, "every token has a step of its own"
        while replay.step < step - 1:
            replay.forward()
        before = shown(replay, "output"), shown(replay, "word")
        replay.forward()
        after = shown(replay, "output"), shown(replay, "word")
        assert after != before or script.kind(step)["label"] == "unknown token"
        assert side.tokens[index].id in after[0] + after[1]


@pytest.mark.parametrize("spec", ["llama-2", "gpt-2", "cl100k_base"])
def test_merges_and_pieces_have_steps_of_their_kind(spec: str) -> None:
    side, scripts = traced(spec, "He's unbelievable  1234")
    for merged in ModelSide(side).merges:
        assert scripts["model"].kind(scripts["model"].step_of(merged.event))["label"] == "merge"
    if "pre-tokenize" not in scripts:
        return
    stage, script = side.run.trace.stage("pre-tokenize"), scripts["pre-tokenize"]
    pieces = [(event, row) for event, row in enumerate(stage.events) if row.kind == PreTokenizeEvent.PIECE]
    assert pieces
    for event, row in pieces:
        replay = Replay(script)
        while replay.step < script.step_of(event):
            replay.forward()
        assert list(replay.rows("output").values())[-1][2:] == (row.start, row.end)


@pytest.mark.parametrize("spec", MODELS)
def test_the_browser_can_draw_every_track(spec: str) -> None:
    source = (Path(tokens.__file__).parent / "stepper" / "stepper.js").read_text()
    widgets = re.search(r"const WIDGETS = \{(.*?)\}", source, re.DOTALL)
    assert widgets
    known = re.findall(r"(\w+):", widgets[1])
    for script in traced(spec, "a b")[1].values():
        assert {track["type"] for track in script.data["tracks"]} <= set(known)


def test_an_event_without_a_step_maps_to_the_step_before_it() -> None:
    script = traced("gpt-2", "a b")[1]["model"]
    assert script.events[0] == 1
    assert script.step_of(0) == 0, "the first piece begins before the first step"
    assert script.step_of(None) == 0
    assert script.step_of(10**9) == len(script)

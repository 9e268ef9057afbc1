"""Stories name no positions: what a beginner reads has no cell number, no offset, no field."""

from __future__ import annotations

import re

import pytest

import explorer
from explorer.script.script import Script, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.text.say import fill
from explorer.views.examples import PRESETS
from explorer.views.overview import sections
from tests.bundled import bundled

POSITION = re.compile(r"\b(?:cell|cells|offset|position|index|character) \d|\d+–\d+|\bn = \d")
FIELDS = re.compile(r"\b(?:rev_merge|max_token_len|n =|prev|symbols\[)")
TEXTS = [preset.text for preset in PRESETS[:6]]


def scripts(name: str, text: str) -> list[Script]:
    """The scripts of all stages that have one."""
    return list(by_stage(name, text).values())


def by_stage(name: str, text: str) -> dict[str, Script]:
    """The script of each stage that has one."""
    tok = bundled(name)
    trace = tok.trace(text)
    found = sections(tok, trace, round_trip(tok, trace), window_of(trace))
    return {section.key: section.script for section in found if section.script is not None}


def stories(script: Script) -> list[str]:
    """What each step says on the levels Story and Algorithm, once for each kind of step."""
    said = {}
    for step in range(1, len(script) + 1):
        kind = script.kind(step)
        templates = (kind["story"], kind["story_why"]) if kind["story"] else (kind["say"], kind["why"])
        said[kind["say"]] = " ".join(fill(part, script.args(step), script.data["texts"]) for part in templates if part)
    return list(said.values())


@pytest.mark.parametrize("name", explorer.catalog())
def test_no_story_names_a_position_or_a_field(name: str) -> None:
    found = [each for text in TEXTS for script in scripts(name, text) for each in stories(script)]
    assert found
    assert [each for each in found if POSITION.search(each) or FIELDS.search(each)] == []


def test_a_merge_says_what_it_beat() -> None:
    script = by_stage("llama-2", "What is LoRA?")["model"]
    merges = [step for step in range(1, len(script) + 1) if script.kind(step)["landmark"]]
    told = [fill(script.kind(step)["story"], script.args(step), script.data["texts"]) for step in merges]
    assert told[0] == "“a” + “t” → “at”. The best pair left: −12 beats “is” (−16)."
    assert told[-1] == "“R” + “A” → “RA”. No other pair waits."
    popped = [script.args(step)[3] for step in merges]
    assert [script.data["texts"][each] for each in popped[:3]] == ["−12", "−16", "−79"]


def test_story_passes_what_only_fills_the_queue_or_leaves_it() -> None:
    script = by_stage("llama-2", "What is LoRA?")["model"]
    outer = [script.kind(step)["label"] for step in range(1, len(script) + 1) if not script.kind(step)["inner"]]
    assert outer == ["merge"] * 9 + ["token"] * 5
    passed = {script.kind(step)["label"] for step in range(1, len(script) + 1) if script.kind(step)["inner"]}
    assert passed == {"push", "no piece", "stale"}


def test_an_entry_out_of_date_says_where_its_symbol_is_now() -> None:
    script = by_stage("llama-2", "What is LoRA?")["model"]
    stale = [step for step in range(1, len(script) + 1) if script.kind(step)["label"] == "stale"]
    told = [fill(script.kind(step)["story"], script.args(step), script.data["texts"]) for step in stale]
    assert "“ha” is out of date: its “h” is part of “▁What” now. Skip it." in told


def test_code_is_plain_text_and_its_values_belong_to_its_lines() -> None:
    """The code is not Markdown; a value without its line would not be drawn."""
    for name in ("llama-2", "gpt-2", "bert-uncased", "xlm-r", "rwkv-world"):
        for key, script in by_stage(name, "I 🤗 What's LoRA?").items():
            lines = [line for part in ("code", "source") for line in script.data[part]["lines"]]
            assert not [line for line in lines if "`" in line], (name, key)
            valued = {line for kind in script.data["kinds"] for line, _ in kind["values"]}
            assert valued <= set(range(len(script.data["code"]["lines"]))), (name, key)


def test_merging_has_its_values_beside_the_code() -> None:
    script = by_stage("llama-2", "What is LoRA?")["model"]
    first = next(step for step in range(1, len(script) + 1) if script.kind(step)["landmark"])
    lines = script.data["code"]["lines"]
    shown = {lines[at].strip(): fill(say, script.args(first), script.data["texts"])
             for at, say in script.kind(first)["values"]}  # fmt: skip
    assert shown == {
        "take the pair with the highest score": "at, −12",
        "left ← left + right; right leaves the row": "a + t → at",
    }

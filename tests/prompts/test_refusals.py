"""A refusal is said in each language: the template's, an engine's, a server's, of what is no call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from explorer.answers.learn import ENGINE
from explorer.errors import InputError
from explorer.languages import phrases
from explorer.learning.checks.cards import sides_of
from explorer.learning.lessons.reading import PromptPanel, library
from explorer.prompts.messages import Call
from explorer.prompts.model_input import prompt
from explorer.prompts.partings import server_sides
from explorer.prompts.run import TemplateFailed
from explorer.prompts.servers import SERVERS
from explorer.text.say import Say, Text
from tests.bundled import bundled

HI = {"role": "user", "content": "Hi"}
CALL: dict[str, Any] = {"type": "function", "function": {"name": "f", "arguments": "{"}}
SYSTEM = [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Now."}, HI]
ALWAYS = "{% if messages %}{{ raise_exception('Nothing!') }}{% endif %}"
LAST = "{{ messages[-1].content"


def worded_parts(say: Say) -> Iterator[str]:
    """The templates with words that a sentence is made of."""
    if re.search("[a-z]{2}", re.sub(r"\{[^}]*\}", "", say.words)):
        yield say.words
    for value in say.values:
        if isinstance(value, Say | Text):
            yield from worded_parts(value if isinstance(value, Say) else value.say)


ENGINES = re.compile(r"[A-Z]\w+Error: |Callee|Cannot|Expected|Unexpected|expected|Nothing!")
"""How an engine's own words begin, which no catalog has."""


def check(text: str, *values: str) -> None:
    """Fails unless each part of a text is said in each language, with these values."""
    assert isinstance(text, Text), text
    for language in ("de", "ja"):
        to = phrases(language)
        assert not [each for each in worded_parts(text.say) if each not in to.forms and not ENGINES.match(each)]
        assert all(value in to.text(text) for value in values), to.text(text)
        assert to.text(text) != text


@pytest.mark.parametrize(
    ("source", "messages", "values"),
    [
        ("{{ messages[0].role / 2 }}", [HI], ["1", "TypeError: unsupported operand", 'role', '"user"']),
        ("\n{{ messages[0].absent.x }}", [HI], ["2", "UndefinedError", "absent"]),
        ("{{ '' + messages[0].content }}", [{**HI, "content": None}], ["has no attribute", "content", "null"]),
        ("{% for m in messages %}{{ '[' + m.content }}{% endfor %}", [{**HI, "content": ["1"]}],
         ["can only concatenate", "content", '["1"]']),
        ("{{ 1 + messages[0] }}", [HI], ["TypeError", '{"role": "user", "content": "Hi"}']),
        ("{{ '' + tools[0].function }}", {"messages": [HI], "tools": [{"function": {"a": 1}}]},
         ["function", '{"a": 1}']),
        (ALWAYS, [HI], ["Nothing!", "1"]),
        ("{{ messages[1].role == 'user' and raise_exception('Once') }}", [HI, HI], ["Once", "(user)", "2"]),
        ("{% if %}", [HI], ["1", "Expected an expression"]),
        ("{{ 'a' * 99999999 }}", [HI], ["1"]),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", [HI], []),
        ("{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}", [HI], []),
        ("x" * 600_000, [HI], ["500"]),
        ("{{ messages }}", [], []),
        ("{{ messages }}", {"messages": [HI, {"role": "assistant"}], "continue_final_message": True}, ["content"]),
        ("{{ messages[0].role }}", {"messages": [HI], "continue_final_message": True}, ["content"]),
        (LAST + "[:3] }}", {"messages": [{**HI, "content": "One, two"}], "continue_final_message": True}, [", two"]),
        (LAST + " }}", {"messages": [{**HI, "content": []}], "continue_final_message": True}, []),
    ],
)  # fmt: skip
def test_a_template_s(source: str, messages: Any, values: list[str]) -> None:
    with pytest.raises(TemplateFailed) as failed:
        prompt(bundled("qwen2.5"), messages, source=source, engine="transformers").ids  # noqa: B018
    check(str(failed.value), *values)
    assert not failed.value.refused or failed.value.words in phrases("ja").text(failed.value.reason)


@pytest.mark.parametrize(
    ("source", "call", "values"),
    [
        (ALWAYS, [HI], ["Nothing!", "1"]),
        (ALWAYS, SYSTEM[1:], ["Nothing!", "1"]),
        ("{{ messages[0].content.items() }}", [HI], ["1", '"Hi"']),
        ("{{ messages[0].absent + 1 }}", [HI], ["absent"]),
        ("{% if %}", [HI], ["1"]),
        ("{% break %}", [HI], ["1"]),
        *(("{{ messages }}", [message], []) for message in (
            {"content": "a"}, {"role": 1, "content": "a"}, {"role": "user"}, {"role": "assistant"},
            {**HI, "content": 1}, {**HI, "content": [{"type": "image"}]}, {**HI, "name": 1}, {**HI, "tool_calls": 1},
            {**HI, "tool_calls": [{}]}, {**HI, "tool_calls": [{**CALL, "function": {"name": "f"}}]},
            {**HI, "tool_calls": [{**CALL, "id": 1}]},
        )),
        *(("{{ tools }}", {"messages": [HI], "tools": [tool]}, []) for tool in (
            {}, {"type": "a"}, {"type": "function"}, {"type": "function", "function": {}},
            {"type": "function", "function": {"name": "f", "description": 1}},
        )),
        (LAST + " }}", {"messages": [HI], "continue_final_message": "name"}, []),
        (LAST + " }}", {"messages": [HI], "continue_final_message": True, "add_generation_prompt": True}, []),
    ],
)  # fmt: skip
def test_llama_cpp_s(source: str, call: Any, values: list[str]) -> None:
    with pytest.raises(TemplateFailed) as failed:
        prompt(bundled("qwen2.5"), call, source=source, engine="llama.cpp").ids  # noqa: B018
    check(str(failed.value), *values)


@pytest.mark.parametrize(
    "call", [1, [1], {"messages": [HI], "tools": [1]}, {"messages": [HI], "chat_template_kwargs": 1}]
)
def test_of_what_is_no_call(call: Any) -> None:
    with pytest.raises(InputError) as error:
        Call.from_json(call)
    check(str(error.value))


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [{**HI, "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
        {"messages": [HI], "tool_choice": "auto"},
        {"messages": [HI], "tool_choice": "maybe", "tools": [{"type": "function", "function": {"name": "f"}}]},
        {"messages": [HI], "tools": [{"type": "function", "function": {}}]},
        {"messages": [HI, {"role": "assistant", "content": "", "tool_calls": [CALL]}, HI]},
        {"messages": [HI, {"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}]},
    ],
)
def test_a_server_s(request_: dict[str, Any]) -> None:
    sides = server_sides(bundled("qwen2.5"), request_, [*SERVERS], "ours:chatml")
    errors = [each.error for each in sides if each.served.refusal]
    assert errors
    for error in errors:
        check(error)


def test_of_what_is_no_request() -> None:
    with pytest.raises(InputError) as error:
        server_sides(bundled("qwen2.5"), {"messages": [{**HI, "content": 1}]}, [*SERVERS], "ours:chatml")
    check(str(error.value), "messages[0].content")


def test_those_of_the_lesson_on_servers() -> None:
    panels = [card.panel for card in library()["request"].cards if isinstance(card.panel, PromptPanel)]
    errors = [side.error for panel in panels for side in sides_of(ENGINE, panel) if side.error]
    assert errors
    for error in errors:
        check(error)

"""Small calls that people met: what is said names the cause, the message, the field and the line. And their kind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorer.cli import commands
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.prompts.export import prompt_export
from explorer.prompts.finding import Kind
from explorer.prompts.llama_cpp.conversation import as_nlohmann
from explorer.prompts.model_input import LLAMA_CPP, Prompt, prompt
from explorer.text.say import plain
from tests.bundled import bundled

CASES = Path(__file__).parent / "cases"
HI = {"role": "user", "content": "Hi"}


def read(name: str) -> Any:
    """A call."""
    return json.loads((CASES / name).read_text("utf-8"))


def source_of(name: str) -> str:
    """A template."""
    return (CASES / f"{name}.jinja").read_text("utf-8")


def of(source: str | None, call: Any, **more: Any) -> Prompt:
    """A prompt of Qwen 2.5."""
    return prompt(bundled("qwen2.5"), call, source=source, **more)


def said(found: Prompt, kind: Kind) -> str:
    """What findings of a kind say."""
    return " ".join(plain(each.sentence) + " " + plain(each.reason) for each in found.findings if each.kind == kind)


def error_of(source: str, call: Any, **more: Any) -> str:
    """Why there is no prompt."""
    with pytest.raises(InputError) as caught:
        of(source, call, **more)
    return str(caught.value)


def with_call(arguments: Any, **more: Any) -> list[dict[str, Any]]:
    """A conversation with a tool call."""
    call = {"id": "123456789", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return [HI, {"role": "assistant", "content": "", "tool_calls": [call], **more}]


def test_html_that_the_template_makes() -> None:
    found = of(source_of("tojson-escaped"), read("tojson-escaped.json"))
    words = said(found, Kind.HTML)
    assert "&#34;" in found.text
    assert all(each in words for each in ("&#34;", "safe", "line 4"))
    finding = next(each for each in found.findings if each.kind == Kind.HTML)
    assert "&#34" in found.text[found.tokens[finding.start].start : found.tokens[finding.end - 1].end]
    assert any(each["kind"] == Kind.HTML for each in json.loads(prompt_export(found).json())["findings"])


@pytest.mark.parametrize(
    ("source", "cause", "line"),
    [
        ("\n{{ messages[0].content | e }}", "escape", 2),
        ("{{ messages[0].content | escape }}", "escape", 1),
        ("{{ '[' | safe + messages[0].content + ']' }}", "safe", 1),
        ("{% set x = '[' | safe %}\n{{ x + messages[0].content }}", "safe", 2),
        ("{% filter escape %}{{ messages[0].content }}{% endfilter %}", "filter escape", 1),
        ("{{ messages[0].content | urlize }}", "urlize", 1),
    ],
)
def test_other_ways_to_html(source: str, cause: str, line: int) -> None:
    found = of(source, [{"role": "user", "content": 'a <b> & "c"'}])
    words = said(found, Kind.HTML)
    assert f"“{cause}”" in words
    assert f"line {line}" in words
    if cause == "safe":
        assert "in line 1 makes Markup" in words
    # written as HTML, the message isn't left out
    assert not said(found, Kind.DROPPED)


def test_what_was_sent_as_html_is_not_called_escaped() -> None:
    assert not said(of("{{ messages[0].content }}&lt;", [{"role": "user", "content": "&amp; <b>"}]), Kind.HTML)
    # nor where nothing else is joined to what is safe
    assert not said(of("{{ messages[0].content | safe }}", [{"role": "user", "content": "<b>"}]), Kind.HTML)


def test_arguments_that_are_a_string_of_json() -> None:
    found = of(None, read("arguments-string.json"))
    words = said(found, Kind.AGAIN)
    assert all(each in words for each in ("message 2", "arguments", "string", "vLLM and llama.cpp"))
    assert not any(each.kind == Kind.STRADDLES and each.message == 1 for each in found.findings)
    # what is advised makes it go, and llama.cpp does it itself
    call = read("arguments-string.json")
    assert not said(of(None, call, engine=LLAMA_CPP), Kind.AGAIN)
    function = call[1]["tool_calls"][0]["function"]
    function["arguments"] = json.loads(function["arguments"])
    assert not said(of(None, call), Kind.AGAIN)


def test_other_strings_of_json() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": '{"type": "object"}'}}
    source = "{{ tools | tojson }}{{ messages[0].content }}"
    words = said(of(source, {"messages": [HI], "tools": [tool]}), Kind.AGAIN)
    assert "tool 1" in words
    assert "function.parameters" in words
    # a template that writes the string as it is encodes nothing again
    assert not said(of("{{ messages[1].tool_calls[0].function.arguments }}", with_call('{"a": 1}')), Kind.AGAIN)
    assert said(of("{{ messages[1].tool_calls[0].function.arguments | tojson }}", with_call("{}")), Kind.AGAIN)


def test_a_field_of_another_type() -> None:
    words = error_of(source_of("items"), read("items.json"))
    assert "explorer" not in words
    assert "'str object' has no attribute 'items'" in words
    assert "In message 2, tool_calls[0].function.arguments is a string: " in words


@pytest.mark.parametrize(
    ("source", "call", "words"),
    [
        ("{{ messages[0].content.strip() }}", [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
         "In message 1, content is a list: [{\"type\": "),
        ("{{ messages[0].name.x }}", [HI], "In message 1, name is missing."),
        ("{{ '[' + messages[0].content }}", [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
         "In message 1, content is a list: [{\"type\": "),
        ("{% for k, v in tools[0].function.parameters.items() %}{% endfor %}",
         {"messages": [HI], "tools": [{"type": "function", "function": {"name": "f", "parameters": "{}"}}]},
         "In tool 1, function.parameters is a string: "),
    ],
)  # fmt: skip
def test_other_fields_of_other_types(source: str, call: Any, words: str) -> None:
    assert words in (found := error_of(source, call))
    assert "explorer" not in found
    assert "TracedText" not in found


def test_what_a_template_leaves_out_of_the_message_to_continue() -> None:
    words = error_of(source_of("drops-thinking"), read("continue-thinking.json"), continue_final=True)
    assert "<think>" in words
    assert "line 5 cuts it off the text that line 4 sets" in words
    # without continuing it, the finding names the same line
    call = [HI, {"role": "assistant", "content": "<think>\nHm.\n</think>So."}]
    assert "line 5" in said(of(source_of("drops-thinking"), call), Kind.REASONING)


def test_the_first_message_that_breaks_a_rule() -> None:
    words = error_of(source_of("alternate"), read("two-users.json"))
    assert "Line 4 raises" in words
    assert "Message 3 (user)" in words
    found = of(source_of("alternate"), read("two-systems.json"))
    assert "Line 3" in said(found, Kind.SYSTEM)


@pytest.mark.parametrize(
    ("source", "roles", "message"),
    [
        ("{% if messages[-1].role != 'user' %}{{ raise_exception('last') }}{% endif %}", "uaua", 4),
        ("{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}", "sua", 1),
        ("{% for m in messages if m.role == 'tool' %}{{ raise_exception('tool') }}{% endfor %}", "uatu", 3),
        ("{% if not tools %}{{ raise_exception('no tools') }}{% endif %}", "ua", None),
    ],
)
def test_other_rules(source: str, roles: str, message: int | None) -> None:
    names = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}
    words = error_of(source, [{"role": names[each], "content": "x"} for each in roles])
    assert "Line 1 raises" in words
    assert (f"Message {message} (" in words) if message else ("Message" not in words)


@pytest.mark.parametrize("engine", ["transformers", LLAMA_CPP])
def test_the_words_of_a_refusal_are_text(engine: str) -> None:
    words = error_of(source_of("umlaut-refusal"), read("umlaut-refusal.json"), engine=engine)
    assert "Rolle nicht unterstützt: Prüfer" in words
    assert "à…" in error_of("{{ raise_exception('à…') }}", [HI], engine=engine)


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", bundled)
    arguments = ["prompt", "-m", "qwen2.5", "--template-file", str(CASES / "alternate.jinja")]
    assert main([*arguments, str(CASES / "two-users.json")]) != 0
    assert "Message 3 (user)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1.0"), (48.137154, "48.137154"), (-0.0, "-0.0"), (1e15, "1e+15"), (-1.25e15, "-1.25e+15"), (1e16, "1e+16"),
     (1e-5, "1e-05"), (123456789012345.6, "123456789012345.6"), (9999999999999998.0, "9.999999999999998e+15")],
)  # fmt: skip
def test_doubles_as_nlohmann_writes_them(value: float, text: str) -> None:
    assert as_nlohmann(value) == text


def call_with(**more: Any) -> dict[str, Any]:
    """A call that continues an answer."""
    messages = [HI, {"role": "assistant", "content": "A", "reasoning_content": "T"}]
    return {"messages": messages, "continue_final_message": True, "add_generation_prompt": False, **more}


def test_llama_cpp_continues_an_answer_or_says_why_not() -> None:
    source = (
        "{% for m in messages %}[{{ m.role }}]{% if m.reasoning_content %}<t>{{ m.reasoning_content }}</t>{% endif %}"
        "{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}"
    )
    assert of(source, call_with(), engine=LLAMA_CPP).text == "[user]Hi[assistant]<t>T</t>A"
    for name, text in (("reasoning_content", "[user]Hi[assistant]<t>T"), ("content", "[user]Hi[assistant]<t>T</t>A")):
        assert of(source, call_with(continue_final_message=name), engine=LLAMA_CPP).text == text
    assert "add_generation_prompt" in error_of(source, call_with(add_generation_prompt=True), engine=LLAMA_CPP)
    assert "thinking" not in error_of(source, call_with(continue_final_message="thinking"), engine=LLAMA_CPP)
    # the text that is continued is the message's
    origins = of(source, call_with(), engine=LLAMA_CPP).rendering.origins
    assert origins[-1].path == ("messages", 1, "content")
    assert said(of(source, {**call_with(), "continue_final_message": False}, engine=LLAMA_CPP), Kind.GOES_ON)


def test_llama_cpp_builds_tools_anew_or_says_why_not() -> None:
    source = "{{ tools | tojson }}"
    tool = {"x": 1, "function": {"strict": True, "name": "f"}, "type": "function"}
    made = of(source, {"messages": [HI], "tools": [tool]}, engine=LLAMA_CPP).text
    assert made == '[{"type": "function", "function": {"name": "f", "description": "", "parameters": {}}}]'
    for wrong in ({"function": tool["function"]}, {"type": "web"}, {"type": "function"}):
        assert "tool 1" in error_of(source, {"messages": [HI], "tools": [wrong]}, engine=LLAMA_CPP)

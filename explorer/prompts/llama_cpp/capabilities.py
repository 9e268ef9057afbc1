"""What a template can take, found out by running it on probes: `common/jinja/caps.cpp`, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from explorer.engine import budget
from explorer.errors import InputError
from explorer.prompts.llama_cpp.interpreter import Interpreter, Uses
from explorer.prompts.llama_cpp.program import PRESERVE, Parsed, parsed
from explorer.prompts.llama_cpp.values import Break, Continue, Failed
from explorer.prompts.messages import Path
from explorer.prompts.program import SECONDS
from explorer.prompts.run import STEPS, Run, TemplateStopped
from explorer.prompts.traced_text import TracedText, joined

PROBE_STEPS: Final = 20_000
"""Steps of a probe, so that those of a hostile template take no longer than one run."""

MARKER: Final = "STRING_MARKER"
REASONING: Final = "<REASONING_CONTENT_PLACEHOLDER>"


@dataclass(slots=True)
class Capabilities:
    """What a template can take, as llama.cpp's `/props` names it."""

    supports_string_content: bool = True
    supports_typed_content: bool = False
    supports_tools: bool = True
    supports_tool_calls: bool = True
    supports_parallel_tool_calls: bool = True
    supports_system_role: bool = True
    supports_preserve_reasoning: bool = False
    supports_reasoning_effort: bool = False
    supports_object_arguments: bool = False


def texts(value: Any) -> Any:
    """Data whose strings are texts of the engine, each an object of its own."""
    if isinstance(value, str):
        return TracedText(value)
    if isinstance(value, dict):
        return {TracedText(key): texts(item) for key, item in value.items()}
    return [texts(item) for item in value] if isinstance(value, list) else value


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    """A message."""
    return {"role": role, "content": content, **more}


def tool_call(arguments: Any, id: str = "call00001") -> dict[str, Any]:
    """A call of the probes' tool."""
    return {"id": id, "type": "function", "function": {"name": "tool1", "arguments": arguments}}


def with_calls(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    """A conversation in which a tool is called."""
    return [
        said("user", "User message"),
        said("assistant", "", tool_calls=[*calls]),
        said("tool", "Tool response", tool_call_id="call00001"),
        said("assistant", "The tool response was 'tool response'"),
        said("user", "User message"),
    ]


TOOLS: Final = [
    {
        "name": "tool",
        "type": "function",
        "function": {
            "name": "tool1",
            "description": "Tool description",
            "parameters": {
                "type": "object",
                "properties": {"arg": {"type": "string", "description": "Arg description"}},
                "required": ["arg"],
            },
        },
    }
]


@dataclass(slots=True)
class Probe:
    """A run of a template on a probe. text: what it wrote, None if it failed.

    given: each value by its path, as it was before the run: a template can take messages apart.
    """

    given: Mapping[Path, Any]
    uses: Uses
    text: str | None

    @property
    def content(self) -> Any:
        """The content of the first message."""
        return self.given["messages", 0, "content"]

    def used(self, *path: str | int) -> bool:
        """Whether the value at a path was used."""
        return self.uses.used(self.given[path])

    @property
    def as_list(self) -> bool:
        """Whether the first message's content was read as a list."""
        return self.uses.did(self.content, "selectattr", "array_access")


CALLS: Final[Path] = ("messages", 1, "tool_calls")
"""Where the probes have tool calls."""


def by_path(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each value in one, with its path."""
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from by_path(item, (*path, key))


@lru_cache(maxsize=64)
def capabilities(template: str) -> Capabilities:
    """What a template can take. Raises TemplateFailed if it can't be parsed, or the probes take too long together."""
    program = parsed(template)
    try:
        with budget.within("running a template's probes", SECONDS):
            return _probed(program)
    except budget.TooSlow as error:
        raise TemplateStopped(str(error)) from error


def _probed(program: Parsed) -> Capabilities:
    found = Capabilities()

    def probe(messages: list[dict[str, Any]], tools: Any = (), **variables: Any) -> Probe:
        made = attempted(messages, tools, **variables)
        # some templates need a thought in each answer
        silent = [each for each in messages if each["role"] == "assistant" and "reasoning_content" not in each]
        if made.text is None and silent:
            messages = [{**each, "reasoning_content": ""} if each in silent else each for each in messages]
            made = attempted(messages, tools, **variables)
        return made

    def attempted(messages: list[dict[str, Any]], tools: Any, **variables: Any) -> Probe:
        given = {"messages": texts(messages), "tools": texts([*tools]), **{k: texts(v) for k, v in variables.items()}}
        given |= {"bos_token": TracedText(""), "eos_token": TracedText(""), "add_generation_prompt": True}
        before = dict(by_path(given))
        # which values are used counts even where the run fails, so the interpreter is kept
        interpreter = Interpreter(Run(program.operands, spent=STEPS - PROBE_STEPS), datetime(2026, 1, 1))
        text: str | None = None
        with (
            suppress(Failed, Break, Continue, InputError, RecursionError, MemoryError),
            budget.within("a probe", SECONDS),
        ):
            text = interpreter.write(program.body, given).plain
        return Probe(before, interpreter.uses, text)

    first = probe([said("user", MARKER)])
    found.supports_typed_content = first.as_list
    if first.text is None or (first.as_list and MARKER not in first.text):
        found.supports_string_content = False
    if first.uses.did(first.content, "test_is_string"):
        listed = probe([said("user", [])])
        found.supports_typed_content |= listed.as_list and listed.text is not None
    system = probe([said("system", "System message"), said("user", "User message")])
    found.supports_system_role = system.uses.used(system.content)
    _tools(found, probe)
    variables = {"enable_thinking": True, **PRESERVE}
    answers = [
        said("assistant", "Assistant message", reasoning_content=each) for each in (REASONING, "Reasoning content")
    ]
    asked = said("user", "User message")
    reasoned = probe([asked, answers[0], asked, answers[1], asked], **variables)
    found.supports_preserve_reasoning = REASONING in (reasoned.text or "")
    effort = TracedText("low")
    tried = probe([asked], enable_thinking=True, reasoning_effort=effort, reasoning_strength=effort)
    found.supports_reasoning_effort = tried.used("reasoning_effort")
    return found


def _tools(found: Capabilities, probe: Callable[..., Probe]) -> None:
    """The capabilities about tools."""
    single = probe(with_calls(tool_call({"arg": "value"})), TOOLS)
    if single.text is not None:
        found.supports_tools = single.used("tools", 0, "function", "name")
        found.supports_tool_calls = single.used(*CALLS)
        if found.supports_tool_calls:
            found.supports_object_arguments = single.used(*CALLS, 0, "function", "arguments", "arg")
    if not found.supports_object_arguments:
        single = probe(with_calls(tool_call('{"arg": "value"}')), TOOLS)
        if single.text is None:
            found.supports_tools = found.supports_tool_calls = False
        else:
            found.supports_tools &= single.used("tools", 0, "function", "name")
            found.supports_tool_calls &= single.used(*CALLS)
    arguments: Any = {"arg": "value"} if found.supports_object_arguments else '{"arg": "value"}'
    both = probe(with_calls(tool_call(arguments), tool_call(arguments, "call00002")), TOOLS)
    found.supports_parallel_tool_calls = both.text is not None and both.used(*CALLS, 1, "function")


def with_content(messages: list[Any], found: Capabilities) -> list[Any]:
    """Messages whose content is a text or a list of parts, whichever a template can take."""
    only_text = found.supports_string_content and not found.supports_typed_content
    only_parts = found.supports_typed_content and not found.supports_string_content
    made = []
    for message in messages:
        content = message.get("content")
        if only_parts and isinstance(content, str):
            content = [{TracedText("type"): TracedText("text"), TracedText("text"): content}]
        elif only_text and isinstance(content, list):
            content = _one_text(content)
        made.append({**message, "content": content} if "content" in message else message)
    return made


def _one_text(parts: list[Any]) -> TracedText:
    """The texts of parts, with line breaks between them, but none beside a medium's marker."""
    text, after_marker = TracedText(""), False
    for part in parts:
        kind = part.get("type", "") if isinstance(part, dict) else ""
        if kind not in ("text", "media_marker"):
            continue
        line = kind == "text" and not after_marker and bool(text)
        after_marker = kind == "media_marker"
        text = joined((text, "\n" if line else "", part.get("text", "")))
    return text

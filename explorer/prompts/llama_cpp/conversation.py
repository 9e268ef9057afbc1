"""What llama-server makes of a call before a template sees it, and what a template can take.

Follows `common_chat_msgs_parse_oaicompat`, `workaround` and `common/jinja/caps.cpp`.

A message keeps role, content, reasoning_content, name, tool_call_id and tool calls; all else is dropped. Arguments
become text, and objects again for a template that reads them as objects. A tool is built anew from its function's
name, description and parameters. Data is traced, and stays so. What a template can take is found out by running it on
probes.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import isfinite
from typing import Any

from explorer.engine import budget
from explorer.errors import InputError, shown
from explorer.prompts.llama_cpp.interpreter import Interpreter, Uses
from explorer.prompts.llama_cpp.program import PRESERVE, Parsed, parsed
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.llama_cpp.values import Break, Continue, Failed, Messages, json_text
from explorer.prompts.messages import REASONING, Path, with_reasoning
from explorer.prompts.program import SECONDS, TemplateFailed
from explorer.prompts.run import STEPS, Run, TemplateStopped
from explorer.prompts.traced_text import TracedText, joined
from explorer.tables import Record
from explorer.text.say import Text, worded

CHANNELS = "<|channel|>"
"""A template with this text is GPT-OSS', which knows developers."""


def parsed_messages(messages: list[Any], without: Collection[Rule] = ()) -> Messages:
    """Messages as the server reads them. without: rules that are left out. Raises TemplateFailed."""
    return [_message(message, index, without) for index, message in enumerate(messages)]


def _message(message: dict[Any, Any], index: int, without: Collection[Rule]) -> dict[Any, Any]:
    if why := unread(message):
        if Rule.READS in without:  # no other rule is about what it doesn't read
            return {name: value for name, value in message.items() if value is not None}
        raise TemplateFailed("llama.cpp doesn't read message {0}: {1:t}.", index + 1, worded(why))
    made = {} if Rule.KEYS not in without else {name: value for name, value in message.items() if value is not None}
    made |= {name: message[name] for name in ("role",) if name in message}
    content = message.get("content")
    if isinstance(content, list) and Rule.TYPED not in without:
        content = texts([{"type": part["type"], "text": part.get("text", "")} for part in content])
    if Rule.CONTENT not in without:
        content = content or TracedText("")
    if content is not None:
        made[TracedText("content")] = content
    for name in TEXTS:
        if message.get(name):
            made[TracedText(name)] = message[name]
    calls = message.get("tool_calls")
    if Rule.CALLS not in without:
        made.pop("tool_calls", None)
    if calls or (calls is not None and Rule.CALLS in without):
        made[TracedText("tool_calls")] = [_call(each, without) for each in calls]
    if Rule.REASONING in without:
        (made,) = with_reasoning([{**made, **{name: message[name] for name in REASONING if message.get(name)}}])
    return made


def unread(message: dict[Any, Any]) -> str:
    """Why the server doesn't read a message, "" if it does."""
    if not isinstance(message.get("role"), str):
        return "its role is no text" if "role" in message else "it has no role"
    if "content" not in message and message["role"] != "assistant":
        return "it has no content"
    if "content" not in message and "tool_calls" not in message:
        return "it has neither content nor tool_calls"
    content = message.get("content")
    if isinstance(content, list):
        for part in content:
            if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
                return "a part of its content is no text"
    elif content is not None and not isinstance(content, str):
        return "its content is neither a text nor a list"
    if wrong := [name for name in TEXTS if not isinstance(message.get(name, ""), str)]:
        return Text("its {0:t} is no text", wrong[0])
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        return "its tool_calls are no list"
    if not all(_is_named(call) for call in calls):
        return "a tool call is not a named function"
    if not all("arguments" in call["function"] for call in calls):
        return "a tool call has no arguments"
    return "" if all(isinstance(call.get("id", ""), str) for call in calls) else "the id of a tool call is no text"


TEXTS = ("reasoning_content", "name", "tool_call_id")
"""The keys of a message whose value is a text."""


def _is_named(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and call.get("type") == "function" and isinstance(function.get("name"), str)


def rebuilt_tools(tools: list[Any]) -> list[Any]:
    """Tools as the server builds them anew (`common_chat_tools_parse_oaicompat`). Raises TemplateFailed."""
    return [_tool(tool, index) for index, tool in enumerate(tools)]


def _tool(tool: Any, index: int) -> Any:
    function = tool.get("function")
    wrong = (
        ("has no type" if "type" not in tool else "is of another type than function")
        if tool.get("type") != "function"
        else "has no function"
        if not isinstance(function, dict)
        else "has a function without a name"
        if not isinstance(function.get("name"), str)
        else "has a description that is no text"
        if not isinstance(function.get("description", ""), str)
        else ""
    )
    if wrong:
        raise TemplateFailed("llama.cpp doesn't read tool {0}: it {1:t}.", index + 1, worded(wrong))
    made = {
        "name": function["name"],
        "description": function.get("description", ""),
        "parameters": function.get("parameters", {}),
    }
    return texts({"type": "function", "function": made})


def _call(call: Any, without: Collection[Rule]) -> Any:
    if not _is_named(call):
        return call  # READS is left out
    function = call["function"]
    arguments = function.get("arguments")
    if Rule.ARGUMENTS not in without and not isinstance(arguments, str):
        arguments = json_text(arguments, between=",", colon=":", float_text=as_nlohmann)
    if Rule.CALLS in without:
        return {**call, "function": {**function, "arguments": arguments} if "arguments" in function else function}
    made = {"type": "function", "function": {"name": function["name"], "arguments": arguments}}
    return texts(made | ({"id": call["id"]} if call.get("id") else {}))


TRIMS = "You have access to the following functions in JSONSchema format"
"""A template with this text is StepFun's, whose messages are trimmed."""


def trimmed(messages: Messages, source: str) -> Messages:
    """Messages without the white space around their texts, for a template that needs it."""
    if TRIMS not in source:
        return messages

    def bare(text: Any) -> Any:
        return text.strip(" \t\n\v\f\r")

    made = []
    for message in messages:
        if unread(message):
            made.append(message)
            continue
        content = message.get("content")
        parts = (
            [{**part, TracedText("text"): bare(part["text"])} for part in content]
            if isinstance(content, list)
            else None
        )
        thought = bare(message.get("reasoning_content", ""))
        kept = {name: value for name, value in message.items() if name != "reasoning_content" or thought}
        kept |= {TracedText("reasoning_content"): thought} if thought else {}
        made.append({**kept, TracedText("content"): bare(content) if isinstance(content, str) else parts})
    return made


def worked_around(messages: Messages, found: Capabilities, source: str, without: Collection[Rule] = ()) -> Messages:
    """Messages changed to what a template can take. source: the template's. Raises TemplateFailed."""
    for message in messages if Rule.DEVELOPER not in without else ():
        if message.get("role") == "developer" and CHANNELS not in source:
            message[TracedText("role")] = TracedText("system")
    unsupported = not found.supports_system_role and Rule.SYSTEM not in without
    if messages and messages[0].get("role") == "system" and unsupported:
        first, *messages = messages
        if messages:
            before, after = first.get("content"), messages[0].get("content")
            if not isinstance(before, str) or not isinstance(after, str):
                raise TemplateFailed("llama.cpp can't join a system message with typed content.")
            messages[0][TracedText("content")] = joined((before, "\n", after))
    if found.supports_object_arguments and Rule.ARGUMENTS not in without:
        read = (message for message in messages if not unread(message))
        for function in (call["function"] for message in read for call in message.get("tool_calls", [])):
            function[TracedText("arguments")] = _object(function["arguments"])
    return messages


def _object(arguments: TracedText) -> Any:
    """Arguments in JSON as data. Raises TemplateFailed."""
    try:
        return data_of(arguments)
    except (ValueError, RecursionError) as error:
        raise TemplateFailed("llama.cpp can't read the arguments of a tool call as JSON: {0:t}.", str(error)) from None


def data_of(written: TracedText) -> Any:
    """A byte text in JSON as data, whose texts and keys keep their origins where they are written as they are.

    Raises ValueError or RecursionError.
    """
    text = written.plain.encode("latin-1").decode("utf-8")
    value = json.loads(text, parse_float=_float, parse_constant=_no_number)
    at = 0

    def traced(value: Any) -> Any:
        nonlocal at
        if isinstance(value, str):
            plain = value.encode().decode("latin-1")  # half a surrogate pair has no bytes
            place = written.find(plain, at)
            if place < 0 or not plain:
                return TracedText(plain)
            at = place + len(plain)
            return written[place:at]
        if isinstance(value, dict):
            return {traced(name): traced(item) for name, item in value.items()}
        return [traced(item) for item in value] if isinstance(value, list) else as_int64(as_number(value))

    return traced(value)


def _float(text: str) -> float:
    """A number with a fraction. Raises ValueError for one that no double holds."""
    if not isfinite(value := float(text)):
        raise ValueError(f"the number {text} is out of range")
    return value


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def as_number(value: Any) -> Any:
    """A number as nlohmann's JSON reads it: an integer that 64 bits don't hold is a double.

    Raises TemplateFailed for one that no double holds; that reader refuses the whole request.

    >>> as_number(2**64), as_number(2**64 - 1)
    (1.8446744073709552e+19, 18446744073709551615)
    """
    try:
        return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**64 else value
    except OverflowError:
        raise TemplateFailed("llama.cpp can't read the number {0:t}: it is out of range.", shown(value)) from None


def as_int64(value: Any) -> Any:
    """A number as the engine reads it from JSON: an integer beyond 63 bits wraps around.

    >>> as_int64(2**64 - 1)
    -1
    """
    return value - 2**64 if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63 else value


def as_nlohmann(value: float) -> str:
    """A double as nlohmann's JSON writes it: as Python does, but with an exponent from 1e+15 on.

    >>> as_nlohmann(1e15), as_nlohmann(-0.0), as_nlohmann(48.137154)
    ('1e+15', '-0.0', '48.137154')
    """
    shown = repr(value)
    if not 1e15 <= abs(value) < 1e16:
        return shown
    digits = shown.partition(".")[0].lstrip("-")
    rest = digits[1:].rstrip("0") if shown.endswith(".0") else digits[1:] + shown.partition(".")[2]
    return f"{'-' * (value < 0)}{digits[0]}{'.' * bool(rest)}{rest}e+15"


PROBE_STEPS = 20_000
"""Steps of a probe, so that those of a hostile template take no longer than one run."""

MARKER = "STRING_MARKER"
PLACEHOLDER = "<REASONING_CONTENT_PLACEHOLDER>"


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


def said(role: str, content: Any, **more: Any) -> Record:
    """A message."""
    return {"role": role, "content": content, **more}


def tool_call(arguments: Any, id: str = "call00001") -> Record:
    """A call of the probes' tool."""
    return {"id": id, "type": "function", "function": {"name": "tool1", "arguments": arguments}}


def with_calls(*calls: Record) -> list[Record]:
    """A conversation in which a tool is called."""
    return [
        said("user", "User message"),
        said("assistant", "", tool_calls=[*calls]),
        said("tool", "Tool response", tool_call_id="call00001"),
        said("assistant", "The tool response was 'tool response'"),
        said("user", "User message"),
    ]


PROBED_TOOLS: Record = json.loads(pathlib.Path(__file__).with_name("tools.json").read_text("utf-8"))
"""The tools of probes: for what a template can take, and for its tags around a thought."""
TOOLS = PROBED_TOOLS["capabilities"]


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


CALLS: Path = ("messages", 1, "tool_calls")
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

    def probe(messages: list[Record], tools: Any = (), **variables: Any) -> Probe:
        made = attempted(messages, tools, **variables)
        # some templates need a thought in each answer
        silent = [each for each in messages if each["role"] == "assistant" and "reasoning_content" not in each]
        if made.text is None and silent:
            messages = [{**each, "reasoning_content": ""} if each in silent else each for each in messages]
            made = attempted(messages, tools, **variables)
        return made

    def attempted(messages: list[Record], tools: Any, **variables: Any) -> Probe:
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
        said("assistant", "Assistant message", reasoning_content=each) for each in (PLACEHOLDER, "Reasoning content")
    ]
    asked = said("user", "User message")
    reasoned = probe([asked, answers[0], asked, answers[1], asked], **variables)
    found.supports_preserve_reasoning = PLACEHOLDER in (reasoned.text or "")
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
            content = texts([{"type": "text", "text": content}])
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

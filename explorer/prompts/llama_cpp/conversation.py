"""What llama-server makes of a call before a template sees it: `common_chat_msgs_parse_oaicompat` and `workaround`.

A message keeps role, content, reasoning_content, name, tool_call_id and tool calls; all else is dropped. Arguments
become text, and objects again for a template that reads them as objects. A tool is built anew from its function's name,
description and parameters. Data is traced, and stays so.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from explorer.errors import shown
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.llama_cpp.values import json_text
from explorer.prompts.messages import REASONING, with_reasoning
from explorer.prompts.program import TemplateFailed
from explorer.prompts.traced_text import TracedText, joined

if TYPE_CHECKING:
    from explorer.prompts.llama_cpp.capabilities import Capabilities

CHANNELS = "<|channel|>"
"""A template with this text is GPT-OSS', which knows developers."""


def key(name: str) -> TracedText:
    """A key that the engine writes."""
    return TracedText(name)


def parsed_messages(messages: list[Any], without: Collection[Rule] = ()) -> list[dict[Any, Any]]:
    """Messages as the server reads them. without: rules that are left out. Raises TemplateFailed."""
    return [_message(message, index, without) for index, message in enumerate(messages)]


def _message(message: dict[Any, Any], index: int, without: Collection[Rule]) -> dict[Any, Any]:
    if why := unread(message):
        if Rule.READS in without:  # no other rule is about what it doesn't read
            return {name: value for name, value in message.items() if value is not None}
        raise TemplateFailed(f"llama.cpp doesn't read message {index + 1}: {why}.")
    made = {} if Rule.KEYS not in without else {name: value for name, value in message.items() if value is not None}
    made |= {name: message[name] for name in ("role",) if name in message}
    content = message.get("content")
    if isinstance(content, list) and Rule.TYPED not in without:
        content = [{key("type"): part["type"], key("text"): part.get("text", key(""))} for part in content]
    if Rule.CONTENT not in without:
        content = content or key("")
    if content is not None:
        made[key("content")] = content
    for name in TEXTS:
        if message.get(name):
            made[key(name)] = message[name]
    calls = message.get("tool_calls")
    if Rule.CALLS not in without:
        made.pop("tool_calls", None)
    if calls or (calls is not None and Rule.CALLS in without):
        made[key("tool_calls")] = [_call(each, without) for each in calls]
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
        return f"its {wrong[0]} is no text"
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        return "its tool_calls are no list"
    if not all(_is_named(call) for call in calls):
        return "a tool call is not a named function"
    if not all("arguments" in call["function"] for call in calls):
        return "a tool call has no arguments"
    return "" if all(isinstance(call.get("id", ""), str) for call in calls) else "the id of a tool call is no text"


TEXTS: Final = ("reasoning_content", "name", "tool_call_id")
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
        raise TemplateFailed(f"llama.cpp doesn't read tool {index + 1}: it {wrong}.")
    made = {
        key("name"): function["name"],
        key("description"): function.get("description", key("")),
        key("parameters"): function.get("parameters", {}),
    }
    return {key("type"): key("function"), key("function"): made}


def _call(call: Any, without: Collection[Rule]) -> Any:
    if not _is_named(call):
        return call  # READS is left out
    function = call["function"]
    arguments = function.get("arguments")
    if Rule.ARGUMENTS not in without and not isinstance(arguments, str):
        arguments = json_text(arguments, between=",", colon=":", float_text=as_nlohmann)
    if Rule.CALLS in without:
        return {**call, "function": {**function, "arguments": arguments} if "arguments" in function else function}
    made = {
        key("type"): key("function"),
        key("function"): {key("name"): function["name"], key("arguments"): arguments},
    }
    return made | ({key("id"): call["id"]} if call.get("id") else {})


TRIMS: Final = "You have access to the following functions in JSONSchema format"
"""A template with this text is StepFun's, whose messages are trimmed."""


def trimmed(messages: list[dict[Any, Any]], source: str) -> list[dict[Any, Any]]:
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
        parts = [{**part, key("text"): bare(part["text"])} for part in content] if isinstance(content, list) else None
        thought = bare(message.get("reasoning_content", ""))
        kept = {name: value for name, value in message.items() if name != "reasoning_content" or thought}
        kept |= {key("reasoning_content"): thought} if thought else {}
        made.append({**kept, key("content"): bare(content) if isinstance(content, str) else parts})
    return made


def worked_around(
    messages: list[dict[Any, Any]], found: Capabilities, source: str, without: Collection[Rule] = ()
) -> list[dict[Any, Any]]:
    """Messages changed to what a template can take. source: the template's. Raises TemplateFailed."""
    for message in messages if Rule.DEVELOPER not in without else ():
        if message.get("role") == "developer" and CHANNELS not in source:
            message[key("role")] = key("system")
    unsupported = not found.supports_system_role and Rule.SYSTEM not in without
    if messages and messages[0].get("role") == "system" and unsupported:
        first, *messages = messages
        if messages:
            before, after = first.get("content"), messages[0].get("content")
            if not isinstance(before, str) or not isinstance(after, str):
                raise TemplateFailed("llama.cpp can't join a system message with typed content.")
            messages[0][key("content")] = joined((before, "\n", after))
    if found.supports_object_arguments and Rule.ARGUMENTS not in without:
        read = (message for message in messages if not unread(message))
        for function in (call["function"] for message in read for call in message.get("tool_calls", [])):
            function[key("arguments")] = _object(function["arguments"])
    return messages


def _object(arguments: TracedText) -> Any:
    """Arguments in JSON as data. Raises TemplateFailed."""
    try:
        return data_of(arguments)
    except (ValueError, RecursionError) as error:
        raise TemplateFailed(f"llama.cpp can't read the arguments of a tool call as JSON: {error}.") from None


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
        raise TemplateFailed(f"llama.cpp can't read the number {shown(value)}: it is out of range.") from None


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

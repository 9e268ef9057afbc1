"""What llama-server makes of messages before a template sees them: `common_chat_msgs_parse_oaicompat` and `workaround`.

A message keeps role, content, reasoning_content, name, tool_call_id and tool calls; all else is dropped. Arguments
become text, and objects again for a template that reads them as objects. Data is traced, and stays so.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

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
    if Rule.READS not in without and (why := _unread(message)):
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
    for name in ("reasoning_content", "name", "tool_call_id"):
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


def _unread(message: dict[Any, Any]) -> str:
    """Why the server doesn't read a message, "" if it does."""
    if "role" not in message:
        return "it has no role"
    if "content" not in message and "tool_calls" not in message:
        return "it has neither content nor tool_calls"
    content = message.get("content")
    if isinstance(content, list):
        if any(not isinstance(part, dict) or part.get("type") not in ("text", "media_marker") for part in content):
            return "a part of its content is no text"
    elif content is not None and not isinstance(content, str):
        return "its content is neither a text nor a list"
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        return "its tool_calls are no list"
    if not all(_is_named(call) for call in calls):
        return "a tool call is not a named function"
    return ""


def _is_named(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and call.get("type") == "function" and "name" in function


def _call(call: Any, without: Collection[Rule]) -> Any:
    if not _is_named(call):
        return call  # READS is left out
    function = call["function"]
    arguments = function.get("arguments")
    if Rule.ARGUMENTS not in without and not isinstance(arguments, str):
        arguments = json_text(arguments, between=",", colon=":")
    if Rule.CALLS in without:
        return {**call, "function": {**function, "arguments": arguments} if "arguments" in function else function}
    made = {
        key("type"): key("function"),
        key("function"): {key("name"): function["name"], key("arguments"): arguments},
    }
    return made | ({key("id"): call["id"]} if call.get("id") else {})


def worked_around(
    messages: list[dict[Any, Any]], found: Capabilities, source: str, without: Collection[Rule] = ()
) -> list[dict[Any, Any]]:
    """Messages changed to what a template can take. source: the template's. Raises TemplateFailed."""
    for message in messages if Rule.DEVELOPER not in without else ():
        if message["role"] == "developer" and CHANNELS not in source:
            message[key("role")] = key("system")
    unsupported = not found.supports_system_role and Rule.SYSTEM not in without
    if messages and messages[0].get("role") == "system" and unsupported:
        first, *messages = messages
        if messages:
            contents = first["content"], messages[0]["content"]
            if not all(isinstance(each, str) for each in contents):
                raise TemplateFailed("llama.cpp can't join a system message with typed content.")
            messages[0][key("content")] = joined((contents[0], "\n", contents[1]))
    if found.supports_object_arguments and Rule.ARGUMENTS not in without:
        for function in (call["function"] for message in messages for call in message.get("tool_calls", [])):
            function[key("arguments")] = _object(function["arguments"])
    return messages


def _object(arguments: TracedText) -> Any:
    """Arguments in JSON as data, whose texts and keys keep their origins where they are written as they are."""
    try:
        value = json.loads(arguments.plain.encode("latin-1"))
    except ValueError as error:
        raise TemplateFailed(f"llama.cpp can't read the arguments of a tool call as JSON: {error}.") from None
    at = 0

    def traced(value: Any) -> Any:
        nonlocal at
        if isinstance(value, str):
            plain = value.encode("utf-8", "replace").decode("latin-1")
            place = arguments.find(plain, at)
            if place < 0 or not plain:
                return TracedText(plain)
            at = place + len(plain)
            return arguments[place:at]
        if isinstance(value, dict):
            return {traced(name): traced(item) for name, item in value.items()}
        return [traced(item) for item in value] if isinstance(value, list) else value

    return traced(value)

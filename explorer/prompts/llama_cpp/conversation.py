"""What llama-server makes of messages before a template sees them: `common_chat_msgs_parse_oaicompat` and `workaround`.

A message keeps role, content, reasoning_content, name, tool_call_id and tool calls; all else is dropped. Arguments
become text, and objects again for a template that reads them as objects. Data is traced, and stays so.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from explorer.prompts.llama_cpp.values import json_text
from explorer.prompts.program import TemplateFailed
from explorer.prompts.traced_text import TracedText, joined

if TYPE_CHECKING:
    from explorer.prompts.llama_cpp.capabilities import Capabilities

CHANNELS = "<|channel|>"
"""A template with this text is GPT-OSS', which knows developers."""


def key(name: str) -> TracedText:
    """A key that the engine writes."""
    return TracedText(name)


def parsed_messages(messages: list[Any]) -> list[dict[Any, Any]]:
    """Messages as the server reads them. Raises TemplateFailed."""
    return [_message(message, index) for index, message in enumerate(messages)]


def _message(message: dict[Any, Any], index: int) -> dict[Any, Any]:
    def wrong(why: str) -> TemplateFailed:
        return TemplateFailed(f"llama.cpp doesn't read message {index + 1}: {why}.")

    if "role" not in message:
        raise wrong("it has no role")
    if "content" not in message and "tool_calls" not in message:
        raise wrong("it has neither content nor tool_calls")
    content = message.get("content")
    if isinstance(content, list):
        for part in content:
            if not isinstance(part, dict) or part.get("type") not in ("text", "media_marker"):
                raise wrong("a part of its content is no text")
        content = [{key("type"): part["type"], key("text"): part.get("text", key(""))} for part in content]
    elif content is not None and not isinstance(content, str):
        raise wrong("its content is neither a text nor a list")
    made = {key("role"): message["role"], key("content"): content or key("")}
    for name in ("reasoning_content", "name", "tool_call_id"):
        if message.get(name):
            made[key(name)] = message[name]
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise wrong("its tool_calls are no list")
    if calls:
        made[key("tool_calls")] = [_call(each, wrong) for each in calls]
    return made


def _call(call: Any, wrong: Any) -> dict[Any, Any]:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or call.get("type") != "function" or "name" not in function:
        raise wrong("a tool call is not a named function")
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json_text(arguments, between=",", colon=":")
    made = {
        key("type"): key("function"),
        key("function"): {key("name"): function["name"], key("arguments"): text},
    }
    return made | ({key("id"): call["id"]} if call.get("id") else {})


def worked_around(messages: list[dict[Any, Any]], found: Capabilities, source: str) -> list[dict[Any, Any]]:
    """Messages changed to what a template can take. source: the template's. Raises TemplateFailed."""
    for message in messages:
        if message["role"] == "developer" and CHANNELS not in source:
            message[key("role")] = key("system")
    if messages and messages[0]["role"] == "system" and not found.supports_system_role:
        first, *messages = messages
        if messages:
            contents = first["content"], messages[0]["content"]
            if not all(isinstance(each, str) for each in contents):
                raise TemplateFailed("llama.cpp can't join a system message with typed content.")
            messages[0][key("content")] = joined((contents[0], "\n", contents[1]))
    if found.supports_object_arguments:
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

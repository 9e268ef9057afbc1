"""Chat requests as clients send them, generated: developers, content in parts, null, reasoning, arguments as text."""

from __future__ import annotations

from random import Random
from typing import Any

TEXTS = ("Hi", "", "4 °C", 'say "so"', "a\nb", " x ")
ARGUMENTS = ('{"city": "Oslo"}', "{}", "", '{"city": "Os', "[1]", "null", '{"a": {"b": [1, 2.5, "é"]}}', "7")


def requests(seed: int, count: int) -> list[dict[str, Any]]:
    """Requests; the same ones for a seed."""
    random = Random(seed)
    return [_request(random) for _ in range(count)]


def _request(random: Random) -> dict[str, Any]:
    messages = [
        _message(random, random.choice(("user", "assistant", "tool", "system", "developer", "user")))
        for _ in range(random.randint(1, 5))
    ]
    made: dict[str, Any] = {"messages": messages}
    if random.random() < 0.4:
        made["tools"] = [_tool(random) for _ in range(random.randint(1, 2))]
    if random.random() < 0.2:
        named = [{"type": "function", "function": {"name": name}} for name in "fg"]
        made["tool_choice"] = random.choice(("auto", "none", "none", "required", *named))
    if random.random() < 0.1:
        made["response_format"] = {"type": random.choice(("text", "json_object"))}
    if random.random() < 0.2:
        made["chat_template_kwargs"] = {"enable_thinking": random.random() < 0.5}
    return made


def _message(random: Random, role: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": role, "content": _content(random, role)}
    if role == "assistant":
        if random.random() < 0.5:
            fields["tool_calls"] = [_call(random, number) for number in range(random.randint(0, 2))]
        for name in ("reasoning_content", "reasoning"):
            if random.random() < 0.25:
                fields[name] = random.choice(("Hm.", "", None))
    if role == "tool":
        fields["tool_call_id"] = "call_0"
    if random.random() < 0.2:
        fields["name"] = "bob"
    if random.random() < 0.1:
        fields["unknown"] = 1
    if random.random() < 0.1:
        del fields["content"]
    items = list(fields.items())
    random.shuffle(items)
    return dict(items)


def _content(random: Random, role: str) -> Any:
    if random.random() < (0.4 if role == "assistant" else 0.05):
        return None
    if random.random() < 0.3:
        return [{"type": "text", "text": random.choice(TEXTS)} for _ in range(random.randint(0, 3))]
    return random.choice(TEXTS)


def _call(random: Random, number: int) -> dict[str, Any]:
    arguments = random.choice(ARGUMENTS) if random.random() < 0.4 else ARGUMENTS[0]
    made: dict[str, Any] = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "f", "arguments": arguments},
    }
    if random.random() < 0.2:
        made["index"] = number
    if random.random() < 0.05:
        del made[random.choice(("id", "type"))]
    return made


def _tool(random: Random) -> dict[str, Any]:
    function: dict[str, Any] = {
        "name": random.choice("fg"),
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
    if random.random() < 0.5:
        function = {"description": "Weather", **function}
    if random.random() < 0.3:
        function["strict"] = random.choice((True, None))
    if random.random() < 0.2:
        function["unknown"] = 1
    return {"type": "function", "function": function}

"""The message that a parser makes of an answer."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from explorer.tables import Record

THINK, UNTHINK = "<think>", "</think>"
Names = Mapping[str, tuple[tuple[str, bool], ...] | None]
"""The tools of a request: the arguments of each, with whether its schema says that they are text; None if unknown."""


class ToolCall(NamedTuple):
    """A call that a parser kept. arguments: JSON. start, end: in the answer."""

    name: str
    arguments: str
    start: int
    end: int


class Message(NamedTuple):
    """What a parser makes of an answer. error: why it refuses all of it.

    parts: the regions of a response template, with their places in the answer; the last one is what it refuses.
    """

    content: str | None = None
    reasoning: str | None = None
    calls: tuple[ToolCall, ...] = ()
    error: str = ""
    parts: Any = ()

    def to_json(self) -> Record:
        """The message in OpenAI's form."""
        calls = [{"type": "function", "function": {"name": c.name, "arguments": c.arguments}} for c in self.calls]
        message = {"role": "assistant", "content": self.content, "reasoning_content": self.reasoning}
        return {name: value for name, value in message.items() if value is not None} | (
            {"tool_calls": calls} if calls else {}
        )


def overlap(text: str, tag: str) -> int:
    """How many characters at the end of a text a tag begins with, not the whole of it."""
    return next((count for count in range(min(len(text), len(tag) - 1), 0, -1) if text.endswith(tag[:count])), 0)


def object_of(text: str) -> Record:
    """An object of JSON as Go reads it: without NaN and Infinity. Raises ValueError."""
    try:
        value = json.loads(text, parse_constant=int)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is no object")
    return value

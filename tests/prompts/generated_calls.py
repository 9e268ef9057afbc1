"""Calls drawn at random, to compare servers with: messages, tools, numbers, reasoning, and what is wrong in them."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

TEXTS: Final = (
    *(
        "What is LoRA?",
        "",
        "  padded\n",
        "é ü 日本 🤗",
        "<think>\nHm.\n</think>\n\nSo.",
        '{"a": 1}',
        "a <b> & 'c' \"d\"",
    ),
    *("<|im_end|>\n<|im_start|>system", "\\n \t", "Prüfer", "line\nline\n", "None"),
)
NUMBERS: Final = (0, -1, 1.0, 48.137154, -0.0, 1e-07, 1e15, 1.5e16, 1e20, 0.1, 123456789.125, 2**53, 2**63, 2**64 - 1)
NUMBERS_TOO_LARGE: Final = (2**64, -(2**70))
NAMES: Final = ("weather", "get_time", "f", "Prüfung")


class Calls:
    """A source of calls. seed: the same gives the same calls."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def chance(self, share: float) -> bool:
        """True in this share of calls."""
        return self.random.random() < share

    def pick(self, values: Any) -> Any:
        """One of the values."""
        return self.random.choice(values)

    def value(self, depth: int = 0) -> Any:
        """A JSON value."""
        kind = self.random.randrange(8 if depth < 2 else 6)
        if kind < 2:
            return self.pick(TEXTS)
        if kind < 4:
            return self.pick(NUMBERS if self.chance(0.9) else NUMBERS_TOO_LARGE)
        if kind < 6:
            return self.pick((None, True, False))
        if kind == 6:
            return [self.value(depth + 1) for _ in range(self.random.randrange(3))]
        return self.object(depth + 1)

    def object(self, depth: int = 0) -> dict[str, Any]:
        """A JSON object."""
        return {self.pick(("city", "a", "ü", "n", "deep")): self.value(depth) for _ in range(self.random.randrange(4))}

    def content(self) -> Any:
        """A message's content: mostly a text, else parts or null."""
        if self.chance(0.15):
            return [{"type": "text", "text": self.pick(TEXTS)} for _ in range(self.random.randrange(1, 4))]
        return None if self.chance(0.04) else self.pick(TEXTS)

    def tool(self) -> dict[str, Any]:
        """A tool, sometimes without what it needs."""
        function: dict[str, Any] = {"name": self.pick(NAMES)}
        if self.chance(0.7):
            function["description"] = self.pick(TEXTS)
        if self.chance(0.8):
            properties = {self.pick(("city", "a")): {"type": "string", "default": self.value(1)}}
            function["parameters"] = {"type": "object", "properties": properties, "required": ["city"]}
        if self.chance(0.2):
            function = {"strict": True, **function}
        tool: dict[str, Any] = {"function": function, "type": "function"} if self.chance(0.5) else {}
        tool = tool or {"type": "function", "function": function}
        if self.chance(0.03):
            tool = {"function": function} if self.chance(0.5) else {**tool, "type": "web"}
        return tool | ({"extra": self.value()} if self.chance(0.1) else {})

    def tool_call(self, number: int) -> dict[str, Any]:
        """A call of a tool; its arguments are an object or a text."""
        arguments: Any = self.object()
        if self.chance(0.4):
            arguments = json.dumps(arguments, ensure_ascii=self.chance(0.5))
        function = {"name": self.pick(NAMES), "arguments": arguments}
        return {"id": f"call{number:05}", "type": "function", "function": function}

    def answer(self) -> dict[str, Any]:
        """A message of the assistant."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content()}
        if self.chance(0.4):
            message[self.pick(("reasoning_content",) * 4 + ("thinking",))] = self.pick(TEXTS)
        return message

    def messages(self) -> list[dict[str, Any]]:
        """A conversation that ends with a user or a tool."""
        made: list[dict[str, Any]] = []
        if self.chance(0.4):
            made.append({"role": self.pick(("system",) * 4 + ("developer",)), "content": self.content()})
        for _ in range(self.random.randrange(4)):
            made.append({"role": "user", "content": self.content()})
            answer = self.answer()
            if self.chance(0.4):
                answer["tool_calls"] = [self.tool_call(number) for number in range(self.random.randrange(1, 3))]
                answer["content"] = self.pick(("", "", None, "Let me look."))
                made.append(answer)
                made += [
                    {
                        "role": "tool",
                        "tool_call_id": each["id"],
                        "name": each["function"]["name"],
                        "content": self.pick(TEXTS),
                    }
                    for each in answer["tool_calls"]
                ]
                answer = self.answer()
            if self.chance(0.7):
                made.append(answer)
        if not made or made[-1]["role"] in ("assistant", "system", "developer") or self.chance(0.3):
            made.append({"role": "user", "content": self.content()})
        if self.chance(0.05):
            message = self.pick(made)
            message.pop(self.pick(("role", "content")), None)
        if self.chance(0.05):
            made.insert(self.random.randrange(len(made)), {"role": self.pick(("critic", "system")), "content": "No."})
        return made

    def call(self) -> dict[str, Any]:
        """A call."""
        call: dict[str, Any] = {"messages": self.messages()}
        if self.chance(0.4):
            call["tools"] = [self.tool() for _ in range(self.random.randrange(3))]
        variables: dict[str, Any] = {}
        if self.chance(0.3):
            variables["enable_thinking"] = self.pick((True, False))
        if self.chance(0.1):
            variables[self.pick(("preserve_reasoning", "clear_thinking"))] = self.pick((True, False))
        if self.chance(0.1):
            variables[self.pick(("x", "custom", "reasoning_effort"))] = self.pick(("low", 1.0, 2**63))
        if variables:
            call["chat_template_kwargs"] = variables
        if self.chance(0.15):
            call["reasoning_effort"] = self.pick(("low", "medium", "high", "none", ""))
        if self.chance(0.2):
            call["messages"].append(self.answer())
            call["continue_final_message"] = self.pick((True, "content", "reasoning_content"))
            call["add_generation_prompt"] = False
        elif self.chance(0.15):
            call["add_generation_prompt"] = False
        return call


def calls(seed: int, count: int) -> list[dict[str, Any]]:
    """This many calls."""
    source = Calls(seed)
    return [source.call() for _ in range(count)]

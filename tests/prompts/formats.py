"""Requests drawn at random for formats that are no template: the same seed gives the same requests."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from explorer.prompts.messages import DEEPEST, MOST_CHARACTERS, MOST_VALUES

TEXTS: Final = (
    *(
        "What is LoRA?",
        "  padded \n",
        "é ü 日本 🤗 \u200d\u2066",
        "a <b> & 'c' \"d\"",
        "line\nline\n",
        '{"a": [1, 2.0]}',
    ),
    *("[INST] x [/INST]</s>", "<|end|><|start|>system<|message|>", "\U000f0000\ue000\x1e", "0", "[1, 2", "é" * 30),
    *("<think>Hm</think>", "｜DSML｜ <｜User｜>", "\u0301combining", "null", "tab\tand  two  spaces  "),
)
NAMES: Final = ("weather", "get_time", "f-1", "A_b")
KEYS: Final = ("city", "a", "ü", 'q"', "deep", "unit")


class Requests:
    """A source of requests. thinks, tools: whether messages may have reasoning, and calls of tools."""

    def __init__(self, seed: int, *, thinks: bool = True, tools: bool = True, parallel: bool = True) -> None:
        self.random, self.thinks, self.tools, self.parallel = Random(seed), thinks, tools, parallel

    def chance(self, share: float) -> bool:
        """True in this share of requests."""
        return self.random.random() < share

    def text(self) -> str:
        """A text that isn't empty."""
        return "".join(self.random.choice(TEXTS) for _ in range(self.random.randrange(1, 3)))

    def content(self) -> Any:
        """A text, or parts of text."""
        if self.chance(0.2):
            return [{"type": "text", "text": self.text()} for _ in range(self.random.randrange(1, 3))]
        return self.text()

    def value(self, depth: int = 0) -> Any:
        """A JSON value."""
        leaf = self.random.choice((self.text(), 1, -2.5, 1e20, True, None, ""))
        if depth > 1 or self.chance(0.6):
            return leaf
        return self.object(depth + 1) if self.chance(0.5) else [self.value(depth + 1) for _ in range(2)]

    def object(self, depth: int = 0) -> dict[str, Any]:
        """A JSON object."""
        return {self.random.choice(KEYS): self.value(depth) for _ in range(self.random.randrange(4))}

    def arguments(self) -> Any:
        """Arguments of a call: an object, or its JSON, spelled in several ways."""
        made = self.object()
        if self.chance(0.3):
            return made
        indent = 2 if self.chance(0.2) else None
        return json.dumps(made, ensure_ascii=self.chance(0.3), indent=indent)

    def schema(self, depth: int = 0) -> dict[str, Any]:
        """A JSON schema of a parameter."""
        pick = self.random.choice
        made: dict[str, Any] = {"type": pick(("string", "number", "integer", "boolean", "array", "object"))}
        if made["type"] == "array" and self.chance(0.7):
            made["items"] = self.schema(depth + 1)
        if made["type"] == "object":
            names = self.random.sample(KEYS[:3], self.random.randrange(3)) if depth < 2 else []
            made["properties"] = {name: self.schema(depth + 1) for name in names}
            made |= {"required": names[:1]} if self.chance(0.5) else {}
        if made["type"] == "string" and self.chance(0.3):
            made["enum"] = ["a", "b c"]
        if self.chance(0.4):
            made["description"] = pick(("Where it is.", "Two\nlines", "é"))
        if self.chance(0.2):
            made["default"] = pick(("a", 1, 2.5, False, None))
        for name, value in (("title", "Title"), ("examples", ["x", "y"]), ("nullable", True)):
            made |= {name: value} if self.chance(0.1) else {}
        if self.chance(0.08):
            made = {"oneOf": [self.schema(depth + 1) for _ in range(2)]} | (
                {"description": "One."} if self.chance(0.5) else {}
            )
        elif self.chance(0.08):
            made["type"] = ["string", "integer"]
        return made

    def tool(self) -> dict[str, Any]:
        """A tool with a schema."""
        function: dict[str, Any] = {"name": self.random.choice(NAMES)}
        if self.chance(0.8):
            function["description"] = self.random.choice(("Says the weather.", "One.\nTwo é.", ""))
        if self.chance(0.9):
            names = self.random.sample(KEYS[:4], self.random.randrange(4))
            properties = {name: self.schema() for name in names}
            function["parameters"] = {"type": "object", "properties": properties, "required": names[1:]}
        return {"type": "function", "function": function} | ({"extra": 1} if self.chance(0.1) else {})

    def answer(self, calls: list[dict[str, Any]]) -> dict[str, Any]:
        """An answer, with calls or without."""
        made: dict[str, Any] = {"role": "assistant"}
        if not calls or self.chance(0.3):
            made["content"] = self.content()
        elif self.chance(0.5):
            made["content"] = self.random.choice(("", None))
        if self.thinks and self.chance(0.5):
            made["reasoning_content" if self.chance(0.7) else "reasoning"] = self.text()
        return made | ({"tool_calls": calls} if calls else {})

    def calls(self, number: int) -> list[dict[str, Any]]:
        """Calls of tools, with ids of nine characters."""
        return [
            {
                "id": f"call{number:02}{each:03}",
                "type": "function",
                "function": {"name": self.random.choice(NAMES), "arguments": self.arguments()},
            }
            for each in range(self.random.randrange(1, 4 if self.parallel else 2))
        ]

    def results(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """A result of each call, in any order."""
        made = [
            {
                "role": "tool",
                "tool_call_id": call["id"],
                "content": self.content() if self.chance(0.8) else json.dumps(self.value()),
            }
            | ({"name": call["function"]["name"]} if self.chance(0.5) else {})
            for call in calls
        ]
        self.random.shuffle(made)
        return made

    def request(self) -> dict[str, Any]:
        """A request."""
        made: list[dict[str, Any]] = []
        if self.chance(0.5):
            made.append({"role": self.random.choice(("system", "system", "developer")), "content": self.content()})
        for number in range(self.random.randrange(3)):
            made += [{"role": "user", "content": self.content()} for _ in range(1 + self.chance(0.1))]
            if self.tools and self.chance(0.6):
                calls = self.calls(number)
                made += [self.answer(calls), *self.results(calls)]
            if self.chance(0.8):
                made += [self.answer([]) for _ in range(1 + self.chance(0.1))]
            if self.chance(0.1) and made[-1]["role"] == "user":
                made.append({"role": "system", "content": self.content()})
        if not made or made[-1]["role"] != "tool" or self.chance(0.5):
            made.append({"role": "user", "content": self.content()})
        request: dict[str, Any] = {"messages": made}
        if self.chance(0.2):
            request["messages"].append(self.answer([]))
            request |= {"add_generation_prompt": False, "continue_final_message": True} if self.chance(0.5) else {}
            request["add_generation_prompt"] = False
        if self.tools and self.chance(0.5):
            request["tools"] = [self.tool() for _ in range(self.random.randrange(3))]
        return request

    def spoiled(self) -> dict[str, Any]:
        """A request with something wrong in it, mostly."""
        request = self.request()
        messages = request["messages"]
        at = self.random.randrange(len(messages))
        message = messages[at]
        calls = [each for other in messages for each in other.get("tool_calls") or []]
        kind = self.random.randrange(12)
        if kind == 0:
            del messages[at]
        elif kind == 1:
            messages.insert(
                at, {"role": self.random.choice(("system", "tool", "critic", "assistant")), "content": "No."}
            )
        elif kind == 2:
            message["role"] = self.random.choice(("user", "assistant", "system", "developer"))
        elif kind == 3:
            message["content"] = self.random.choice(("", [], None, [{"type": "text", "text": ""}], "  "))
        elif kind == 4:
            message["content"] = [{"type": self.random.choice(("thinking", "video")), "thinking": "Hm.", "text": "x"}]
        elif kind == 5:
            messages[at:at] = [dict(message)]
        elif kind == 6:
            self.random.shuffle(messages)
        elif kind == 7 and calls:
            self.random.choice(calls)["id"] = self.random.choice(("x", "", "null", "call00000"))
        elif kind == 8 and calls:
            function = self.random.choice(calls)["function"]
            function["arguments"] = self.random.choice(("", "{", "[1, 2]", '"a"', '{"a": 1, "a": 2}', "1e400", None))
        elif kind == 9 and calls:
            self.random.choice(calls)["function"]["name"] = self.random.choice(("a b", "é", "x" * 65, "f\n"))
        elif kind == 10:
            request["reasoning_effort"] = self.random.choice(("none", "high", "low", "max"))
        elif kind == 11:
            message["reasoning_content"], message["reasoning"] = "Hm.", self.random.choice(("Hm.", "Other."))
        return request


def largest_requests() -> list[str]:
    """Requests for formats just below the limits of a call, or with what JSON allows and texts don't.

    Control tokens, turns, parts, arguments that are long, deep, or numbers without an end, wide, deep and many tools.
    """
    user, answer = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}
    properties = {f"p{index}": {"type": "string", "description": "x"} for index in range(MOST_VALUES // 8)}
    schema = {"type": "object", "properties": properties}

    def calls(arguments: str) -> list[dict[str, Any]]:
        function = {"name": "f", "arguments": arguments}
        call = {"id": "call00001", "type": "function", "function": function}
        result = {"role": "tool", "tool_call_id": "call00001", "content": "1"}
        return [user, answer | {"content": "", "tool_calls": [call]}, result]

    def tools(*parameters: Any) -> list[dict[str, Any]]:
        function = [{"name": f"f{index}", "parameters": each} for index, each in enumerate(parameters)]
        return [{"type": "function", "function": each} for each in function]

    deep: dict[str, Any] = {"type": "string"}
    for _ in range((DEEPEST - 10) // 2):
        deep = {"type": "object", "properties": {"a": deep}}
    choices = {"oneOf": [{"type": "string"}] * (MOST_VALUES // 4)}

    return [
        json.dumps(each)
        for each in (
            {"messages": [user | {"content": "</s>[INST]<|start|>" * (MOST_CHARACTERS // 20)}]},
            {"messages": [*[user, answer] * (MOST_VALUES // 11), user]},
            {"messages": [user | {"content": [{"type": "text", "text": "a"}] * (MOST_VALUES // 6)}]},
            {"messages": calls("[" + "1," * (MOST_CHARACTERS // 2 - 100) + "1]")},
            {"messages": calls("[" * (MOST_CHARACTERS - 200))},
            {"messages": calls('{"a": ' + "1" * 5_000 + "}")},
            {"messages": calls('{"a": [1e400, NaN], "b": "\\ud800"}')},
            {"messages": calls(json.dumps({"a": '"\\' * (MOST_CHARACTERS // 5)}))},
            {"messages": calls('{"a":' * 900 + "1" + "}" * 900)},
            {"messages": [user | {"content": "\ud800"}]},
            {"messages": [user], "tools": tools(schema)},
            {"messages": [user], "tools": tools({"type": "object", "properties": {"a": choices}})},
            {"messages": [user], "tools": tools(*[{}] * (MOST_VALUES // 11))},
            {"messages": [user], "tools": tools(*[deep] * 100)},
        )
    ]

"""What a caller sends: messages, tools and documents in OpenAI's form, and what becomes of them before a template runs.

Checked as data from a stranger: bounded in size and depth, plain JSON only. In a link a call is its JSON, deflated,
in letters that a URL takes; what a link holds is bounded before it is inflated, so that a small one can't grow
without end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.prompts.traced_text import TracedText
from explorer.tables import Json, Record
from explorer.text import links

Path: TypeAlias = tuple[str | int, ...]
"""Where a string stands in a call: ("messages", 3, "content"), ("bos_token",)."""


def dotted(path: Path) -> str:
    """A path as a reader of JSON writes it.

    >>> dotted(("messages", 2, "tool_calls", 0, "function", "arguments"))
    'messages[2].tool_calls[0].function.arguments'
    """
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")


MOST_CHARACTERS = 400_000
MOST_VALUES = 20_000
DEEPEST = 60
LARGEST = 10**4_000
"""Numbers below it can be written."""
REASONING = ("reasoning_content", "thinking", "reasoning")
"""The names under which a message's reasoning is sent; the first is the standard one."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is sent to a model: the arguments of `apply_chat_template`.

    continue_final: the field of the last message that the model is to continue, such as "content"; True for its text,
    "" for none. variables: what else the template may read, such as `enable_thinking`. reasoning_effort: as it stands
    at the top of a call; llama-server makes a variable of it. extras: the fields of `EXTRAS` that were sent, which some
    servers read. converted: from Anthropic's form.
    """

    messages: Sequence[Json]
    tools: Sequence[Json] | None = None
    documents: Sequence[Json] | None = None
    add_generation_prompt: bool = True
    continue_final: str | bool = ""
    variables: Json = field(default_factory=dict)
    reasoning_effort: Any = None
    extras: Json = field(default_factory=dict)
    converted: bool = False

    def __post_init__(self) -> None:
        """Raises InputError for fields of another kind, for what no JSON holds, and for too much of it."""
        if not isinstance(self.messages, list | tuple):
            raise InputError(
                "A call is a list of messages, or an object with {0:t}.",
                '"messages": [{"role": "user", "content": "Hi"}]',
            )
        for index, message in enumerate(self.messages):
            if not isinstance(message, Mapping):
                raise InputError(
                    "messages[{0:i}] is {1:t}, not an object with a role and a content.", index, shown(message)
                )
        for key in ("tools", "documents"):
            items = getattr(self, key)
            if not (
                items is None or (isinstance(items, list | tuple) and all(isinstance(each, Mapping) for each in items))
            ):
                raise InputError("{0:t} is not a list of objects.", key)
        if not isinstance(self.variables, Mapping):
            raise InputError("chat_template_kwargs is not an object.")
        if not isinstance(self.continue_final, bool | str):
            raise InputError("continue_final_message is neither true, false nor the name of a field.")
        _check([self.messages, self.tools, self.documents, self.variables, self.reasoning_effort, self.extras])

    @classmethod
    def read(cls, text: str, name: str, sent: strict_json.Sent = strict_json.TYPED) -> Call:
        """The call in JSON, whoever sends it. name: what errors call it. sent: from where. Raises InputError."""
        return cls.from_json(strict_json.read(as_bytes(text, name), name, "a call", sent=sent))

    @classmethod
    def from_json(cls, value: Any, **changes: Any) -> Call:
        """A list of messages, or an object as OpenAI's interface takes it, or Anthropic's. Raises InputError.

        >>> Call.from_json([{"role": "user", "content": "Hi"}]).messages[0]["role"]
        'user'
        >>> Call.from_json({"messages": [], "chat_template_kwargs": {"enable_thinking": False}}).variables
        {'enable_thinking': False}
        """
        if not isinstance(value, Mapping):
            value = {"messages": value}
        if converted := is_anthropic(value):
            value = from_anthropic(value)
        call = cls(
            value.get("messages", ""),
            value.get("tools"),
            value.get("documents"),
            bool(value.get("add_generation_prompt", True)),
            value.get("continue_final_message") or "",
            value.get("chat_template_kwargs") or {},
            value.get("reasoning_effort"),
            {name: value[name] for name in EXTRAS if value.get(name) is not None},
            converted,
        )
        return replace(call, **changes)

    def to_json(self) -> Record:
        """The call in OpenAI's form: what `from_json` reads."""
        value: Record = {"messages": list(self.messages)}
        value |= {key: getattr(self, key) for key in ("tools", "documents") if getattr(self, key) is not None}
        value |= {} if self.add_generation_prompt else {"add_generation_prompt": False}
        value |= {"continue_final_message": self.continue_final} if self.continue_final else {}
        value |= {"chat_template_kwargs": dict(self.variables)} if self.variables else {}
        value |= {"reasoning_effort": self.reasoning_effort} if self.reasoning_effort is not None else {}
        return value | dict(self.extras)


EXTRAS = ("tool_choice", "response_format", "parallel_tool_calls")
"""What a request has besides what a template may read."""


def _check(value: Any) -> None:
    """Raises InputError for a call that is too large or too deeply nested, and for a text or number that JSON lacks."""
    waiting: list[tuple[Any, int]] = [(value, 0)]
    characters = values = 0
    while waiting:
        item, depth = waiting.pop()
        values += 1
        if depth > DEEPEST:
            raise InputError("The call is nested more than {0} levels deep.", DEEPEST)
        if isinstance(item, str):
            characters += len(item)
            as_bytes(item, "a text of the call")
        elif isinstance(item, int | float):
            if not -LARGEST < item < LARGEST:
                raise InputError("The call has a number that is not finite, or that has thousands of digits.")
        elif isinstance(item, Mapping):
            waiting.extend((each, depth + 1) for pair in item.items() for each in pair)
        elif isinstance(item, list | tuple):
            waiting.extend((each, depth + 1) for each in item)
        if characters > MOST_CHARACTERS:
            raise InputError("The call has more than {0} characters of text.", MOST_CHARACTERS)
        if values > MOST_VALUES:
            raise InputError("The call has more than {0} values.", MOST_VALUES)


def as_bytes(text: str, name: str) -> bytes:
    """A text in UTF-8. Raises InputError for half of a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            "{0:t}: position {1:i}: half of a surrogate pair; give whole characters", name, error.start
        ) from None


KINDS = {"thinking": "thinking", "tool_use": "input", "tool_result": "tool_use_id"}
"""Parts that only Anthropic's messages have, each with a field that it must have."""
TOOL_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


def is_anthropic(request: Json) -> bool:
    """Whether a request has fields that only Anthropic's messages have."""

    def parts(name: str) -> Iterator[Json]:
        found = request.get(name)
        yield from (each for each in found if isinstance(each, Mapping)) if isinstance(found, list) else ()

    # Anthropic's messages have no role of a system
    sent = (each for each in parts("messages") if each.get("role") not in ("system", "developer"))
    contents = [message["content"] for message in sent if isinstance(message.get("content"), list)]
    kinds = {str(part.get("type")) for content in contents for part in content if isinstance(part, Mapping)}
    return "system" in request or any("input_schema" in tool for tool in parts("tools")) or bool(kinds & KINDS.keys())


def from_anthropic(request: Json) -> Record:
    """A request in Anthropic's form in OpenAI's: system, thinking, tool_use, tool_result, input_schema, tool_choice.

    Raises InputError.

    >>> from_anthropic({"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]})["messages"][0]
    {'role': 'system', 'content': 'Be brief.'}
    """
    made = {name: value for name, value in request.items() if name not in ("system", "messages", "tools")}
    system = request.get("system")
    made["messages"] = [] if system is None else [{"role": "system", "content": _one_text(system)}]
    for index, message in enumerate(_items(request.get("messages"), ("messages",))):
        made["messages"] += _messages(message, ("messages", index))
    names = {"name": "name", "description": "description", "input_schema": "parameters"}
    if "tools" in request:
        made["tools"] = [
            {"type": "function", "function": {names[key]: tool[key] for key in names if key in tool}}
            for tool in _items(request["tools"], ("tools",))
        ]
    if isinstance(choice := request.get("tool_choice"), Mapping):
        kind = str(choice.get("type"))
        named = {"type": "function", "function": {"name": choice.get("name")}}
        made["tool_choice"] = TOOL_CHOICES.get(kind, named)
    return made


def _items(value: Any, path: Path) -> list[Json]:
    """A list of objects. Raises InputError."""
    if not isinstance(value, list):
        raise InputError("{0:t} is {1:t}, not a list.", dotted(path), shown(value))
    for index, each in enumerate(value):
        if not isinstance(each, Mapping):
            raise InputError("{0:t} is {1:t}, not an object.", dotted((*path, index)), shown(each))
    return value


def _messages(message: Json, path: Path) -> Iterator[Record]:
    """What becomes of one of Anthropic's: the results of tools are messages of their own, before the rest."""
    content = message.get("content")
    if not isinstance(content, list):
        yield dict(message)
        return
    parts: dict[str, list[Json]] = {kind: [] for kind in (*KINDS, "")}
    for index, part in enumerate(_items(content, (*path, "content"))):
        kind = str(part.get("type")) if part.get("type") in KINDS else ""
        if kind and KINDS[kind] not in part:
            where = dotted((*path, "content", index))
            raise InputError("{0:t} has no {1:q}, which a {2:t} needs.", where, KINDS[kind], kind)
        parts[kind].append(part)
    for part in parts["tool_result"]:
        result = _one_text(part.get("content", ""))
        yield {"role": "tool", "tool_call_id": part["tool_use_id"], "content": result}
    if parts["tool_result"] and not parts[""]:
        return
    made = {**message, "content": _one_text(parts[""]) if parts[""] else None}
    if parts["thinking"]:
        made["reasoning_content"] = "".join(str(part["thinking"]) for part in parts["thinking"])
    if parts["tool_use"]:
        made["tool_calls"] = [
            {
                "id": part.get("id"),
                "type": "function",
                "function": {"name": part.get("name"), "arguments": json.dumps(part["input"], ensure_ascii=False)},
            }
            for part in parts["tool_use"]
        ]
    yield made


def _one_text(content: Any) -> Any:
    """A content whose only part is a text, as that text; another content as it is, without marks for a cache."""
    if not isinstance(content, list):
        return content
    if len(content) == 1 and isinstance(content[0], Mapping) and content[0].get("type") == "text":
        return content[0].get("text")
    return [
        {key: value for key, value in part.items() if key != "cache_control"} if isinstance(part, Mapping) else part
        for part in content
    ]


class Traced:
    """Copies data for a template: plain JSON types, whose strings know where they stand.

    first: the source of the first string; the next ones count on. paths: of the strings, in that order. mark: changes
    each string, but no key. nulls: the fields that were left out because they are null.
    """

    def __init__(self, first: int, mark: Callable[[TracedText], TracedText] = lambda text: text) -> None:
        """No string yet."""
        self.first, self.mark = first, mark
        self.paths: list[Path] = []
        self.nulls: set[Path] = set()

    def text(self, text: str, path: Path) -> TracedText:
        """A string at this path."""
        self.paths.append(path)
        return TracedText.from_source(str(text), self.first + len(self.paths) - 1)

    def copy(self, value: Any, path: Path) -> Any:
        """The data at this path, copied. What is no JSON becomes a text with the name of its type in angle brackets."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return self.mark(self.text(value, path))
        if isinstance(value, Mapping):
            return {
                self.text(key, (*path, key)) if isinstance(key, str) else key: self.copy(item, (*path, key))
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.copy(item, (*path, index)) for index, item in enumerate(value)]
        return self.text(f"<{type(value).__name__}>", path)


def with_reasoning(messages: Sequence[Any]) -> Iterator[Any]:
    """Messages whose reasoning is there under every name that templates read, as `transformers` 5 copies it.

    >>> next(with_reasoning([{"role": "assistant", "thinking": "Hm."}]))["reasoning_content"]
    'Hm.'
    """
    for message in messages:
        reasoning = next((message[name] for name in REASONING if message.get(name) is not None), None)
        yield message if reasoning is None else {"thinking": reasoning, **message, "reasoning_content": reasoning}


LONGEST_LINK = 8_000
"""Characters of a call in a link; a longer one is shared as a file."""
MOST_BYTES = 1_000_000
"""Bytes of the JSON in a link."""


def packed(call: Any) -> str | None:
    """A call as a parameter of a link, None if it is too long for one.

    >>> packed([{"role": "user", "content": "Hi"}]) is None, packed(list(range(9_000))) is None
    (False, True)
    """
    text = json.dumps(call, ensure_ascii=False, separators=(",", ":"))
    return links.packed(text, LONGEST_LINK)


def unpacked(link: str) -> str:
    """The JSON in such a parameter. Raises InputError if it is none, or holds too much.

    >>> unpacked(packed([{"role": "user", "content": "Hi"}]))
    '[{"role":"user","content":"Hi"}]'
    """
    if len(link) > LONGEST_LINK:
        raise InputError("chat: this link is too long to hold messages.")
    text = links.unpacked(link, MOST_BYTES)
    if text is None:
        raise InputError("chat: this link holds no messages, or more than {0} bytes.", MOST_BYTES)
    return text

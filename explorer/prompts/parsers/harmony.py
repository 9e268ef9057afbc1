"""Harmony's messages in what gpt-oss wrote, and what is made of them.

Follows the strict `StreamableParser` of openai-harmony 0.0.8 (`src/encoding.rs`) on a text that spells control tokens,
`vllm/parser/harmony.py` of vLLM 0.33.0, and `harmony/harmonyparser.go` of Ollama v0.33.0-rc2. Left out: ids that are no
text, and that Ollama gives a tool its name back where it has spelled it otherwise, as `get_it` for `get-it`.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import regex

from explorer.engine import budget
from explorer.prompts.parsers.message import Message, Names, ToolCall, object_of, overlap

START, INNER, CHANNEL, CONSTRAIN, END = "<|start|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|end|>"
STOPS = (END, "<|return|>", "<|call|>")
STOP = regex.compile("|".join(map(regex.escape, STOPS)))
BUILT_IN = ("python", "browser", "container", "assistant")
"""Recipients that vLLM takes for no function."""
ROLES = ("user", "assistant", "system", "developer", "tool")
WHITE = regex.compile(r"\p{White_Space}+")
FUNCTIONS = "functions."


class Said(NamedTuple):
    """A message of Harmony's. start, end: in the answer. name: of a tool that writes it."""

    role: str
    name: str | None
    recipient: str | None
    channel: str | None
    type: str | None
    text: str
    start: int
    end: int


def messages(text: str, *, ends: bool = True, skips: bool = False) -> Iterator[Said]:
    """The messages of an answer, whose first header the prompt has begun.

    ends: whether nothing follows. skips: what is wrong is left out, as vLLM does, and a header at the end is content;
    else raises ValueError after the messages before it.

    >>> [said.text for said in messages("<|channel|>final<|message|>Hi<|end|>")]
    ['Hi']
    """
    at = start = 0
    role, kept, is_header = "assistant", "", True
    while True:
        budget.ask("the messages of an answer")
        if not is_header:
            start = text.find(START, at) if skips or text.startswith(START, at) else -1
            if start < 0:
                if skips or at == len(text) or (not ends and START.startswith(text[at:])):
                    return
                raise ValueError(f"{START} is missing at character {at}")
            at, kept = start + len(START), kept + START
        inner = text.find(INNER, at)
        if inner < 0:
            if ends and not skips:
                raise ValueError(f"the header at character {start} has no {INNER}")
            if ends:
                yield Said("assistant", None, None, "final", None, kept + text[at:], start, len(text))
            return
        try:
            header = header_of(text[at:inner], role)
        except ValueError:
            if not skips:
                raise
            at, kept, is_header = inner + len(INNER), kept + text[at:inner], False
            continue
        inner += len(INNER)
        stop = STOP.search(text, inner)
        end = stop.start() if stop else len(text)
        if not stop and not ends:
            end -= held(text[inner:])
        yield Said(*header, text[inner:end], start, stop.end() if stop else end)
        if not stop:
            return
        at, role, kept, is_header = stop.end(), "", "", False


def held(text: str) -> int:
    """How many characters at the end may begin a token that ends a message."""
    return max(overlap(text, each) for each in STOPS)


def header_of(text: str, role: str) -> tuple[str, str | None, str | None, str | None, str | None]:
    """Role, name, recipient, channel and type of a header. role: the prompt's. Raises ValueError."""
    before, marker, after = text.partition(CHANNEL)
    channel = regex.match(r"[^\p{White_Space}<]*", after)[0] if marker else None  # type: ignore[index]
    if channel == "":
        raise ValueError(f"{CHANNEL} has no channel")
    text = (before + after[len(channel or "") :]).replace(CONSTRAIN, f" {CONSTRAIN}")
    parts = regex.findall(r"[^ \t\n\f\r]+", regex.sub(r"^\p{White_Space}+|\p{White_Space}+$", "", text))
    name = recipient = kind = None
    if not role:
        if not parts:
            raise ValueError("a header has no role")
        role = name = parts[0]
        if role not in ROLES:
            if len(parts) == 1 and not role.startswith("to="):
                raise ValueError(f"{role!r} is no role")
            del parts[0]
            role = "tool"
    if parts[:1] == [role]:
        del parts[0]
    if parts:
        *parts, last = parts
        if last.startswith("to=") or not parts:
            recipient = last.removeprefix("to=")
        else:
            kind, recipient = last, parts.pop().removeprefix("to=")
    if parts:
        raise ValueError(f"a header has too many parts: {' '.join(parts)!r}")
    return role, name if role == "tool" else None, recipient, channel, kind


def by_channels(text: str, names: Names, *, ends: bool, **_: Any) -> Message:
    """What openai-harmony's messages mean: analysis is reasoning, a function gets a call, nobody content."""
    try:
        return message_of(messages(text, ends=ends), lambda recipient: recipient.startswith(FUNCTIONS))
    except ValueError as error:
        return Message(error=str(error))


def by_vllm(text: str, names: Names, *, ends: bool, **_: Any) -> Message:
    """vLLM's message: it leaves out what is wrong, and takes what isn't built in for a function."""
    said = (
        each._replace(
            recipient=each.recipient and (each.recipient.partition(CONSTRAIN)[0].rstrip() or None),
            text=(
                spelled_anew(each.text)
                if ends and is_function(each.recipient) and "json" in (each.type or "json")
                else each.text
            ),
        )
        for each in messages(text, ends=ends, skips=True)
        if each.role == "assistant"
    )
    return message_of(said, is_function)


def is_function(recipient: str | None) -> bool:
    """Whether vLLM takes a recipient for a function."""
    name = recipient or FUNCTIONS
    return name != FUNCTIONS and not name.startswith("<|") and name.partition(".")[0] not in BUILT_IN


def message_of(said: Iterable[Said], is_function: Callable[[str], bool]) -> Message:
    """Messages as one."""
    thought, content, calls = list[str](), list[str](), list[ToolCall]()
    for each in said:
        if each.recipient and is_function(each.recipient):
            calls.append(ToolCall(each.recipient.removeprefix(FUNCTIONS), each.text, each.start, each.end))
        elif each.channel == "analysis":
            thought.append(each.text)
        elif each.channel == "final" or (each.channel == "commentary" and each.recipient is None):
            content.append(each.text)
    return Message("\n".join(filter(None, content)) or None, "\n".join(filter(None, thought)) or None, tuple(calls))


def by_ollama(text: str, names: Names, *, ends: bool, **_: Any) -> Message:
    """Ollama's message: at most one call, of all that calls wrote. The model has stopped at <|return|> or <|call|>."""
    text = f"{START}assistant" + regex.split(r"<\|(?:return|call)\|>", text, maxsplit=1)[0]
    text = text if ends else text[: len(text) - held(text)]
    parts = {"content": "", "thinking": "", "call": ""}
    called, begin, at = "", 0, 0
    while (start := text.find(START, at)) >= 0 and (inner := text.find(INNER, start)) >= 0:
        budget.ask("the messages of an answer")
        channel, recipient = ollama_header(text[start + len(START) : inner])
        part = "thinking" if channel == "analysis" else "content"
        if recipient and channel in ("analysis", "commentary"):
            part, called, begin = "call", recipient, start
        inner += len(INNER)
        end = text.find(END, inner)
        parts[part] += text[inner : end if end >= 0 else len(text) - overlap(text[inner:], END)]
        at = end + len(END)
        if end < 0:
            break
    calls: tuple[ToolCall, ...] = ()
    if called and ends:
        try:
            arguments = json.dumps(object_of(parts["call"]), ensure_ascii=False)
        except ValueError as error:
            return Message(error=f"error parsing tool call: {error}")
        before = len(f"{START}assistant")
        calls = (ToolCall(called.removeprefix(FUNCTIONS), arguments, max(0, begin - before), len(text) - before),)
    return Message(parts["content"] or None, parts["thinking"] or None, calls)


def ollama_header(text: str) -> tuple[str, str]:
    """Channel and recipient of a header, as Ollama reads it."""
    before, marker, after = text.replace(CONSTRAIN, f" {CONSTRAIN}", 1).partition(CHANNEL)
    channel = WHITE.split(after, 1)[0] if marker else ""
    parts = regex.findall(r"\P{White_Space}+", before + after[len(channel) :])
    return channel, next((each[3:] for each in parts[:2] if each.startswith("to=") and each != "to="), "")


def spelled_anew(text: str) -> str:
    """JSON as Python writes it, or the text."""
    try:
        return json.dumps(json.loads(text))
    except (ValueError, RecursionError):
        return text

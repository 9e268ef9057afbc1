"""What Ollama makes of an answer in which calls are JSON, which it reads as it comes.

Follows Ollama v0.33.0-rc2: `tools/tools.go`, `thinking/parser.go`, and what `server/routes.go` does with both: the
parser looks for the tag of the model's template, then for the name of a tool, and counts braces. Go visits the keys of
an object in any order; here it is theirs. Left out: parsers in Go of single models, except Harmony's.
"""

import json
from collections.abc import Iterator

import regex

from explorer.engine import budget
from explorer.prompts.parsers.message import Message, Names, ToolCall, object_of, overlap
from explorer.prompts.parsers.reasoning import split
from explorer.tables import Record

MARKS = regex.compile(r'\\.|["{}\[\]]', regex.DOTALL)
LONE = ("{", "[")
"""Tags after which a text without a call is content."""


def read(text: str, names: Names, *, tag: str, thinks: bool, ends: bool) -> Message:
    """The message. ends: whether the answer is whole."""
    thought, first = split("ollama", text, tag=tag, thinks=thinks)
    reasoning = thought or None
    begin = text.find(tag, first)
    before = text[first : begin if begin >= 0 else len(text) - overlap(text[first:], tag)]
    if begin < 0 or (tag in LONE and before.strip()):
        return Message((text[first:] if begin >= 0 else before) or None, reasoning)
    calls = list[ToolCall]()
    known = regex.compile("|".join(map(regex.escape, sorted(filter(None, names), key=len, reverse=True))) or "(?!)")
    while begin >= 0:
        budget.ask("the parser")
        match = known.search(text, begin)
        arguments, end = first_object(text, begin, match[0]) if match else (None, 0)
        stop = max(end, match.end() - 1) if match and arguments is not None else len(text)
        if tag in LONE and is_balanced(text, begin, stop, tag):
            return Message(before + text[begin:], reasoning, tuple(calls))
        if match is None or arguments is None:
            break
        calls.append(ToolCall(match[0], json.dumps(arguments, ensure_ascii=False), begin, stop + 1))
        begin = max(end, match.end())
    if ends and tag in LONE and begin >= 0 and not calls:
        before += text[begin:]
    return Message(before or None, reasoning, tuple(calls))


def outside(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Braces and brackets outside of strings, each with its index."""
    is_string = False
    for match in MARKS.finditer(text, at):
        if match[0] == '"':
            is_string = not is_string
        elif not is_string and len(match[0]) == 1:
            yield match.start(), match[0]


def first_object(text: str, at: int, name: str) -> tuple[Record | None, int]:
    """The arguments in the first object from an index on, None without one, and its last index."""
    depth, start = 0, -1
    for index, mark in outside(text, at):
        if mark == "{":
            start, depth = start if depth else index, depth + 1
        elif mark == "}":
            depth -= 1
            if not depth and start >= 0:
                try:
                    value = object_of(text[start : index + 1])
                except ValueError:
                    start = -1
                    continue
                is_known, arguments = arguments_in(value, name)
                return (arguments if is_known else value), index
            depth = max(0, depth)
    return None, 0


def is_balanced(text: str, at: int, end: int, tag: str) -> bool:
    """Whether what the tag opens is closed before an index."""
    depth, close = 0, "}" if tag == "{" else "]"
    for index, mark in outside(text, at):
        if index >= end:
            break
        depth += (mark == tag) - (mark == close)
        if mark == close and not depth:
            return True
    return False


def arguments_in(value: Record, name: str) -> tuple[bool, Record | None]:
    """Whether an object is known to be a call of a tool, or has one, and the arguments."""
    for key in ("arguments", "parameters") if "name" in value else (name,):
        inner = value.get(key)
        if isinstance(inner, str):
            try:
                inner = object_of(inner)
            except ValueError:
                continue
        if isinstance(inner, dict):
            return True, inner
    if "name" in value:
        return True, None
    for each in value.values():
        for child in each if isinstance(each, list) else [each]:
            if isinstance(child, dict):
                known = arguments_in(child, name)
                if known[0]:
                    return known
    return False, None

"""What vLLM's and SGLang's parsers make of an answer, and what one of them has sent to a client so far.

Follows vLLM 0.33.0 and SGLang in the files that parsers.toml names. A parser is a row there; what it does is an
algorithm here: calls in `tags`, JSON `objects` wherever they stand, an `array` and `named` calls of Mistral, `python`;
or of `harmony.py` and `ollama.py`. Left out: streaming by the other parsers.
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec
import regex

from explorer.engine import budget
from explorer.engine.regexes.safe import seconds_for, too_costly
from explorer.errors import InputError
from explorer.prompts.parsers import grammar, harmony, ollama
from explorer.prompts.parsers.message import Message, Names, ToolCall, overlap
from explorer.prompts.parsers.reasoning import split
from explorer.tables import read_toml

DECODER = json.JSONDecoder()
FINISHED = regex.compile(
    r"\[([a-zA-Z]+\w*\(([a-zA-Z]+\w*=.*,\s*)*([a-zA-Z]+\w*=.*\s)?\),\s*)*"
    r"([a-zA-Z]+\w*\(([a-zA-Z]+\w*=.*,\s*)*([a-zA-Z]+\w*=.*\s*)?\)\s*)+\]",
    regex.DOTALL,
)
"""A list of calls in Python, as both servers look for it."""
JSON_NAMES = {"null": None, "true": True, "false": False}
FAULTS = (ValueError, LookupError, TypeError, AttributeError, SyntaxError, RecursionError, MemoryError)
"""What reading an answer raises: the servers catch all."""
MOST_PYTHON = 20_000
"""Characters of calls in Python that are read."""


class Parser(msgspec.Struct, frozen=True):
    """A row of parsers.toml, which describes its fields."""

    title: str
    reads: str
    marker: str = ""
    pattern: str = ""
    detail: str = ""
    after: str = ""
    strip: bool = False
    skips: bool = False
    empty: bool = False
    named: bool = False
    raw: bool = False
    keys: tuple[str, ...] = ()
    think: str = ""
    closes: str = ""


class Format(msgspec.Struct, frozen=True):
    """How models write calls."""

    title: str
    open: str
    parsers: dict[str, Parser]
    close: str = ""
    python: str = ""
    written: tuple[str, str] = ("", "")
    reasoning: str = ""
    end: tuple[str, ...] = ()
    template: dict[str, Any] | None = None


TABLE = read_toml(__file__, "parsers.toml")


@cache
def formats() -> dict[str, Format]:
    """All formats, by name."""
    return msgspec.convert(TABLE["formats"], dict[str, Format])


Read = tuple[str | None, list[ToolCall]]
"""Content and calls."""


def read(parser: Parser, text: str, names: Names, *, thinks: bool = False, ends: bool = True) -> Message:
    """What a parser makes of an answer. thinks: the prompt has opened its reasoning. ends: whether it is whole."""
    try:
        if parser.reads in WHOLE:
            return WHOLE[parser.reads](text, names, tag=parser.marker, thinks=thinks, ends=ends)
        reasoning, start = split(parser.think, text, tag=parser.marker, thinks=thinks)
        rest = text[start:]
        if parser.marker not in rest:
            return Message(rest or None, reasoning or None)
        content, calls = ALGORITHMS[parser.reads](parser, rest, names)
    except (TimeoutError, MemoryError) as error:
        raise too_costly(error, f"The parser {parser.title}", text) from None
    except InputError:
        raise
    except FAULTS:
        content, calls = rest, []
    moved = tuple(call._replace(start=call.start + start, end=call.end + start) for call in calls)
    return Message(content or None, reasoning or None, moved)


def checked(name: Any, arguments: str, start: int, end: int) -> ToolCall:
    """A call. Raises ValueError or TypeError where the servers' own types refuse it."""
    if not isinstance(name, str):
        raise TypeError("name is no text")
    (name + arguments).encode()
    return ToolCall(name, arguments, start, end)


def calls_of(parser: Parser, value: Any, names: Names, start: int, end: int) -> Iterator[ToolCall]:
    """The calls in a value of JSON."""
    if not parser.named:
        key = next((each for each in parser.keys if each in value), parser.keys[-1])
        yield checked(value["name"], json.dumps(value[key], ensure_ascii=False), start, end)
        return
    for each in value if isinstance(value, list) else [value]:
        name = each.get("name")
        if name and name in names:
            arguments = each.get("parameters") or each.get("arguments", {})
            yield checked(name, json.dumps(arguments, ensure_ascii=False), start, end)


def tags(parser: Parser, text: str, names: Names) -> Read:
    """Calls between tags."""
    calls: list[ToolCall] = []
    for block in regex.finditer(parser.pattern, text, regex.DOTALL, timeout=seconds_for(text)):
        match: Any = (
            regex.search(parser.detail, block[0], regex.DOTALL, timeout=seconds_for(text)) if parser.detail else block
        )
        groups = match.groupdict()
        if parser.raw:
            if groups["type"] != "function":
                raise ValueError("another type")
            calls.append(checked(groups["name"], groups["arguments"], *block.span()))
            continue
        body = groups.get("arguments" if parser.detail else "body") or ""
        if not body and parser.empty:
            continue
        try:
            value = json.loads(body.strip() if parser.strip and not parser.detail else body)
        except json.JSONDecodeError:
            if parser.skips:
                continue
            raise
        value = {"name": groups["name"], "parameters": value} if parser.detail else value
        calls += calls_of(parser, value, names, *block.span())
    after = text.rpartition(parser.after)[2] if parser.after and parser.after in text else ""
    content = text[: text.find(parser.marker)]
    return (content.strip() if parser.strip else content) + after, calls


def objects(parser: Parser, text: str, names: Names) -> Read:
    """JSON objects wherever they stand. What is around them is lost."""
    calls: list[ToolCall] = []
    last = -1
    for match in re.finditer(r"\{", text):
        if match.start() > last:
            value, last = DECODER.raw_decode(text, match.start())
            calls += calls_of(parser, value, names, match.start(), last)
    return None if calls else text, calls


def array(parser: Parser, text: str, names: Names) -> Read:
    """A list of JSON after the marker, or one object."""
    content, *parts = text.split(parser.marker)
    rest = next((each.strip() for each in parts if each.strip()), "")
    start = text.find(rest, len(content))
    try:
        values, end = DECODER.raw_decode(rest)
    except json.JSONDecodeError:
        match = re.search(r"\[{.*}\]", rest, re.DOTALL)
        try:
            values, end = json.loads(match[0] if match else ""), match.end() if match else 0
        except json.JSONDecodeError:
            values, end = None, 0
    calls = []
    for each in values if isinstance(values, list) else [values]:
        if isinstance(each, dict) and ("name" in each or "arguments" in each):
            name, arguments = each.get("name"), each.get("arguments")
            if not isinstance(arguments, str):
                arguments = "{}" if arguments is None else json.dumps(arguments, ensure_ascii=False)
            calls.append(checked(name if isinstance(name, str) else "", arguments, start, start + end))
    return (content if content.strip() else None) if calls else rest, calls


def named(parser: Parser, text: str, names: Names) -> Read:
    """A name and its arguments after each marker, whatever they are. A marker in a name is no marker."""
    calls, start = [], text.find(parser.marker)
    content = text[:start]
    while start >= 0:
        begin = start + len(parser.marker)
        match = re.compile(r"\[ARGS\]|\{|\Z").search(text, begin)
        at = match.end() if match[0] == "[ARGS]" else match.start()  # type: ignore[index,union-attr]
        after = text.find(parser.marker, at)
        end = after if after >= 0 else len(text)
        arguments, name = text[at:end].strip(), text[begin : match.start()].strip()  # type: ignore[union-attr]
        with suppress(json.JSONDecodeError):
            arguments = arguments[: DECODER.raw_decode(arguments)[1]]
        if name or at < len(text):
            calls.append(checked(name, arguments or "{}", start, end))
        start = after
    return content.strip() if calls or not content.strip() else content, calls


def python(parser: Parser, text: str, names: Names) -> Read:
    """A list of calls as Python writes them. SGLang looks for it anywhere, and loses single calls."""
    strict, given = parser.named, text
    if strict:
        text = text.strip().replace("<|python_start|>", "").replace("<|python_end|>", "")
    if len(text) > MOST_PYTHON:
        raise InputError(f"Calls in Python may have {MOST_PYTHON:,} characters here; give less of the answer.")
    match = (FINISHED.search if strict else FINISHED.match)(text, timeout=1)
    if match is None:
        return given, []
    content = text[: match.start()] + text[match.end() :] if strict else None
    calls: list[ToolCall] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = getattr(ast.parse(match[0] if strict else text).body[0], "value", None)
        if not isinstance(value, ast.List) or not all(isinstance(each, ast.Call) for each in value.elts):
            raise ValueError("no list of calls")
    except FAULTS:
        return content if strict else text, []
    for each in value.elts:
        try:
            name, arguments = python_call(each, strict=strict)
            if not strict or name in names:
                calls.append(checked(name, arguments, *match.span()))
        except FAULTS:
            if not strict:
                raise
    return content, calls


class Literals(ast.NodeTransformer):
    """What vLLM reads as literals besides Python's own."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """JSON's names."""
        return ast.Constant(JSON_NAMES[node.id]) if node.id in JSON_NAMES else node

    def visit_Set(self, node: ast.Set) -> ast.expr:
        """A set as a list."""
        return ast.List(node.elts)


PLAIN = (ast.Constant, ast.List, ast.Dict, ast.Load)
"""What SGLang reads as a literal: no negative number."""


def python_call(call: Any, *, strict: bool) -> tuple[str, str]:
    """The name and the arguments of a call. strict: SGLang's. Raises ValueError or TypeError for no literals."""
    name = ast.unparse(call.func)
    if not isinstance(call.func, ast.Name) and (strict or not re.fullmatch(r"[\w.]+", name)):
        raise ValueError("its name is no name")
    arguments = {}
    for each in call.keywords:
        if strict and not all(isinstance(node, PLAIN) for node in ast.walk(each.value)):
            raise ValueError("an argument is no literal")
        arguments[each.arg] = ast.literal_eval(each.value if strict else Literals().visit(each.value))
    return name, json.dumps(arguments, ensure_ascii=False, allow_nan=not strict)


def sent(parser: Parser, text: str, names: Names, *, thinks: bool = False) -> Message | None:
    """What a client that streams has been sent after this much of an answer; None where that isn't followed here."""
    if parser.reads in WHOLE:
        return read(parser, text, names, thinks=thinks, ends=False)
    if not parser.closes:
        return None
    reasoning, start = split(parser.think, text, tag=parser.marker, thinks=thinks)
    rest = text[start:]
    first, calls = rest.find(parser.marker), list[ToolCall]()
    content = rest[: first if first >= 0 else len(rest) - overlap(rest, parser.marker)]
    while first >= 0:
        begin = first + len(parser.marker)
        end = rest.find(parser.closes, begin)
        stop = end + len(parser.closes) if end >= 0 else len(rest)
        name, arguments = "", ""
        for piece in re.finditer(r"\w+|\W", rest[begin:stop]):
            budget.ask("the parser")
            name, more = sent_call(parser, rest[begin : begin + piece.end()])
            arguments += more[len(arguments) :]
        if not name:
            break
        calls.append(ToolCall(name, arguments, start + first, start + stop))
        first = rest.find(parser.marker, end) if end >= 0 else -1
    return Message(content or None, reasoning or None, tuple(calls))


def sent_call(parser: Parser, text: str) -> tuple[str, str]:
    """The name and the arguments that can be sent of the text after a marker."""
    whole = text.endswith(parser.closes)
    body = text[: len(text) - (len(parser.closes) if whole else overlap(text, parser.closes))].strip()
    name, given = re.search(r'"name"\s*:\s*"([^"]+)"', body), re.search(r'"arguments"\s*:\s*', body)
    if name is None or given is None:
        return name[1] if name else "", ""
    with suppress(ValueError, RecursionError):
        json.loads(body)
        whole = True
    arguments = body[given.end() :]
    return name[1], arguments.rstrip().removesuffix("}").rstrip() if whole else arguments


WHOLE: Mapping[str, Callable[..., Message]] = {
    "channels": harmony.by_channels,
    "vllm-harmony": harmony.by_vllm,
    "ollama-harmony": harmony.by_ollama,
    "ollama": ollama.read,
    "grammar": grammar.read,
}
"""Those that read the reasoning, too."""
ALGORITHMS: Mapping[str, Callable[[Parser, str, Names], Read]] = {
    "tags": tags,
    "objects": objects,
    "array": array,
    "named": named,
    "python": python,
}

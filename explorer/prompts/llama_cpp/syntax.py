"""The tokens of a template as llama.cpp reads them, and the parts of its tree: `lexer.cpp` and `runtime.h`.

Texts are byte texts: a character stands for one byte of UTF-8. `trim_blocks` and `lstrip_blocks` are always on. Of a
part, start and end are its place in the source; operand is its index as an operand, and part as a part of a write or
test, -1 for none.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from explorer.prompts.llama_cpp.values import Failed
from explorer.tables import read_toml

SPACE = " \t\n\v\f\r"
ESCAPES: Mapping[str, str] = read_toml(__file__, "escapes.toml")

TEXT, COMMENT, NAME, STRING, NUMBER, UNARY = "<text>", "<comment>", "<name>", "<string>", "<number>", "<unary>"
OPEN_STATEMENT, CLOSE_STATEMENT, OPEN_EXPRESSION, CLOSE_EXPRESSION = "{%", "%}", "{{", "}}"
COMPARISON, ADDITIVE, MULTIPLICATIVE = "<comparison>", "<additive>", "<multiplicative>"

SIGNS = (
    *((sign, sign.strip("-")) for sign in ("{%-", "-%}", "{{-", "-}}", "{%", "%}", "{{", "}}")),
    *((sign, sign) for sign in "(){}[],.:|"),
    *((sign, COMPARISON) for sign in ("<=", ">=", "==", "!=", "<", ">")),
    *((sign, ADDITIVE) for sign in "+-~"),
    *((sign, MULTIPLICATIVE) for sign in "*/%"),
    ("=", "="),
)
"""Signs and the kinds of their tokens, in the order in which they are tried."""

NUMBERS = re.compile(r"[0-9]+(\.[0-9]+)?")
NAMES = re.compile(r"[A-Za-z0-9_]+")
OPENS = re.compile(r"\{[%{#]")


class Token(NamedTuple):
    """A token. start, end: in the normalized source, in bytes."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def what(self) -> str:
        """What the parser looks for: a name by its text, which no kind is, anything else by its kind."""
        return self.text if self.kind == NAME else self.kind


def normalized(source: str) -> str:
    """A template's source with one kind of line end, without the last one."""
    return source.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n" if source.endswith("\n") else "")


def tokens(source: str) -> list[Token]:
    """The tokens of a normalized source. Raises Failed.

    >>> [token.text for token in tokens("a {%- if b %} c")]
    ['{%-', 'if', 'b', '%}', ' c']
    """
    return list(_tokens(source))


def _tokens(source: str) -> Iterator[Token]:
    at, size, depth, last = 0, len(source), 0, CLOSE_STATEMENT
    while at < size:
        if last in (CLOSE_STATEMENT, CLOSE_EXPRESSION, COMMENT):
            text, at = _text(source, at)
            if text:
                last = TEXT
                # the text may be empty at its ends; its span is that of what was read
                yield Token(TEXT, text, at - len(text), at)
                continue
        if source.startswith("{#", at):
            end = source.find("#}", at + 2)
            if end < 0 or at + 2 > size - 2:
                raise Failed("missing end of comment tag", at)
            last = COMMENT
            yield Token(COMMENT, source[at + 2 : end], at, end + 2)
            at = end + 2
            continue
        if source.startswith("-", at) and last in (OPEN_EXPRESSION, OPEN_STATEMENT):
            at += 1
        while at < size and source[at] in SPACE:
            at += 1
        if at >= size:
            return
        token = _sign_or_value(source, at, last, depth)
        if token.kind == OPEN_EXPRESSION:
            depth = 0
        depth += (token.kind == "{") - (token.kind == "}")
        last, at = token.kind, token.end
        yield token


def _text(source: str, at: int) -> tuple[str, int]:
    """The text outside tags that begins at an offset, trimmed, and where it ends."""
    before = source[at - 3 : at] if at > 3 else ""
    match = OPENS.search(source, at)
    end = stop = match.start() if match else len(source)
    tag = source[end : end + 3]
    if tag[:2] in ("{%", "{#"):  # lstrip_blocks
        current = end
        while current > at:
            if current == 1:
                stop = 0
                break
            if source[current - 1] == "\n":
                stop = current
                break
            if source[current - 1] not in SPACE:
                break
            current -= 1
    text = source[at:stop] if stop >= at else source[at:]
    if before[1:] in ("#}", "%}", "-}"):  # trim_blocks
        text = text.removeprefix("\n")
    if before in ("-%}", "-}}", "-#}"):
        text = text.lstrip(" \t\r\n")
    if len(tag) == 3 and tag[2] == "-":
        text = text.rstrip(" \t\r\n")
    return text, end


def _sign_or_value(source: str, at: int, last: str, depth: int) -> Token:
    """The token inside a tag that begins at an offset."""
    character = source[at]
    closes = character == "-" and source[at + 1 : at + 2] in ("%", "}")
    if character in "+-" and not closes:
        if last == TEXT:
            raise Failed(f"unexpected character: {character}", at)
        if last not in (NAME, NUMBER, STRING, ")", "]"):
            number = NUMBERS.match(source, at + 1)
            text = character + (number[0] if number else "")
            return Token(NUMBER if number else UNARY, text, at, at + len(text))
    for sign, kind in SIGNS:
        if source.startswith(sign, at) and not (sign == "}}" and depth > 0):
            return Token(kind, sign, at, at + len(sign))
    if character in "'\"":
        text, end = _string(source, at + 1, character)
        return Token(STRING, text, at, end)
    if match := NUMBERS.match(source, at):
        return Token(NUMBER, match[0], at, match.end())
    if match := NAMES.match(source, at):
        return Token(NAME, match[0], at, match.end())
    raise Failed(f"unexpected character: {character}", at)


def _string(source: str, at: int, quote: str) -> tuple[str, int]:
    """A text in quotes, and where it ends."""
    text: list[str] = []
    while source[at : at + 1] != quote:
        if at >= len(source):
            raise Failed("unexpected end of input", at)
        if source[at] == "\\":
            at += 1
            if source[at : at + 1] not in ESCAPES or at >= len(source):
                raise Failed(f"unknown escape character \\{source[at : at + 1]}", at)
            text.append(ESCAPES[source[at]])
        else:
            text.append(source[at])
        at += 1
    return "".join(text), at + 1


class Node(Struct, kw_only=True):
    """A part of a template."""

    start: int
    end: int
    operand: int = -1
    part: int = -1


class Text(Node):
    """A text, outside tags or in quotes."""

    text: str


class Number(Node):
    """A number."""

    value: int | float


class Name(Node):
    """A variable, or the name of a filter, a test or an attribute."""

    name: str


class Items(Node):
    """A list, or a tuple."""

    items: list[Node]
    is_tuple: bool = False


class Object(Node):
    """An object."""

    pairs: list[tuple[Node, Node]]


class Binary(Node):
    """left operator right."""

    operator: str
    left: Node
    right: Node


class Unary(Node):
    """operator argument."""

    operator: str
    argument: Node


class Filter(Node):
    """operand | filter."""

    input: Node
    filter: Node


class Test(Node):
    """operand is test."""

    input: Node
    test: Node
    negated: bool


class Choice(Node):
    """yes if test else no. Without `no` it is what remains of a loop's list, or undefined."""

    test: Node
    yes: Node
    no: Node | None


class Call(Node):
    """callee(arguments)."""

    callee: Node
    arguments: list[Node]


class Keyword(Node):
    """key=value among arguments."""

    key: Node
    value: Node


class Slice(Node):
    """first:stop:step."""

    first: Node | None
    stop: Node | None
    step: Node | None


class Member(Node):
    """object.property, or object[property]."""

    object: Node
    property: Node
    computed: bool


class Nothing(Node):
    """What has no effect: a comment, a `generation` tag. refused: it can't be run, such as *arguments."""

    refused: str = ""


class Output(Node):
    """{{ value }}."""

    value: Node


class If(Node):
    """{% if %}."""

    test: Node
    body: list[Node]
    others: list[Node]


class For(Node):
    """{% for %}."""

    variable: Node
    iterable: Node
    body: list[Node]
    others: list[Node]


class Set(Node):
    """{% set %}, of a value or of a body."""

    target: Node
    value: Node | None
    body: list[Node]


class Macro(Node):
    """{% macro %}."""

    name: Node
    parameters: list[Node]
    body: list[Node]


class CallBlock(Node):
    """{% call %}."""

    call: Call
    parameters: list[Node]
    body: list[Node]


class FilterBlock(Node):
    """{% filter %}."""

    filter: Node
    body: list[Node]


class Jump(Node):
    """{% break %} or {% continue %}."""

    to: str

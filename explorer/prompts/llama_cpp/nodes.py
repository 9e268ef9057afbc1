"""The parts of a template: `common/jinja/runtime.h`. start, end: in its source. operand: its index, -1 for none.

part: its index as a part of a write or test, -1 for none.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Node:
    """A part of a template."""

    start: int
    end: int
    operand: int = -1
    part: int = -1


@dataclass(slots=True, kw_only=True)
class Text(Node):
    """A text, outside tags or in quotes."""

    text: str


@dataclass(slots=True, kw_only=True)
class Number(Node):
    """A number."""

    value: int | float


@dataclass(slots=True, kw_only=True)
class Name(Node):
    """A variable, or the name of a filter, a test or an attribute."""

    name: str


@dataclass(slots=True, kw_only=True)
class Items(Node):
    """A list, or a tuple."""

    items: list[Node]
    is_tuple: bool = False


@dataclass(slots=True, kw_only=True)
class Object(Node):
    """An object."""

    pairs: list[tuple[Node, Node]]


@dataclass(slots=True, kw_only=True)
class Binary(Node):
    """left operator right."""

    operator: str
    left: Node
    right: Node


@dataclass(slots=True, kw_only=True)
class Unary(Node):
    """operator argument."""

    operator: str
    argument: Node


@dataclass(slots=True, kw_only=True)
class Filter(Node):
    """operand | filter."""

    input: Node
    filter: Node


@dataclass(slots=True, kw_only=True)
class Test(Node):
    """operand is test."""

    input: Node
    test: Node
    negated: bool


@dataclass(slots=True, kw_only=True)
class Choice(Node):
    """yes if test else no. Without `no` it is what remains of a loop's list, or undefined."""

    test: Node
    yes: Node
    no: Node | None


@dataclass(slots=True, kw_only=True)
class Call(Node):
    """callee(arguments)."""

    callee: Node
    arguments: list[Node]


@dataclass(slots=True, kw_only=True)
class Keyword(Node):
    """key=value among arguments."""

    key: Node
    value: Node


@dataclass(slots=True, kw_only=True)
class Slice(Node):
    """first:stop:step."""

    first: Node | None
    stop: Node | None
    step: Node | None


@dataclass(slots=True, kw_only=True)
class Member(Node):
    """object.property, or object[property]."""

    object: Node
    property: Node
    computed: bool


@dataclass(slots=True, kw_only=True)
class Nothing(Node):
    """What has no effect: a comment, a `generation` tag. refused: it can't be run, such as *arguments."""

    refused: str = ""


@dataclass(slots=True, kw_only=True)
class Output(Node):
    """{{ value }}."""

    value: Node


@dataclass(slots=True, kw_only=True)
class If(Node):
    """{% if %}."""

    test: Node
    body: list[Node]
    others: list[Node]


@dataclass(slots=True, kw_only=True)
class For(Node):
    """{% for %}."""

    variable: Node
    iterable: Node
    body: list[Node]
    others: list[Node]


@dataclass(slots=True, kw_only=True)
class Set(Node):
    """{% set %}, of a value or of a body."""

    target: Node
    value: Node | None
    body: list[Node]


@dataclass(slots=True, kw_only=True)
class Macro(Node):
    """{% macro %}."""

    name: Node
    parameters: list[Node]
    body: list[Node]


@dataclass(slots=True, kw_only=True)
class CallBlock(Node):
    """{% call %}."""

    call: Call
    parameters: list[Node]
    body: list[Node]


@dataclass(slots=True, kw_only=True)
class FilterBlock(Node):
    """{% filter %}."""

    filter: Node
    body: list[Node]


@dataclass(slots=True, kw_only=True)
class Jump(Node):
    """{% break %} or {% continue %}."""

    to: str

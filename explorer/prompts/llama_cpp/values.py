"""Values of llama.cpp's template engine, and what they are as text, as truth and as JSON: `common/jinja/value.h`.

A value is a Python object: None, bool, int, float, a traced byte text, list, tuple, dict, `Undefined`, `Function` or
`Keyword`. Texts are compared, cut and measured by their bytes, as in C++. What stops a template is raised as `Failed`
before it becomes an error for people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import eq, ge, gt, lt, ne
from typing import Any

from explorer.prompts.bounds import bounded, weighed
from explorer.prompts.traced_text import TracedText, joined, json_parts

Messages = list[dict[Any, Any]]


class Failed(Exception):
    """An error of the lexer, the parser or the interpreter. at: an offset in the source, in bytes; -1 if unknown."""

    def __init__(self, message: str, at: int = -1) -> None:
        super().__init__(message)
        self.at = at


class Raised(Failed):
    """What the template's own `raise_exception` raises."""


class Jump(Exception):
    """What ends a turn of a loop. text: what the blocks inside the turn had written."""

    text: TracedText = TracedText("")


class Break(Jump):
    """`{% break %}`."""


class Continue(Jump):
    """`{% continue %}`."""


class Undefined:
    """A variable or attribute that isn't there. name: which, for errors. owner: whose."""

    def __init__(self, name: str = "", owner: Any = None) -> None:
        self.name, self.missing = name, (owner, name)

    def inner(self) -> Undefined:
        """An attribute of what isn't there; the first that is missing is kept."""
        made = Undefined()
        made.missing = self.missing
        return made


@dataclass(slots=True, eq=False)
class Function:
    """A macro, or a function or method of the engine. call: gets the arguments, and the caller's variables."""

    name: str
    call: Callable[[list[Any], dict[str, Any]], Any]


@dataclass(slots=True, eq=False)
class Keyword:
    """An argument that is passed by name."""

    key: str
    value: Any


NAMES = (
    (bool, "Boolean"),
    (int, "Integer"),
    (float, "Float"),
    (str, "String"),
    (tuple, "Tuple"),
    (list, "Array"),
    (dict, "Object"),
    (Function, "Function"),
    (Keyword, "KwArg"),
    (Undefined, "Undefined"),
)


def type_name(value: Any) -> str:
    """The type of a value, for errors.

    >>> type_name(True), type_name(None)
    ('Boolean', 'None')
    """
    return next((name for kind, name in NAMES if isinstance(value, kind)), "None")


def is_int(value: Any) -> bool:
    """Whether a value is an integer; a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value is an integer or a float."""
    return is_int(value) or isinstance(value, float)


def is_missing(value: Any) -> bool:
    """Whether a value is none or undefined."""
    return value is None or isinstance(value, Undefined)


def truth(value: Any) -> bool:
    """Whether a value is true. Raises Failed for a function."""
    if isinstance(value, Undefined):
        return False
    if isinstance(value, Function | Keyword):
        raise Failed(f"{type_name(value)} is not a bool value")
    return bool(value)


def text(value: Any) -> TracedText:
    """A value as text. Raises Failed for what has none.

    >>> text([1.5, True, None, TracedText("a'b")])
    '[1.5, True, None, "a\\'b"]'
    """
    if isinstance(value, TracedText):
        return value
    if isinstance(value, str | int) or value is None:
        return TracedText(str(value))
    if isinstance(value, float):
        shown = f"{value:f}".rstrip("0") if value - value == 0 else f"{value:f}"
        return TracedText(shown + "0" if shown.endswith(".") else shown)
    if isinstance(value, list | tuple):
        open, close = "()" if isinstance(value, tuple) else "[]"
        last = "," if isinstance(value, tuple) and len(value) == 1 else ""
        return joined((open, joined([_repr(item) for item in value], ", "), last + close))
    if isinstance(value, dict):
        pairs = [joined((_repr(key), ": ", _repr(item))) for key, item in value.items()]
        return joined(("{", joined(pairs, ", "), "}"))
    raise Failed(f"{type_name(value)} is not a string value")


def _repr(value: Any) -> TracedText:
    if isinstance(value, str):
        return json_text(value) if "'" in value else joined(("'", value, "'"))
    return TracedText("Undefined") if isinstance(value, Undefined) else text(value)


def written(value: Any) -> TracedText:
    """What a value writes: nothing for none, undefined, objects and functions; a list its items one after the other."""
    if isinstance(value, str | bool | int | float):
        return text(value)
    if isinstance(value, list | tuple):
        return joined([written(item) for item in value])
    return TracedText("")


def is_hashable(value: Any) -> bool:
    """Whether a value can be a key: a tuple, list or object only if nothing in it can change."""
    if isinstance(value, list | tuple | dict):
        items = value.values() if isinstance(value, dict) else value
        return all(not isinstance(item, list | dict) and is_hashable(item) for item in items)
    return not isinstance(value, Undefined | Function)


def key_of(value: Any) -> Any:
    """A value as the key of an object. Raises Failed if it can't be one."""
    if isinstance(value, list | dict) or not is_hashable(value):
        raise Failed(f"Object key of unhashable type: {type_name(value)}")
    return value


def equal(left: Any, right: Any) -> bool:
    """`left == right`. Lists with lists inside are never equal.

    >>> equal(1, True), equal([1], [1]), equal([[1]], [[1]])
    (True, True, False)
    """
    if isinstance(left, bool | int | float) and isinstance(right, bool | int | float):
        return left == right
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    if isinstance(left, list | tuple | dict):
        if (
            not isinstance(right, type(left))
            or not (is_hashable(left) and is_hashable(right))
            or len(left) != len(right)
        ):
            return False
        if isinstance(left, dict) and isinstance(right, dict):
            pairs = zip(left.items(), right.items(), strict=True)
            return all(equal(one[0], other[0]) and equal(one[1], other[1]) for one, other in pairs)
        return all(map(equal, left, right))
    return type(left) is type(right) and (is_missing(left) or left is right)


COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": eq,
    "ge": ge,
    "gt": gt,
    "lt": lt,
    "ne": ne,
}


def compared(left: Any, right: Any, how: str) -> bool:
    """`left < right` and the like, as tests and sorting compare. how: a key of `COMPARED`."""
    if is_number(left) and is_number(right):
        return COMPARED[how](left, right)
    if all(isinstance(each, str) or is_number(each) for each in (left, right)):
        return COMPARED[how](text(left).plain, text(right).plain)
    if isinstance(left, bool) and isinstance(right, bool):
        if how not in ("eq", "ne"):
            raise Failed("Unsupported comparison operator for bool type")
        return COMPARED[how](left, right)
    return False


def contains(container: Any, value: Any) -> bool:
    """`value in container`. Raises Failed."""
    if isinstance(container, Undefined):
        return False
    if isinstance(container, list | tuple):
        return any(equal(value, item) for item in container)
    if isinstance(container, str):
        if not isinstance(value, str):
            raise Failed(f"'in' expects a text on its left, got {type_name(value)}")
        return value in container
    if isinstance(container, dict):
        return key_of(value) in container
    raise Failed(f"'in' expects something to search, got {type_name(container)}")


ESCAPED = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def json_text(
    value: Any,
    indent: int = -1,
    between: str = "",
    colon: str = ": ",
    float_text: Callable[[float], str] = "{:g}".format,
) -> TracedText:
    """A value as JSON. Undefined and functions are null. float_text: how a float is written.

    >>> json_text({"a": [1, 2.5, None]})
    '{"a": [1, 2.5, null]}'
    """
    between = between or (", " if indent < 0 else ",")
    bounded(weighed(value) * (1 + max(indent, 0) + len(between) + len(colon)) // 20)

    def other(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value) if isinstance(value, int) else float_text(value) if isinstance(value, float) else "null"

    return joined(json_parts(value, _json_string, other, text, between, colon, " " * indent if indent >= 0 else None))


def _json_string(value: str) -> Iterator[str]:
    yield '"'
    yield TracedText(value).each(_escaped) if any(map(_is_escaped, str.__iter__(value))) else value
    yield '"'


def _is_escaped(character: str) -> bool:
    return character in ESCAPED or character < " "


def _escaped(character: str) -> str:
    return ESCAPED.get(character, f"\\u{ord(character):04x}" if character < " " else character)

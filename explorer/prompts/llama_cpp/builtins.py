"""Functions, tests, filters and methods of llama.cpp's template engine: `common/jinja/value.cpp`.

A filter and a method of one type are the same function: it gets its input as the first argument. What the engine
leaves out fails here, too: sorted keys in JSON, `map` with a filter, `replace` with a count.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cmp_to_key
from typing import Any, TypeAlias

from explorer.prompts.bounds import bounded
from explorer.prompts.llama_cpp.syntax import SPACE
from explorer.prompts.llama_cpp.values import (
    COMPARED,
    Failed,
    Function,
    Keyword,
    Raised,
    Undefined,
    compared,
    contains,
    is_int,
    is_missing,
    is_number,
    json_text,
    key_of,
    text,
    truth,
    type_name,
)
from explorer.prompts.traced_text import TracedText, joined, sources_of

Builtin: TypeAlias = "Callable[[Arguments], Any]"


@dataclass(eq=False)
class Arguments:
    """The arguments of a call. used: marks a value and all inside it as used, for probes. now: the engine's clock."""

    values: list[Any]
    used: Callable[[Any], None]
    now: datetime

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> Any:
        if index >= len(self.values):
            raise Failed(f"expected at least {index + 1} arguments, got {len(self.values)}")
        return self.values[index]

    def get(self, index: int, default: Any = None) -> Any:
        """An argument, or a default where there are fewer."""
        return self.values[index] if index < len(self.values) else default

    def named(self, name: str, index: int = 999, default: Any = None) -> Any:
        """An argument by name, or by its position; the default, or else undefined, if it is not given."""
        for value in self.values:
            if isinstance(value, Keyword) and value.key == name and not isinstance(value.value, Undefined):
                return value.value
        absent = Undefined() if default is None else default
        value = self.get(index, absent)
        return absent if isinstance(value, Keyword | Undefined) else value

    def need(self, *kinds: Any, most: int = 999) -> None:
        """Raises Failed unless the first arguments have these types."""
        if not len(kinds) <= len(self.values) <= most:
            raise Failed(f"expected {len(kinds)} arguments, got {len(self.values)}")
        for value, kind in zip(self.values, kinds, strict=False):
            if kind is not Any and not (is_int(value) if kind is int else isinstance(value, kind)):
                raise Failed(f"unexpected argument of type {type_name(value)}")


def tojson(args: Arguments) -> Any:
    args.need(Any, most=5)
    args.used(args[0])
    indent, separators = args.named("indent", 2), args.named("separators", 3)
    if truth(args.named("sort_keys", 4)):
        raise Failed("tojson with sort_keys isn't implemented")
    parts = [text(each) for each in separators] if isinstance(separators, list | tuple) else []
    between, colon = parts[0] if parts else "", parts[1] if len(parts) > 1 else ": "
    made = json_text(args[0], indent if is_int(indent) else -1, between, colon)
    return _ascii(made) if truth(args.named("ensure_ascii", 1)) else made


def _ascii(made: TracedText) -> TracedText:
    """JSON whose characters beyond ASCII are escaped."""
    pieces: list[str] = []
    at = 0
    for found in re.finditer("[\x80-\xff]+", made):
        pieces.append(made[at : found.start()])
        place = found.start()
        for character in found[0].encode("latin-1").decode("utf-8", "replace"):
            escaped = json.dumps(character)[1:-1]
            source, offset = sources_of(made[place : place + 1])
            pieces.append(TracedText(escaped, source * len(escaped), offset * len(escaped)))
            place = min(place + len(character.encode()), found.end() - 1)
        at = found.end()
    return joined([*pieces, made[at:]])


def default(args: Arguments) -> Any:
    args.need(Any, Any, most=3)
    absent = not truth(args[0]) if truth(args.named("boolean", 2)) else is_missing(args[0])
    return args[1] if absent else args[0]


def to_object(args: Arguments) -> Any:
    made: dict[Any, Any] = {}
    first = args.get(0)
    if isinstance(first, list | tuple):
        for item in first:
            if not isinstance(item, list | tuple) or len(item) != 2:
                raise Failed(f"an object is made of pairs, not of {type_name(item)}")
            made[key_of(item[0])] = item[1]
    elif isinstance(first, dict):
        made.update(first)
    for index, value in enumerate(args.values):
        if isinstance(value, Keyword):
            made[TracedText(value.key)] = value.value
        elif index or not isinstance(first, list | tuple | dict):
            raise Failed(f"an object is made of keywords, objects and pairs, not of {type_name(value)}")
    return made


def raise_exception(args: Arguments) -> Any:
    args.need(str)
    raise Raised(text(args[0]).plain)


def strftime_now(args: Arguments) -> Any:
    args.need(str)
    return TracedText(args.now.strftime(args[0].plain))


def range_of(args: Arguments) -> Any:
    args.need(int, most=3)
    numbers = [int(value) for value in args.values]
    if len(numbers) == 3 and not numbers[2]:
        raise Failed("range() step argument must not be zero")
    made = range(*numbers)
    bounded(len(made))
    return list(made)


def _on(*kinds: Any, most: int = 999) -> Callable[[Callable[..., Any]], Builtin]:
    """Makes a builtin of a function of its first arguments, which have these types."""

    def made(function: Callable[..., Any]) -> Builtin:
        def builtin(args: Arguments) -> Any:
            args.need(*kinds, most=most)
            return function(*args.values[: len(kinds)])

        return builtin

    return made


def _of_type(*kinds: type) -> Builtin:
    return _on(Any)(lambda value: bool in kinds if isinstance(value, bool) else isinstance(value, kinds))


def _compare(how: str) -> Builtin:
    return _on(Any, Any, most=2)(lambda left, right: compared(left, right, how))


@_on(Any, Any)
def _same(left: Any, right: Any) -> bool:
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        return False
    if left is None or isinstance(left, bool) or is_int(left):
        small = not is_int(left) or -5 <= left <= 256
        return type(left) is type(right) and left == right and small
    return left is right


@_on(int, int)
def _divisible(value: int, by: int) -> bool:
    if not by:
        raise Failed("division by zero")
    return value % by == 0


ITERABLE = (dict, list, tuple, str, Undefined)
TESTS: dict[str, Builtin] = {
    "boolean": _of_type(bool),
    "callable": _of_type(Function),
    "odd": _on(int)(lambda value: value % 2 != 0),
    "even": _on(int)(lambda value: value % 2 == 0),
    "false": lambda args: args[0] is False,
    "true": lambda args: args[0] is True,
    "divisibleby": _divisible,
    "string": _of_type(str),
    "integer": _of_type(int),
    "float": _of_type(float),
    "number": _of_type(int, float),
    "iterable": _of_type(*ITERABLE),
    "sequence": _of_type(*ITERABLE),
    "mapping": _of_type(dict),
    "lower": _on(str)(lambda value: not re.search("[A-Z]", value)),
    "upper": _on(str)(lambda value: not re.search("[a-z]", value)),
    "none": lambda args: args[0] is None,
    "defined": lambda args: not isinstance(args[0], Undefined),
    "undefined": _of_type(Undefined),
    **{how: _compare(how) for how in COMPARED},
    "equalto": _compare("eq"),
    "greaterthan": _compare("gt"),
    "lessthan": _compare("lt"),
    "in": _on(Any, Any)(lambda value, items: contains(items, value)),
    "test": lambda args: str(args[0]) in TESTS,
    "sameas": _same,
}
GLOBALS: dict[str, Builtin] = {
    "raise_exception": raise_exception,
    "dict": to_object,
    "namespace": to_object,
    "strftime_now": strftime_now,
    "range": range_of,
    "tojson": tojson,
    **{f"test_is_{name}": test for name, test in TESTS.items()},
}


# --- texts ------------------------------------------------------------------------------------------------------------


def _stripped(left: bool, right: bool) -> Builtin:
    def strip(args: Arguments) -> Any:
        args.need(str)
        chars = text(args.named("chars", 1, SPACE)).plain
        stripped = args[0].lstrip(chars) if left else args[0]
        return stripped.rstrip(chars) if right else stripped

    return strip


def _cased(change: Callable[[str], str]) -> Builtin:
    """A change of the case of ASCII letters. change: of a text with ASCII letters only."""

    def cased(args: Arguments) -> Any:
        args.need(str)
        found = args[0]
        # bytes beyond ASCII stay what they are; a letter's case depends on those before it
        marked = "".join(character if character < "\x80" else "\x00" for character in str.__iter__(found))
        changed = change(marked)
        made = "".join(
            before if before >= "\x80" else after for before, after in zip(found.plain, changed, strict=True)
        )
        return TracedText(made, *sources_of(found))

    return cased


def _titled(marked: str) -> str:
    parts = re.split(f"([{SPACE}])", marked)
    return "".join(part[:1].upper() + part[1:].lower() for part in parts)


def _split(args: Arguments, *, from_right: bool) -> Any:
    args.need(str, most=3)
    separator = text(args[1]) if len(args) > 1 else TracedText(" ")
    if not separator:
        raise Failed("empty separator")
    count = int(args[2]) if len(args) > 2 else -1
    return args[0].rsplit(separator, count) if from_right else args[0].split(separator, count)


def _replace(args: Arguments) -> Any:
    args.need(str, str, str)
    if len(args) > 3 and int(args[3]) > 0:
        raise Failed("replace with a count isn't implemented")
    return args[0].replace(args[1], args[2])


def _format(args: Arguments) -> Any:
    args.need(str)
    pieces = args[0].split("{}")
    if any("{" in piece for piece in pieces):
        raise Failed("format() supports only {}")
    made: list[str] = [pieces[0]]
    for index, piece in enumerate(pieces[1:]):
        made += [text(args[index + 1]), piece]
    return joined(made)


def _text_to_int(args: Arguments) -> Any:
    base = int(args.named("base", 2, 10))
    if base and not 2 <= base <= 36:
        raise Failed("int() base must be 0 or between 2 and 36")
    args.need(str)
    # `std::stoi` reads as far as there are digits
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[: base or 10]
    prefix = "(0[xX])?" if base in (0, 16) else ""
    match = re.match(f"[{SPACE}]*([+-]?){prefix}([{digits}{digits.upper()}]+)", args[0])
    if match:
        value = int(match[1] + match.groups()[-1], 16 if prefix and match[2] else base or 10)
        if -(2**31) <= value < 2**31:
            return value
    return int(args.named("default", 1, 0))


def _text_to_float(args: Arguments) -> Any:
    args.need(str)
    match = re.match(rf"[{SPACE}]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", args[0])
    return float(match[0] if match else args.named("default", 1, 0.0))


def _text_default(args: Arguments) -> Any:
    args.need(str)
    other = args.get(1, TracedText(""))
    other = TracedText("") if isinstance(other, Undefined) else other
    return other if truth(args.named("boolean", 2)) and not args[0] else args[0]


def _indent(args: Arguments) -> Any:
    args.need(str, most=4)
    width = args.named("width", 1)
    first, blank = truth(args.named("first", 2)), truth(args.named("blank", 3))
    if is_int(width):
        bounded(abs(width))
    indent = " " * width if is_int(width) else width if isinstance(width, str) else "    "
    found = args[0]
    lines = found.split("\n")
    if not lines[-1]:
        lines.pop()  # `getline` gives no line after the last line break
    made = TracedText("")
    for line in lines:
        begun = bool(made)
        made += TracedText("\n") if begun else TracedText("")
        if (bool(line) or blank) if made else first:
            made += indent
        made += line
    if found.endswith("\n"):
        made += "\n" + (indent if blank else "")
    return made


def _slice(args: Arguments) -> Any:
    """`start:stop:step` as the engine cuts, with the bounds that it fills in."""
    start, stop, step = (int(args[index]) for index in (1, 2, 3))
    if not step:
        raise Failed("slice step cannot be zero")
    found = args[0]
    size = len(found)
    least, most = (0, size) if step > 0 else (-1, size - 1)
    start = max(size + start, 0) if start < 0 else min(start, most)
    stop = max(size + stop, least) if stop < least else min(stop, most)
    places = [place for place in range(start, stop, step) if 0 <= place < size]
    if isinstance(found, str):
        return joined([found[place] for place in places])
    return type(found)(found[place] for place in places)


def _not_implemented(args: Arguments) -> Any:
    raise Failed("this function isn't implemented for a value of this type")


_ITSELF = _on(Any)(lambda value: value)
_LENGTH = _on(Any)(len)

TEXTS: dict[str, Builtin] = {
    "upper": _cased(str.upper),
    "lower": _cased(str.lower),
    "title": _cased(_titled),
    "capitalize": _cased(str.capitalize),
    "strip": _stripped(left=True, right=True),
    "lstrip": _stripped(left=True, right=False),
    "rstrip": _stripped(left=False, right=True),
    "length": _LENGTH,
    "startswith": _on(str, str)(str.startswith),
    "endswith": _on(str, str)(str.endswith),
    "split": lambda args: _split(args, from_right=False),
    "rsplit": lambda args: _split(args, from_right=True),
    "replace": _replace,
    "format": _format,
    "int": _text_to_int,
    "float": _text_to_float,
    "string": _ITSELF,
    "default": _text_default,
    "slice": _slice,
    "safe": _ITSELF,
    "tojson": tojson,
    "indent": _indent,
    "join": _not_implemented,
}


# --- numbers, booleans, none ------------------------------------------------------------------------------------------


def _as_text(args: Arguments) -> Any:
    return text(args[0])


CONVERTED: dict[str, Builtin] = {
    "default": default,
    "int": lambda args: int(args[0]),
    "float": lambda args: float(args[0]),
    "tojson": tojson,
}
NUMBERS = CONVERTED | {"abs": lambda args: abs(args[0]), "safe": tojson, "string": tojson}
BOOLEANS = CONVERTED | {"safe": _as_text, "string": _as_text}


def _gives(make: Callable[[], Any]) -> Builtin:
    return lambda args: make()


EMPTY_LIST, EMPTY_TEXT, ABSENT = _gives(list), _gives(lambda: TracedText("")), _gives(Undefined)
NONE: dict[str, Builtin] = {
    "default": default,
    "tojson": tojson,
    "string": _gives(lambda: TracedText("None")),
    "safe": _gives(lambda: TracedText("None")),
    **dict.fromkeys(("items", "map", "reject", "rejectattr", "select", "selectattr", "unique"), EMPTY_LIST),
}
UNDEFINED: dict[str, Builtin] = {
    "default": default,
    **dict.fromkeys(("first", "last", "max", "min"), ABSENT),
    **dict.fromkeys(("length", "sum", "wordcount"), _gives(int)),
    **dict.fromkeys("capitalize join lower replace safe string strip title truncate upper".split(), EMPTY_TEXT),
    **dict.fromkeys("items list map reject rejectattr reverse select selectattr sort unique".split(), EMPTY_LIST),
}


# --- lists and objects ------------------------------------------------------------------------------------------------


def attribute(value: Any, name: Any, other: Any) -> Any:
    """An item's attribute, by name or index; `other` where it has none."""
    if isinstance(name, Undefined):
        return other
    if isinstance(value, list | tuple):
        index = int(name) if isinstance(name, str) and re.fullmatch("[0-9]+", name) else name
        if not isinstance(index, int):
            return other
        return value[index] if -len(value) <= index < len(value) else other
    if isinstance(value, dict):
        return value.get(key_of(name), other)
    return other


def _selected(reject: bool) -> Builtin:
    def select(args: Arguments) -> Any:
        args.need((list, tuple), str, most=4)
        items, name = args[0], args[1]
        if len(args) == 2:
            return [item for item in items if truth(attribute(item, name, Undefined())) != reject]
        test, extra = (name, args[2]) if len(args) == 3 else (args[2], args[3])
        if not isinstance(test, str) or test not in TESTS:
            raise Failed("unknown test")
        made = []
        for item in items:
            tested = item if len(args) == 3 else attribute(item, name, Undefined())
            if truth(TESTS[test](Arguments([tested, extra], args.used, args.now))) != reject:
                made.append(item)
        return made

    return select


def _join(args: Arguments) -> Any:
    args.need((list, tuple), most=3)
    between, name = text(args.named("d", 1, TracedText(""))), args.named("attribute", 2)
    parts = []
    for item in args[0]:
        part = _attribute_or_itself(item, name)
        if not (isinstance(part, str) or is_number(part)):
            raise Failed("join() can only join texts and numbers")
        parts.append(text(part))
    return joined(parts, between)


def _map(args: Arguments) -> Any:
    args.need((list, tuple), Any)
    if not isinstance(args[1], Keyword):
        raise Failed("map with a filter isn't implemented")
    name, other = args.named("attribute", 1), args.named("default")
    return type(args[0])(attribute(item, name, other) for item in args[0])


def _append(args: Arguments) -> Any:
    args.need(list, Any, most=2)
    bounded(len(args[0]) + 1)
    args[0].append(args[1])
    return args[0]


def _pop(args: Arguments) -> Any:
    args.need(list, most=2)
    index = int(args[1]) if len(args) == 2 else -1
    if not -len(args[0]) <= index < len(args[0]):
        raise Failed(f"Index {index} is out of bounds")
    return args[0].pop(index)


def _sort(args: Arguments) -> Any:
    args.need((list, tuple), most=4)
    how, name = "gt" if truth(args.named("reverse", 1)) else "lt", args.named("attribute", 3)
    return type(args[0])(sorted(args[0], key=_sort_key(how, lambda item: _attribute_or_itself(item, name))))


def _attribute_or_itself(item: Any, name: Any) -> Any:
    return item if isinstance(name, Undefined) else attribute(item, name, Undefined())


def _sort_key(how: str, of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def order(left: Any, right: Any) -> int:
        left, right = of(left), of(right)
        return -1 if compared(left, right, how) else int(compared(right, left, how))

    return cmp_to_key(order)


def _extreme(how: str) -> Builtin:
    def extreme(args: Arguments) -> Any:
        args.need((list, tuple), most=4)
        name = args.named("attribute", 2)
        if not args[0]:
            return Undefined()
        found = args[0][0]
        for item in args[0]:
            if compared(_attribute_or_itself(item, name), _attribute_or_itself(found, name), how):
                found = item
        return found

    return extreme


def _used_text(args: Arguments) -> Any:
    args.used(args[0])
    return text(args[0])


LISTS: dict[str, Builtin] = {
    "default": default,
    "list": lambda args: list(args[0]),
    "first": lambda args: args[0][0] if args[0] else Undefined(),
    "last": lambda args: args[0][-1] if args[0] else Undefined(),
    "length": _LENGTH,
    "slice": _slice,
    **dict.fromkeys(("select", "selectattr"), _selected(reject=False)),
    **dict.fromkeys(("reject", "rejectattr"), _selected(reject=True)),
    "join": _join,
    "string": _used_text,
    "tojson": tojson,
    "map": _map,
    "append": _append,
    "pop": _pop,
    "sort": _sort,
    "reverse": lambda args: args[0][::-1],
    "min": _extreme("lt"),
    "max": _extreme("gt"),
    "unique": _not_implemented,
}


def _get(args: Arguments) -> Any:
    args.need(dict, str, most=3)
    return args[0].get(args[1], args.get(2))


def _dictsort(args: Arguments) -> Any:
    how = "gt" if truth(args.named("reverse", 3)) else "lt"
    by = args.named("by", 2)
    index = int(isinstance(by, str) and by == "value")
    return dict(sorted(args[0].items(), key=_sort_key(how, lambda item: item[index])))


OBJECTS: dict[str, Builtin] = {
    "get": _get,
    "keys": lambda args: list(args[0]),
    "values": lambda args: list(args[0].values()),
    "items": lambda args: list(args[0].items()),
    "tojson": tojson,
    "string": _used_text,
    "length": _LENGTH,
    "dictsort": _dictsort,
    "join": _not_implemented,
}


class Loop(dict[str, Any]):
    """The variable `loop`, an object without methods."""


def of_type(value: Any) -> dict[str, Builtin]:
    """The filters and methods of a value's type. Raises Failed for functions, which have none."""
    if isinstance(value, Loop):
        return {}
    if isinstance(value, Function | Keyword):
        raise Failed(f"{type_name(value)} has no builtins")
    tables: tuple[tuple[Any, dict[str, Builtin]], ...] = (
        (bool, BOOLEANS),
        ((int, float), NUMBERS),
        (str, TEXTS),
        ((list, tuple), LISTS),
        (dict, OBJECTS),
        (Undefined, UNDEFINED),
    )
    return next((table for kind, table in tables if isinstance(value, kind)), NONE)

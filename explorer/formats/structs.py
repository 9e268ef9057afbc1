"""Values that a stranger sends, checked by the types of a `msgspec.Struct`: read in one go, or refused in one sentence.

The types say what is allowed: keys, kinds, lengths, ranges. msgspec finds the first fault; the sentence names its place
and value, and what to give. Leaves out how a text becomes values: `strict_json` and `strict_toml` do that before.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeVar

import msgspec

from explorer.errors import InputError, shown

Kind = TypeVar("Kind")

WORDS: Final = {
    "int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "array": "a list",
    "object": "an object", "null": "null",
}  # fmt: skip
"""The names that msgspec has for kinds of values."""

BITS_64: Final = (str(-(1 << 63)), str((1 << 63) - 1))

_FAULT: Final = re.compile(
    r"(?:Object missing required field `(?P<lacks>[^`]*)`|Object contains unknown field `(?P<unknown>[^`]*)`"
    r"|Expected `(?P<kind>[^`]*)`(?: of length)? ?(?P<bound>[<>=]*) ?(?P<most>[\w.+-]*)|(?P<other>.*?))"
    r"(?:, got .*?)?(?: - at `\$(?P<path>.*)`)?",
    re.DOTALL,
)
"""A message of msgspec."""

_BOUNDS: Final = {"": "", ">=": " from ", "<=": " up to ", ">": " above ", "<": " below "}


def convert(value: object, kind: type[Kind], where: str, whole: str = "it") -> Kind:
    """A value as a Struct. whole: what errors call it. Raises InputError: `where`, the key, its value, what to give.

    >>> class Point(msgspec.Struct, forbid_unknown_fields=True):
    ...     at: tuple[int, int]
    >>> convert({"at": [1, 2]}, Point, "toy")
    Point(at=(1, 2))
    >>> convert({"at": [1, "b"]}, Point, "toy")
    Traceback (most recent call last):
    explorer.errors.InputError: toy: at[1] is 'b'; give a whole number
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        fault = _FAULT.fullmatch(str(error))
        assert fault is not None
        raise InputError(f"{where}: {_sentence(fault, value, whole)}") from None


def _sentence(fault: re.Match[str], value: Any, whole: str) -> str:
    """What is wrong, where, and what to do."""
    path = (fault["path"] or "").removeprefix(".")
    for step in re.findall(r"[^.\[\]]+", path):
        value = value[int(step)] if isinstance(value, list) else value.get(step) if isinstance(value, dict) else value
    place = path or whole
    if fault["lacks"]:
        return f"{place} needs the key {fault['lacks']}; add it"
    if fault["unknown"]:
        return f"{place} has no key {shown(fault['unknown'])}; remove it"
    if fault["other"]:
        return f"{place} is {shown(value)}: {fault['other'][0].lower()}{fault['other'][1:]}; give another"
    if fault["kind"] in ("str", "array") and fault["bound"] == ">=" and not value:
        return f"{place} is empty; give {WORDS[fault['kind']]}"
    if fault["most"] in BITS_64:
        return f"{place} has more than 64 bits; give a smaller number"
    kind = " or ".join(WORDS.get(each, each) for each in fault["kind"].split(" | ") if each != "null")
    unit = {"str": " characters", "array": " entries"}.get(fault["kind"], "") if fault["most"] else ""
    bound = f"{' of ' if unit and not fault['bound'] else ''}{_BOUNDS[fault['bound']]}{fault['most']}"
    return f"{place} is {shown(value)}; give {kind}{bound}{unit}"

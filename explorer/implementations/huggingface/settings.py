"""What every part of a tokenizer.json is read with: a part made by its type, its settings checked, its pattern."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from explorer.engine.patterns import Pattern, pattern_of
from explorer.errors import InputError
from explorer.formats.tokenizer_json import Json

T = TypeVar("T")
Makers = Mapping[str, Callable[[Json, str], list[T]]]
"""Type of a part → what makes it of its settings and the name of the file."""


def made(part: Json | None, makers: Makers[T], what: str, name: str) -> list[T]:
    """What a part and the parts within it are made into. Raises InputError naming a type that is not known."""
    if part is None:
        return []
    kind = part.get("type")
    if kind == "Sequence":
        inner = part.get(f"{what}s", part.get("pretokenizers") if what == "pre_tokenizer" else None)
        if inner is None and what == "post_processor":
            inner = part.get("processors")
        if not isinstance(inner, list) or not all(isinstance(each, dict) for each in inner):
            raise InputError(f"{name}: the {what} Sequence holds no list of parts; the file is damaged")
        return [thing for each in inner for thing in made(each, makers, what, name)]
    make = makers.get(kind) if isinstance(kind, str) else None
    if make is None:
        known = ", ".join(["Sequence", *makers])
        raise InputError(f"{name}: the {what} {kind!r} is not known here; this version runs: {known}")
    return make(part, name)


def setting(part: Json, key: str, kind: type[T], name: str, default: T | None = None) -> T:
    """A setting of a part, checked to be of its type."""
    value: Any = part.get(key, default)
    if not isinstance(value, kind):
        raise InputError(f"{name}: {part.get('type')}.{key} is {value!r}, not of type {kind.__name__}; repair the file")
    return value


def pattern(part: Json, name: str) -> str | Pattern:
    """`pattern` of a Split or Replace: {"String": …} is a text, {"Regex": …} a Pattern."""
    value = part.get("pattern")
    if isinstance(value, dict) and isinstance(value.get("String"), str):
        text: str = value["String"]
        return text
    if isinstance(value, dict) and isinstance(value.get("Regex"), str):
        return pattern_of(value["Regex"])
    raise InputError(f"{name}: {part.get('type')}.pattern is neither a String nor a Regex; repair the file")

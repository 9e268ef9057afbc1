"""Reading the parts of a tokenizer.json: a Sequence as the list of its parts, a setting checked to be of its type.

Every error names the file, the place in it, and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar

from explorer.errors import InputError, shown
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import Json

T = TypeVar("T")


SEQUENCE: Final = "Sequence"
"""The `type` of a part that is a list of others."""

MOST: Final = 1_000
"""Characters of an error that are shown."""

MOST_PARTS: Final = 500
"""Parts of one section, each of which goes through the whole text. Real files have up to some dozens."""

MOST_TEXT: Final = 10_000
"""Characters of a setting that is text, such as what a Prepend puts in front."""

MOST_OF_PATTERNS: Final = 20_000
"""Characters of all regular expressions of one section together."""


class Kind(NamedTuple, Generic[T]):
    """A `type` of a part: what makes it, what it says for people, and the settings it has."""

    make: Callable[[Placed], list[T]]
    says: Callable[[Placed], Iterable[str | Fact]]
    """Sentences about it; facts where there is more to them."""
    settings: frozenset[str] = frozenset()


class Placed(NamedTuple):
    """A part of the file that is no Sequence, and where it stands, such as `pre_tokenizer.pretokenizers[1]`."""

    part: Json
    place: str
    name: str
    """What errors call the file."""

    @property
    def kind(self) -> str:
        """The `type` of the part."""
        return str(self.part["type"])

    def get(self, key: str, kind: type[T], default: T | None = None, *, longest: int = MOST_TEXT) -> T:
        """A setting, checked to be of its type. Without a default it must be there, as the original has it.

        longest: how many characters it may have where it is text.
        """
        if default is None and key not in self.part:
            raise self.error(f"{key} is missing")
        value: Any = self.part.get(key, default)
        # in Python true is an integer, in JSON it is none
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(f"{key} is {shown(value)} and not of type {NAMES.get(kind, kind.__name__)}")
        if isinstance(value, str) and len(value) > longest:
            raise self.error(f"{key} has {len(value):,} characters, and at most {longest:,} are run")
        return value

    def error(self, why: str, do: str = "repair the file") -> InputError:
        """What is wrong with a setting; `why` begins with its key. do: empty where `why` says it."""
        why = why if len(why) <= MOST else why[:MOST] + "…"
        return InputError(f"{self.name}: {self.place}: {self.kind}.{why}{'; ' if do else ''}{do}")

    def fact(self, topic: str, says: str, *, key: str = "", code: str = "", kind: FactKind = FactKind.USED) -> Fact:
        """What this part says, or its setting `key`."""
        return Fact(topic, says, f"{self.place}.{key}" if key else self.place, code, kind)

    def pattern(self) -> tuple[str | None, str]:
        """`pattern`: (None, a text), or ("Regex", an expression of Oniguruma)."""
        value = self.get("pattern", dict)
        text, expression = value.get("String"), value.get("Regex")
        if len(value) == 1 and isinstance(text, str):
            if len(text) > MOST_TEXT:
                raise self.error(f"pattern has {len(text):,} characters, and at most {MOST_TEXT:,} are run")
            return None, text
        if len(value) == 1 and isinstance(expression, str):
            return "Regex", expression
        raise self.error(f"pattern is {shown(value)}, neither a String nor a Regex")


NAMES = {bool: "true or false", str: "text", int: "whole number", dict: "object", list: "list"}


def flat(part: Json | None, place: str, inner: str, name: str) -> list[Placed]:
    """The parts in the order they run, those within Sequences in place of these. Raises InputError as `walked`.

    inner: under which key a Sequence holds its list.

    >>> [each.place for each in flat({"type": "Sequence", "normalizers": [{"type": "NFC"}]}, "normalizer", "normalizers", "toy")]
    ['normalizer.normalizers[0]']
    """  # noqa: E501  # one call, one line
    return [each for each in walked(part, place, inner, name) if each.kind != SEQUENCE]


def walked(part: Json | None, place: str, inner: str, name: str) -> Iterator[Placed]:
    """The same, and every Sequence in front of its parts. Raises InputError for what is no part, and for too many."""
    section = place
    waiting = [] if part is None else [(part, place)]
    count = patterns = 0
    while waiting:
        part, place = waiting.pop()
        count += 1
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            raise InputError(f"{name}: {place} is no object with a type; the file is damaged")
        pattern = part.get("pattern")
        expression = pattern.get("Regex") if isinstance(pattern, dict) else None
        patterns += len(expression) if isinstance(expression, str) else 0
        if patterns > MOST_OF_PATTERNS:
            raise InputError(
                f"{name}: the patterns of {section} come to more than {MOST_OF_PATTERNS:,} characters up to {place}; "
                "give a file with fewer"
            )
        yield Placed(part, place, name)
        if part["type"] != SEQUENCE:
            continue
        parts = part.get(inner)
        if not isinstance(parts, list):
            raise InputError(f"{name}: {place}.{inner} is no list, and a Sequence has one; the file is damaged")
        if count + len(waiting) + len(parts) > MOST_PARTS:
            raise InputError(
                f"{name}: {section} has more than {MOST_PARTS} parts, and no tokenizer needs as many; give a file with "
                "fewer"
            )
        waiting += [(each, f"{place}.{inner}[{number}]") for number, each in enumerate(parts)][::-1]


def made(parts: list[Placed], makers: Mapping[str, Callable[[Placed], list[T]]], what: str) -> list[T]:
    """What the parts are made into. Raises InputError naming a type that is not known."""
    return [thing for part in parts for thing in maker(part, makers, what)(part)]


def maker(part: Placed, makers: Mapping[str, T], what: str) -> T:
    """What makes a part of its type. Raises InputError naming a type that is not known."""
    make = makers.get(part.kind)
    if make is None:
        known, kind = ", ".join(["Sequence", *makers]), shown(part.kind)
        raise InputError(f"{part.name}: {part.place}: the {what} {kind} is not known here; this version runs: {known}")
    return make


def facts_of(parts: Iterable[Placed], kinds: Mapping[str, Kind[T]], topic: str) -> list[Fact]:
    """What the parts say, and which of their settings mean nothing. A type that is not known says nothing."""
    facts: list[Fact] = []
    for part in parts:
        kind = kinds.get(part.kind)
        if kind is None:
            continue
        facts += [each if isinstance(each, Fact) else part.fact(topic, each) for each in kind.says(part)]
        facts += unknown_settings(part, kind.settings, topic)
    return facts


def unknown_settings(part: Placed, settings: Container[str], topic: str) -> list[Fact]:
    """A fact for each setting that a part of this type does not have."""
    return [
        part.fact(topic, f"{part.kind} has no setting {shown(key)}.", key=key[:MOST], kind=FactKind.UNUSED)
        for key in part.part
        if key != "type" and key not in settings
    ]

"""Reads the parts of a tokenizer.json: flattens Sequences and checks the types of settings.

Every error names the path in the file, and what to do; `errors_of` names the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from explorer.errors import InputError, shown
from explorer.facts import UNUSED, USED, Fact, FactKind
from explorer.tables import Json

T = TypeVar("T")


SEQUENCE = "Sequence"
"""The `type` of a part that is a list of parts."""

MOST = 1_000
"""Characters of an error that are shown."""

MOST_PARTS = 500
"""Parts in one section. Each processes the whole text. Real files have up to a few dozen."""

MOST_TEXT = 10_000
"""Characters of a setting that is a string, such as the text of a Prepend."""

MOST_OF_PATTERNS = 20_000
"""Characters of all regular expressions of one section together."""


class PartType(NamedTuple, Generic[T]):
    """A `type` of a part: a function that makes it, one that describes it for people, and the settings it has."""

    make: Callable[[LocatedPart], list[T]]
    says: Callable[[LocatedPart], Iterable[str | Fact]]
    """Sentences about it, or facts if they need more than the sentence."""
    settings: str = ""


def plain_type(says: str, make: Callable[[], list[T]]) -> PartType[T]:
    """A type without settings: its sentence, and what makes it."""
    return PartType(lambda part: make(), lambda part: [says])


class LocatedPart(NamedTuple):
    """A part of the file other than a Sequence, and its path, such as `pre_tokenizer.pretokenizers[1]`."""

    part: Json
    path: str

    @property
    def kind(self) -> str:
        """The `type` of the part."""
        return str(self.part["type"])

    def get(self, key: str, kind: type[T], default: T | None = None, *, longest: int = MOST_TEXT) -> T:
        """A setting of the given type. Raises InputError for another type, or if it is missing and has no default.

        longest: characters of a setting that is a string.
        """
        if default is None and key not in self.part:
            raise self.error(f"{key} is missing")
        value: Any = self.part.get(key, default)
        # in Python, True is an integer; in JSON, true is not
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(f"{key} is {shown(value)}, not of type {NAMES.get(kind, kind.__name__)}")
        if isinstance(value, str) and len(value) > longest:
            raise self.error(f"{key} has {len(value):,} characters, but at most {longest:,} are supported")
        return value

    def character(self, key: str) -> str:
        """A setting that is one character."""
        value = self.get(key, str)
        if len(value) != 1:
            raise self.error(f"{key} is {shown(value)}, not one character")
        return value

    def error(self, why: str, do: str = "repair the file") -> InputError:
        """An InputError about a setting; `why` begins with its key. do: advice, empty if `why` gives it."""
        why = why if len(why) <= MOST else why[:MOST] + "…"
        return InputError(f"{self.path}: {self.kind}.{why}{'; ' if do else ''}{do}")

    def fact(self, topic: str, says: str, *, key: str = "", code: str = "", kind: FactKind = USED) -> Fact:
        """A fact about this part, or about its setting `key`."""
        return Fact(topic, says, f"{self.path}.{key}" if key else self.path, code, kind)

    def pattern(self) -> tuple[str | None, str]:
        """`pattern`: (None, a literal text), or ("Regex", an Oniguruma expression)."""
        value = self.get("pattern", dict)
        text, expression = value.get("String"), value.get("Regex")
        if len(value) == 1 and isinstance(text, str):
            if len(text) > MOST_TEXT:
                raise self.error(f"pattern has {len(text):,} characters, but at most {MOST_TEXT:,} are supported")
            return None, text
        if len(value) == 1 and isinstance(expression, str):
            return "Regex", expression
        raise self.error(f"pattern is {shown(value)}, neither a String nor a Regex")


NAMES = {bool: "true or false", str: "text", int: "whole number", dict: "object", list: "list"}
"""What errors call a type."""


def flat(part: Json | None, path: str, inner: str) -> list[LocatedPart]:
    """The parts in the order they run; a Sequence is replaced by its parts. Raises InputError as `walk` does.

    path: of the section. inner: the key under which a Sequence holds its list.

    >>> [each.path for each in flat({"type": "Sequence", "normalizers": [{"type": "NFC"}]}, "normalizer", "normalizers")]
    ['normalizer.normalizers[0]']
    """  # noqa: E501  # one call, one line
    return [each for each in walk(part, path, inner) if each.kind != SEQUENCE]


def walk(part: Json | None, path: str, inner: str) -> Iterator[LocatedPart]:
    """The same, with every Sequence before its parts. Raises InputError for anything but a part, and for too many."""
    section = path
    waiting = [] if part is None else [(part, path)]
    count = patterns = 0
    while waiting:
        part, path = waiting.pop()
        count += 1
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            raise InputError(f"{path} is not an object with a type; the file is damaged")
        pattern = part.get("pattern")
        expression = pattern.get("Regex") if isinstance(pattern, dict) else None
        patterns += len(expression) if isinstance(expression, str) else 0
        if patterns > MOST_OF_PATTERNS:
            raise InputError(
                f"the patterns of {section} have more than {MOST_OF_PATTERNS:,} characters up to {path}; "
                "give a file with fewer"
            )
        yield LocatedPart(part, path)
        if part["type"] != SEQUENCE:
            continue
        parts = part.get(inner)
        if not isinstance(parts, list):
            raise InputError(f"{path}.{inner} is not a list, which a Sequence needs; the file is damaged")
        if count + len(waiting) + len(parts) > MOST_PARTS:
            raise InputError(
                f"{section} has more than {MOST_PARTS} parts; no tokenizer needs that many; give a file with fewer"
            )
        waiting += [(each, f"{path}.{inner}[{number}]") for number, each in enumerate(parts)][::-1]


def make_parts(parts: list[LocatedPart], types: Mapping[str, PartType[T]], what: str) -> list[T]:
    """What the engine runs for these parts. Raises InputError naming an unknown type."""
    return [made for part in parts for made in of_type(part, types, what).make(part)]


def of_type(part: LocatedPart, types: Mapping[str, T], what: str) -> T:
    """The entry of a table for the type of a part. Raises InputError naming an unknown type."""
    found = types.get(part.kind)
    if found is None:
        known, kind = ", ".join(["Sequence", *types]), shown(part.kind)
        raise InputError(f"{part.path}: the {what} {kind} is unknown; this version runs: {known}")
    return found


def part_facts(parts: Iterable[LocatedPart], kinds: Mapping[str, PartType[T]], topic: str) -> list[Fact]:
    """The facts about the parts, and about settings that have no effect. An unknown type has none."""
    facts: list[Fact] = []
    for part in parts:
        kind = kinds.get(part.kind)
        if kind is None:
            continue
        facts += [each if isinstance(each, Fact) else part.fact(topic, each) for each in kind.says(part)]
        facts += unknown_settings(part, kind.settings, topic)
    return facts


def unknown_settings(part: LocatedPart, settings: str, topic: str) -> list[Fact]:
    """A fact for each setting in the file that a part of this type does not have."""
    return [
        part.fact(topic, f"{part.kind} has no setting {shown(key)}.", key=key[:MOST], kind=UNUSED)
        for key in part.part
        if key not in ("type", *settings.split())
    ]

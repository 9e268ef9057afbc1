"""Units gathered over the characters of the text they share, and which of these characters are still there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from explorer.analysis.round_trip.units import CharacterMatch, Unit, match_characters

MANY: Final = 64
"""A group of more units, such as a letter with very many marks, is treated as one stretch: nothing finer would help."""


class Loss(NamedTuple):
    """A character of the text that does not come back.

    at: its index. stage: the stage that lost it, or `DECODE`. start, end: the characters of the text that were changed
    together with it. became: what they became together; empty if nothing is left.
    """

    at: int
    stage: str
    start: int
    end: int
    became: str


class Change(NamedTuple):
    """Characters [start, end) and what they became together; start == end if there are none."""

    start: int
    end: int
    became: str

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Change:
        """Several units as one change."""
        some = [unit for unit in units if unit.start < unit.end]
        became = "".join(unit.unknown or unit.plain for unit in some)
        return cls(min((unit.start for unit in some), default=0), max((unit.end for unit in some), default=0), became)


class UnitGroup(NamedTuple):
    """Units that share characters [start, end) of the text, and the characters before them that no unit covers."""

    start: int
    end: int
    units: list[Unit]

    def is_unchanged(self, text: str) -> bool:
        """Whether the group is the text itself."""
        return len(self.units) == 1 and self.units[0].plain == text[self.start : self.end]

    def match(self, text: str) -> CharacterMatch:
        """Which characters of the text are found in the plain or in the decoded units, whichever has more of them."""
        source = text[self.start : self.end]
        # invalid bytes become halves of surrogate pairs, which equal no character of a text
        data = b"".join([unit.read for unit in self.units]).decode("utf-8", "surrogateescape")
        read = match_characters(source, data)
        if 0 not in read.present:
            return read
        plain = match_characters(source, "".join([unit.plain for unit in self.units]))
        return plain if sum(plain.present) > sum(read.present) else read

    def losses(self, match: CharacterMatch, stage: str) -> Iterator[Loss]:
        """The characters that are not found, put down to a stage."""
        inserted = without_surrogates("".join(ch for _, ch in match.inserted))
        whole = Change.of(self.units) if len(self.units) > MANY else None
        for at, present in enumerate(match.present, self.start):
            if present:
                continue
            change = whole or Change.of(unit for unit in self.units if unit.start <= at < unit.end)
            if change.became and inserted:
                yield Loss(at, stage, *change)
            else:
                yield Loss(at, stage, at, at + 1, inserted if change.start < change.end else "")


def without_surrogates(text: str) -> str:
    """Text whose invalid bytes, kept as halves of surrogate pairs, are U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def unit_groups(units: Iterable[Unit], length: int) -> Iterator[UnitGroup]:
    """The whole text, cut wherever no unit reaches across.

    >>> units = [Unit(0, 1, "a", b"a"), Unit(2, 3, "b", b"b"), Unit(2, 4, "c", b"c")]
    >>> [group[:2] for group in unit_groups(units, 5)]
    [(0, 1), (1, 4), (4, 5)]
    """
    start = end = 0
    gathered: list[Unit] = []
    loose: list[Unit] = []
    """units with an empty span: they go with the units after them"""
    for unit in units:
        if unit.start == unit.end:
            loose.append(unit)
            continue
        if gathered and unit.start >= end:
            yield UnitGroup(start, end, gathered)
            start, gathered = end, []
        gathered += [*loose, unit]
        loose = []
        end = max(end, unit.end)
    if gathered:
        yield UnitGroup(start, end, gathered)
    if loose or end < length:
        yield UnitGroup(end, length, loose)


def realigned(groups: Iterable[UnitGroup], text: str) -> Iterator[UnitGroup]:
    """The groups, two adjacent ones joined if more of the text is found in both together than in each.

    Hugging Face doesn't count characters its model drops, so later spans shift left.
    """
    pending: UnitGroup | None = None
    for group in groups:
        if pending is not None:
            begin = next((unit.start for unit in group.units if unit.start < unit.end), group.end)
            # white space is found everywhere and proves nothing
            gap = text[group.start : begin].strip()
            if gap and any(ch in gap for _, ch in pending.match(text).inserted):
                both = UnitGroup(pending.start, group.end, pending.units + group.units)
                if sum(both.match(text).present) > sum(pending.match(text).present) + sum(group.match(text).present):
                    pending = both
                    continue
            yield pending
        pending = group
    if pending is not None:
        yield pending

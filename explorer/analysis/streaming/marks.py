"""What a method shows of a stream, against the text of all ids.

A method shows its text in pieces. Each piece is aligned with what the whole text has at that point: with as few
characters lost and added as possible, where a U+FFFD may stand for one other character. A method that holds text back
may show less than has arrived; one that doesn't has to show all of it at once.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import groupby
from typing import Final, NamedTuple

from explorer.analysis.streaming_methods import REPLACEMENT

MOST_CELLS: Final = 250_000
"""The largest table of an alignment; longer pieces that differ are lost and added whole."""


class MarkKind(StrEnum):
    """What is wrong with a step of a method."""

    EARLY = "early"
    SPACE_LOST = "space-lost"
    SPACE_DOUBLED = "space-doubled"
    SPACE_ADDED = "space-added"
    TEXT_LOST = "text-lost"
    TEXT_ADDED = "text-added"
    TAKEN_BACK = "taken-back"
    FAILED = "failed"

    @property
    def words(self) -> str:
        """The mark in words."""
        return WORDS[self]


WORDS: Final = {
    MarkKind.EARLY: "\ufffd too early",
    MarkKind.SPACE_LOST: "space lost",
    MarkKind.SPACE_DOUBLED: "space doubled",
    MarkKind.SPACE_ADDED: "space added",
    MarkKind.TEXT_LOST: "text lost",
    MarkKind.TEXT_ADDED: "text added",
    MarkKind.TAKEN_BACK: "text taken back",
    MarkKind.FAILED: "ends with an error",
}


class Mark(NamedTuple):
    """kind: what is wrong. text: the characters that are lost, added or taken back."""

    kind: MarkKind
    text: str


class Against:
    """One method's text against the whole text. at: how many of its characters are shown or lost.

    >>> against = Against("Hello 🤗")
    >>> against.show("Hello", 6, holds=False), against.show("\ufffd", 6, holds=False), against.at
    ((Mark(kind=<MarkKind.SPACE_LOST: 'space-lost'>, text=' '),), (Mark(kind=<MarkKind.EARLY: 'early'>, text='�'),), 6)
    """

    def __init__(self, text: str) -> None:
        self.text, self.at, self.last = text, 0, ""

    def show(self, piece: str, arrived: int, holds: bool) -> tuple[Mark, ...]:
        """What is wrong with the next piece. arrived: the characters of the text that its ids so far complete."""
        begin, self.last = self.at, piece[-1:] or self.last
        before = self.text[begin - 1 : begin]
        if self.text.startswith(piece, begin) and (
            begin + len(piece) == arrived or (holds and begin + len(piece) < arrived)
        ):
            self.at += len(piece)
            return ()
        stop = max(arrived, begin)
        wanted = self.text[begin : min(stop, begin + 2 * len(piece) + 64) if holds else stop]
        pairs, used = aligned(piece, wanted, holds)
        self.at = begin + used
        following = self.text[self.at : self.at + 1]
        found: list[Mark] = []
        kinds = [
            (kind, (shown or meant))
            for index, (shown, meant) in enumerate(pairs)
            if (kind := _kind(shown, meant, _neighbors(pairs, index, before, following)))
        ]
        for kind, group in groupby(kinds, lambda each: each[0]):
            found.append(Mark(kind, "".join(text for _, text in group)))
        return tuple(found)

    def end(self) -> tuple[Mark, ...]:
        """What was never shown."""
        left = self.text[self.at :]
        self.at = len(self.text)
        return tuple(
            Mark(MarkKind.SPACE_LOST if space else MarkKind.TEXT_LOST, "".join(group))
            for space, group in groupby(left, lambda ch: ch == " ")
        )


Pairs = list[tuple[str, str]]
"""Characters shown and meant; an empty string where there is none."""


def aligned(piece: str, wanted: str, open_end: bool) -> tuple[Pairs, int]:
    """The pairs of characters with the fewest lost and added, and how many of `wanted` they use up.

    open_end: characters at the end of `wanted` may be left.

    >>> aligned("a  b", "a b", False)
    ([('a', 'a'), (' ', ''), (' ', ' '), ('b', 'b')], 3)
    """
    rows, columns = len(piece), len(wanted)
    if rows * columns > MOST_CELLS:
        return [*((ch, "") for ch in piece), *(() if open_end else (("", ch) for ch in wanted))], (
            0 if open_end else columns
        )
    cost = [list(range(columns + 1))]
    for row, shown in enumerate(piece, 1):
        above, line = cost[-1], [row]
        for column, meant in enumerate(wanted, 1):
            best = min(above[column], line[column - 1]) + 1
            if shown == meant:
                best = min(best, above[column - 1])
            elif shown == REPLACEMENT:
                best = min(best, above[column - 1] + 1)
            line.append(best)
        cost.append(line)
    used = min(range(columns + 1), key=cost[rows].__getitem__) if open_end else columns
    row, column, pairs = rows, used, Pairs()
    while row or column:
        here = cost[row][column]
        if row and column:
            shown, meant = piece[row - 1], wanted[column - 1]
            step = 0 if shown == meant else 1 if shown == REPLACEMENT else 3
            if here == cost[row - 1][column - 1] + step:
                row, column = row - 1, column - 1
                pairs.append((shown, meant))
                continue
        if row and here == cost[row - 1][column] + 1:
            row -= 1
            pairs.append((piece[row], ""))
        else:
            column -= 1
            pairs.append(("", wanted[column]))
    return pairs[::-1], used


def _neighbors(pairs: Pairs, index: int, before: str, following: str) -> tuple[str, str]:
    """The characters of the whole text on both sides of a pair."""
    left = next((meant for _, meant in reversed(pairs[:index]) if meant), before)
    return left, next((meant for _, meant in pairs[index + 1 :] if meant), following)


def _kind(shown: str, meant: str, neighbors: tuple[str, str]) -> MarkKind | None:
    """What is wrong with a character, if anything. neighbors: of an added one, in the whole text."""
    if shown == meant:
        return None
    if not shown:
        return MarkKind.SPACE_LOST if meant == " " else MarkKind.TEXT_LOST
    if shown == REPLACEMENT and (meant or neighbors[1] != REPLACEMENT):
        return MarkKind.EARLY
    if shown == " ":
        return MarkKind.SPACE_DOUBLED if " " in neighbors else MarkKind.SPACE_ADDED
    return MarkKind.TEXT_ADDED

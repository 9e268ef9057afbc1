"""A stream of ids: after each, what every method shows, what it holds back, and what is wrong with that.

The measure is the text of all ids, decoded together. A method shows its text in pieces. Each piece is aligned with what
the whole text has at that point: with as few characters lost and added as possible, where a U+FFFD may stand for one
other character. Each mark is at the step where the method shows, or fails to show, that character. A method that holds
text back may show less than has arrived; one that doesn't has to show all of it at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, groupby
from operator import attrgetter
from typing import Final, NamedTuple

from explorer.analysis.ownership import common
from explorer.analysis.streaming_methods import REPLACEMENT, SHOWS, FailedError, Method, Windows
from explorer.engine import budget
from explorer.engine.decoders.chain import check_ids
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.text import decode_utf8
from explorer.text.say import number, plural

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
        return WORDS.get(self, self.value.replace("-", " "))


WORDS: Final = {
    MarkKind.EARLY: "\ufffd too early",
    MarkKind.TAKEN_BACK: "text taken back",
    MarkKind.FAILED: "ends with an error",
}
"""What the other kinds' names don't say."""


class Mark(NamedTuple):
    """kind: what is wrong. text: the characters that are lost, added or taken back."""

    kind: MarkKind
    text: str


KIND_OF: Final = attrgetter("kind")


class ShownText:
    """One method's text against the whole text. at: how many of its characters are shown or lost.

    >>> text = ShownText("Hello 🤗")
    >>> text.show("Hello", 6, holds=False), text.show("\ufffd", 6, holds=False), text.at
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
        marks = [
            Mark(kind, shown or meant)
            for index, (shown, meant) in enumerate(pairs)
            if (kind := _kind(shown, meant, _neighbors(pairs, index, before, following)))
        ]
        return tuple(Mark(kind, "".join(each.text for each in group)) for kind, group in groupby(marks, KIND_OF))

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
        left = "" if open_end else wanted
        return [*((ch, "") for ch in piece), *(("", ch) for ch in left)], len(left)
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


LONGEST: Final = 10_000
"""Ids of a stream."""


class Shown(NamedTuple):
    """What a method does when an id arrives.

    back: characters of its text that it takes back first; only the whole decoder can. text: what it then adds. held:
    the bytes that have arrived and are not shown. marks: what is wrong.
    """

    back: int
    text: str
    held: bytes
    marks: tuple[Mark, ...]


class StreamStep(NamedTuple):
    """An id that arrives.

    data: the token's bytes wherever it stands. part: what it gives in the text of all ids. shown: by method, in the
    order of `Stream.methods`.
    """

    id: int
    data: bytes
    part: bytes
    shown: tuple[Shown, ...]


@dataclass(frozen=True)
class Stream:
    """A stream of ids.

    text: of all ids together. steps: one for each id. ends: what each method does when the stream ends, in the order of
    `methods`.

    >>> import explorer
    >>> stream = explorer.load("llama-2").stream([15043, 29871, 243, 162, 167, 154])
    >>> stream.text, stream.text_of("alone"), [mark.words for mark in stream.kinds_of("alone")]
    ('Hello 🤗', 'Hello\ufffd\ufffd\ufffd\ufffd', ['space lost', '� too early'])
    >>> [step.shown[stream.index("llama.cpp")].held.hex() for step in stream.steps]
    ['', '', 'f0', 'f09f', 'f09fa4', '']
    """

    ids: tuple[int, ...]
    methods: tuple[Method, ...]
    text: str
    steps: tuple[StreamStep, ...]
    ends: tuple[Shown, ...]

    def index(self, method: str) -> int:
        """The index of a method in `methods`. Raises InputError for one that was not asked for."""
        if method not in self.methods:
            raise InputError(f"this stream has no method {method!r}; it has {', '.join(self.methods)}")
        return self.methods.index(Method(method))

    def shown(self, method: str) -> list[Shown]:
        """What a method does at each step, and at the end."""
        at = self.index(method)
        return [*(step.shown[at] for step in self.steps), self.ends[at]]

    def text_of(self, method: str, stop: int | None = None) -> str:
        """All text that a method shows, or that of the first `stop` ids."""
        text = ""
        for back, more, *_ in self.shown(method)[:stop]:
            text = text[: len(text) - back] + more
        return text

    def kinds_of(self, method: str) -> list[MarkKind]:
        """The kinds of marks of a method, each once, in the order in which they come."""
        return list(dict.fromkeys(mark.kind for each in self.shown(method) for mark in each.marks))

    def count(self, method: str, kind: MarkKind) -> int:
        """At how many steps a method has marks of a kind."""
        return sum(any(mark.kind == kind for mark in each.marks) for each in self.shown(method))

    @cached_property
    def right(self) -> tuple[Method, ...]:
        """The methods whose text is that of all ids in the end."""
        return tuple(method for method in self.methods if self.text_of(method) == self.text)


def stream(
    tokenizer: Tokenizer,
    ids: Iterable[int],
    *,
    methods: Sequence[str] = tuple(Method),
    unparse_special: bool = True,
) -> Stream:
    """Lets ids arrive one by one. methods: those of `Method`. unparse_special: as for `decode`.

    BOS is an id like any other: a model that generates text gives none. Raises InputError for an id outside the
    vocabulary, a method that is none, and more than 10,000 ids.
    """
    given = list(budget.ids(ids))
    budget.switch(unparse_special, "unparse_special")
    asked = tuple(map(_method, methods))
    if len(given) > LONGEST:
        raise InputError(f"{number(len(given))} ids are too many for a stream; give at most {number(LONGEST)}")
    check_ids(given, tokenizer.vocabulary)
    seconds = 2 * budget.SECONDS + budget.SECONDS_AN_ID * len(given)
    with budget.within(f"a stream of {plural(len(given), 'id')}", seconds):
        return _Writer(Windows(tokenizer, given, unparse_special), asked).write()


def _method(name: str) -> Method:
    try:
        return Method(name)
    except ValueError:
        raise InputError(f"there is no method {str(name)[:40]!r}; give one of {', '.join(Method)}") from None


class _Writer:
    """Plays a stream with every method."""

    def __init__(self, windows: Windows, methods: tuple[Method, ...]) -> None:
        self.windows, self.methods, self.ids = windows, methods, windows.ids
        self.parts = windows.parts(0, len(self.ids))
        self.data = b"".join(self.parts)
        self.text = self.data.decode("utf-8", "replace")
        self.offsets = [0, *accumulate(each.length for each in decode_utf8(self.data))]
        """by character of the text, its byte offset"""

    def write(self) -> Stream:
        """The stream."""
        # side by side, because methods decode the same ids at a step
        plays = [self._whole() if method == Method.WHOLE else self._pieces_of(method) for method in self.methods]
        alone = self.windows.tokenizer.decoder.alone
        steps = tuple(
            StreamStep(id, alone(id), part, tuple(map(next, plays)))
            for id, part in zip(self.ids, self.parts, strict=True)
        )
        return Stream(tuple(self.ids), self.methods, self.text, steps, tuple(map(next, plays)))

    def _whole(self) -> Iterator[Shown]:
        """The whole decoder, which shows all of the text anew."""
        shows, before = SHOWS[Method.WHOLE](self.windows), ""
        for at, id in enumerate(self.ids):
            now = shows.put(at + 1)
            kept = common(before, now)
            marks = []
            if kept < len(before):
                marks.append(Mark(MarkKind.TAKEN_BACK, before[kept:]))
            early = now[common(now, self.text) :]
            if REPLACEMENT in early:
                marks.append(Mark(MarkKind.EARLY, early))
            data = self.windows.tokenizer.decoder.alone(id)
            if data == b" " + self.parts[at]:
                marks.append(Mark(MarkKind.SPACE_LOST, " "))
            yield Shown(len(before) - kept, now[kept:], b"", tuple(marks))
            before = now
        yield Shown(0, "", b"", ())

    def _pieces_of(self, method: Method) -> Iterator[Shown]:
        """A method that shows pieces of text."""
        shows, text = SHOWS[method](self.windows), ShownText(self.text)
        arrived_bytes = arrived = 0
        failed = False
        for at, part in enumerate(self.parts):
            arrived_bytes += len(part)
            while arrived < len(self.text) and self.offsets[arrived + 1] <= arrived_bytes:
                arrived += 1
            piece, marks = "", tuple[Mark, ...]()
            if not failed:
                try:
                    piece = shows.put(at + 1)
                    marks = text.show(piece, arrived, method != Method.ALONE)
                except FailedError:
                    failed, marks = True, (Mark(MarkKind.FAILED, ""),)
            held = b"" if method == Method.ALONE else self.data[self.offsets[text.at] : arrived_bytes]
            yield Shown(0, piece, held, marks)
        piece = "" if failed else shows.end()
        marks = (*text.show(piece, len(self.text), True), *text.end())
        yield Shown(0, piece, b"", marks)

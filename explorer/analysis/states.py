"""What a text is after each stage, written so that two tokenizers can be compared: *plain*.

How a stage spells its text is no difference: a space that is written ▁, bytes written as printable characters, a `##`.
So every stage's output is turned back into plain characters, each with its span of the original text and the number of
the item it stands in. A ▁ is a space unless the text itself has a ▁ there. What special tokens stand for is left out.

The stages are those of the pipeline: partition, normalize, pre-tokenize. A tokenizer may lack one (its state is that
of the stage before) or have one twice (Hugging Face looks for some added tokens after normalization).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from explorer.analysis.alignment import Cell, cells_of, common_cuts, joins
from explorer.analysis.run import Run
from explorer.analysis.spelling import Spelling, spelling_of
from explorer.engine.byte_map import bytes_of
from explorer.engine.items import Items, Segment, Token
from explorer.engine.normalizers import ESCAPED_SPACE

PARTITION: Final = "partition"
NORMALIZE: Final = "normalize"
PRE_TOKENIZE: Final = "pre-tokenize"
MODEL: Final = "model"
POST_PROCESS: Final = "post-process"
TEXT: Final = "text"
"""No stage: what is done to a text before a tokenizer sees it (escapes)."""

TEXT_STAGES: Final = (PARTITION, NORMALIZE, PRE_TOKENIZE)
"""The stages whose output is text, in their order."""

ORDER: Final = (TEXT, *TEXT_STAGES, MODEL, POST_PROCESS)


class Plain(NamedTuple):
    """A text in plain characters: of each the span of the original it stands for and the item it stands in."""

    text: str
    starts: list[int]
    ends: list[int]
    items: list[int]
    reached: list[int]
    """The largest start so far: ascending, so that it can be searched even where marks changed places."""

    def within(self, start: int, end: int) -> slice:
        """The characters that begin in [start, end), inserted ones at `start` among them."""
        return slice(bisect_left(self.reached, start), bisect_left(self.reached, end))

    def of(self, start: int, end: int) -> str:
        """Their text."""
        return self.text[self.within(start, end)]

    def place(self, at: int) -> int:
        """The first character that begins at `at` of the original or behind it."""
        return bisect_left(self.reached, at)

    def piece(self, place: int) -> slice:
        """The characters of the item that a character stands in; nothing outside the text."""
        if not 0 <= place < len(self.text):
            return slice(0, 0)
        number = self.items[place]
        return slice(bisect_left(self.items, number), bisect_right(self.items, number))

    def around(self, at: int) -> tuple[int, int]:
        """Where in the original the pieces begin and end that touch a place."""
        place = self.place(at)
        pieces = self.piece(place - 1), self.piece(place)
        starts = [start for piece in pieces for start in self.starts[piece]]
        ends = [end for piece in pieces for end in self.ends[piece]]
        return min([at, *starts]), max([at, *ends])

    def begins_piece(self, at: int) -> bool:
        """Whether the first character that begins at a place, or behind it, is the first of its piece."""
        place = self.place(at)
        return place == len(self.text) or self.piece(place).start == place

    def cuts_at(self, at: int) -> bool:
        """Whether a piece ends before a place and another begins behind it; at the ends of the text always."""
        place = self.place(at)
        return place in (0, len(self.text)) or self.items[place] != self.items[place - 1]


@dataclass(frozen=True, slots=True)
class States:
    """What a run's text is after each stage.

    model: the index of the model's stage. specials: the tokens that stand before it runs; tokens: all that stand
    behind it. last: per stage of TEXT_STAGES the index of its last stage in the trace, None where it has none.
    """

    run: Run
    spelling: Spelling
    model: int
    specials: tuple[Token, ...]
    tokens: tuple[Token, ...]
    last: dict[str, int | None]
    plain: dict[str, Plain]

    @property
    def before_model(self) -> Plain:
        """What the model sees."""
        return self.plain[PRE_TOKENIZE]


def states(run: Run) -> States:
    """The states of a run.

    >>> import explorer
    >>> from explorer.analysis.run import run
    >>> [states(run(explorer.load(name), "A é")).before_model.text for name in ("llama-2", "gpt-2", "bert-uncased")]
    [' A é', 'A é', 'ae']
    """
    stages = run.trace.stages
    model = next(place for place, stage in enumerate(stages) if stage.name == MODEL)
    spelling = spelling_of(run.tokenizer)
    specials = tuple(item for item in stages[model].before if isinstance(item, Token))
    hidden = bytearray(len(run.text))
    for token in specials:
        hidden[token.start : token.end] = b"\1" * (token.end - token.start)
    last: dict[str, int | None] = {}
    made: dict[str, Plain] = {}
    upto = -1
    for number, name in enumerate(TEXT_STAGES):
        later = TEXT_STAGES[number + 1 :]
        while upto + 1 < model and stages[upto + 1].name not in later:
            upto += 1
        last[name] = max((place for place in range(upto + 1) if stages[place].name == name), default=None)
        items = stages[upto].after if upto >= 0 else stages[0].before
        made[name] = plain(items, run.text, upto >= 0 and spelling.printable[upto], hidden)
    tokens = tuple(item for item in stages[model].after if isinstance(item, Token))
    return States(run, spelling, model, specials, tokens, last, made)


def plain(items: Items, original: str, printable: bool, hidden: bytearray) -> Plain:
    """The segments among `items` as plain characters, without those whose original is hidden."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    numbers: list[int] = []
    hides = any(hidden)
    for number, item in enumerate(items):
        if not isinstance(item, Segment):
            continue
        segment = read(item) if printable else item
        text = segment.text
        if ESCAPED_SPACE in text:
            text = "".join(
                " " if ch == ESCAPED_SPACE and ESCAPED_SPACE not in original[start:end] else ch
                for ch, start, end in zip(*segment, strict=True)
            )
        if hides:
            kept = [at for at, start in enumerate(segment.starts) if start == segment.ends[at] or not hidden[start]]
            text = "".join(text[at] for at in kept)
            starts += [segment.starts[at] for at in kept]
            ends += [segment.ends[at] for at in kept]
        else:
            starts += segment.starts
            ends += segment.ends
        texts.append(text)
        numbers += [number] * len(text)
    return Plain("".join(texts), starts, ends, numbers, list(accumulate(starts, max)))


def read(segment: Segment) -> Segment:
    """A segment spelled in printable characters as the text it spells; as it is, where it spells none."""
    data = bytes_of(segment.text)
    try:
        text = data.decode() if data is not None else segment.text
    except UnicodeDecodeError:
        text = segment.text
    if len(text) == len(segment.text):
        return segment._replace(text=text)
    starts, ends, at = [], [], 0
    for ch in text:
        after = at + len(ch.encode())
        starts.append(segment.starts[at])
        ends.append(segment.ends[after - 1])
        at = after
    return Segment(text, starts, ends)


# --- two states side by side ---------------------------------------------------------------------------------------


class Group(NamedTuple):
    """The smallest stretch [start, end) of the original at whose ends both sides have a cut, and what each has there.

    left, right: ranges of what was aligned. start == end: inserted there.
    """

    start: int
    end: int
    left: range
    right: range


def grouped(left: Sequence[Cell], right: Sequence[Cell], size: int) -> Iterator[Group]:
    """Two rows of cells over `size` characters as groups, in order.

    >>> one, other = [Cell(0, 2, 0, 1)], [Cell(0, 0, 0, 1), Cell(0, 1, 1, 2), Cell(1, 2, 2, 3)]
    >>> [(group.left, group.right) for group in grouped(one, other, 2)]
    [(range(0, 0), range(0, 1)), (range(0, 1), range(1, 3))]
    """
    rows = (left, right)
    at = [0, 0]

    def take(side: int, empty: int | None, before: int) -> range:
        """The cells with an empty span at `empty`, or those that begin before `before`."""
        cells, place = rows[side], at[side]
        while place < len(cells) and (
            cells[place].start < before if empty is None else cells[place].start == cells[place].end == empty
        ):
            place += 1
        first = cells[at[side]].first if at[side] < place else 0
        found = range(first, cells[place - 1].last) if at[side] < place else range(0)
        at[side] = place
        return found

    cuts = common_cuts(rows, size)
    for place, cut in enumerate(cuts):
        inserted = [take(side, cut, 0) for side in (0, 1)]
        if any(inserted):
            yield Group(cut, cut, *inserted)
        if place + 1 < len(cuts):
            yield Group(cut, cuts[place + 1], *(take(side, None, cuts[place + 1]) for side in (0, 1)))


class Spot(NamedTuple):
    """Characters [start, end) of the original that are `left` on one side and `right` on the other."""

    start: int
    end: int
    left: str
    right: str

    def touches(self, start: int, end: int) -> bool:
        """Whether it lies in [start, end], or reaches into it."""
        return self.start <= end and start <= self.end


def spots(left: Plain, right: Plain, original: str) -> list[Spot]:
    """Where two plain texts differ, smallest stretches first to last.

    Marks that only changed places, or were composed, are one stretch with their letter, wherever a side puts them.
    """
    if left[:3] == right[:3]:
        return []
    size = len(original)
    found: list[Spot] = []
    chain: list[Spot] = []
    """spots of one letter and its marks"""

    def close() -> None:
        if len(chain) > 1:
            start, end = chain[0].start, chain[-1].end
            whole = Spot(start, end, left.of(start, end), right.of(start, end))
            if unicodedata.normalize("NFD", whole.left) == unicodedata.normalize("NFD", whole.right):
                chain[:] = [whole]
        found.extend(chain)
        chain.clear()

    for group in grouped(characters(left, size), characters(right, size), size):
        one = left.text[group.left.start : group.left.stop]
        other = right.text[group.right.start : group.right.stop]
        if one == other:
            continue
        between = original[chain[-1].end : group.start + 1] if chain else ""
        if group.start == group.end or not all(map(joins, between)):
            close()
        chain.append(Spot(group.start, group.end, one, other))
    close()
    return found


def characters(side: Plain, size: int) -> list[Cell]:
    """The characters as cells: those of one span in one cell."""
    return list(cells_of([Token(0, start, end) for start, end in zip(side.starts, side.ends, strict=True)], size))


class Boundary(NamedTuple):
    """A place of the original where one side ends a piece and the other does not."""

    at: int
    left: bool
    """Whether it is the left side that cuts."""


def boundaries(left: Plain, right: Plain, apart: Sequence[Spot]) -> list[Boundary]:
    """The places where only one side cuts, but for those that touch a place where the texts differ."""
    if left.items == right.items and left[:3] == right[:3]:
        return []
    touched = {place for spot in apart for place in range(spot.start, spot.end + 1)}
    found = set()
    for side, other, is_left in ((left, right, True), (right, left, False)):
        for place in range(1, len(side.text)):
            if side.items[place] != side.items[place - 1]:
                at = side.starts[place]
                if at not in touched and not other.cuts_at(at):
                    found.add(Boundary(at, is_left))
    return sorted(found)

"""Which event of a stage is about a place of the text, so that a stepper can be put there.

Rows count in different things (code points of the original, of an item, symbols, bytes). Here each kind of row is read
once, and everything is given in code points of the original text. A kind of row that is not known here has no events
that can be found: the answer is None then, never a wrong one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple, cast

from explorer.analysis.divergence.covers import Covering, Covers
from explorer.analysis.divergence.states import States
from explorer.engine.items import Segment
from explorer.engine.models.merges import Merge, MergeModel, MergeRow, spans
from explorer.engine.models.wordpiece import Match, MatchRow
from explorer.engine.normalizers.charsmap.rows import CharsmapRow
from explorer.engine.normalizers.stage import NormalizeRow
from explorer.engine.partition.rows import Partition, PartitionRow
from explorer.engine.partition.user_defined import SymbolRow
from explorer.engine.post_processors.rows import PostProcessRow
from explorer.engine.pre_tokenizers.stage import PreTokenize, PreTokenizeRow
from explorer.engine.tokenizer import Stage

# --- stages that change or cut text ---------------------------------------------------------------------------------

PIECES = (
    PreTokenize.PIECE, PreTokenize.GAP, PreTokenize.REMOVED, PreTokenize.REST_REMOVED, PreTokenize.MERGED_PREVIOUS,
    PreTokenize.MERGED_NEXT, PreTokenize.JOINED,
)  # fmt: skip


def paints(stage: Stage) -> Iterator[tuple[int, int, int]]:
    """(start, end, event) of the events that are about a stretch of the original, in their order; a later one is the
    one that counts. start == end: something was inserted there."""
    kind_of_row = stage.part.row
    known = (CharsmapRow, SymbolRow, PreTokenizeRow)
    for event, row in enumerate(stage.events if kind_of_row in known else ()):
        if kind_of_row is CharsmapRow:
            yield row.at, row.at + row.size, event
        elif kind_of_row is SymbolRow or row.kind in PIECES or row.kind == PreTokenize.PREFIX:
            yield row.start, row.end, event


class TextEvents:
    """The events of a stage that cuts or changes text, to be asked for a place."""

    def __init__(self, side: States, number: int) -> None:
        self.side, self.stage = side, side.run.trace.stages[number]
        self.row = self.stage.part.row

    def find(self, start: int, end: int, code_points: str = "", token: int | None = None) -> int | None:
        """The event about [start, end) of the original; None where there is none.

        code_points: what was there or is there now. token: the special token in question.
        """
        if self.row is NormalizeRow:
            return self.of_normalize(start, code_points)
        # a row counts in the text that was read
        start, end = self.side.run.in_read(start), self.side.run.in_read(end)
        if self.row is PartitionRow:
            return self.of_partition(start, end, token)
        painted, inserted = self.painted
        return inserted.get(start) if start == end else painted.get(start)

    def of_partition(self, start: int, end: int, token: int | None) -> int | None:
        """The event of a special token or of white space it swallowed; else of the token that was not looked for; else
        of the text it was left in."""
        not_parsed, taken, left = self.partitioned
        found = [event for event in (not_parsed.get(token, None), taken.first(start, end)) if event is not None]
        return min(found) if found else left.first(start, end)

    @cached_property
    def partitioned(self) -> tuple[dict[int | None, int], Covers, Covers]:
        """Per token the event that it was not looked for; the events of what was taken; those of what was left."""
        not_parsed: dict[int | None, int] = {}
        taken: list[Covering] = []
        left: list[Covering] = []
        for event, row in enumerate(self.stage.events):
            if row.kind == Partition.NOT_PARSED:
                not_parsed.setdefault(row.token, event)
            else:
                (left if row.kind == Partition.RAW_TEXT else taken).append(Covering(row.start, row.end, event))
        return not_parsed, Covers(taken), Covers(left)

    def of_normalize(self, start: int, code_points: str) -> int | None:
        """The event that wrote one of these code points nearest to the place; rows count in the text of their item."""
        near = []
        for ch in set(code_points):
            places, events = self.written.get(ord(ch), ([], []))
            at = bisect_left(places, start)
            near += [(abs(places[each] - start), events[each]) for each in (at - 1, at) if 0 <= each < len(places)]
        return min(near)[1] if near else None

    @cached_property
    def written(self) -> dict[int, tuple[list[int], list[int]]]:
        """Code point → the places of the original where it was written or dropped, in order, and the first event of
        each."""
        found: dict[int, dict[int, int]] = {}
        for event, row in enumerate(self.stage.events):
            segment = self.stage.after[row.item] if row.item < len(self.stage.after) else None
            if isinstance(segment, Segment) and segment.text:
                place = segment.starts[min(row.at, len(segment.text) - 1)]
                found.setdefault(row.code_point, {}).setdefault(place, event)
        return {
            code_point: (sorted(events), [events[place] for place in sorted(events)])
            for code_point, events in found.items()
        }

    @cached_property
    def painted(self) -> tuple[dict[int, int], dict[int, int]]:
        """Place in the text that was read → the event that counts there; and the same for what was inserted."""
        over: dict[int, int] = {}
        inserted: dict[int, int] = {}
        for start, end, event in paints(self.stage):
            if start == end:
                inserted[start] = event
            for place in range(start, end):
                over[place] = event
        return over, inserted


def added_event(side: States, token: int) -> int | None:
    """The event of the post-processing that is about a token."""
    stage = side.run.trace.stages[-1]
    if stage.part.row is not PostProcessRow:
        return None
    return next((event for event, row in enumerate(stage.events) if row.token == token), None)


# --- the model ------------------------------------------------------------------------------------------------------

OUTPUTS: Final = frozenset(
    (
        *("TOKEN", "WHOLE", "BYTE", "RAW_BYTE", "UNKNOWN", "UNKNOWN_SYMBOL"),
        *("HIT", "DISCARD", "TOO_LONG"),
        *("TAKE", "FALL_BACK", "FOUND", "KNOWN"),
    )
)
"""The kinds of event that give a token out, by their names: merges and paths, longest matches, walks and
look-ups."""


class Output(NamedTuple):
    """The event by which a token was given out, and its kind."""

    event: int
    kind: int


def outputs(side: States) -> dict[int, Output]:
    """Per token behind the model, by its place: the event that gave it out. Empty where the events do not say it."""
    stage = side.run.trace.stages[side.model]
    data, width = stage.events.data, stage.events.width
    wanted = {kind.value for kind in stage.part.kinds if kind.name in OUTPUTS}
    found: list[Output] = []
    for event, kind in enumerate(data[0::width]):
        if kind not in wanted:
            continue
        if stage.part.row is MatchRow and kind == Match.DISCARD:
            # what was found of the word before goes
            gone = data[event * width + 2]
            del found[len(found) - gone :]
        found.append(Output(event, kind))
    specials = iter(side.specials)
    special = next(specials, None)
    places = []
    for place, token in enumerate(side.tokens):
        if token == special:
            special = next(specials, None)
        else:
            places.append(place)
    # the token is the last field of every row
    given = [data[each.event * width + width - 1] for each in found]
    if given != [side.tokens[place].id for place in places]:
        return {}
    return dict(zip(places, found, strict=True))


class Merged(NamedTuple):
    """A merge: the characters [start, end) of the original it covers, both sides in plain bytes, what it is worth.

    worth: its place in the list of merges, its rank, or its score.
    """

    start: int
    end: int
    event: int
    left: bytes
    right: bytes
    worth: float | None

    @property
    def key(self) -> tuple[int, int, bytes, bytes]:
        """What a merge of another tokenizer is compared by."""
        return self.start, self.end, self.left, self.right


def merges(side: States) -> list[Merged]:
    """Every merge of the model's stage, ordered by where it begins; empty where the model does not merge."""
    stage = side.run.trace.stages[side.model]
    return sorted(played(stage, side)) if stage.part.row is MergeRow else []


def played(stage: Stage, side: States) -> Iterator[Merged]:
    """The merges in the order they were done."""
    model = cast(MergeModel, stage.part)
    segment: Segment | None = None
    pieces: list[bytes] = []
    starts: Sequence[int] = ()
    ends: list[int] = []
    for index, row in enumerate(stage.events):
        if row.kind == Merge.SEGMENT:
            segment = cast(Segment, stage.before[row.left])
            units = model.units(segment.text)
            (starts, last), pieces = spans(units, segment.text), list(units.pieces)
            ends = list(last)
        elif row.kind == Merge.MERGE and segment is not None:
            left, right = pieces[row.left], pieces[row.right]
            worth = model.priority(left, right)
            yield Merged(
                segment.starts[starts[row.left]],
                segment.ends[ends[row.right] - 1],
                index,
                side.spelling.plain(left),
                side.spelling.plain(right),
                -worth if worth is not None and model.worth == "score" else worth,
            )
            pieces[row.left], ends[row.left] = model.join((left, right)), ends[row.right]


def within(found: Sequence[Merged], start: int, end: int) -> list[Merged]:
    """The merges that lie in [start, end), in the order they were done."""
    place = bisect_left(found, start, key=lambda merged: merged.start)
    inside = []
    while place < len(found) and found[place].start < end:
        if found[place].end <= end:
            inside.append(found[place])
        place += 1
    return sorted(inside, key=lambda merged: merged.event)

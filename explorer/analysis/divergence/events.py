"""Which event of a stage is about a span of the text, so that a stepper can start there.

Rows count in different units (code points of the original, of an item, symbols, bytes). This module reads each type of
row and gives everything in code points of the original text. For an unknown type of row, the answer is None.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple, cast

from explorer.analysis.divergence.spans import Covering, Covers
from explorer.analysis.divergence.states import States
from explorer.engine.items import Segment
from explorer.engine.models.merge_replay import MergeReplay, priority_value
from explorer.engine.models.merges import MergeEvent, MergeModel, MergeRow, spans
from explorer.engine.models.wordpiece import WordPieceEvent, WordPieceRow
from explorer.engine.normalizers.charsmap.rows import CharsmapRow
from explorer.engine.normalizers.stage import NormalizeRow
from explorer.engine.partition.rows import PartitionEvent, PartitionRow
from explorer.engine.partition.user_defined import UserDefinedRow
from explorer.engine.post_processors.rows import PostProcessRow
from explorer.engine.pre_tokenizers.stage import PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.wpm import WpmEvent, WpmRow
from explorer.engine.results import Stage

# --- stages that change or cut text ---------------------------------------------------------------------------------

PIECES = (
    PreTokenizeEvent.PIECE,
    PreTokenizeEvent.GAP,
    PreTokenizeEvent.REMOVED,
    PreTokenizeEvent.REST_REMOVED,
    PreTokenizeEvent.MERGED_PREVIOUS,
    PreTokenizeEvent.MERGED_NEXT,
    PreTokenizeEvent.JOINED,
)


def painted_spans(stage: Stage) -> Iterator[tuple[int, int, int]]:
    """(start, end, event) of the events about a span of the text, in order; a later one overrides an earlier one.

    start == end: an insertion at that position.
    """
    kind_of_row = stage.part.row
    if kind_of_row is WpmRow:
        yield from wpm_spans(stage)
    for event, row in enumerate(stage.events if kind_of_row in (CharsmapRow, UserDefinedRow, PreTokenizeRow) else ()):
        if kind_of_row is CharsmapRow:
            yield row.at, row.at + row.size, event
        elif kind_of_row is UserDefinedRow or row.kind in PIECES or row.kind == PreTokenizeEvent.PREFIX:
            yield row.start, row.end, event


def wpm_spans(stage: Stage) -> Iterator[tuple[int, int, int]]:
    """`painted_spans` of llama.cpp's loop: a turn is about the code point it looks at."""
    for event, row in enumerate(stage.events):
        segment = stage.before[row.item]
        if isinstance(segment, Segment) and row.kind not in (WpmEvent.BEGIN, WpmEvent.POP):
            yield segment.starts[row.at], segment.ends[row.at], event


class TextEvents:
    """Finds events by span in a stage that cuts or changes text."""

    def __init__(self, side: States, number: int) -> None:
        self.side, self.stage = side, side.run.trace.stages[number]
        self.row = self.stage.part.row

    def find(self, start: int, end: int, code_points: str = "", token: int | None = None) -> int | None:
        """The event about [start, end) of the original; None if no event is about it.

        code_points: the characters at the span before and after the stage. token: the special token that differs.
        """
        if self.row is NormalizeRow:
            return self.of_normalize(start, code_points)
        # rows count in the text that was read, with escapes replaced
        start, end = self.side.run.in_read(start), self.side.run.in_read(end)
        if self.row is PartitionRow:
            return self.of_partition(start, end, token)
        painted, inserted = self.painted
        return inserted.get(start) if start == end else painted.get(start)

    def of_partition(self, start: int, end: int, token: int | None) -> int | None:
        """The first event of a special token, swallowed white space or a token not parsed; else of plain text."""
        not_parsed, taken, left = self.partitioned
        found = [event for event in (not_parsed.get(token, None), taken.first(start, end)) if event is not None]
        return min(found) if found else left.first(start, end)

    @cached_property
    def partitioned(self) -> tuple[dict[int | None, int], Covers, Covers]:
        """By token the event that it was not parsed; the events of what was cut out; those of the remaining text."""
        not_parsed: dict[int | None, int] = {}
        taken: list[Covering] = []
        left: list[Covering] = []
        for event, row in enumerate(self.stage.events):
            if row.kind == PartitionEvent.NOT_PARSED:
                not_parsed.setdefault(row.token, event)
            elif row.kind != PartitionEvent.NOT_THERE:
                (left if row.kind == PartitionEvent.RAW_TEXT else taken).append(Covering(row.start, row.end, event))
        return not_parsed, Covers(taken), Covers(left)

    def of_normalize(self, start: int, code_points: str) -> int | None:
        """The event that wrote one of these code points nearest to a position; rows count in the text of their item."""
        near = []
        for ch in set(code_points):
            positions, events = self.written.get(ord(ch), ([], []))
            at = bisect_left(positions, start)
            near += [
                (abs(positions[each] - start), events[each]) for each in (at - 1, at) if 0 <= each < len(positions)
            ]
        return min(near)[1] if near else None

    @cached_property
    def written(self) -> dict[int, tuple[list[int], list[int]]]:
        """By code point, the sorted positions of the original where it was written or dropped, and each one's event."""
        found: dict[int, dict[int, int]] = {}
        for event, row in enumerate(self.stage.events):
            segment = self.stage.after[row.item] if row.item < len(self.stage.after) else None
            if isinstance(segment, Segment) and segment.text:
                position = segment.starts[min(row.at, len(segment.text) - 1)]
                found.setdefault(row.code_point, {}).setdefault(position, event)
        return {
            code_point: (sorted(events), [events[position] for position in sorted(events)])
            for code_point, events in found.items()
        }

    @cached_property
    def painted(self) -> tuple[dict[int, int], dict[int, int]]:
        """The event by position of the text that was read; and the same for insertions."""
        over: dict[int, int] = {}
        inserted: dict[int, int] = {}
        for start, end, event in painted_spans(self.stage):
            if start == end:
                inserted[start] = event
            for position in range(start, end):
                over[position] = event
        return over, inserted


def added_event(side: States, token: int) -> int | None:
    """The event of post-processing that added a token."""
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
"""The kinds of event that output a token, by name: of merges and paths, of longest match, of tries and look-ups."""


class Output(NamedTuple):
    """The event that output a token, and its kind."""

    event: int
    kind: int


def outputs(side: States) -> dict[int, Output]:
    """By index of a token in the model's output, the event that output it. Empty if the events don't tell."""
    stage = side.run.trace.stages[side.model]
    data, width = stage.events.data, stage.events.width
    wanted = {kind.value for kind in stage.part.kinds if kind.name in OUTPUTS}
    emitted: list[Output] = []
    for event, kind in enumerate(data[0::width]):
        if kind not in wanted:
            continue
        if stage.part.row is WordPieceRow and kind == WordPieceEvent.DISCARD:
            # the pieces found for the word so far are discarded
            gone = data[event * width + 2]
            del emitted[len(emitted) - gone :]
        emitted.append(Output(event, kind))
    specials = iter(side.specials)
    special = next(specials, None)
    indices = []
    for index, token in enumerate(side.tokens):
        if token == special:
            special = next(specials, None)
        else:
            indices.append(index)
    # the token is the last field of every row
    if [data[each.event * width + width - 1] for each in emitted] != [side.tokens[index].id for index in indices]:
        return {}
    return dict(zip(indices, emitted, strict=True))


class Merged(NamedTuple):
    """A merge: the characters [start, end) of the original it covers, both symbols in plain bytes, and its priority.

    priority_value: its index in the list of merges, its rank, or its score.
    """

    start: int
    end: int
    event: int
    left: bytes
    right: bytes
    priority_value: float | None

    @property
    def key(self) -> tuple[int, int, bytes, bytes]:
        """What is equal for the same merge of another tokenizer."""
        return self.start, self.end, self.left, self.right


def merges(side: States) -> list[Merged]:
    """Every merge of the model's stage, ordered by its start; empty if the model doesn't merge."""
    stage = side.run.trace.stages[side.model]
    return sorted(replayed(stage, side)) if stage.part.row is MergeRow else []


def replayed(stage: Stage, side: States) -> Iterator[Merged]:
    """The merges, by segment in the order they were made."""
    model, events = cast(MergeModel, stage.part), stage.events
    kinds = events.data[0 :: events.width]
    for first, last in pairwise([*(at for at, kind in enumerate(kinds) if kind == MergeEvent.SEGMENT), len(events)]):
        segment = cast(Segment, stage.before[events[first].left])
        rows = ((event, events[event]) for event in range(first, last) if kinds[event] == MergeEvent.MERGE)
        replay = MergeReplay(model, segment.text, rows)
        starts, ends = spans(replay.symbols, segment.text)
        for merge in replay.merges.values():
            yield Merged(
                segment.starts[starts[merge.start]],
                segment.ends[ends[merge.end - 1] - 1],
                merge.event,
                side.spelling.plain(merge.left),
                side.spelling.plain(merge.right),
                priority_value(model, merge.left, merge.right),
            )


def within(found: Sequence[Merged], start: int, end: int) -> list[Merged]:
    """The merges within [start, end), in the order they were made."""
    index = bisect_left(found, start, key=lambda merged: merged.start)
    inside = []
    while index < len(found) and found[index].start < end:
        if found[index].end <= end:
            inside.append(found[index])
        index += 1
    return sorted(inside, key=lambda merged: merged.event)

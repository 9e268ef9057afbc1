"""Normalization as a map: each character of the text and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from explorer.engine.items import Segment
from explorer.engine.normalizers import Normalize
from explorer.engine.tokenizer import Trace
from explorer.text import facts
from explorer.views.boards.board import Board, Cell, cell, code_points, glyph, row
from explorer.views.say import Say, plural
from explorer.views.window import Window


class Mapped(NamedTuple):
    """Characters [start, end) of the original text became `to`; start == end: `to` was inserted there."""

    start: int
    end: int
    to: str


def mapped(segment: Segment) -> Iterator[Mapped]:
    """The alignment of a segment, grouped: one-to-one, one-to-many, many-to-one, inserted.

    >>> from array import array
    >>> list(mapped(Segment("▁a", array("i", [0, 0]), array("i", [0, 1]))))
    [Mapped(start=0, end=0, to='▁'), Mapped(start=0, end=1, to='a')]
    """
    at = 0
    while at < len(segment.text):
        span = segment.starts[at], segment.ends[at]
        stop = at + 1
        while stop < len(segment.text) and (segment.starts[stop], segment.ends[stop]) == span != (span[0], span[0]):
            stop += 1
        yield Mapped(*span, segment.text[at:stop])
        at = stop


def normalize_board(trace: Trace, window: Window) -> Board:
    """One cell a character: from above, to below; what was inserted, replaced or dropped stands out."""
    stage = trace.stage("normalize")
    cells: list[Cell] = []
    for item in stage.after:
        if not isinstance(item, Segment) or not item.text or item.ends[-1] <= window.start:
            continue
        if item.starts[0] >= window.end:
            break
        at = item.starts[0]
        for part in mapped(item):
            if window.holds(part.start):
                cells += [map_cell(trace.text, Mapped(place, place + 1, "")) for place in range(at, part.start)]
                cells.append(map_cell(trace.text, part))
            at = max(at, part.end)
    return Board(
        normalize_say(trace),
        [row("map", "Character by character", cells, limit=96, empty="There is no text to normalize.",
             outside=(window.start, len(trace.text) - window.end))],
    )  # fmt: skip


def map_cell(text: str, part: Mapped) -> Cell:
    """One group of the map."""
    source = text[part.start : part.end]
    if not source:
        tip = [["inserted", code_points(part.to)], ["why", "it is put in front at the start and after a special token"]]
        to = [glyph(ch) for ch in part.to]
        return cell("", part.start, part.end, look="inserted", tag="inserted", to=to, tip=tip)
    shown = glyph(source[0]) if len(source) == 1 else {"t": source}
    shown_text = shown.pop("t")
    if source == part.to:
        fact = facts(source[0])
        tip = [["unchanged", f"{fact.label} {fact.name}"], ["flags", ", ".join(fact.words)]]
        return cell(shown_text, part.start, part.end, tip=tip, **shown)
    tip = [["from", code_points(source)], ["to", code_points(part.to) or "nothing"],
           ["flags", ", ".join(facts(source[0]).words)]]  # fmt: skip
    look = "changed" if part.to else "dropped"
    return cell(shown_text, part.start, part.end, look=look, to=[glyph(ch) for ch in part.to], tip=tip, **shown)


def normalize_say(trace: Trace) -> Say:
    """What was done, in one sentence."""
    events = trace.stage("normalize").events
    prefixed = sum(event.kind == Normalize.PREFIX for event in events)
    replaced = sum(event.kind == Normalize.REPLACE for event in events)
    formed = sum(event.kind == Normalize.FORM for event in events)
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    if formed:
        return Say.of(
            "A Unicode normalization form rewrote {0:t}: the same text to a reader, other code points, and other ids.",
            plural(formed, "character"),
        )
    if not replaced:
        return Say.of("Changed nothing.")
    escaped = f"{plural(replaced, 'space is', 'spaces are')} written ▁ (U+2581)"
    if not prefixed:
        return Say.of("No space is put in front; {0:t}.", escaped)
    where = "the text" if prefixed == 1 else f"{prefixed} fragments"
    return Say.of("A space is put in front of {0:t}, and {1:t}.", where, escaped)

"""Which events of a pre-tokenizer are about a span, and which about a cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.wpm import WpmEvent
from explorer.engine.results import Stage
from explorer.stages.finders import Seam
from explorer.stages.why import WhyStep
from explorer.text import visible
from explorer.text.say import Say

PIECES: Final = (
    PreTokenizeEvent.PIECE,
    PreTokenizeEvent.GAP,
    PreTokenizeEvent.REMOVED,
    PreTokenizeEvent.REST_REMOVED,
    PreTokenizeEvent.MERGED_PREVIOUS,
    PreTokenizeEvent.MERGED_NEXT,
    PreTokenizeEvent.JOINED,
)
"""The kinds of event that are about a piece of the text."""

TURNS: Final[Mapping[WpmEvent, Say]] = {
    WpmEvent.WHITE_SPACE: Say("white space: it ends a word"),
    WpmEvent.DROP: Say("a control: it is dropped"),
    WpmEvent.DROP_MARK: Say("a mark: it is dropped"),
    WpmEvent.ALONE: Say("punctuation, an ASCII symbol or a Chinese character: a word by itself"),
    WpmEvent.APPEND: Say("appended to the last word"),
}
"""What a turn of llama.cpp's loop does."""


def pattern_spans(stage: Stage) -> Iterator[tuple[int, int, int]]:
    """(start, end, event) of the pieces and inserted prefixes."""
    for event, row in enumerate(stage.events):
        if row.kind in PIECES or row.kind == PreTokenizeEvent.PREFIX:
            yield row.start, row.end, event


def word_spans(stage: Stage) -> Iterator[tuple[int, int, int]]:
    """The same of llama.cpp's loop: a turn is about the code point it looks at."""
    for event, row in enumerate(stage.events):
        segment = stage.before[row.item]
        if isinstance(segment, Segment) and row.kind not in (WpmEvent.BEGIN, WpmEvent.POP):
            yield segment.starts[row.at], segment.ends[row.at], event


def pattern_seam(seam: Seam) -> Iterator[WhyStep]:
    """The events about the pieces on both sides of a cut, and about what is between them."""
    end, first = seam.between
    last = end - 1
    seen = set()
    for event, row in enumerate(seam.stage.events):
        # a later splitter of the stage may find the same piece again
        if row.kind not in PIECES or (row.start, row.end, row.kind) in seen:
            continue
        seen.add((row.start, row.end, row.kind))
        kept = row.kind not in (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED)
        beside = (row.start <= last < row.end) != (row.start <= first < row.end)
        # a space that normalization inserts has the span of its neighbor, which is not removed
        start, stop = (row.start, row.end) if kept else (max(row.start, last + 1), min(row.end, first))
        if beside if kept else start < stop:
            text = visible(seam.text[start:stop])
            kind = PreTokenizeEvent(row.kind).name
            yield WhyStep(seam.number, event, kind, (text,), text if kept else "", why(seam.stage, row), good=kept)


def why(stage: Stage, row: PreTokenizeRow) -> Say:
    """Why a piece is one."""
    part = stage.part
    if row.choice >= 0 and isinstance(part, PreTokenization):
        return Say.of("{0:t}", part.alternatives[row.choice].says)
    return Say("between two matches of the pattern")


def word_seam(seam: Seam) -> Iterator[WhyStep]:
    """The turns of llama.cpp's loop around a cut: the last one of a word, those between, the first of the next."""
    one, other = seam.sides
    for start, end, event in word_spans(seam.stage):
        if one.starts[-1] <= start and end <= other.ends[0]:
            row = seam.stage.events[event]
            text = visible(seam.text[seam.in_read(start) : seam.in_read(end)])
            kind, kept = WpmEvent(row.kind), row.code_point >= 0
            made = chr(row.code_point) if kept else ""
            yield WhyStep(seam.number, event, kind.name, (text,), made, TURNS[kind], good=kept)

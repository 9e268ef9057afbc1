"""Normalization as a map: each character of the text and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from explorer.engine.bert_normalizer import BertNormalize
from explorer.engine.charsmap import CharsmapRow
from explorer.engine.items import Segment
from explorer.engine.normalizers import Normalize
from explorer.engine.old_unicode import decomposed, is_mark
from explorer.engine.tokenizer import Stage, Trace
from explorer.text import facts, label, visible
from explorer.text.code_points import first_of_nfd
from explorer.views.boards.board import Board, Cell, cell, classes, code_points, glyph, row
from explorer.views.boards.charsmap_say import charsmap_say
from explorer.views.say import Say, plural
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary


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


def pairs(stage: Stage) -> Iterator[tuple[Segment, Segment]]:
    """Each segment before the stage with what became of it, an empty segment where nothing was left."""
    after = [item for item in stage.after if isinstance(item, Segment) and item.text]
    place = 0
    for was in stage.before:
        if isinstance(was, Segment):
            left = place < len(after) and after[place].starts[0] <= was.ends[-1]
            yield was, after[place] if left else Segment("", (), ())
            place += left


def normalize_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One cell a character: from above, to below; what was inserted, replaced or dropped stands out."""
    stage = trace.stage("normalize")
    cells: list[Cell] = []
    for was, item in pairs(stage):
        # what a segment covered before tells what was dropped at its ends
        if was.ends[-1] <= window.start:
            continue
        if was.starts[0] >= window.end:
            break
        at = was.starts[0]
        # in the order of the text, which marks that changed places are not in
        for part in [*sorted(mapped(item), key=lambda part: part.start), Mapped(was.ends[-1], was.ends[-1], "")]:
            dropped = range(max(at, window.start), min(part.start, window.end))
            cells += [map_cell(trace.text, Mapped(place, place + 1, "")) for place in dropped]
            if part.to and (window.holds(part.start) or part.start == window.end == len(trace.text)):
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
        why = "it is put in front at the start and after a special token"
        if part.to == " ":
            why = "it sets a Chinese character apart"
        tip = [["inserted", code_points(part.to)], ["why", why]]
        to = [glyph(ch) for ch in part.to]
        return cell("", part.start, part.end, look="inserted", tag="inserted", to=to, tip=tip)
    shown = glyph(source[0]) if len(source) == 1 else {"t": source}
    shown_text = shown.pop("t")
    if source == part.to:
        fact = facts(source[0])
        tip = [["unchanged", f"{fact.label} {fact.name}"], *classes(source[0])]
        return cell(shown_text, part.start, part.end, tip=tip, **shown)
    tip = [["from", code_points(source)], ["to", code_points(part.to) or "nothing"],
           *classes(source[0])]  # fmt: skip
    look = "changed" if part.to else "dropped"
    return cell(shown_text, part.start, part.end, look=look, to=[glyph(ch) for ch in part.to], tip=tip, **shown)


def normalize_say(trace: Trace) -> Say:
    """What was done, in one sentence."""
    stage = trace.stage("normalize")
    if stage.part.row is CharsmapRow:
        return charsmap_say(stage)
    if stage.part.kinds is BertNormalize:
        return bert_say(trace)
    events = stage.events
    prefixed = sum(event.kind == Normalize.PREFIX for event in events)
    replaced = sum(event.kind == Normalize.REPLACE for event in events)
    formed = sum(event.kind == Normalize.FORM for event in events)
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    if formed:
        return Say.of(
            "A Unicode normalization form rewrote {0:t}: the same text to a reader, other code points, and other ids. "
            "llama.cpp normalizes nothing for vocabularies of this kind.",
            plural(formed, "character"),
        )
    if not replaced:
        return Say.of("Changed nothing.")
    escaped = f"{plural(replaced, 'space is', 'spaces are')} written ▁ (U+2581)"
    if not prefixed:
        return Say.of("No space is put in front; {0:t}.", escaped)
    where = "the text" if prefixed == 1 else f"{prefixed} fragments"
    return Say.of("A space is put in front of {0:t}, and {1:t}.", where, escaped)


DONE: dict[BertNormalize, tuple[str, str]] = {
    BertNormalize.DROP_CONTROL: ("control is dropped", "controls are dropped"),
    BertNormalize.SPACE: (
        "white space character is written as a space",
        "white space characters are written as spaces",
    ),
    BertNormalize.ISOLATE: ("Chinese character gets spaces around it", "Chinese characters get spaces around them"),
    BertNormalize.DECOMPOSE: ("character is decomposed", "characters are decomposed"),
    BertNormalize.REORDER: ("mark changes its place", "marks change their places"),
    BertNormalize.FIRST_OF_NFD: (
        "character is decomposed, of which only the first code point is kept",
        "characters are decomposed, of which only the first code point is kept",
    ),
    BertNormalize.DROP_MARK: ("combining mark is dropped", "combining marks are dropped"),
    BertNormalize.LOWER: ("character is lowercased", "characters are lowercased"),
}


def bert_say(trace: Trace) -> Say:
    """What BERT's normalization did: how many of each kind, in the order of the passes."""
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    counts = Counter(event.kind for event in trace.stage("normalize").events)
    done = [plural(counts[kind], *words) for kind, words in DONE.items() if counts[kind]]
    if not done:
        return Say.of("Changed nothing.")
    listed = f"{', '.join(done[:-1])} and {done[-1]}" if len(done) > 1 else done[0]
    return Say.of("{0:t}.", listed).then(*nfd_says(trace.text, counts))


def nfd_says(text: str, counts: Mapping[int, int]) -> list[Say]:
    """Where something was decomposed: that the two programs keep something else of it, with an example of the text."""
    first_only = bool(counts[BertNormalize.FIRST_OF_NFD])
    if not first_only and not counts[BertNormalize.DECOMPOSE]:
        return []
    rule = "Of a decomposition llama.cpp keeps the first code point only, Hugging Face all but the marks"
    for ch in dict.fromkeys(text):
        by_llama_cpp = first_of_nfd(ch)
        by_hugging_face = "".join(part for part in decomposed(ch) if not is_mark(part))
        if by_llama_cpp != by_hugging_face:
            left = " ".join(map(label, by_hugging_face)) or "nothing"
            return [
                Say.of(
                    f"{rule}: from {{0:q}} the one leaves {{1:t}}, the other {{2:t}}.",
                    visible(ch),
                    label(by_llama_cpp),
                    left,
                )
            ]
    return [Say.of(f"{rule}: for this text that is the same.")]

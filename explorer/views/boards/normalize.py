"""Normalization as a map: each character of the text and what it becomes."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from explorer.engine.items import Segment
from explorer.engine.normalizers.charsmap.rows import CharsmapRow
from explorer.engine.normalizers.llama_cpp import EscapeWhitespace, SpacePrefix
from explorer.engine.normalizers.stage import Normalization, NormalizeEvent
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.results import Stage, Trace
from explorer.engine.unicode.versions import decomposed, is_mark
from explorer.text import facts, label, visible
from explorer.text.code_points import first_of_nfd
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.views.boards.board import Board, BoardCell, cell, classes, code_points, glyph, row
from explorer.views.boards.charsmap_say import charsmap_say
from explorer.views.window import Window
from explorer.vocabulary import SPACE_MARK, Vocabulary


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


def drawn(segment: Segment, text: str) -> list[Mapped]:
    """The groups in text order, as they are drawn.

    Text inserted around an unchanged character is a group of its own, although the alignment counts it to that
    character. A composed character covers all its parts, although the alignment counts only the first one.

    >>> from explorer.engine.items import Segment
    >>> from explorer.engine.normalizers.huggingface import in_front
    >>> drawn(in_front("▁", Segment.of("a")), "a")
    [Mapped(start=0, end=0, to='▁'), Mapped(start=0, end=1, to='a')]
    """
    found: list[Mapped] = []
    # sorted, because reordered marks are not in text order
    for start, end, to in sorted(mapped(segment), key=lambda part: part.start):
        last = found[-1] if found else None
        if last is not None and last.end < start and last.to != text[last.start : last.end]:
            whole = unicodedata.normalize("NFKC", text[last.start : start])
            if len(last.to) == 1 and whole == unicodedata.normalize("NFKC", last.to):
                found[-1] = last._replace(end=start)
        before, source, after = to.partition(text[start:end]) if start < end else ("", "", to)
        if not source:
            found.append(Mapped(start, end, to))
            continue
        parts = (Mapped(start, start, before), Mapped(start, end, source), Mapped(end, end, after))
        found += [part for part in parts if part.to]
    return found


def pairs(stage: Stage) -> Iterator[tuple[Segment, Segment]]:
    """Each segment before the stage with its result, an empty segment if nothing is left."""
    after = [item for item in stage.after if isinstance(item, Segment) and item.text]
    index = 0
    for was in stage.before:
        if isinstance(was, Segment):
            left = index < len(after) and after[index].starts[0] <= was.ends[-1]
            yield was, after[index] if left else Segment("", (), ())
            index += left


def normalize_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """One cell per character, with its result below it; insertions, changes and drops are marked."""
    stage = trace.stage("normalize")
    cells: list[BoardCell] = []
    for was, item in pairs(stage):
        # the span before the stage shows what was dropped at the ends
        if was.ends[-1] <= window.start:
            continue
        if was.starts[0] >= window.end:
            break
        at = was.starts[0]
        for part in [*drawn(item, trace.text), Mapped(was.ends[-1], was.ends[-1], "")]:
            dropped = range(max(at, window.start), min(part.start, window.end))
            cells += [map_cell(trace.text, Mapped(index, index + 1, "")) for index in dropped]
            if part.to and (window.holds(part.start) or part.start == window.end == len(trace.text)):
                cells.append(map_cell(trace.text, part))
            at = max(at, part.end)
    return Board(
        normalize_say(trace),
        [row("map", "Character by character", cells, limit=96, empty="There is no text to normalize.",
             outside=(window.start, len(trace.text) - window.end))],
    )  # fmt: skip


def map_cell(text: str, part: Mapped) -> BoardCell:
    """One group of the map."""
    source = text[part.start : part.end]
    if not source:
        why = "it goes before the text and after each token cut out of it"
        if part.to == " ":
            why = "it separates a Chinese character, or begins the text"
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
    """What normalization did, in one sentence."""
    stage = trace.stage("normalize")
    if stage.part.row is CharsmapRow:
        return charsmap_say(stage)
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    part = cast(Normalization, stage.part)
    if not all(isinstance(each, SpacePrefix | EscapeWhitespace) for each in part.normalizers):
        return done_say(trace, stage)
    events = stage.events
    prefixed = sum(event.kind == NormalizeEvent.PREFIX for event in events)
    replaced = sum(event.kind == NormalizeEvent.REPLACE for event in events)
    if not replaced:
        return Say.of("Changed nothing.")
    escaped = f"{plural(replaced, 'space is', 'spaces are')} written ▁ (U+2581)"
    if not prefixed:
        return Say.of("No space is put before the text; {0:t}.", escaped)
    where = "the text" if prefixed == 1 else f"{prefixed} fragments"
    return Say.of("A space is put before {0:t}, and {1:t}.", where, escaped)


DONE: dict[NormalizeEvent, tuple[str, str]] = {
    NormalizeEvent.PREFIX: ("fragment of text gets a prefix", "fragments of text get a prefix"),
    NormalizeEvent.REPLACE: ("match of a pattern is replaced", "matches of a pattern are replaced"),
    NormalizeEvent.INSERT: (
        "empty match of a pattern inserts its replacement",
        "empty matches of a pattern insert their replacements",
    ),
    NormalizeEvent.MAP: (
        "character is replaced through the character map",
        "characters are replaced through the character map",
    ),
    NormalizeEvent.GRAPHEME: (
        "character and its marks are replaced by what the character map has for the beginning",
        "characters and their marks are replaced by what the character map has for their beginnings",
    ),
    NormalizeEvent.STRIP: (
        "white space character at the ends is dropped",
        "white space characters at the ends are dropped",
    ),
    NormalizeEvent.DROP_CONTROL: ("control is dropped", "controls are dropped"),
    NormalizeEvent.SPACE: (
        "white space character is written as a space",
        "white space characters are written as spaces",
    ),
    NormalizeEvent.ISOLATE: ("Chinese character gets spaces around it", "Chinese characters get spaces around them"),
    NormalizeEvent.FORM: (
        "character is rewritten by a Unicode normalization form: it looks the same but has other code points",
        "characters are rewritten by a Unicode normalization form: they look the same but have other code points",
    ),
    NormalizeEvent.DECOMPOSE: ("character is decomposed", "characters are decomposed"),
    NormalizeEvent.REORDER: ("mark is reordered", "marks are reordered"),
    NormalizeEvent.FIRST_OF_NFD: (
        "character is decomposed, keeping only the first code point",
        "characters are decomposed, keeping only the first code point",
    ),
    NormalizeEvent.DROP_MARK: ("combining mark is dropped", "combining marks are dropped"),
    NormalizeEvent.LOWER: ("character is lowercased", "characters are lowercased"),
    NormalizeEvent.BYTES: (
        "character is replaced by its bytes, spelled as printable characters",
        "characters are replaced by their bytes, spelled as printable characters",
    ),
}


def told_kinds(stage: Stage) -> Iterator[int]:
    """The kinds of the events that the sentence counts; of a form that composes, the results alone."""
    composes = False
    for event in stage.events:
        if event.kind == NormalizeEvent.BEGIN:
            normalizer = cast(Normalization, stage.part).normalizers[event.at]
            composes = isinstance(normalizer, UnicodeForm) and normalizer.composes
        elif event.kind in DONE and (event.kind == NormalizeEvent.FORM or not composes):
            yield event.kind


NOT_IN_LLAMA_CPP = "llama.cpp doesn't normalize text for vocabularies of this kind."


def done_say(trace: Trace, stage: Stage) -> Say:
    """What the normalizers did: a count for each kind, in the order most files have them."""
    counts = Counter(told_kinds(stage))
    if counts and set(counts) == {NormalizeEvent.FORM}:
        return Say.of(
            "A Unicode normalization form rewrites {0:t}: the text looks the same but has other code points and ids.",
            plural(counts[NormalizeEvent.FORM], "character"),
        ).then(Say.of(NOT_IN_LLAMA_CPP))
    words = dict(DONE)
    if all(event.code_point == ord(SPACE_MARK) for event in stage.events if event.kind == NormalizeEvent.REPLACE):
        words[NormalizeEvent.REPLACE] = ("space is written ▁ (U+2581)", "spaces are written ▁ (U+2581)")
    done = [plural(counts[kind], *words[kind]) for kind in DONE if counts[kind]]
    if not done:
        return Say.of("Changed nothing.")
    says = nfd_says(trace.text, counts)
    if counts[NormalizeEvent.FORM]:
        says.append(Say.of(NOT_IN_LLAMA_CPP))
    listed = f"{', '.join(done[:-1])} and {done[-1]}" if len(done) > 1 else done[0]
    return Say.of("{0:t}.", listed).then(*says)


def nfd_says(text: str, counts: Mapping[int, int]) -> list[Say]:
    """If anything was decomposed: the two programs keep different parts of it; with an example from the text."""
    first_only = bool(counts[NormalizeEvent.FIRST_OF_NFD])
    if not first_only and not counts[NormalizeEvent.DECOMPOSE]:
        return []
    rule = "Of a decomposition llama.cpp keeps only the first code point, Hugging Face all but the marks"
    for ch in dict.fromkeys(text):
        by_llama_cpp = first_of_nfd(ch)
        by_hugging_face = "".join(part for part in decomposed(ch) if not is_mark(part))
        if by_llama_cpp != by_hugging_face:
            left = " ".join(map(label, by_hugging_face)) or "nothing"
            return [
                Say.of(
                    f"{rule}: of {{0:q}} llama.cpp keeps {{1:t}}, Hugging Face {{2:t}}.",
                    visible(ch),
                    label(by_llama_cpp),
                    left,
                )
            ]
    return [Say.of(f"{rule}. For this text both are the same.")]

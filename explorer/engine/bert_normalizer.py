"""BERT's normalization, twice: as Hugging Face's `BertNormalizer` does it and as llama.cpp's WPM does.

Hugging Face makes several passes over the whole text: `CleanText` (controls out, white space to spaces), `IsolateHan`
(spaces around every Chinese character), `Decompose` and `StripMarks` (NFD, nonspacing marks out), `Lowercase`.
llama.cpp makes one pass with its flags (`NfdFirst`): of every decomposition only the first code point stays, controls
and what is left of the marks go, the rest gets the simple lower case. Both agree on Å; on 각 Hugging Face keeps three
jamo, llama.cpp one. The alignment goes along: each character of a decomposition belongs to the one it came from.

Two surprises in the original, kept. Hugging Face drops vertical tab, form feed and next line as controls, where
llama.cpp and the first BERT take them for white space. And of the Han extensions both leave U+2B820 to U+2B91F out, a
typing error in `tokenizers` that llama.cpp repeats on purpose.

Left out: Unicode of any version but those of the originals (see `old_unicode`).
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

from explorer.engine.items import Item, Items, Segment
from explorer.engine.normalizers import NormalizeRow
from explorer.engine.old_unicode import decomposed, is_control, is_mark
from explorer.engine.options import Options
from explorer.text.code_points import WHITE_SPACE, Flag, first_of_nfd, flags_of, simple_lower
from explorer.trace import Emit


class BertNormalize(IntEnum):
    """What a `NormalizeRow` of these normalizers says. `at` counts in the text as the pass finds it."""

    DROP_CONTROL = 0
    """A control character, NULL or U+FFFD was dropped; code_point is the one dropped."""
    SPACE = 1
    """White space other than a space was replaced by a space."""
    ISOLATE = 2
    """A Chinese character got a space on either side; code_point is that character."""
    DECOMPOSE = 3
    """A character was replaced by its whole decomposition; code_point is the first one of it."""
    REORDER = 4
    """The combining mark `code_point` changed places with its neighbours: marks are put in canonical order."""
    FIRST_OF_NFD = 5
    """A character was replaced by the first code point of its decomposition; the others are lost."""
    DROP_MARK = 6
    """A combining mark was dropped; code_point is the one dropped."""
    LOWER = 7
    """A character was replaced by its lower case; code_point is the first one of it."""


HAN = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""First and last code point of what both originals take for Chinese characters. Kana and Hangul are not among them."""


def is_han(ch: str) -> bool:
    """Whether a character stands alone as Chinese ones do.

    >>> is_han("漢"), is_han("か"), is_han("\\U0002b820")
    (True, False, False)
    """
    return ch >= "\u3400" and any(first <= ord(ch) <= last for first, last in HAN)


def is_white_space(ch: str) -> bool:
    return ord(ch) in WHITE_SPACE


class BertPass(Protocol):
    """One pass over a segment: a row for every change, the alignment carried along."""

    def apply(self, segment: Segment, item: int, emit: Emit) -> Segment: ...


class _Written:
    """A segment being written."""

    __slots__ = ("ends", "starts", "text")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.starts: array[int] = array("i")
        self.ends: array[int] = array("i")

    def add(self, text: str, start: int, end: int) -> None:
        """Characters that all stand for [start, end)."""
        for ch in text:
            self.text.append(ch)
            self.starts.append(start)
            self.ends.append(end)

    def segment(self) -> Segment:
        return Segment("".join(self.text), self.starts, self.ends)


class CleanText:
    """Drops controls, writes every kind of white space as a space.

    >>> CleanText().apply(Segment.of("a\\tb\\u200dc\\v"), 0, lambda *row: None).text
    'a bc'
    """

    def apply(self, segment: Segment, item: int, emit: Emit) -> Segment:
        became = {ch: self.of(ch) for ch in set(segment.text)}
        if all(ch == now for ch, now in became.items()):
            return segment
        done = _Written()
        for at, (ch, start, end) in enumerate(zip(*segment, strict=True)):
            now = became[ch]
            if not now:
                emit(BertNormalize.DROP_CONTROL, item, at, ord(ch))
                continue
            if now != ch:
                emit(BertNormalize.SPACE, item, at, ord(now))
            done.add(now, start, end)
        return done.segment()

    @staticmethod
    def of(ch: str) -> str:
        """What becomes of one character."""
        if ch in "\t\n\r":
            return " "
        if ch in "\0\ufffd" or is_control(ch):
            return ""
        return " " if is_white_space(ch) else ch


class IsolateHan:
    """Puts a space on either side of every Chinese character.

    >>> IsolateHan().apply(Segment.of("ab漢"), 0, lambda *row: None).text
    'ab 漢 '
    """

    def apply(self, segment: Segment, item: int, emit: Emit) -> Segment:
        han = {ch for ch in set(segment.text) if is_han(ch)}
        if not han:
            return segment
        done = _Written()
        for at, (ch, start, end) in enumerate(zip(*segment, strict=True)):
            if ch not in han:
                done.add(ch, start, end)
                continue
            emit(BertNormalize.ISOLATE, item, at, ord(ch))
            done.add(" ", start, start)
            done.add(ch, start, end)
            done.add(" ", end, end)
        return done.segment()


class Decompose:
    """NFD: every character by its decomposition, marks in canonical order.

    >>> [len(Decompose().apply(Segment.of(ch), 0, lambda *row: None).text) for ch in "Å각ﬁ"]
    [2, 3, 1]
    """

    def apply(self, segment: Segment, item: int, emit: Emit) -> Segment:
        if unicodedata.is_normalized("NFD", segment.text):
            return segment
        done = _Written()
        origin: list[int] = []
        """index in the segment of each character written"""
        for at, (ch, start, end) in enumerate(zip(*segment, strict=True)):
            parts = decomposed(ch)
            if parts != ch:
                emit(BertNormalize.DECOMPOSE, item, at, ord(parts[0]))
            done.add(parts, start, end)
            origin += [at] * len(parts)
        self.order(done, origin, item, emit)
        return done.segment()

    @staticmethod
    def order(done: _Written, origin: list[int], item: int, emit: Emit) -> None:
        """Sorts every run of marks by combining class, equal ones in the order they stand."""
        rank = [unicodedata.combining(ch) for ch in done.text]
        stop = 0
        while stop < len(rank):
            first = stop
            while stop < len(rank) and rank[stop]:
                stop += 1
            order = sorted(range(first, stop), key=lambda place: rank[place])
            moved = [place for place, was in enumerate(order, first) if place != was]
            for place in moved:
                was = order[place - first]
                emit(BertNormalize.REORDER, item, origin[was], ord(done.text[was]))
            if moved:
                done.text[first:stop] = [done.text[was] for was in order]
                done.starts[first:stop] = array("i", [done.starts[was] for was in order])
                done.ends[first:stop] = array("i", [done.ends[was] for was in order])
            stop += 1


class StripMarks:
    """Drops every nonspacing mark, such as the ring that `Decompose` made of Å."""

    def apply(self, segment: Segment, item: int, emit: Emit) -> Segment:
        marks = {ch for ch in set(segment.text) if is_mark(ch)}
        if not marks:
            return segment
        done = _Written()
        for at, (ch, start, end) in enumerate(zip(*segment, strict=True)):
            if ch in marks:
                emit(BertNormalize.DROP_MARK, item, at, ord(ch))
            else:
                done.add(ch, start, end)
        return done.segment()


class Lowercase:
    """The full lower case of each character on its own: İ becomes two, Σ never the final ς.

    >>> Lowercase().apply(Segment.of("ΣΑΣ İ"), 0, lambda *row: None)[0].split()
    ['σασ', 'i̇']
    """

    def apply(self, segment: Segment, item: int, emit: Emit) -> Segment:
        lower = {ch: ch.lower() for ch in set(segment.text)}
        if all(ch == now for ch, now in lower.items()):
            return segment
        done = _Written()
        for at, (ch, start, end) in enumerate(zip(*segment, strict=True)):
            now = lower[ch]
            if now != ch:
                emit(BertNormalize.LOWER, item, at, ord(now[0]))
            done.add(now, start, end)
        return done.segment()


DROPPED = ""


class NfdFirst:
    """llama.cpp's one pass: first code point of the decomposition, no controls, no marks, simple lower case.

    strip_accents: decompose and drop marks. lowercase: the lower case. White space stays, it cuts the words later.
    Follows `llm_tokenizer_wpm_session::preprocess` in llama.cpp's `src/llama-vocab.cpp`.

    >>> NfdFirst().apply(Segment.of("ÅWhat 각\\u200d"), 0, lambda *row: None).text
    'awhat ᄀ'
    """

    def __init__(self, *, strip_accents: bool = True, lowercase: bool = True) -> None:
        self.strip_accents, self.lowercase = strip_accents, lowercase

    def apply(self, segment: Segment, item: int, emit: Emit) -> Segment:
        became = {ch: self.of(ch) for ch in set(segment.text)}
        if all(steps == () for steps in became.values()):
            return segment
        done = _Written()
        for at, (ch, start, end) in enumerate(zip(*segment, strict=True)):
            now = ch
            for kind, to in became[ch]:
                emit(kind, item, at, ord(to or now))
                now = to
            done.add(now, start, end)
        return done.segment()

    def of(self, ch: str) -> tuple[tuple[BertNormalize, str], ...]:
        """The changes to one character: what is done and what stands there then."""
        steps: list[tuple[BertNormalize, str]] = []
        first = first_of_nfd(ch) if self.strip_accents else ch
        if first != ch:
            steps.append((BertNormalize.FIRST_OF_NFD, first))
        flags = flags_of(ord(first))
        if Flag.WHITESPACE in flags:
            return tuple(steps)
        if first in "\0\ufffd" or Flag.CONTROL in flags:
            return (*steps, (BertNormalize.DROP_CONTROL, DROPPED))
        if self.strip_accents and Flag.ACCENT_MARK in flags:
            return (*steps, (BertNormalize.DROP_MARK, DROPPED))
        lower = simple_lower(first) if self.lowercase else first
        if lower != first:
            steps.append((BertNormalize.LOWER, lower))
        return tuple(steps)


def bert_passes(
    *, clean_text: bool = True, handle_chinese_chars: bool = True, strip_accents: bool | None = None,
    lowercase: bool = True,
) -> list[BertPass]:  # fmt: skip
    """The passes of Hugging Face's `BertNormalizer`, by its settings; strip_accents None: as `lowercase` is.

    >>> [type(one).__name__ for one in bert_passes(clean_text=False, lowercase=False)]
    ['IsolateHan']
    """
    passes: list[BertPass] = []
    if clean_text:
        passes.append(CleanText())
    if handle_chinese_chars:
        passes.append(IsolateHan())
    if lowercase if strip_accents is None else strip_accents:
        passes += [Decompose(), StripMarks()]
    if lowercase:
        passes.append(Lowercase())
    return passes


class BertNormalization:
    """The stage: the passes in turn over each segment. A segment of which nothing is left stays, empty."""

    name = "normalize"
    row = NormalizeRow
    kinds = BertNormalize

    def __init__(self, passes: Sequence[BertPass]) -> None:
        self.passes = tuple(passes)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        for item in items:
            if isinstance(item, Segment):
                for one in self.passes:
                    item = one.apply(item, len(done), emit)
            done.append(item)
        return done

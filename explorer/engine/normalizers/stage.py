"""Normalizers: what is changed in the text before it is cut.

Here are the stage and what its events say. The normalizers have files of their own: `llama_cpp`, `huggingface`
(replace, prepend, strip, lower case …), `unicode_forms`, `bert`, and `charsmap`. All carry the alignment along.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple, Protocol

from explorer.engine.items import Item, Items, Segment, Token
from explorer.engine.limits.budget import ask
from explorer.engine.limits.length import Room
from explorer.engine.options import Options
from explorer.engine.trace import Emit

ESCAPED_SPACE = "▁"
WHAT = "the normalizer"
"""What errors call the stage."""

OFTEN: Final = 10_000
"""Characters that are normalized between two questions whether there is time left."""

EACH: Final = 20
"""Characters for which a normalizer counts that is given few."""


class Normalize(IntEnum):
    """What a `NormalizeRow` says."""

    PREFIX = 0
    """A space was put in front of the segment."""
    NO_PREFIX = 1
    """No space was put in front: the item before is text, not a special token."""
    REPLACE = 2
    """A character was replaced by another one."""
    FORM = 20
    """A character, with the marks behind it, was rewritten by a Unicode normalization form."""
    DROP_CONTROL = 40
    """A control character, NULL or U+FFFD was dropped; code_point is the one dropped."""
    SPACE = 41
    """White space other than a space, or what is taken for it, was replaced by a space."""
    ISOLATE = 42
    """A Chinese character got a space on either side; code_point is that character."""
    DECOMPOSE = 43
    """A character was replaced by its whole decomposition; code_point is the first one of it."""
    REORDER = 44
    """The combining mark `code_point` changed places with its neighbours: marks are put in canonical order."""
    FIRST_OF_NFD = 45
    """A character was replaced by the first code point of its decomposition; the others are lost."""
    DROP_MARK = 46
    """A combining mark was dropped; code_point is the one dropped."""
    LOWER = 47
    """A character was replaced by its lower case; code_point is the first one of it."""
    STRIP = 48
    """White space at an end of the text was dropped; code_point is the one dropped."""
    MAP = 49
    """A character was replaced by what the precompiled character map has for it; -1: by nothing."""
    GRAPHEME = 50
    """A character with all that belongs to it was replaced whole by what the map has for its beginning."""
    BYTES = 51
    """A character was replaced by its bytes, spelled as printable characters; code_point is the first of them."""
    INSERT = 52
    """A pattern that matches nothing matched in front of this character: what replaces it was put in."""


class NormalizeRow(NamedTuple):
    """One decision of a normalizer."""

    kind: int
    """A `Normalize`."""
    item: int
    """Which item of the stage, from 0."""
    at: int
    """Which code point of the item's text, as that normalizer finds it."""
    code_point: int
    """The code point that stands there now, -1 for NO_PREFIX and where nothing does."""


class Normalizer(Protocol):
    """One normalizer: a segment in, a segment out, and a row for every change."""

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment: ...


class Normalization:
    """The stage: normalizers applied in turn to each segment. A segment of which nothing is left is left out."""

    name = "normalize"
    row = NormalizeRow
    kinds = Normalize

    def __init__(self, normalizers: Sequence[Normalizer]) -> None:
        self.normalizers = tuple(normalizers)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        room = Room.of(WHAT, items)
        size = work = 0
        for place, item in enumerate(items):
            if isinstance(item, Segment):
                after_text = bool(done) and not isinstance(done[-1], Token)
                was = item
                for normalizer in self.normalizers:
                    item = normalizer.apply(item, place, after_text, emit)
                    work += len(item.text) + EACH
                    if work > OFTEN:
                        ask(WHAT)
                        work = 0
                    room.check(size + len(item.text), normalizer)
                size += len(item.text)
                if not item.text:
                    continue
                if item.starts[0] == item.ends[0] != was.starts[0]:
                    item = placed_at(item, was.starts[0])
            done.append(item)
        return done


def placed_at(segment: Segment, start: int) -> Segment:
    """What was put in front of a segment stands at its beginning, although characters after that were stripped."""
    starts, ends = array("i", segment.starts), array("i", segment.ends)
    at = 0
    while at < len(starts) and starts[at] == ends[at]:
        starts[at] = ends[at] = start
        at += 1
    return Segment(segment.text, starts, ends)

"""Normalizers: what is changed in the text before it is cut.

The two of a SentencePiece vocabulary as llama.cpp runs it: a space put in front, and every space written ▁ (U+2581),
so that pieces can hold spaces. Both carry the alignment along.

Left out: Unicode normalization, lower case and the like, which llama.cpp does not do for these vocabularies.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol

from explorer.engine.items import Item, Items, Segment, Token
from explorer.engine.options import Options
from explorer.trace import Emit

ESCAPED_SPACE = "▁"


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


class SpacePrefix:
    """Puts a space in front of a segment at the start of the text or after a special token.

    So that `What` is the same token at the start of a text as after a space. Follows `is_prev_special` in llama.cpp's
    `tokenize`; sentencepiece, which knows no special tokens in the text, calls it the dummy prefix.
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        if after_text:
            emit(Normalize.NO_PREFIX, item, 0, -1)
            return segment
        emit(Normalize.PREFIX, item, 0, ord(" "))
        at = segment.starts[0]
        return Segment(" " + segment.text, array("i", [at, *segment.starts]), array("i", [at, *segment.ends]))


class EscapeWhitespace:
    """Writes every space as ▁ (U+2581). Tabs, newlines and other white space stay.

    >>> EscapeWhitespace().apply(Segment.of(" a\\t"), 0, False, lambda *row: None).text
    '▁a\\t'
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        at = segment.text.find(" ")
        while at >= 0:
            emit(Normalize.REPLACE, item, at, ord(ESCAPED_SPACE))
            at = segment.text.find(" ", at + 1)
        return segment._replace(text=segment.text.replace(" ", ESCAPED_SPACE))


class Normalization:
    """The stage: normalizers applied in turn to each segment."""

    name = "normalize"
    row = NormalizeRow
    kinds = Normalize

    def __init__(self, normalizers: Sequence[Normalizer]) -> None:
        self.normalizers = tuple(normalizers)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        for item in items:
            if isinstance(item, Segment):
                after_text = bool(done) and not isinstance(done[-1], Token)
                for normalizer in self.normalizers:
                    item = normalizer.apply(item, len(done), after_text, emit)
            done.append(item)
        return done

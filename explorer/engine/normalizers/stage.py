"""The normalization stage: rewrites text before it is pre-tokenized, and keeps its alignment with the original.

The normalizers are in `llama_cpp`, `huggingface` (replace, prepend, strip, lowercase …), `unicode_forms`, `bert` and
`charsmap/`. The events alone give the text after each of them: `vectors` replays them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Final, NamedTuple, Protocol, Self

from explorer.engine.budget import ask
from explorer.engine.items import Item, Items, LengthBudget, Segment, Token
from explorer.engine.normalizers.alignment import each
from explorer.engine.part import Aligned, Options
from explorer.engine.trace import Emit

WHAT = "the normalizer"
"""The name of the stage in errors."""

ASK_AFTER: Final = 10_000
"""Characters normalized between two checks of the time budget."""

FIXED_COST: Final = 20
"""The cost of calling a normalizer, in characters."""


class NormalizeEvent(IntEnum):
    """What a `NormalizeRow` says."""

    PREFIX = 0
    """A space is prepended to the segment."""
    NO_PREFIX = 1
    """No space is prepended: the item before is text, not a special token."""
    REPLACE = 2
    """A character is replaced by another one."""
    FORM = 3
    """The result of a form that composes: a character and the marks after it have become `code_point`. The events
    before say how."""
    DROP_CONTROL = 4
    """A control character, NULL or U+FFFD is dropped; code_point is the one dropped."""
    SPACE = 5
    """White space other than a space, or a character treated like it, is replaced by a space."""
    ISOLATE = 6
    """A Chinese character gets a space on either side; code_point is that character."""
    DECOMPOSE = 7
    """A character is replaced by its full decomposition; code_point is the first of it."""
    REORDER = 8
    """The combining mark `code_point` moves here: marks are put in canonical order. `at` counts in the decomposed
    text."""
    FIRST_OF_NFD = 9
    """A character is replaced by the first code point of its decomposition; the others are lost."""
    DROP_MARK = 10
    """A combining mark is dropped; code_point is the one dropped."""
    LOWER = 11
    """A character is lowercased; code_point is the first of its lower case."""
    STRIP = 12
    """White space at either end of the text is dropped; code_point is the one dropped."""
    MAP = 13
    """A character is replaced by the string of the precompiled character map; -1: by nothing."""
    GRAPHEME = 14
    """A whole grapheme is replaced by the map's string for its beginning."""
    BYTES = 15
    """A character is replaced by its bytes, spelled as printable characters; code_point is the first of them."""
    INSERT = 16
    """A pattern matches the empty string before this character: the replacement is inserted."""
    MORE = 17
    """`code_point` follows the one written by the event before."""
    ALSO = 18
    """The character at `at`, which is `code_point`, is part of what the event before replaced."""
    COMPOSE = 19
    """A base and a mark after it are composed; the mark is in the event after this one. `at` counts in the decomposed
    text."""
    BEGIN = 20
    """The normalizer number `at` begins on this item."""
    PASS = 21
    """The same normalizer begins to read what it has written: its pass number `at`, from 1."""


class NormalizeRow(NamedTuple):
    """One decision of a normalizer."""

    kind: int
    """A `NormalizeEvent`."""
    item: int
    """Index among the stage's items."""
    at: int
    """Index of the code point in the item's text, as that normalizer receives it."""
    code_point: int
    """The new code point; -1 for NO_PREFIX, BEGIN and PASS, and for nothing."""


def emit_text(emit: Emit, kind: NormalizeEvent, item: int, at: int, text: str) -> None:
    """Emits that `text` is written: an event for its first code point, and one for each of the others."""
    emit(kind, item, at, ord(text[0]) if text else -1)
    for ch in text[1:]:
        emit(NormalizeEvent.MORE, item, at, ord(ch))


class Normalizer(Protocol):
    """One normalizer."""

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment rewritten; emits a row for each change.

        item: the index of the segment among the stage's items. after_text: the item before it is text.
        """


class ByCharacter:
    """Replaces each character by what it becomes on its own; each that changes is an event of one kind."""

    def __init__(self, becomes: Callable[[str], str], kind: NormalizeEvent) -> None:
        self.becomes, self.kind = becomes, kind

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with each character replaced."""
        text = segment.text
        becomes = {ch: self.becomes(ch) for ch in set(text)}
        if all(ch == now for ch, now in becomes.items()):
            return segment
        for at, ch in enumerate(text):
            if (now := becomes[ch]) != ch:
                emit_text(emit, self.kind, item, at, now)
        if all(len(now) == 1 for now in becomes.values()):
            return segment._replace(text="".join(map(becomes.__getitem__, text)))
        return each(segment, becomes.__getitem__)


class Normalization(Aligned):
    """The stage: applies the normalizers in turn to each segment, and drops segments that become empty."""

    name = "normalize"
    row = NormalizeRow
    kinds = NormalizeEvent

    def __init__(self, normalizers: Sequence[Normalizer]) -> None:
        self.normalizers = tuple(normalizers)

    def original(self) -> Self:
        """The same stage, aligned as the original does."""
        made = super().original()
        made.normalizers = tuple(one.original() if isinstance(one, Aligned) else one for one in self.normalizers)
        return made

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment normalized. Raises InputError if the text gets too long."""
        done: list[Item] = []
        budget = LengthBudget.of(WHAT, items)
        size = work = 0
        for index, item in enumerate(items):
            if isinstance(item, Segment):
                after_text = bool(done) and not isinstance(done[-1], Token)
                was = item
                for number, normalizer in enumerate(self.normalizers):
                    emit(NormalizeEvent.BEGIN, index, number, -1)
                    item = normalizer.apply(item, index, after_text, emit)
                    work += len(item.text) + FIXED_COST
                    if work > ASK_AFTER:
                        ask(WHAT)
                        work = 0
                    budget.check(size + len(item.text), normalizer)
                size += len(item.text)
                if not item.text:
                    continue
                if item.starts[0] == item.ends[0] != was.starts[0]:
                    item = _insertions_at(item, was.starts[0])
            done.append(item)
        return done


def _insertions_at(segment: Segment, start: int) -> Segment:
    """The segment with the characters inserted at its beginning moved to `start`, before those stripped since."""
    starts, ends = array("i", segment.starts), array("i", segment.ends)
    at = 0
    while at < len(starts) and starts[at] == ends[at]:
        starts[at] = ends[at] = start
        at += 1
    return Segment(segment.text, starts, ends)

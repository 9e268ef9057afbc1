"""The normalization stage, and llama.cpp's normalizers.

It rewrites text before it is pre-tokenized, and keeps its alignment with the original. Other normalizers are in
`huggingface` (replace, prepend, strip, lowercase …, BERT's), `unicode_forms` and `charsmap`.

A rewritten text is aligned in one of two ways. `covering` gives a written text the span of everything it replaces: é
composed of e and an accent has the span of both, a Han character and the spaces put around it all have its span.
`rewritten` aligns as `NormalizedString` of Hugging Face's tokenizers does, whose normalizers write characters with a
step each: 0, the character replaces the next one of the old text; 1, it is inserted; -n, it replaces the next one, and
the n after that are dropped. There é has the span of the e alone. `implementations.offsets` asks for that. Left out:
where the original panics (a text that an empty match prepended is rewritten again), the text is rewritten normally.

The events alone give the text after each normalizer (`Pass`). A normalizer makes one pass over the text, a Unicode
form up to three: it decomposes, orders the marks, composes. Each pass reads the vector of code points that the one
before it wrote. An event says what becomes of the code point at an index of the vector that the pass reads, so a pass
is a vector and what stands in the places that have changed.

llama.cpp's prepend a space, write spaces as ▁, and lowercase.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from typing import NamedTuple, Protocol, Self

from explorer.engine.budget import ask
from explorer.engine.part import Aligned, Emit, Item, Items, LengthBudget, Options, Segment, Token, in_order
from explorer.text.code_points import simple_lower
from explorer.vocabulary import SPACE_MARK

Step = tuple[str, int]
"""A character of the new text and its step."""

Written = tuple[str, int, int]
"""A text and the characters [low, high) of the old text that it replaces; low == high: it is inserted there."""


def covering(segment: Segment, written: Iterable[Written]) -> Segment:
    """The new text, each part with the span of all it replaces; an inserted one with that of the character before it.

    >>> done = covering(Segment.of("xe\\u0301A"), [("é", 1, 3), ("a", 3, 4), ("!", 4, 4)])
    >>> done.text, list(done.starts), list(done.ends)
    ('éa!', [1, 3, 3], [3, 4, 4])
    """
    _, starts, ends = segment
    new_starts, new_ends = array("i"), array("i")
    texts = []
    for text, low, high in written:
        # an insertion before the first character has no character before it to share a span with
        start = starts[low if low < high else max(low - 1, 0)]
        end = ends[high - 1] if high else start
        texts.append(text)
        new_starts.extend((start,) * len(text))
        new_ends.extend((end,) * len(text))
    return Segment("".join(texts), *in_order(new_starts, new_ends))


def rewritten(segment: Segment, steps: Sequence[Step]) -> Segment:
    """The new text with the original's alignment.

    >>> done = rewritten(Segment.of("e\\u0301A"), [("é", -1), ("a", 0), ("!", 1)])
    >>> done.text, list(done.starts), list(done.ends)
    ('éa!', [0, 2, 2], [1, 3, 3])
    """
    _, starts, ends = segment
    size = len(segment.text)
    new_starts, new_ends = array("i"), array("i")
    at = 0
    for _, step in steps:
        near = at - 1 if step > 0 else min(at, size - 1)
        # an insertion before the first character has no character before it to share a span with
        new_starts.append(starts[near] if near >= 0 else starts[0])
        new_ends.append(ends[near] if near >= 0 else starts[0])
        if step <= 0:
            at = min(at + 1 - step, size)
    return Segment("".join([ch for ch, _ in steps]), new_starts, new_ends)


def without(segment: Segment, dropped: Collection[str]) -> Segment:
    """The segment without the characters in `dropped`.

    >>> without(Segment.of("a-b"), "-").starts
    array('i', [0, 2])
    """
    return covering(segment, ((ch, at, at + 1) for at, ch in enumerate(segment.text) if ch not in dropped))


def each(segment: Segment, becomes: Callable[[str], str]) -> Segment:
    """The segment with each character replaced by others, whatever its neighbors."""
    return covering(segment, ((becomes(ch), at, at + 1) for at, ch in enumerate(segment.text)))


WHAT = "the normalizer"
"""The name of the stage in errors."""

ASK_AFTER = 10_000
"""Characters normalized between two checks of the time budget."""

FIXED_COST = 20
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


@dataclass(eq=False)
class ByCharacter:
    """Replaces each character by what it becomes on its own; each that changes is an event of one kind."""

    becomes: Callable[[str], str]
    kind: NormalizeEvent

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


BEGINNINGS = (NormalizeEvent.BEGIN, NormalizeEvent.PASS)
CONTINUED = (NormalizeEvent.MORE, NormalizeEvent.ALSO)
"""Events that continue the one before."""
DROPS = (NormalizeEvent.DROP_CONTROL, NormalizeEvent.DROP_MARK, NormalizeEvent.STRIP, NormalizeEvent.ALSO)
INSERTIONS = (NormalizeEvent.PREFIX, NormalizeEvent.INSERT)
SILENT = (NormalizeEvent.NO_PREFIX, NormalizeEvent.FORM)
"""Events that change no code point."""


@dataclass(eq=False)
class Pass:
    """One pass of a normalizer over one item.

    item: the index among the stage's items. normalizer: its index in the stage. number: of the pass, from 0. was: the
    code points that it reads.
    """

    item: int
    normalizer: int
    number: int
    was: Sequence[int]

    def __post_init__(self) -> None:
        self.now: dict[int, list[int]] = {}
        """What has become of the code points that have changed, by their index in `was`."""
        self.front: dict[int, list[int]] = {}
        """What has been inserted before a code point."""
        self._last: list[int] = []

    def take(self, row: NormalizeRow) -> None:
        """Does what an event of this pass says."""
        if row.kind in SILENT:
            return
        if row.kind == NormalizeEvent.MORE:
            self._last.append(row.code_point)
            return
        if row.kind in INSERTIONS:
            self._last = self.front.setdefault(row.at, [])
        else:
            self._last = self.now[row.at] = []
            if row.kind in DROPS:
                return
        if row.kind == NormalizeEvent.ISOLATE:
            self._last += (ord(" "), row.code_point, ord(" "))
        elif row.code_point >= 0:
            self._last.append(row.code_point)

    def at(self, index: int) -> Sequence[int]:
        """What has become of the code point at an index of `was`."""
        found = self.now.get(index)
        return (self.was[index],) if found is None else found

    @property
    def vector(self) -> list[int]:
        """The code points that the pass has written so far, with those that it has not changed."""
        if not self.now and not self.front:
            return list(self.was)
        places = range(len(self.was) + 1)
        return list(
            chain.from_iterable(
                (*self.front.get(index, ()), *(self.at(index) if index < len(self.was) else ())) for index in places
            )
        )


def begun(before: Sequence[Item], last: Pass | None, row: NormalizeRow) -> Pass:
    """The pass that an event begins. last: the one before it, at its end."""
    if last is not None and last.item == row.item:
        was: Sequence[int] = last.vector
    else:
        item = before[row.item]
        assert isinstance(item, Segment)
        was = [ord(ch) for ch in item.text]
    if row.kind == NormalizeEvent.BEGIN:
        return Pass(row.item, row.at, 0, was)
    assert last is not None, "a normalizer begins before its second pass"
    return Pass(row.item, last.normalizer, row.at, was)


class SpacePrefix:
    """Prepends a space to a segment at the start of the text or after a special token.

    With it `What` is the same token at the start of a text as after a space. Follows `is_prev_special` in llama.cpp's
    `tokenize`; sentencepiece, which does not parse special tokens in text, calls it the dummy prefix.
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with a space in front, unless it follows text."""
        if after_text:
            emit(NormalizeEvent.NO_PREFIX, item, 0, -1)
            return segment
        emit(NormalizeEvent.PREFIX, item, 0, ord(" "))
        at = segment.starts[0]
        return Segment(" " + segment.text, array("i", [at, *segment.starts]), array("i", [at, *segment.ends]))


class EscapeWhitespace:
    """Writes every space as ▁ (U+2581). Tabs, newlines and other white space stay.

    >>> EscapeWhitespace().apply(Segment.of(" a\\t"), 0, False, lambda *row: None).text
    '▁a\\t'
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with ▁ for every space."""
        at = segment.text.find(" ")
        while at >= 0:
            emit(NormalizeEvent.REPLACE, item, at, ord(SPACE_MARK))
            at = segment.text.find(" ", at + 1)
        return segment._replace(text=segment.text.replace(" ", SPACE_MARK))


class Lower(ByCharacter):
    """Lowercases each character on its own, as llama.cpp's `unicode_tolower`.

    >>> Lower().apply(Segment.of("AÉßİ"), 0, False, lambda *row: None).text
    'aéßi'
    """

    def __init__(self) -> None:
        super().__init__(simple_lower, NormalizeEvent.LOWER)

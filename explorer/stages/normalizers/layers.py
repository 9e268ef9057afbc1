"""The operations of a normalization: their names on the page and in the source, and how each finds what to write.

The rows of a step's track `lookup` show the search. A decomposition is searched in llama.cpp's sorted ranges, or taken
apart pair by pair as Unicode's data has it; marks are ordered by their combining classes; a rule of a character map is
found by a walk through its double array.

Layers are code points on their way through the operations, for the track type `layers`. A code point of the text has a
column. What an operation makes of it stays in its column, which gets as wide as needed; text that is inserted before it
has a column of its own. `Walk` replays the events of the stage and says for each of them which columns it changed, and
what they hold now.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from explorer.engine.normalizers.charsmap import HAS_VALUE, LABEL_MASK, VALUE_MASK, PrecompiledCharsmap, offset_of
from explorer.engine.normalizers.huggingface import Drop, Literal, Prepend, Replace, Strip, StripAccents, is_dropped
from explorer.engine.normalizers.huggingface import is_dropped_in_python as is_dropped_in_python
from explorer.engine.normalizers.stage import (
    BEGINNINGS,
    CONTINUED,
    INSERTIONS,
    NormalizeEvent,
    Normalizer,
    NormalizeRow,
    Pass,
    begun,
)
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Segment
from explorer.engine.tokenizer import Stage
from explorer.engine.unicode.versions import combining_class
from explorer.script.model_script import MAX_PHASES
from explorer.script.script import TRACKS, ScriptBuilder, StepKind, Window, roles, table
from explorer.tables import read_toml
from explorer.text import label, name, visible
from explorer.text.code_points import NfdRange, categories, nfd_ranges, search
from explorer.text.say import Text, plural
from explorer.vocabulary import printable


class Operation(NamedTuple):
    """One operation, or one pass of it.

    title, note: its name and what it does. nothing: what is said where it changes nothing. source: its name in the
    original. code: its pseudo-code.
    """

    title: str
    note: str
    nothing: str
    source: str
    code: Sequence[str]


WORDS: Mapping[str, Any] = read_toml(__file__, "words.toml")
OPERATIONS = {name: Operation(**row) for name, row in WORDS["operations"].items()}
"""By the class of the normalizer, or by a word for a variant of one."""
FORM_STEPS = ("take apart", "order", "put together")
"""The operations of a Unicode form, by number."""


def filled(row: str, **values: str) -> Operation:
    """An operation whose words have values in them."""
    *said, source, code = OPERATIONS[row]
    shown = (Text(each, *values.values()) if "{" in each else each for each in said)
    return Operation._make((*shown, source.format_map(values), [line.format_map(values) for line in code]))


def operation(normalizer: Normalizer, number: int) -> Operation:
    """The operation of a pass of a normalizer.

    >>> operation(UnicodeForm("NFC"), 2).title, operation(Prepend("▁"), 0).note
    ('Put together', '“▁” before the text')
    """
    if isinstance(normalizer, UnicodeForm):
        what = Text("also variants of letters" if normalizer.compatible else "letter and mark")
        return filled(FORM_STEPS[number], name=normalizer.form, what=what)
    if isinstance(normalizer, Drop) and not isinstance(normalizer, StripAccents):
        if normalizer.kind == NormalizeEvent.DROP_MARK:
            return OPERATIONS["marks"]
        found, of_bert = OPERATIONS["Drop"], normalizer.matches in (is_dropped, is_dropped_in_python)
        return found if of_bert else found._replace(source="Nmt")
    if isinstance(normalizer, Prepend):
        return filled("prepend", text=visible(normalizer.text))
    if isinstance(normalizer, Strip):
        side = "beginning" if normalizer.left else "end"
        return filled("strip", sides=Text("beginning and end" if normalizer.left and normalizer.right else side))
    if isinstance(normalizer, Replace):
        return of_replace(normalizer)
    name = type(normalizer).__name__
    return OPERATIONS.get(name) or Operation(name, "", "nothing", name, ())


def of_replace(normalizer: Replace) -> Operation:
    """A `Replace`, with what it looks for."""
    content = visible(normalizer.content)
    by = Text("by “{0:t}”", content) if content else Text("left out")
    if isinstance(normalizer.spans, Literal):
        return filled("replace", wanted=visible(normalizer.spans.wanted), by=by)
    return filled("replace pattern", by=by, does=f"write “{content}”" if content else "leave it out")


class Found(NamedTuple):
    """One row: what is looked at, what is there, and what follows. hit: whether this row decides."""

    looked: str
    there: str
    so: str = ""
    hit: bool = False


COLUMNS = ("look at", "there", "so")


def shown(each: NfdRange) -> str:
    """A range as the source writes it.

    >>> shown(NfdRange(0xC0, 0xC5, 0x41))
    '{0x00C0 … 0x00C5 → 0x0041}'
    """
    return f"{{0x{each.first:04X} … 0x{each.last:04X} → 0x{each.nfd:04X}}}"


def in_ranges(ch: str) -> Iterator[Found]:
    """llama.cpp's search: the entries around the upper bound."""
    ranges, (at, hit) = nfd_ranges(), search(ord(ch))
    if at:
        yield Found(f"ranges[{at - 1}]", shown(ranges[at - 1]), "ends before")
    so = f"{label(ch)} is in it: {chr(ranges[at].nfd)}" if hit else f"{label(ch)} is not in it"
    yield Found(f"ranges[{at}]", shown(ranges[at]), so, True)
    if at + 1 < len(ranges):
        yield Found(f"ranges[{at + 1}]", shown(ranges[at + 1]), "the upper bound: begins after")
    full = unicodedata.normalize("NFD", ch)
    if len(full) > 1:
        yield Found("in full", " ".join(map(label, full)), Text("lost: {0:t}", " ".join(map(label, full[1:]))))


def range_of(ch: str) -> str:
    """The entry that llama.cpp finds."""
    return shown(nfd_ranges()[search(ord(ch)).at])


HANGUL_BASE, VOWELS, TAILS = 0xAC00, 21, 28


def apart(ch: str, compatible: bool) -> Iterator[Found]:
    """Unicode's pairs: a decomposition, then the decomposition of its first part, and so on."""
    if 0 <= ord(ch) - HANGUL_BASE < 11172:
        index = ord(ch) - HANGUL_BASE
        lead, vowel, tail = index // (VOWELS * TAILS), index // TAILS % VOWELS, index % TAILS
        yield Found(label(ch), f"{label(ch)} − AC00 = {index}", "Hangul: by arithmetic")
        yield Found("lead", f"{index} ÷ {VOWELS * TAILS} = {lead}", label(chr(0x1100 + lead)), True)
        yield Found("vowel", f"{index} ÷ {TAILS} mod {VOWELS} = {vowel}", label(chr(0x1161 + vowel)), True)
        if tail:
            yield Found("tail", f"{index} mod {TAILS} = {tail}", label(chr(0x11A7 + tail)), True)
        return
    waiting = [ch]
    while waiting:
        now = waiting.pop(0)
        tag, parts = pair_of(now, compatible)
        if parts:
            yield Found(label(now), " + ".join(map(label, parts)), tag or "canonical", True)
            waiting = [*parts, *waiting]
        elif now != ch:
            yield Found(label(now), "no decomposition", "it stays")


def pair_of(ch: str, compatible: bool) -> tuple[str, list[str]]:
    """The entry of Unicode's data: a tag such as <compat>, and the parts; nothing if it does not apply."""
    entry = unicodedata.decomposition(ch).split()
    tag = entry.pop(0) if entry and entry[0].startswith("<") else ""
    return (tag, []) if tag and not compatible else (tag, [chr(int(part, 16)) for part in entry])


def classes(marks: str) -> Iterator[Found]:
    """The combining classes of marks, in the order they had."""
    for ch in marks:
        yield Found(label(ch), f"class {combining_class(ch)}", name(ch).lower(), True)


def joined(parts: str, whole: str) -> Iterator[Found]:
    """A composition."""
    yield Found(" + ".join(map(label, parts)), label(whole), name(whole).lower(), True)
    for ch in parts[1:]:
        yield Found(label(ch), f"class {combining_class(ch)}", "no mark between blocks it")


def facts_of(ch: str) -> Iterator[Found]:
    """What Unicode says of a character."""
    category = unicodedata.category(ch)
    yield Found(label(ch), f"{category}: {categories()[category]}", name(ch).lower(), True)


def lowered(ch: str, now: str) -> Iterator[Found]:
    """A lower case."""
    yield from facts_of(ch)
    yield Found("lower case", " ".join(map(label, now)), " + ".join(name(one).lower() for one in now), True)


def spelled(ch: str) -> Iterator[Found]:
    """The bytes of a character and how each is spelled."""
    for byte in ch.encode():
        yield Found(
            f"byte {byte:02X}", printable(bytes([byte])), "printed as it is" if 0x21 <= byte < 0x7F else "moved"
        )


def walk(table: PrecompiledCharsmap, text: str) -> list[Found]:
    """The walk of a text's bytes through the double array of a character map.

    A unit has a label, an offset to the base of its children, and a bit that says that a rule ends here. The child for
    a byte is at base ^ byte; it exists if its label is that byte. The last rule passed is the longest.
    """
    found = list(steps(table, text.encode()))
    rules = [index for index, each in enumerate(found) if each.hit]
    return [each._replace(hit=index in rules[-1:]) for index, each in enumerate(found)]


def steps(table: PrecompiledCharsmap, data: bytes) -> Iterator[Found]:
    """The steps of a walk, each byte one; a hit where a rule ends."""
    units, node = table.units, 0
    unit = units[0]
    for index, byte in enumerate(data):
        base = node ^ offset_of(unit)
        node = base ^ byte
        if not byte or node >= len(units):
            yield Found(f"byte {byte:02X}", f"unit {base} ^ 0x{byte:02X} = {node}", "no edge: the walk ends")
            return
        unit = units[node]
        where = f"unit {base} ^ 0x{byte:02X} = {node}"
        if unit & LABEL_MASK != byte:
            yield Found(
                f"byte {byte:02X}", where, Text("its label is {0:t}: no edge, the walk ends", f"{unit & 0xFF:02X}")
            )
            return
        if unit & HAS_VALUE:
            value = units[node ^ offset_of(unit)] & VALUE_MASK
            to = table.string(value)
            yield Found(f"byte {byte:02X}", where, f"a rule ends: strings[{value}] = “{visible(to)}”", True)
        else:
            yield Found(f"byte {byte:02X}", where, "no rule yet" if index + 1 < len(data) else "no rule")


AS_IT_WAS, NEW, DROPPED, JOINED, SOURCE = range(5)
"""The looks of a chip."""

Chip = tuple[int, int]
"""A code point and its look."""


class Home(NamedTuple):
    """A column: of the code point `at` of an item, or (kind 0) of text inserted before it. number: of several such."""

    item: int
    at: int
    kind: int
    number: int


class Touched(NamedTuple):
    """A column after an event: its chips in the layer of the operation, and the code points that are left."""

    home: Home
    chips: tuple[Chip, ...]
    now: tuple[int, ...]


class Change(NamedTuple):
    """One event with the ones that continue it.

    last: the last of these events. layer: the normalizer and its pass. was: the code points it read. now: those it
    wrote.
    """

    event: int
    last: int
    row: NormalizeRow
    layer: tuple[int, int]
    was: str
    now: str
    touched: tuple[Touched, ...]
    vector: tuple[int, ...] | None
    """All code points after the pass, if this is its last event."""

    def of(self, made: Pass) -> bool:
        """Whether it happened in this pass."""
        return self.row.item == made.item and self.layer == (made.normalizer, made.number)


class Walk:
    """The events of a normalization stage, with the columns they change.

    homes: all columns seen so far. layers: the passes that ran.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.items = [(index, item) for index, item in enumerate(stage.before) if isinstance(item, Segment)]
        self.sizes = {index: len(item.text) for index, item in self.items}
        self.homes = {Home(index, at, 1, 0) for index, size in self.sizes.items() for at in range(size)}
        self.layers: set[tuple[int, int]] = set()
        self._pass: Pass | None = None
        self._of: list[Home] = []
        """the column of each code point that the pass reads"""
        self._places: dict[Home, list[int]] = {}
        """the indices of each column in it"""
        self._inserted: dict[int, Home] = {}
        """the column of what is inserted before an index"""
        self._pending: tuple[int, NormalizeRow, list[int]] | None = None
        """event and row of the change that may go on, and the indices it has touched"""

    def changes(self) -> list[Change]:
        """The changes, in the order of their events."""
        changes: list[Change] = []
        last = -1

        def close() -> None:
            if self._pending:
                changes.append(self._closed(*self._pending, last))
                self._pending = None

        def end_pass() -> None:
            """The last change of a pass gets its vector."""
            close()
            at = self._pass
            if at is not None and changes and changes[-1].of(at):
                changes[-1] = changes[-1]._replace(vector=tuple(at.vector))

        for event, row in enumerate(self.stage.events):
            if row.kind in BEGINNINGS:
                end_pass()
                self._begin(row)
            elif row.kind != NormalizeEvent.FORM:
                assert self._pass is not None, "a pass begins before its events"
                if not self._goes_on(row):
                    close()
                    self._pending = event, row, []
                assert self._pending is not None, "an event comes before those that continue it"
                self._pass.take(row)
                self._pending[2].append(row.at)
                last = event
        end_pass()
        return changes

    def _goes_on(self, row: NormalizeRow) -> bool:
        """Whether an event continues the change before: it writes more of it, or moves a mark of the same run."""
        if row.kind in CONTINUED:
            return True
        if row.kind != NormalizeEvent.REORDER or self._pending is None or self._pass is None:
            return False
        _, before, indices = self._pending
        between = self._pass.was[indices[-1] + 1 : row.at]
        return before.kind == NormalizeEvent.REORDER and all(combining_class(chr(code)) for code in between)

    def _begin(self, row: NormalizeRow) -> None:
        last = self._pass
        if last is not None and last.item == row.item:
            self._of = self._after(last)
        else:
            self._of = [Home(row.item, at, 1, 0) for at in range(self.sizes[row.item])]
        self._pass = begun(self.stage.before, last, row)
        self.layers.add((self._pass.normalizer, self._pass.number))
        self._places = {}
        for index, home in enumerate(self._of):
            self._places.setdefault(home, []).append(index)
        self._inserted = {}

    def _after(self, done: Pass) -> list[Home]:
        """The column of each code point that a pass has written."""
        if not done.now and not done.front:
            return self._of
        homes: list[Home] = []
        for index in range(len(done.was) + 1):
            if index in done.front:
                homes += [self._home(index)] * len(done.front[index])
            if index < len(done.was):
                homes += [self._of[index]] * len(done.at(index))
        return homes

    def _home(self, index: int) -> Home:
        """The column of what is inserted before an index."""
        found = self._inserted.get(index)
        if found is None:
            found = self._inserted[index] = self._new_home(index)
        return found

    def _new_home(self, index: int) -> Home:
        assert self._pass is not None
        item, of = self._pass.item, self._of
        if index < len(of) and (of[index].kind == 0 or (index and of[index] == of[index - 1])):
            return of[index]  # within a column, which gets wider
        at = of[index].at if index < len(of) else self.sizes[item]
        number = 0
        while Home(item, at, 0, number) in self.homes:
            number += 1
        home = Home(item, at, 0, number)
        self.homes.add(home)
        return home

    def _closed(self, event: int, row: NormalizeRow, indices: Sequence[int], last: int) -> Change:
        """A change that is over. indices: those it has touched."""
        at = self._pass
        assert at is not None, "a pass begins before its events"
        inserts = row.kind in INSERTIONS
        if row.kind == NormalizeEvent.NO_PREFIX:
            return Change(event, last, row, (at.normalizer, at.number), "", "", (), None)
        homes = [self._home(row.at)] if inserts else list(dict.fromkeys(self._of[index] for index in indices))
        was = "" if inserts else "".join(chr(at.was[index]) for index in dict.fromkeys(indices))
        now = at.front[row.at] if inserts else [code for index in dict.fromkeys(indices) for code in at.at(index)]
        touched = tuple(self._touched(at, home, row) for home in homes)
        return Change(event, last, row, (at.normalizer, at.number), was, "".join(map(chr, now)), touched, None)

    def _touched(self, at: Pass, home: Home, row: NormalizeRow) -> Touched:
        chips: list[Chip] = []
        left: list[int] = []

        def insert(index: int) -> None:
            for code in at.front.get(index, ()):
                chips.append((code, NEW))
                left.append(code)

        for index, where in self._inserted.items():
            if where == home and home not in self._places:
                insert(index)
        for index in self._places.get(home, ()):
            if self._inserted.get(index) == home:
                insert(index)
            was, now = at.was[index], at.at(index)
            if index not in at.now:
                chips.append((was, AS_IT_WAS))
            elif now:
                chips += [(code, AS_IT_WAS if code == was and len(now) > 1 else NEW) for code in now]
            else:
                joins = row.kind in JOINS and index != row.at and bool(at.at(row.at))
                chips.append((was, JOINED if joins else DROPPED))
            left += now
        return Touched(home, tuple(chips), tuple(left))


JOINS = (NormalizeEvent.COMPOSE, NormalizeEvent.REPLACE, NormalizeEvent.GRAPHEME)
"""Events whose further code points become part of what is written."""


class Columns:
    """The columns within a window, and where each is in the original text.

    >>> from explorer.script.script import Window
    >>> columns = Columns({0: Segment.of("ab")}, [Home(0, 1, 1, 0), Home(0, 0, 1, 0)], Window(0, 2, 0, 1))
    >>> columns.spans, columns.index[Home(0, 1, 1, 0)]
    ([[0, 1], [1, 2]], 1)
    """

    def __init__(self, items: dict[int, Segment], homes: Sequence[Home], window: Window) -> None:
        self.spans: list[list[int]] = []
        self.index: dict[Home, int] = {}
        for home in sorted(homes):
            item = items[home.item]
            start, end = span_of(item, home)
            if window.holds(start) or start == end == window.end:
                self.index[home] = len(self.spans)
                self.spans.append([start, end])


def span_of(item: Segment, home: Home) -> tuple[int, int]:
    """Where a column is in the original text; empty for inserted text."""
    if home.at >= len(item.text):
        return item.ends[-1], item.ends[-1]
    start = item.starts[home.at]
    return start, item.ends[home.at] if home.kind else start


def numbers(codes: Sequence[int], most: int = 80) -> str:
    """Code points as decimal numbers, the first `most` of them.

    >>> numbers([65, 87], 1)
    '65 … 1 more'
    """
    more = f" … {len(codes) - most} more" if len(codes) > most else ""
    return " ".join(map(str, codes[:most])) + more


def named(text: str, most: int = 4) -> str:
    """`U+0041 U+030A`."""
    return " ".join(f"U+{ord(ch):04X}" for ch in text[:most]) + (" …" if len(text) > most else "") or "nothing"


# --- the panels: the track, the look-up of a step, the code points after each operation ------------------------------

FIELDS = "was:q now:q codes:t new_codes:t at source:t"
"""Of every step: what was read and what is written, their code points, the index of the code point, and what the source
calls the operation."""
ROLES = roles("hit, done")
HIT, DECIDES = range(len(ROLES))
LOOKUP = table(
    "lookup", "Look-up", ", ".join(f"{each} text" for each in COLUMNS), "Nothing is looked up for this step."
)


class LayersScript:
    """What the scripts over layers share: the columns within a window, the look-up of a step, the vectors.

    items: the segments, by their index. changed: the columns that any step changes.
    """

    columns: Columns
    changed: Collection[Home] = ()

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.items = {index: item for index, item in enumerate(stage.before) if isinstance(item, Segment)}
        self.looked_up = self.vectors = 0
        """rows of these tracks"""

    def build(
        self,
        layers: Sequence[Mapping[str, str]],
        kinds: Mapping[Any, StepKind],
        code: Sequence[str],
        code_title: str = "The algorithm: the lines at work",
    ) -> None:
        """Makes the builder. layers: of the track, with the text as it comes in and as it goes on."""
        self.count = len(layers)
        track = TRACKS["layers"] | {"spans": self.columns.spans, "layers": layers}
        self.builder = ScriptBuilder.laid_out(
            "normalization",
            kinds=kinds,
            tracks=(track, LOOKUP, "vectors"),
            roles=ROLES,
            code=code,
            code_title=code_title,
        )

    def begin(self, say: str, why: str, **values: Any) -> None:
        """The text as it comes in and as it goes on, and a sentence about it, whose field `points` is its size."""
        for home in self.columns.index:
            if home.kind:
                code = ord(self.items[home.item].text[home.at])
                self.put(0, home, [(code, SOURCE if home in self.changed else AS_IT_WAS)])
                self.put(-1, home, [(code, AS_IT_WAS)])
        self.builder.phase("Start")
        if self.columns.spans:
            points = plural(sum(home.kind for home in self.columns.index), "code point")
            self.builder.begin(say, why, points=points, **values)
        else:
            self.builder.begin("There is no text to normalize.")

    def open_phase(self, item: int, title: str) -> None:
        """A phase for an operation, or for an item of several."""
        items = list(self.items)
        number = items.index(item)
        if len(items) == 1:
            self.builder.phase(title)
        elif number % -(-len(items) // MAX_PHASES) == 0 or not self.builder.kind_of:
            self.builder.phase(Text("Fragment {0}", number + 1))

    def key(self, layer: int, home: Home) -> int:
        """The key of a column in a layer; -1 is the last layer."""
        return layer % self.count * len(self.columns.spans) + self.columns.index[home]

    def put(self, layer: int, home: Home, chips: Sequence[Chip]) -> None:
        """What a column has in a layer, if it is drawn."""
        if home in self.columns.index:
            row: list[int] = []
            for code, look in chips:
                row += (self.builder.text(chr(code)), self.builder.plain(f"{code:04X}"), look)
            self.builder.put("layers", self.key(layer, home), *row)

    def mark(self, layer: int, homes: Iterable[Home]) -> None:
        """Marks columns of a layer."""
        for home in homes:
            self.builder.mark("layers", self.key(layer, home), HIT)

    def put_lookup(self, found: Sequence[Found]) -> None:
        """Replaces the rows of the look-up."""
        for index, each in enumerate(found):
            self.builder.write("lookup", index, each.looked, each.there, each.so)
            if each.hit:
                self.builder.mark("lookup", index, DECIDES)
        self.builder.delete("lookup", *range(len(found), self.looked_up))
        self.looked_up = len(found)

    def put_vector(self, title: str, codes: Sequence[int]) -> None:
        """The code points after an operation."""
        self.builder.write("vectors", self.vectors, title, numbers(codes))
        self.vectors += 1

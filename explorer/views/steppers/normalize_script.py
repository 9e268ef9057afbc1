"""The stepper's script for normalization: each operation over the whole text, each code point's way through them.

Replays the events of the normalize stage on the track `layers`: the text, a layer for each operation (three for a
Unicode form that composes), and the text as it is now. A step is one change with all it writes. Beside it are the
look-up of the step and the vectors of code points between the operations.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import cast

from explorer.engine.normalizers.bert import CHINESE_CHARS
from explorer.engine.normalizers.charsmap.huggingface import Precompiled
from explorer.engine.normalizers.stage import Normalization, NormalizeEvent
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.results import Stage
from explorer.engine.unicode.versions import combining_class
from explorer.text import name, visible
from explorer.text.quantities import plural
from explorer.views.steppers import lookups
from explorer.views.steppers.layers import (
    AS_IT_WAS,
    SOURCE,
    Change,
    Chip,
    Columns,
    Home,
    Walk,
    named,
    numbers,
    put_chips,
)
from explorer.views.steppers.layers import DROPPED as LOST
from explorer.views.steppers.lookups import Found
from explorer.views.steppers.model_script import MAX_PHASES
from explorer.views.steppers.normalize_kinds import KINDS, step_kind
from explorer.views.steppers.operations import Operation, operation
from explorer.views.steppers.panels import layers_builder, mark_columns, put_lookup
from explorer.views.steppers.script import Script, StepKind
from explorer.views.window import Window
from explorer.vocabulary import SPACE_MARK, Vocabulary


def normalize_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the normalize stage of a trace, within a window.

    >>> from explorer.views.steppers.model_script import example
    >>> example(normalize_script, "bert-uncased", "Å", "normalize").sentence(1)
    'NFD: decompose, index 0: U+00C5 → U+0041 U+030A.'
    """
    return _Writer(stage, window).write()


class _Writer:
    """One pass over the changes of the stage."""

    def __init__(self, stage: Stage, window: Window) -> None:
        self.stage, self.part = stage, cast(Normalization, stage.part)
        self.walk = Walk(stage)
        self.items = dict(self.walk.items)
        self.changes = self.walk.changes()
        self.columns = Columns(self.items, list(self.walk.homes), window)
        self.text = {home: self.items[home.item].text[home.at] for home in self.columns.index if home.kind}
        passes = self.walk.layers | {(number, 0) for number in range(len(self.part.normalizers))}
        self.layers = sorted(passes)
        self.operations = [operation(self.part.normalizers[number], each) for number, each in self.layers]
        drawn = [change for change in self.changes if self.holds(change)]
        self.drawn = drawn
        self.active = {change.layer for change in drawn if change.touched}
        self.changed = {touched.home for change in drawn for touched in change.touched}
        self.now: dict[Home, tuple[int, ...]] = {}
        self.kinds: dict[tuple[NormalizeEvent | str, int], int] = {}
        self.kind_list: dict[int, StepKind] = {}
        self.code, self.lines = code_of(self.operations)
        title = "The operations, in order: the lines at work"
        self.builder = layers_builder(self.lanes(), self.columns.spans, self.kind_list, title, self.code)
        self.looked_up = 0
        self.vectors = 0

    def holds(self, change: Change) -> bool:
        """Whether a change is within the window; one that touches nothing is, with its item."""
        if change.touched:
            return any(touched.home in self.columns.index for touched in change.touched)
        return any(home.item == change.row.item for home in self.columns.index)

    def lanes(self) -> list[dict[str, str]]:
        """The layers of the track."""
        found = [{"title": "Text", "note": "as it comes in", "look": "full"}]
        for layer, each in zip(self.layers, self.operations, strict=True):
            if layer in self.active:
                found.append({"title": each.title, "note": each.note, "look": "changes"})
            else:
                found.append({"title": f"{each.title}:", "note": each.nothing, "look": "quiet"})
        return [*found, {"title": "Now", "note": "what goes on", "look": "full"}]

    def key(self, layer: int, home: Home) -> int:
        """The key of a column in a layer; -1 is the last layer."""
        return (layer % (len(self.layers) + 2)) * len(self.columns.spans) + self.columns.index[home]

    def write(self) -> Script:
        """The finished script."""
        self._begin()
        builder, last = self.builder, None
        fragments = len(self.walk.items)
        for change in self.drawn:
            layer = self.layers.index(change.layer)
            phase = (change.row.item,) if fragments > 1 else change.layer
            if phase != last:
                self._phase(change, fragments, layer)
                last = phase
            builder.event = change.event
            self._change(change, layer)
        return builder.script()

    def _phase(self, change: Change, fragments: int, layer: int) -> None:
        if fragments == 1:
            self.builder.phase(self.operations[layer].title)
            return
        number = [index for index, _ in self.walk.items].index(change.row.item)
        if number % -(-fragments // MAX_PHASES) == 0 or not self.builder.kind_of:
            self.builder.phase(f"Fragment {number + 1}")

    def _begin(self) -> None:
        builder = self.builder
        for home in self.columns.index:
            if home.kind:
                code = ord(self.text[home])
                look = SOURCE if home in self.changed else AS_IT_WAS
                put_chips(builder, self.key(0, home), [(code, look)])
                self.now[home] = (code,)
                put_chips(builder, self.key(-1, home), [(code, AS_IT_WAS)])
        builder.phase("Start")
        if not self.columns.spans:
            builder.begin("There is no text to normalize.")
            return
        texts = plural(sum(home.kind for home in self.columns.index), "code point"), plural(
            len(self.part.normalizers), "operation")  # fmt: skip
        args = [builder.plain(text) for text in texts]
        if not self.drawn:
            builder.begin("The text has {0:t} here. {1:t} would rewrite them, and nothing is to be done.", "", args)
        else:
            builder.begin("The text has {0:t} here. It goes through {1:t}.",
                          "Each reads the whole text as the one before has left it.", args)  # fmt: skip

    # --- one step -------------------------------------------------------------------------------------------------

    def _change(self, change: Change, layer: int) -> None:
        builder = self.builder
        for touched in change.touched:
            if touched.home not in self.columns.index:
                continue
            chips: Sequence[Chip] = touched.chips
            if change.row.kind == NormalizeEvent.FIRST_OF_NFD:
                full = unicodedata.normalize("NFD", change.was)
                chips = [*chips, *((ord(ch), LOST) for ch in full[1:])]
            put_chips(builder, self.key(layer + 1, touched.home), chips)
            put_chips(builder, self.key(-1, touched.home), [(code, AS_IT_WAS) for code in touched.now])
            mark_columns(builder, (self.key(layer + 1, touched.home), self.key(-1, touched.home)))
        self.looked_up = put_lookup(builder, list(self.found(change)), self.looked_up)
        if change.vector is not None:
            builder.put("vectors", self.vectors, builder.plain(self.operations[layer].title),
                        builder.plain(numbers(change.vector)))  # fmt: skip
            self.vectors += 1
        kind, more = self.kind_of(change)
        args = [
            builder.text(change.was), builder.text(change.now), builder.plain(named(change.was)),
            builder.plain(named(change.now)), change.row.at, builder.plain(self.operations[layer].source),
            *(builder.plain(each) for each in more),
        ]  # fmt: skip
        builder.step(self._kind(kind, layer), *args)
        for touched in change.touched:
            self.now[touched.home] = touched.now

    def _kind(self, kind: NormalizeEvent | str, layer: int) -> int:
        """The index of a kind of step at an operation."""
        key = kind, layer
        if key not in self.kinds:
            number = self.kinds[key] = len(self.kind_list)
            self.kind_list[number] = step_kind(KINDS[kind], self.lines[layer])
        return self.kinds[key]

    # --- what is said ---------------------------------------------------------------------------------------------

    def found(self, change: Change) -> Iterator[Found]:
        """How an operation finds what to write."""
        normalizer, kind, was = self.part.normalizers[change.layer[0]], change.row.kind, change.was
        if kind == NormalizeEvent.FIRST_OF_NFD:
            yield from lookups.in_ranges(was)
        elif kind == NormalizeEvent.DECOMPOSE:
            yield from lookups.apart(was, isinstance(normalizer, UnicodeForm) and normalizer.compatible)
        elif kind == NormalizeEvent.REORDER:
            yield from lookups.classes(was)
        elif kind == NormalizeEvent.COMPOSE:
            yield from lookups.joined(was, change.now)
        elif kind == NormalizeEvent.LOWER:
            yield from lookups.lowered(was, change.now)
        elif kind == NormalizeEvent.BYTES:
            yield from lookups.spelled(was)
        elif kind in (NormalizeEvent.MAP, NormalizeEvent.GRAPHEME) and isinstance(normalizer, Precompiled):
            yield from lookups.walk(normalizer.charsmap, was)
        elif was:
            for ch in was[:4]:
                yield from lookups.facts_of(ch)

    def kind_of(self, change: Change) -> tuple[NormalizeEvent | str, tuple[str, ...]]:
        """The kind of step, and the words that go with it."""
        kind, was = NormalizeEvent(change.row.kind), change.was
        at_work = self.operations[self.layers.index(change.layer)]
        sentence = f"{at_work.title}: {at_work.note}"
        if kind == NormalizeEvent.DROP_MARK:
            return self._mark(change)
        if kind == NormalizeEvent.REPLACE:
            if not change.now:
                return "left out", (sentence,)
            return "space mark" if (was, change.now) == (" ", SPACE_MARK) else kind, (sentence,)
        if kind == NormalizeEvent.PREFIX:
            return "space in front" if change.now == " " else kind, (sentence,)
        if kind == NormalizeEvent.MAP and not change.now:
            return "map to nothing", (sentence,)
        return kind, (self.words(kind, change) or sentence,)

    def words(self, kind: NormalizeEvent, change: Change) -> str:
        """The words that only this kind of step has."""
        was = change.was
        match kind:
            case NormalizeEvent.DECOMPOSE:
                return " + ".join(map(visible, change.now))
            case NormalizeEvent.REORDER:
                return ", ".join(f"{visible(ch)} {combining_class(ch)}" for ch in was)
            case NormalizeEvent.COMPOSE:
                return " + ".join(map(visible, was))
            case NormalizeEvent.FIRST_OF_NFD:
                return lookups.range_of(was)
            case NormalizeEvent.DROP_CONTROL:
                return control_words(was)
            case NormalizeEvent.STRIP:
                return "end" if self.follows_text(change) else "beginning"
            case NormalizeEvent.SPACE:
                return name(was).lower()
            case NormalizeEvent.ISOLATE:
                return chinese_range(was)
            case NormalizeEvent.BYTES:
                return was.encode().hex(" ").upper()
            case _:
                return ""

    def _mark(self, change: Change) -> tuple[NormalizeEvent | str, tuple[str, ...]]:
        """A mark that is dropped: of a letter of the text, or alone."""
        (touched,) = change.touched
        letter = self.text.get(touched.home, "")
        left = "".join(map(chr, touched.now))
        words = mark_words(change.was)
        if left and letter not in ("", change.was):
            return "mark of", (words, visible(letter), visible(left))
        return NormalizeEvent.DROP_MARK, (words,)

    def follows_text(self, change: Change) -> bool:
        """Whether stripped white space is at the end of its item."""
        at = change.touched[0].home
        text = self.items[at.item].text
        return not text[: at.at + 1].isspace()


def code_of(operations: Sequence[Operation]) -> tuple[list[str], list[tuple[int, ...]]]:
    """The pseudo-code of all operations, and the lines of each."""
    code: list[str] = []
    lines: list[tuple[int, ...]] = []
    for each in operations:
        code.append(f"# {each.source}")
        lines.append(tuple(range(len(code), len(code) + len(each.code))))
        code += each.code
    return code, lines


def mark_words(mark: str) -> str:
    """A mark's name in a sentence.

    >>> mark_words("\\u030a"), mark_words("\\u0301"), mark_words("\\u0323")
    ('ring', 'acute accent', 'dot below')
    """
    return name(mark).lower().removeprefix("combining ").removesuffix(" above")


def control_words(ch: str) -> str:
    """What a dropped control is.

    >>> control_words("\\u200d"), control_words("\\0")
    ('an invisible format character, zero width joiner', 'a control character, null')
    """
    if ch == "\ufffd":
        return "U+FFFD, which stands for text that could not be read"
    kinds = {"Cc": "a control character", "Cf": "an invisible format character", "Co": "a private use character"}
    return f"{kinds.get(unicodedata.category(ch), 'an invisible character')}, {name(ch).lower()}"


def chinese_range(ch: str) -> str:
    """The range of Chinese characters that has a character."""
    return next(f"U+{first:04X} to U+{last:04X}" for first, last in CHINESE_CHARS if first <= ord(ch) <= last)


def text_now(script: Script, rows: dict[int, tuple[int, ...]]) -> str:
    """The text in the last layer, for tests: the code points of its chips, in order."""
    track = next(each for each in script.data["tracks"] if each["name"] == "layers")
    first = (len(track["layers"]) - 1) * len(track["spans"])
    texts = script.data["texts"]
    return "".join(
        chr(int(texts[row[at + 1]], 16))
        for key, row in sorted(rows.items())
        if key >= first
        for at in range(0, len(row), 3)
    )

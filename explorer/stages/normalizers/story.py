"""The stepper's script for normalization: each operation over the whole text, each code point's way through them.

Replays the events of the normalize stage on the track `layers`: the text, a layer for each operation (three for a
Unicode form that composes), and the text as it is now. A step is one change with all it writes. Beside it are the
look-up of the step and the vectors of code points between the operations.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from explorer.engine.normalizers.charsmap import CharsmapRow
from explorer.engine.normalizers.huggingface import CHINESE_CHARS, Precompiled
from explorer.engine.normalizers.stage import Normalization, NormalizeEvent
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.tokenizer import Stage, Trace
from explorer.engine.unicode.versions import combining_class
from explorer.script.script import Script, StepKind, Values, Window, kinds
from explorer.stages.normalizers import layers as lookups
from explorer.stages.normalizers.charsmap_story import CharsmapScript
from explorer.stages.normalizers.layers import (
    AS_IT_WAS,
    FIELDS,
    Change,
    Chip,
    Columns,
    Found,
    LayersScript,
    Operation,
    Walk,
    named,
    operation,
)
from explorer.stages.normalizers.layers import DROPPED as LOST
from explorer.text import name, visible
from explorer.text.say import plural
from explorer.vocabulary import SPACE_MARK, Vocabulary

KINDS = kinds(
    NormalizeEvent,
    """
DECOMPOSE: take apart
    look: merge dot 100 landmark
    say: {source}, index {at}: {codes} → {new_codes}.
    log: {was:t} → {now:t}
    story: {was} is taken apart: {word}.
    story_why: A letter and its marks can be one code point or several.

REORDER: order
    look: push dot 70 landmark
    say: {source}, index {at}: {codes} → {new_codes}.
    why: Combining classes: {word}.
    log: {was:t} → {now:t}
    story: The marks change places: {now}.
    story_why: Unicode gives the marks on a letter a fixed order, so that texts that look the same are the same.

COMPOSE like DECOMPOSE: put together
    why: No mark between the two has the same class or a higher one.
    story: {word} become {now}.
    story_why: A letter and its mark are one code point where Unicode has one.

FIRST_OF_NFD like DECOMPOSE
    why: In llama.cpp's unicode_ranges_nfd, the upper bound minus one is {word}.
    story: {was} is taken apart, and only {now} is kept.
    story_why: llama.cpp's table has the first code point of each decomposition, and no more.

DROP_MARK: drop
    look: stale diamond 70 landmark
    say: {source}, index {at}: {codes} is dropped.
    why: It is a combining mark: {word}.
    log: {was:t} dropped
    story: The mark {was} is dropped.
    story_why: This model keeps no accents, so the mark is lost.

mark of like DROP_MARK
    fields: was:q now:q codes:t new_codes:t at source:t word:t letter:t left:t
    why: It is a combining mark, of {letter:q} in the text.
    story: The {word} of {letter:q} is dropped. What is left is {left:q}.
    story_why: This model keeps no accents: from here on {letter:q} and {left:q} are the same.

DROP_CONTROL like DROP_MARK
    why: It is {word}.
    story: {was} is dropped: it is {word}.
    story_why: It means nothing to the model, and it is lost.

STRIP like DROP_MARK: strip
    why: It is white space at the {word}.
    story: White space at the {word} of the text is dropped.
    story_why: It would become a token of its own. It is lost.

SPACE: space
    look: merge dot 70 landmark
    say: {source}, index {at}: {codes} → {new_codes}.
    why: It is {word}.
    log: {was:t} → {now:t}
    story: {was} becomes a space.
    story_why: It is {word}. To the model all white space is alike.

ISOLATE: isolate
    look: push dot 70 landmark
    say: {source}, index {at}: a space before and after {codes}.
    why: It is in the range {word}.
    log: {was:t} → {now:t}
    story: {was} is a Chinese character: a space goes on either side.
    story_why: Chinese has no spaces between words, so each character is a word.

LOWER: lower case
    look: token dot 70 landmark
    say: {source}, index {at}: {codes} → {new_codes}.
    why: One code point at a time: its neighbors don't matter.
    log: {was:t} → {now:t}
    story: {was} becomes {now}.
    story_why: This model does not tell capitals from lowercase letters.

REPLACE like SPACE: replace
    why: {word}.
    story: {was} is replaced by {now}.
    story_why: {word}.

left out: leave out
    look: stale diamond 70 landmark
    say: {source}, index {at}: {codes} is dropped.
    why: {word}.
    log: {was:t} left out
    story: {was} is left out.
    story_why: {word}. It is lost.

space mark like SPACE
    why: {word}.
    log: ␣ → {now:t}
    story: The space is written {now}.
    story_why: Tokens can then contain spaces, and no text is lost.

INSERT: insert
    look: push dot 70 landmark
    say: {source}, index {at}: {new_codes} is inserted.
    why: {word}.
    log: {now:t} inserted
    story: {now} is inserted.
    story_why: The pattern matches between any two characters.

PREFIX: in front
    look: push dot 70 landmark
    say: {source}: {new_codes} is put in front.
    log: {now:t} in front
    story: {now} is put in front.
    story_why: A word at the beginning then gets the same tokens as after a space.

space in front like PREFIX
    why: It is the beginning, or comes after a special token.
    log: ␣ in front
    story: A space is put in front.

NO_PREFIX: no prefix
    look: miss ring 40 landmark
    say: {source}: nothing is put in front, because llama.cpp's is_prev_special is false.
    why: What comes before is text.
    log: no prefix
    story: No space is put in front.
    story_why: What comes before is text, not a special token.

MAP like REPLACE: map
    story: {was} becomes {now}.
    story_why: The model's character map has a rule for it.

map to nothing like DROP_MARK: map
    why: {word}.
    story: {was} is dropped.
    story_why: The model's character map has an empty rule for it, so it is lost.

GRAPHEME like MAP
    why: {word}. The rule matches the beginning of the grapheme and replaces all of it.
    story_why: The map has a rule for its beginning, which replaces all of it.

BYTES: bytes
    look: byte dot 70 landmark
    say: {source}, index {at}: {codes} → {new_codes}.
    why: Its bytes are {word}.
    log: {was:t} → {now:t}
    story: {was} is spelled as its bytes: {now}.
    story_why: Every byte has a printable character of its own: {word}.
""",
    fields=f"{FIELDS} word:t",
)
"""By event, or a word for a variant of one. MORE and ALSO belong to the step of the event before. word: of the kind."""


def normalization_script(stage: Stage, vocabulary: Vocabulary, window: Window, trace: Trace | None = None) -> Script:
    """The script for a normalize stage, within a window.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> example(normalization_script, explorer.load("bert-uncased").trace("Å"), "normalize").sentence(1)
    'NFD: decompose, index 0: U+00C5 → U+0041 U+030A.'
    """
    writer = CharsmapScript if stage.part.row is CharsmapRow else NormalizeScript
    return writer(stage, window).write()


class NormalizeScript(LayersScript):
    """One pass over the changes of the stage."""

    def __init__(self, stage: Stage, window: Window) -> None:
        super().__init__(stage)
        self.part = cast(Normalization, stage.part)
        self.walk = Walk(stage)
        changes = self.walk.changes()
        self.columns = Columns(self.items, list(self.walk.homes), window)
        self.text = {home: self.items[home.item].text[home.at] for home in self.columns.index if home.kind}
        passes = self.walk.layers | {(number, 0) for number in range(len(self.part.normalizers))}
        self.layers = sorted(passes)
        self.operations = [operation(self.part.normalizers[number], each) for number, each in self.layers]
        self.drawn = [change for change in changes if self.holds(change)]
        self.active = {change.layer for change in self.drawn if change.touched}
        self.changed = {touched.home for change in self.drawn for touched in change.touched}
        self.kinds: dict[Any, StepKind] = {}
        """by kind of event and layer, as they come"""
        self.code, self.lines = code_of(self.operations)
        title = "The operations, in order: the lines at work"
        self.build(self.lanes(), self.kinds, self.code, title)

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
                found.append({"title": each.title, "note": each.nothing, "look": "quiet"})
        return [*found, {"title": "Now", "note": "what goes on", "look": "full"}]

    def write(self) -> Script:
        """The finished script."""
        does = "It goes through {operations}." if self.drawn else "{operations} ran and changed nothing."
        self.begin(
            f"The text has {{points}} here. {does}",
            "Each reads the whole text as the one before left it." if self.drawn else "",
            operations=plural(len(self.part.normalizers), "operation"),
        )
        last = None
        for change in self.drawn:
            layer = self.layers.index(change.layer)
            phase = (change.row.item,) if len(self.items) > 1 else change.layer
            if phase != last:
                self.open_phase(change.row.item, self.operations[layer].title)
                last = phase
            self.builder.event = change.event
            self._change(change, layer)
        return self.builder.script()

    # --- one step -------------------------------------------------------------------------------------------------

    def _change(self, change: Change, layer: int) -> None:
        for touched in change.touched:
            if touched.home not in self.columns.index:
                continue
            chips: Sequence[Chip] = touched.chips
            if change.row.kind == NormalizeEvent.FIRST_OF_NFD:
                full = unicodedata.normalize("NFD", change.was)
                chips = [*chips, *((ord(ch), LOST) for ch in full[1:])]
            self.put(layer + 1, touched.home, chips)
            self.put(-1, touched.home, [(code, AS_IT_WAS) for code in touched.now])
            for each in (layer + 1, -1):
                self.mark(each, [touched.home])
        self.put_lookup(list(self.found(change)))
        if change.vector is not None:
            self.put_vector(self.operations[layer].title, change.vector)
        kind, more = self.kind_of(change)
        if (kind, layer) not in self.kinds:
            self.kinds[kind, layer] = replace(KINDS[kind], lines=self.lines[layer])
        told: Values = {
            "was": change.was,
            "now": change.now,
            "codes": named(change.was),
            "new_codes": named(change.now),
        }
        told |= {"at": change.row.at, "source": self.operations[layer].source, **more}
        self.builder.step((kind, layer), **told)

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

    def kind_of(self, change: Change) -> tuple[NormalizeEvent | str, dict[str, str]]:
        """The kind of step, and the words that go with it."""
        kind, was = NormalizeEvent(change.row.kind), change.was
        at_work = self.operations[self.layers.index(change.layer)]
        sentence = f"{at_work.title}: {at_work.note}"
        if kind == NormalizeEvent.DROP_MARK:
            return self._mark(change)
        if kind == NormalizeEvent.REPLACE:
            if not change.now:
                return "left out", {"word": sentence}
            return "space mark" if (was, change.now) == (" ", SPACE_MARK) else kind, {"word": sentence}
        if kind == NormalizeEvent.PREFIX:
            return "space in front" if change.now == " " else kind, {"word": sentence}
        if kind == NormalizeEvent.MAP and not change.now:
            return "map to nothing", {"word": sentence}
        return kind, {"word": self.words(kind, change) or sentence}

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
                at = change.touched[0].home
                before = self.items[at.item].text[: at.at + 1]
                return "beginning" if before.isspace() else "end"
            case NormalizeEvent.SPACE:
                return name(was).lower()
            case NormalizeEvent.ISOLATE:
                ranges = ((first, last) for first, last in CHINESE_CHARS if first <= ord(was) <= last)
                return next(f"U+{first:04X} to U+{last:04X}" for first, last in ranges)
            case NormalizeEvent.BYTES:
                return was.encode().hex(" ").upper()
            case _:
                return ""

    def _mark(self, change: Change) -> tuple[NormalizeEvent | str, dict[str, str]]:
        """A mark that is dropped: of a letter of the text, or alone."""
        (touched,) = change.touched
        letter = self.text.get(touched.home, "")
        left = "".join(map(chr, touched.now))
        words = mark_words(change.was)
        if left and letter not in ("", change.was):
            return "mark of", {"word": words, "letter": visible(letter), "left": visible(left)}
        return NormalizeEvent.DROP_MARK, {"word": words}


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

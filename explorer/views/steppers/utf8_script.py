"""The stepper's script for bytes: UTF-8 read byte by byte, each character's bits put together.

Follows table 3-7 of the Unicode Standard, as `explorer.text.utf8` does: a first byte says how many bytes its character
has, each later one adds six bits. The code of the level Implementation is that of llama.cpp's `unicode_cpt_from_utf8`,
which does less: for bytes that are not UTF-8 the script shows what each program writes instead (`utf8_readers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from explorer.text import CATEGORIES, decode_utf8, facts, visible
from explorer.text.quantities import plural
from explorer.text.utf8 import Decoded, Fault
from explorer.text.utf8_readers import Read, read_by_llama_cpp, shown, strict_error
from explorer.views.steppers.scanner_words import flags_words
from explorer.views.steppers.script import Script, ScriptBuilder
from explorer.views.steppers.utf8_kinds import CODE, KIND_INDEX, KINDS, SOURCE, Utf8Step
from explorer.views.window import Window

ROLES = (("", "done"), ("", "reject"), ("", "hit"))
AT_WORK, WRONG, WHOLE = range(len(ROLES))

WAITS, TAKEN, REFUSED = range(3)
"""The states of a byte in the track `bits`."""
NUMBER = -1
"""The key of the number in the track `bits`."""

PYTHON, STRICT, LLAMA_CPP, RUST = range(4)
READERS = {
    PYTHON: "Python, errors=“replace”",
    STRICT: "Python, strict",
    LLAMA_CPP: "llama.cpp",
    RUST: "Hugging Face (Rust)",
}


def utf8_script(text: str, window: Window) -> Script:
    """The script for a text, within a window.

    >>> utf8_script("Å", Window(0, 1, 0, 1)).sentence(3)
    'C3 85 → 0xC5 = U+00C5; offset goes 0 → 2. It is code point 1: “Å”.'
    """
    before = len(text[: window.start].encode())
    writer = _Writer(text[window.start : window.end].encode(), before, window.start)
    return writer.write()


def bytes_script(data: bytes) -> Script:
    """The script for bytes that need not be UTF-8, with what each program makes of them.

    >>> len(bytes_script(b"\\x85").data["steps"]["kind"])
    2
    """
    return _Writer(data).write()


READERS_TRACKS: Sequence[dict[str, Any]] = (
    {"name": "output", "type": "table", "title": "What each program reads", "layout": "rows", "newest_first": False,
     "empty": "", "tab": "Programs",
     "columns": [{"name": "read by", "as": "text"}, {"name": "text so far", "as": "quoted"}]},
)  # fmt: skip
CHARACTERS_TRACKS: Sequence[dict[str, Any]] = (
    {"name": "output", "type": "output", "title": "Characters", "empty": "No character yet.",
     "labeled": True, "tab": "Characters",
     "counts": ["code point", "code points"]},
    {"name": "offsets", "type": "table", "title": "Offsets on both sides", "layout": "rows", "newest_first": False,
     "empty": "No code point yet.",
     "columns": [{"name": "code point", "as": "number"}, {"name": "byte offset", "as": "number"},
                 {"name": "bytes", "as": "text"}, {"name": "name", "as": "text"}, {"name": "number", "as": "number"},
                 {"name": "category", "as": "text"}, {"name": "to llama.cpp", "as": "text"}]},
)  # fmt: skip
"""The tracks of the result: for bytes that need not be a text, and for a text."""


class _Writer:
    """One pass over the characters and malformed runs.

    first: the offset of the first byte. point: the index of the first code point in the text; None for bytes that are
    not a text.
    """

    def __init__(self, data: bytes, first: int = 0, point: int | None = None) -> None:
        self.data, self.first, self.point = data, first, point
        self.runs = decode_utf8(data)
        self.cells: list[list[int]] = []
        widest = max((run.length for run in self.runs), default=1)
        self.builder = ScriptBuilder(
            title="Bytes",
            landmark="character",
            kinds=dict(enumerate(KINDS.values())),
            tracks=(
                {"name": "cells", "type": "strip", "title": "Bytes", "note": "in hexadecimal; above each its offset",
                 "meta": [], "spaced": True, "cells": self.cells, "groups": [{"title": ""}]},
                {"name": "bits", "type": "bits", "title": "Bits", "number": "The number",
                 "note": "gray: how many bytes; green: the number",
                 "most": min(4, widest + (point is None))},
                *(READERS_TRACKS if point is None else CHARACTERS_TRACKS),
            ),
            roles=ROLES,
            layout=(("cells",), ("bits", "output"), ("log", "code"), *((("offsets",),) if point is not None else ())),
            code_title="How UTF-8 is read",
            code=CODE,
            source_title="llama.cpp, src/unicode.cpp",
            source=SOURCE,
        )  # fmt: skip
        self.drawn = 0
        """bytes in the track `bits`"""
        self.texts = dict.fromkeys(READERS, "")
        self.reads: list[Read] = read_by_llama_cpp(data) if point is None else []

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        for index, run in enumerate(self.runs):
            span = (-1, -1) if self.point is None else (self.point + index, self.point + index + 1)
            for at in range(run.start, run.start + run.length):
                self.cells.append([builder.plain(f"{self.data[at]:02X}"), self.first + at, 0, *span])
                builder.put("cells", at, 1, -1)
        if self.point is None:
            for reader in READERS:
                self._put_reader(reader)
        builder.phase("Read")
        if not self.data:
            builder.begin("There are no bytes.", lines=(0,))
            return builder.script()
        size = builder.plain(plural(len(self.data), "byte"))
        several = "Which of them make a character together?", "The first bits of each byte say so."
        ask, why = several if len(self.data) > 1 else ("Is it a character?", "Its first bits say so.")
        builder.begin(f"{{0:t}} to read. {ask}", why, [size], (0,))
        for builder.event, run in enumerate(self.runs):
            self._run(run, builder.event)
        builder.event = len(self.runs)
        self._clear()
        count, wrong = len(self.runs), sum(run.fault is not None for run in self.runs)
        kind = Utf8Step.BROKEN_END if wrong else Utf8Step.END
        builder.step(
            KIND_INDEX[kind], size, builder.plain(plural(count, "code point")),
            builder.plain(plural(4 * count, "byte")), builder.plain(plural(wrong, "malformed run")),
        )  # fmt: skip
        return builder.script()

    # --- one character or malformed run ---------------------------------------------------------------------------

    def _run(self, run: Decoded, index: int) -> None:
        self._clear()
        first = run.fields[0].value
        if run.fault in (Fault.STRAY, Fault.IMPOSSIBLE) or (run.fault and not 0xC2 <= first <= 0xF4):
            self._refuse(run, run.start)
            return
        if run.code_point is not None and run.length == 1:
            self._take(run, 0)
            self._done(run, index)
            self._step(Utf8Step.SINGLE, run, 0, *self._of_character(run, index), self.first + run.start + 1)
            return
        size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        for place in range(1, run.length):
            self._put_byte(run, place, WAITS)
        self._take(run, 0)
        self._step((Utf8Step.LEAD2, Utf8Step.LEAD3, Utf8Step.LEAD4)[size - 2], run, 0)
        for place in range(1, run.length):
            self._take(run, place)
            self._step(Utf8Step.NEXT, run, place, self.builder.plain(f"{self._number(run, place + 1):X}"))
        if run.fault:
            self._refuse(run, run.start + run.length)
        else:
            self._done(run, index)
            kind = (Utf8Step.TWO, Utf8Step.THREE, Utf8Step.FOUR)[size - 2]
            self._step(kind, run, 0, *self._of_character(run, index), self.first + run.start + size)

    def _refuse(self, run: Decoded, at: int) -> None:
        """The run breaks a rule at the byte at offset `at`, which may be the end."""
        builder, fault, place = self.builder, run.fault, at - run.start
        assert fault is not None
        if at < len(self.data):
            builder.put("bits", place, self.data[at], self._prefix(at), REFUSED, self.first + at)
            self.drawn = max(self.drawn, place + 1)
            builder.mark("cells", at, WRONG)
        builder.put("bits", NUMBER, builder.plain("no character"), builder.plain("\ufffd"))
        self._box(run, 0xFFFD)
        self._read(run)
        seen = builder.plain(self.data[run.start : max(at, run.start + 1)].hex(" ").upper())
        here = f"{self.data[at]:02X}" if at < len(self.data) else "the end"
        builder.step(
            KIND_INDEX[FAULTS[fault]], seen, builder.plain(here), self.first + at, builder.plain(self._by_llama(run)),
            builder.plain("this byte becomes" if run.length == 1 else f"these {run.length} bytes become"),
        )  # fmt: skip

    def _prefix(self, at: int) -> int:
        ones = 8 - (self.data[at] ^ 0xFF).bit_length()
        return min(ones + 1, 8)

    def _by_llama(self, run: Decoded) -> str:
        """What llama.cpp does at the first byte of a malformed run."""
        read = next(each for each in self.reads if each.start <= run.start < each.start + each.length)
        if read.start < run.start:
            return "llama.cpp has taken this byte into the number before"
        if read.accepted:
            taken = self.data[read.start : read.start + read.length].hex(" ").upper()
            return f"llama.cpp does not test this: it reads {taken} as 0x{read.number:X}"
        return "llama.cpp throws, writes 0xFFFD and goes on one byte later"

    def _done(self, run: Decoded, index: int) -> None:
        """A character is whole: its bytes are one box, and it joins the output."""
        builder, code = self.builder, run.code_point
        assert code is not None
        name, glyph = builder.plain(f"U+{code:04X}"), builder.text(chr(code))
        builder.put("bits", NUMBER, name, glyph)
        self._box(run, code)
        self._read(run)
        if self.point is not None:
            at = self.point + index
            data = builder.plain(self.data[run.start : run.start + run.length].hex(" ").upper())
            builder.put("output", at, glyph, code, at, at + 1, name)
            fact = facts(chr(code))
            about = f"{fact.label} {fact.name}", f"{fact.category}: {CATEGORIES[fact.category]}", flags_words(chr(code))
            named, category, flags = map(builder.plain, about)
            builder.put("offsets", at, at, self.first + run.start, data, named, code, category, flags)

    def _read(self, run: Decoded) -> None:
        """What every program has read up to the end of a run."""
        if self.point is not None:
            return
        end, texts = run.start + run.length, self.texts
        texts[PYTHON] = texts[RUST] = visible(self.data[:end].decode("utf-8", "replace"))
        texts[LLAMA_CPP] = "".join(shown(each.number) for each in self.reads if each.start + each.length <= end)
        error = strict_error(self.data)
        stopped = error is not None and any(each.fault for each in self.runs if each.start <= run.start)
        texts[STRICT] = error if error is not None and stopped else texts[PYTHON]
        for reader in READERS:
            self._put_reader(reader)

    def _put_reader(self, reader: int) -> None:
        builder = self.builder
        builder.put("output", reader, builder.plain(READERS[reader]), builder.plain(self.texts[reader]))

    # --- tracks and arguments -------------------------------------------------------------------------------------

    def _clear(self) -> None:
        """Empties the track `bits` for the next character."""
        for key in range(self.drawn):
            self.builder.delete("bits", key)
        if self.drawn:
            self.builder.delete("bits", NUMBER)
        self.drawn = 0

    def _put_byte(self, run: Decoded, place: int, state: int) -> None:
        field = run.fields[place]
        self.builder.put("bits", place, field.value, field.prefix_bits, state, self.first + run.start + place)
        self.drawn = max(self.drawn, place + 1)

    def _take(self, run: Decoded, place: int) -> None:
        self._put_byte(run, place, TAKEN)
        self.builder.mark("cells", run.start + place, AT_WORK)
        name = self.builder.plain(f"0x{self._number(run, place + 1):X} so far")
        self.builder.put("bits", NUMBER, name, -1)

    def _box(self, run: Decoded, color: int) -> None:
        for place in range(run.length):
            self.builder.put("cells", run.start + place, *((run.length, color) if not place else (0, -1)))
        self.builder.mark("cells", run.start, WHOLE)

    def _number(self, run: Decoded, places: int) -> int:
        """The number that the first bytes of a run give."""
        *_, number = accumulate((field.payload for field in run.fields[:places]), lambda high, low: high << 6 | low)
        return number

    def _of_character(self, run: Decoded, index: int) -> tuple[int, ...]:
        builder, code = self.builder, run.code_point
        assert code is not None
        data = self.data[run.start : run.start + run.length].hex(" ").upper()
        number = index + 1 + (self.point or 0)
        return (
            builder.plain(data), builder.text(chr(code)), builder.plain(f"U+{code:04X}"),
            builder.plain(f"0x{code:X}"), number,
        )  # fmt: skip

    def _step(self, kind: Utf8Step, run: Decoded, place: int, *more: int) -> None:
        """Args: byte, its offset, its payload in binary, and more."""
        field = run.fields[place]
        builder = self.builder
        builder.step(
            KIND_INDEX[kind], builder.plain(f"{field.value:02X}"), self.first + run.start + place,
            builder.plain(field.bits[1]), *more,
        )  # fmt: skip


FAULTS = {
    Fault.STRAY: Utf8Step.STRAY,
    Fault.TRUNCATED: Utf8Step.TRUNCATED,
    Fault.OVERLONG: Utf8Step.OVERLONG,
    Fault.SURROGATE: Utf8Step.SURROGATE,
    Fault.TOO_HIGH: Utf8Step.TOO_HIGH,
    Fault.IMPOSSIBLE: Utf8Step.IMPOSSIBLE,
}

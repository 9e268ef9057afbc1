"""The stepper's script for bytes: UTF-8 read byte by byte, each character's bits put together.

Follows table 3-7 of the Unicode Standard, as `explorer.text.utf8` does: a first byte says how many bytes its character
has, each later one adds six bits. The code of the level Implementation is that of llama.cpp's `unicode_cpt_from_utf8`,
which does less: for bytes that are not UTF-8 the script shows what each program writes instead (`utf8_readers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from itertools import accumulate
from typing import Any, Final

from explorer.text import CATEGORIES, decode_utf8, facts, visible
from explorer.text.quantities import plural
from explorer.text.utf8 import Decoded, Fault
from explorer.text.utf8_readers import Read, read_by_llama_cpp, shown, strict_error
from explorer.views.steppers.scanner_words import flags_words
from explorer.views.steppers.script import Script, ScriptBuilder, Values, kinds
from explorer.views.window import Window

CODE: Final = (
    "at the first byte:",
    "while there is a byte:",
    "    if it begins with 0:",
    "        its other 7 bits are the character",
    "    else if it begins with 110, 1110 or 11110:",
    "        2, 3 or 4 bytes make the character",
    "        number = its bits after that",
    "        for each further byte:",
    "            it must begin with 10",
    "            number = number · 64 + its other 6 bits",
    "        the number must need this many bytes,",
    "            be no surrogate and at most 10FFFF",
    "    else: it is an error, written as �",
    "    go on after these bytes",
)
SOURCE: Final = (
    "cpts_from_utf8: while offset < utf8.size():",
    "  result ← unicode_cpt_from_utf8(utf8, offset)",
    "  if that throws: offset += 1, result ← 0xFFFD",
    "unicode_cpt_from_utf8: b = utf8 + offset",
    "  b[0] & 0x80 is 0: offset += 1, return b[0]",
    "  b[0] & 0x40 is 0: throw",
    "  b[0] & 0x20 is 0: is b[1] & 0xC0 == 0x80?",
    "    offset += 2",
    "    return (b[0] & 0x1F) << 6 | b[1] & 0x3F",
    "  b[0] & 0x10 is 0: are b[1], b[2]?",
    "    offset += 3",
    "    return (b[0] & 0x0F) << 12 | (b[1] & 0x3F) << 6 | b[2] & 0x3F",
    "  b[0] & 0x08 is 0: are b[1], b[2], b[3]?",
    "    offset += 4",
    "    return (b[0] & 0x07) << 18 | (b[1] & 0x3F) << 12 | (b[2] & 0x3F) << 6 | b[3] & 0x3F",
    "  throw",
)


class Utf8Step(IntEnum):
    """What a step does."""

    SINGLE = 0
    LEAD2 = 1
    LEAD3 = 2
    LEAD4 = 3
    NEXT = 4
    TWO = 5
    THREE = 6
    FOUR = 7
    STRAY = 8
    TRUNCATED = 9
    OVERLONG = 10
    SURROGATE = 11
    TOO_HIGH = 12
    IMPOSSIBLE = 13
    END = 14
    BROKEN_END = 15


KINDS: Final = kinds(
    Utf8Step,
    """
SINGLE: character
    look: merge dot 80 landmark
    lines: 2 3 13
    source: 3 4
    fields: byte:t offset payload:t data:t char:q name:t hex:t point after
    say: utf8[{offset:i}] = {byte}: b[0] & 0x80 is 0, so it is code point {point}, {name}: {char}. offset goes
        {offset} → {after}.
    why: One byte, as in ASCII.
    log: {byte} → {char}
    story: {byte:q} begins with 0, so it is a character by itself: {char}, {name}.
    story_why: The other seven bits are its number. These are the 128 characters of ASCII.

LEAD2: first byte
    look: push dot 55
    lines: 4 5 6
    source: 3 6
    fields: byte:t offset payload:t
    say: utf8[{offset:i}] = {byte}: b[0] & 0x20 is 0, so 2 bytes make the character.
    why: b[0] & 0x1F leaves {payload}.
    log: {byte} begins a character
    story: {byte:q} begins with 110: two bytes make the next character.
    story_why: The ones in front count the bytes. The five bits after the 0 begin the number of the character.

LEAD3 like LEAD2
    source: 3 9
    say: utf8[{offset:i}] = {byte}: b[0] & 0x10 is 0, so 3 bytes make the character.
    why: b[0] & 0x0F leaves {payload}.
    story: {byte:q} begins with 1110: three bytes make the next character.
    story_why: The ones in front count the bytes. The four bits after the 0 begin the number of the character.

LEAD4 like LEAD2
    source: 3 12
    say: utf8[{offset:i}] = {byte}: b[0] & 0x08 is 0, so 4 bytes make the character.
    why: b[0] & 0x07 leaves {payload}.
    story: {byte:q} begins with 11110: four bytes make the next character.
    story_why: The ones in front count the bytes. The three bits after the 0 begin the number of the character.

NEXT: next byte
    look: push dot 40
    lines: 7 8 9
    source: 3
    fields: byte:t offset payload:t number:t
    say: utf8[{offset:i}] = {byte}: & 0xC0 is 0x80. Shift the number left by 6, add {payload}: 0x{number}.
    why: & 0x3F leaves these six bits.
    log: {byte} adds {payload}
    story: {byte:q} begins with 10: it belongs to the same character.
    story_why: Its other six bits, {payload}, are put after the number so far.

TWO: character
    look: merge dot 100 landmark
    lines: 10 11 13
    source: 7 8
    fields: byte:t offset payload:t data:t char:q name:t hex:t point after
    say: {data} → {hex} = {name}; offset goes {offset} → {after}. It is code point {point}: {char}.
    log: {data} → {char}
    story: {data:q} is one character: {char}, {name}. Two bytes.
    story_why: {name} is its number in Unicode, written in hexadecimal.

THREE like TWO
    source: 10 11
    story: {data:q} is one character: {char}, {name}. Three bytes.

FOUR like TWO
    source: 13 14
    story: {data:q} is one character: {char}, {name}. Four bytes.

STRAY: lone
    look: stale diamond 90 landmark
    lines: 12
    source: 2 5
    fields: seen:t here:t at by_llama:t becomes:t
    say: utf8[{at:i}] = {seen} begins with 10, but no character has begun.
    why: Unicode's rule: {becomes} one U+FFFD. {by_llama}.
    log: lone: {seen}
    story: {seen:q} begins with 10: it continues a character, but none has begun.
    story_why: It is written as �, the sign for something that could not be read.

TRUNCATED: cut short
    look: stale diamond 90 landmark
    lines: 8 12
    source: 2
    fields: seen:t here:t at by_llama:t becomes:t
    say: {seen} needs another byte at offset {at}, but there is {here}.
    why: Unicode's rule: {becomes} one U+FFFD. {by_llama}.
    log: cut short: {seen}
    story: The character breaks off after {seen:q}: what follows is {here}.
    story_why: A byte that begins with 10 is missing. What was read of it becomes one �.

OVERLONG like TRUNCATED: overlong
    lines: 10 12
    say: {seen} at offset {at}: {here} would make an overlong form.
    log: overlong: {seen}
    story: {seen:q} is the beginning of a spelling that is longer than needed.
    story_why: Only the shortest spelling of a character counts; otherwise one character had several.

SURROGATE like TRUNCATED: surrogate
    lines: 11 12
    say: {seen}, then {here} at offset {at}: half of a surrogate pair.
    log: surrogate: {seen}
    story: {seen:q}, then {here:q}: that would be half of a surrogate pair, not a character.
    story_why: UTF-16 uses the numbers D800 to DFFF in pairs; UTF-8 never does.

TOO_HIGH like SURROGATE: too high
    say: {seen} at offset {at}: {here} would make a number above 10FFFF.
    log: too high: {seen}
    story: {seen:q} begins a number above 10FFFF, where Unicode ends.
    story_why: It is written as �, the sign for something that could not be read.

IMPOSSIBLE like STRAY: no such byte
    source: 2 15
    say: utf8[{at:i}] = {seen} occurs in no UTF-8 text.
    log: no such byte: {seen}
    story: {seen:q} begins with five ones: no character is that long.

END: end
    look: info diamond 70
    lines: 1
    source: 0
    fields: size:t points:t memory:t wrong:t
    say: {size} of UTF-8: {points}.
    why: As numbers of 32 bits, as in llama.cpp's vector of uint32_t: {memory}.
    log: {size} → {points}
    story: {size}, {points}.
    story_why: As numbers of one size, four bytes each: {memory}.

BROKEN_END like END
    say: {size} read: {points}, with {wrong}.
    why: Python and Rust write one U+FFFD for each malformed run; llama.cpp writes one for each byte it refuses.
    story: {size}, {points}, with {wrong}.
    story_why: Not every sequence of bytes is a text, and programs write different things instead.
""",
)

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
            kinds=KINDS,
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
        size = plural(len(self.data), "byte")
        several = "Which of them make a character together?", "The first bits of each byte say so."
        ask, why = several if len(self.data) > 1 else ("Is it a character?", "Its first bits say so.")
        builder.begin(f"{{size}} to read. {ask}", why, lines=(0,), size=size)
        for builder.event, run in enumerate(self.runs):
            self._run(run, builder.event)
        builder.event = len(self.runs)
        self._clear()
        count, wrong = len(self.runs), sum(run.fault is not None for run in self.runs)
        builder.step(
            Utf8Step.BROKEN_END if wrong else Utf8Step.END,
            size=size,
            points=plural(count, "code point"),
            memory=plural(4 * count, "byte"),
            wrong=plural(wrong, "malformed run"),
        )
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
            self._step(Utf8Step.SINGLE, run, 0, **self._of_character(run, index))
            return
        size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        for place in range(1, run.length):
            self._put_byte(run, place, WAITS)
        self._take(run, 0)
        self._step((Utf8Step.LEAD2, Utf8Step.LEAD3, Utf8Step.LEAD4)[size - 2], run, 0)
        for place in range(1, run.length):
            self._take(run, place)
            self._step(Utf8Step.NEXT, run, place, number=f"{self._number(run, place + 1):X}")
        if run.fault:
            self._refuse(run, run.start + run.length)
        else:
            self._done(run, index)
            kind = (Utf8Step.TWO, Utf8Step.THREE, Utf8Step.FOUR)[size - 2]
            self._step(kind, run, 0, **self._of_character(run, index))

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
        builder.step(
            FAULTS[fault],
            seen=self.data[run.start : max(at, run.start + 1)].hex(" ").upper(),
            here=f"{self.data[at]:02X}" if at < len(self.data) else "the end",
            at=self.first + at,
            by_llama=self._by_llama(run),
            becomes="this byte becomes" if run.length == 1 else f"these {run.length} bytes become",
        )

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

    def _of_character(self, run: Decoded, index: int) -> Values:
        code, end = run.code_point, run.start + run.length
        assert code is not None
        return {
            "data": self.data[run.start : end].hex(" ").upper(),
            "char": chr(code),
            "name": f"U+{code:04X}",
            "hex": f"0x{code:X}",
            "point": index + 1 + (self.point or 0),
            "after": self.first + end,
        }

    def _step(self, kind: Utf8Step, run: Decoded, place: int, **more: int | str) -> None:
        """A step that reads a byte."""
        field = run.fields[place]
        told: Values = {
            "byte": f"{field.value:02X}",
            "offset": self.first + run.start + place,
            "payload": field.bits[1],
        }
        self.builder.step(kind, **told, **more)


FAULTS = {
    Fault.STRAY: Utf8Step.STRAY,
    Fault.TRUNCATED: Utf8Step.TRUNCATED,
    Fault.OVERLONG: Utf8Step.OVERLONG,
    Fault.SURROGATE: Utf8Step.SURROGATE,
    Fault.TOO_HIGH: Utf8Step.TOO_HIGH,
    Fault.IMPOSSIBLE: Utf8Step.IMPOSSIBLE,
}

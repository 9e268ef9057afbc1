"""Bytes to code points, no stage of a trace but drawn as one: UTF-8 read byte by byte, bits put together.

Follows table 3-7 of the Unicode Standard, as `explorer.text.input` does: a first byte says how many bytes its character
has, each later one adds six bits. The code of the level Implementation is that of llama.cpp's `unicode_cpt_from_utf8`,
which does less: for bytes that are not UTF-8 the script shows what each program writes instead (`text.utf8`).
"""

from functools import lru_cache
from itertools import accumulate

import regex

from explorer.script.script import TRACKS, Script, ScriptBuilder, Values, Window, kinds, roles
from explorer.stages.pre_tokenizers.scanner import flags_words
from explorer.text import categories, decode_utf8, facts, visible
from explorer.text.input import Decoded, Fault, Read, read_by_llama_cpp, shown, strict_error, width
from explorer.text.say import Say, Text, plural

CODE = """\
at the first byte:
while there is a byte:
    if it begins with 0:
        its other 7 bits are the character
    else if it begins with 110, 1110 or 11110:
        2, 3 or 4 bytes make the character
        number = its bits after that
        for each further byte:
            it must begin with 10
            number = number · 64 + its other 6 bits
        the number must need this many bytes,
            be no surrogate and at most 10FFFF
    else: it is an error, written as �
    go on after these bytes
""".splitlines()
SOURCE = """\
cpts_from_utf8: while offset < utf8.size():
  result ← unicode_cpt_from_utf8(utf8, offset)
  if that throws: offset += 1, result ← 0xFFFD
unicode_cpt_from_utf8: b = utf8 + offset
  b[0] & 0x80 is 0: offset += 1, return b[0]
  b[0] & 0x40 is 0: throw
  b[0] & 0x20 is 0: is b[1] & 0xC0 == 0x80?
    offset += 2
    return (b[0] & 0x1F) << 6 | b[1] & 0x3F
  b[0] & 0x10 is 0: are b[1], b[2]?
    offset += 3
    return (b[0] & 0x0F) << 12 | (b[1] & 0x3F) << 6 | b[2] & 0x3F
  b[0] & 0x08 is 0: are b[1], b[2], b[3]?
    offset += 4
    return (b[0] & 0x07) << 18 | (b[1] & 0x3F) << 12 | (b[2] & 0x3F) << 6 | b[3] & 0x3F
  throw
""".splitlines()


KINDS = kinds(
    Fault,
    """
single: character
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

lead 2: first byte
    look: push dot 55
    lines: 4 5 6
    source: 3 6
    fields: byte:t offset payload:t
    say: utf8[{offset:i}] = {byte}: b[0] & 0x20 is 0, so 2 bytes make the character.
    why: b[0] & 0x1F leaves {payload}.
    log: {byte} begins a character
    story: {byte:q} begins with 110: two bytes make the next character.
    story_why: The ones in front give the number of bytes. The five bits after the 0 begin the character's number.

lead 3 like lead 2
    source: 3 9
    say: utf8[{offset:i}] = {byte}: b[0] & 0x10 is 0, so 3 bytes make the character.
    why: b[0] & 0x0F leaves {payload}.
    story: {byte:q} begins with 1110: three bytes make the next character.
    story_why: The ones in front give the number of bytes. The four bits after the 0 begin the character's number.

lead 4 like lead 2
    source: 3 12
    say: utf8[{offset:i}] = {byte}: b[0] & 0x08 is 0, so 4 bytes make the character.
    why: b[0] & 0x07 leaves {payload}.
    story: {byte:q} begins with 11110: four bytes make the next character.
    story_why: The ones in front give the number of bytes. The three bits after the 0 begin the character's number.

next: next byte
    look: push dot 40
    lines: 7 8 9
    source: 3
    fields: byte:t offset payload:t number:t
    say: utf8[{offset:i}] = {byte}: & 0xC0 is 0x80. Shift the number left by 6, add {payload}: 0x{number}.
    why: & 0x3F leaves these six bits.
    log: {byte} adds {payload}
    story: {byte:q} begins with 10: it belongs to the same character.
    story_why: Its other six bits, {payload}, are appended to the number so far.

whole 2: character
    look: merge dot 100 landmark
    lines: 10 11 13
    source: 7 8
    fields: byte:t offset payload:t data:t char:q name:t hex:t point after
    say: {data} → {hex} = {name}; offset goes {offset} → {after}. It is code point {point}: {char}.
    log: {data} → {char}
    story: {data:q} is one character: {char}, {name}. Two bytes.
    story_why: {name} is its number in Unicode, written in hexadecimal.

whole 3 like whole 2
    source: 10 11
    story: {data:q} is one character: {char}, {name}. Three bytes.

whole 4 like whole 2
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
    story: {seen:q} begins a spelling that is longer than needed.
    story_why: Only the shortest spelling of a character is valid; otherwise a character would have several.

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

end: end
    look: info diamond 70
    lines: 1
    source: 0
    fields: size:t points:t memory:t wrong:t
    say: {size} of UTF-8: {points}.
    why: As 32-bit numbers, as in llama.cpp's vector of uint32_t, they take {memory}.
    log: {size} → {points}
    story: {size}, {points}.
    story_why: As numbers of four bytes each they would take {memory}.

broken end like end
    say: {size} read: {points}, with {wrong}.
    why: Python and Rust write one U+FFFD for each malformed run; llama.cpp writes one for each byte it refuses.
    story: {size}, {points}, with {wrong}.
    story_why: Not every sequence of bytes is text, and programs replace malformed bytes differently.
""",
)

ROLES = roles("done, reject, hit")
AT_WORK, WRONG, WHOLE = range(len(ROLES))

WAITS, TAKEN, REFUSED = range(3)
"""The states of a byte in the track `bits`."""
NUMBER = -1
"""The key of the number in the track `bits`."""

READERS = ("Python, errors=“replace”", "Python, strict", "llama.cpp", "Hugging Face (Rust)")


def utf8_script(text: str, window: Window) -> Script:
    """The script for a text, within a window.

    >>> utf8_script("Å", Window(0, 1, 0, 1)).sentence(3)
    'C3 85 → 0xC5 = U+00C5; offset goes 0 → 2. It is code point 1: “Å”.'
    """
    before = len(text[: window.start].encode())
    return _Writer(text[window.start : window.end].encode(), before, window.start).write()


def bytes_script(data: bytes) -> Script:
    """The script for bytes that need not be UTF-8, with what each program makes of them.

    >>> len(bytes_script(b"\\x85").data["steps"]["kind"])
    2
    """
    return _Writer(data).write()


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
        self.builder = ScriptBuilder.laid_out(
            "bytes",
            kinds=KINDS,
            tracks=(
                TRACKS["bytes"] | {"cells": self.cells},
                TRACKS["bits"] | {"most": min(4, widest + (point is None))},
                *(("programs",) if point is None else ("characters", "offsets")),
            ),
            roles=ROLES,
            layout=f"cells / bits, output / log, code{'' if point is None else ' / offsets'}",
            code=CODE,
            source=SOURCE,
        )
        self.drawn = 0
        """bytes in the track `bits`"""
        self.reads: list[Read] = read_by_llama_cpp(data) if point is None else []

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        for index, run in enumerate(self.runs):
            span = (-1, -1) if self.point is None else (self.point + index, self.point + index + 1)
            for at in range(run.start, run.start + run.length):
                self.cells.append([builder.plain(f"{self.data[at]:02X}"), self.first + at, 0, *span])
                builder.put("cells", at, 1, -1)
        self._put_readers(0, 0)
        builder.phase("Read")
        if not self.data:
            builder.begin("There are no bytes.", lines=(0,))
            return builder.script()
        size = plural(len(self.data), "byte")
        several = "{size} to read. Which of them make a character together?", "The first bits of each byte say so."
        ask, why = several if len(self.data) > 1 else ("{size} to read. Is it a character?", "Its first bits say so.")
        builder.begin(ask, why, lines=(0,), size=size)
        for builder.event, run in enumerate(self.runs):
            self._run(run, builder.event)
        builder.event = len(self.runs)
        self._clear()
        count, wrong = len(self.runs), sum(run.fault is not None for run in self.runs)
        builder.step(
            "broken end" if wrong else "end",
            size=size,
            points=plural(count, "code point"),
            memory=plural(4 * count, "byte"),
            wrong=plural(wrong, "malformed run"),
        )
        return builder.script()

    # --- one character or malformed run ---------------------------------------------------------------------------

    def _run(self, run: Decoded, index: int) -> None:
        self._clear()
        first, size = run.fields[0].value, run.length
        if run.fault in (Fault.STRAY, Fault.IMPOSSIBLE) or (run.fault and not 0xC2 <= first <= 0xF4):
            self._refuse(run, run.start)
            return
        if run.fault is None and size == 1:
            self._take(run, 0)
            self._step("single", run, 0, **self._done(run, index))
            return
        for place in range(1, size):
            self._put_byte(run, place, WAITS)
        self._take(run, 0)
        self._step(f"lead {width(first)}", run, 0)
        for place in range(1, size):
            self._take(run, place)
            self._step("next", run, place, number=f"{self._number(run, place + 1):X}")
        if run.fault:
            self._refuse(run, run.start + size)
        else:
            self._step(f"whole {size}", run, 0, **self._done(run, index))

    def _refuse(self, run: Decoded, at: int) -> None:
        """The run breaks a rule at the byte at offset `at`, which may be the end."""
        builder, fault, place = self.builder, run.fault, at - run.start
        assert fault is not None
        if at < len(self.data):
            ones = 8 - (self.data[at] ^ 0xFF).bit_length()
            builder.put("bits", place, self.data[at], min(ones + 1, 8), REFUSED, self.first + at)
            self.drawn = max(self.drawn, place + 1)
            builder.mark("cells", at, WRONG)
        builder.write("bits", NUMBER, "no character", "\ufffd")
        self._box(run, 0xFFFD)
        builder.step(
            fault,
            seen=self._hexadecimal(run.start, max(at, run.start + 1)),
            here=f"{self.data[at]:02X}" if at < len(self.data) else Text("the end"),
            at=self.first + at,
            by_llama=self._by_llama(run),
            becomes=Text("this byte becomes", run.length, many="these {0} bytes become"),
        )

    def _by_llama(self, run: Decoded) -> str:
        """What llama.cpp does at the first byte of a malformed run."""
        read = next(each for each in self.reads if each.start <= run.start < each.start + each.length)
        if read.start < run.start:
            return Text("llama.cpp has taken this byte into the number before")
        if read.accepted:
            taken = self._hexadecimal(read.start, read.start + read.length)
            return Text("llama.cpp does not test this: it reads {0:t} as {1:t}", taken, f"0x{read.number:X}")
        return Text("llama.cpp throws, writes 0xFFFD and goes on one byte later")

    def _done(self, run: Decoded, index: int) -> Values:
        """A character is whole: its bytes are one box, and it joins the output. What is said of it."""
        builder, code, end = self.builder, run.code_point, run.start + run.length
        assert code is not None
        char, name, data = chr(code), f"U+{code:04X}", self._hexadecimal(run.start, end)
        builder.write("bits", NUMBER, name, builder.text(char))
        self._box(run, code)
        at = index + (self.point or 0)
        if self.point is not None:
            builder.write("output", at, builder.text(char), code, at, at + 1, name)
            named, category, flags = about(char)
            builder.write("offsets", at, at, self.first + run.start, data, named, code, category, flags)
        return {
            "data": data, "char": char, "name": name, "hex": f"0x{code:X}", "point": at + 1, "after": self.first + end
        }  # fmt: skip

    def _hexadecimal(self, start: int, end: int) -> str:
        return self.data[start:end].hex(" ").upper()

    def _put_readers(self, start: int, end: int) -> None:
        """What every program has read up to a byte; start: of the last run."""
        if self.point is not None:
            return
        python = visible(self.data[:end].decode("utf-8", "replace"))
        llama_cpp = "".join(shown(each.number) for each in self.reads if each.start + each.length <= end)
        error = strict_error(self.data)
        stopped = end and any(each.fault for each in self.runs if each.start <= start)
        strict = error if error is not None and stopped else python
        for reader, text in enumerate((python, strict, llama_cpp, python)):
            self.builder.write("output", reader, READERS[reader], text)

    # --- tracks and arguments -------------------------------------------------------------------------------------

    def _clear(self) -> None:
        """Empties the track `bits` for the next character."""
        if self.drawn:
            self.builder.delete("bits", *range(self.drawn), NUMBER)
        self.drawn = 0

    def _put_byte(self, run: Decoded, place: int, state: int) -> None:
        field = run.fields[place]
        self.builder.put("bits", place, field.value, field.prefix_bits, state, self.first + run.start + place)
        self.drawn = max(self.drawn, place + 1)

    def _take(self, run: Decoded, place: int) -> None:
        self._put_byte(run, place, TAKEN)
        self.builder.mark("cells", run.start + place, AT_WORK)
        self.builder.write("bits", NUMBER, Text("{0:t} so far", f"0x{self._number(run, place + 1):X}"), -1)

    def _box(self, run: Decoded, color: int) -> None:
        for place in range(run.length):
            self.builder.put("cells", run.start + place, *((run.length, color) if not place else (0, -1)))
        self.builder.mark("cells", run.start, WHOLE)
        self._put_readers(run.start, run.start + run.length)

    def _number(self, run: Decoded, places: int) -> int:
        """The number that the first bytes of a run give."""
        *_, number = accumulate((field.payload for field in run.fields[:places]), lambda high, low: high << 6 | low)
        return number

    def _step(self, kind: str, run: Decoded, place: int, **more: int | str) -> None:
        """A step that reads a byte."""
        field, offset = run.fields[place], self.first + run.start + place
        self.builder.step(kind, byte=f"{field.value:02X}", offset=offset, payload=field.bits[1], **more)


@lru_cache(maxsize=1 << 12)
def about(char: str) -> tuple[str, str, str]:
    """The name of a character, its category, and its flags in llama.cpp."""
    fact = facts(char)
    return f"{fact.label} {fact.name}", f"{fact.category}: {categories()[fact.category]}", flags_words(char)


def utf8_result(text: str) -> Say:
    """How many characters a reader sees, and how many code points and bytes they are."""
    size = len(text.encode())
    if not text:
        return Say("The text is empty: no code points, no bytes.")
    clusters = len(regex.findall(r"\X", text))
    widths = sorted({len(ch.encode()) for ch in set(text)})
    width = Text("one byte each", widths[0], many="{0} bytes each")
    if len(widths) > 1:
        width = Text("{0} to {1} bytes each", widths[0], widths[-1])
    told = plural(len(text), "code point"), plural(size, "byte"), width
    if clusters == len(text):
        return Say("{0:t} in {1:t} of UTF-8, {2:t}.", *told)
    seen = plural(clusters, "character")
    return Say("What a reader sees as {3:t} are {0:t} in {1:t} of UTF-8, {2:t}.", *told, seen)

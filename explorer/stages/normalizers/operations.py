"""The operations of a normalization: their names on the page and in the source, and how each finds what to write.

The rows of a step's track `lookup` show the search. A decomposition is searched in llama.cpp's sorted ranges, or taken
apart pair by pair as Unicode's data has it; marks are ordered by their combining classes; a rule of a character map is
found by a walk through its double array.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from explorer.engine.normalizers.charsmap import HAS_VALUE, LABEL_MASK, VALUE_MASK, PrecompiledCharsmap, offset_of
from explorer.engine.normalizers.huggingface import (
    Drop,
    Literal,
    Prepend,
    Replace,
    Strip,
    StripAccents,
    is_dropped,
)
from explorer.engine.normalizers.python_text import is_dropped as is_dropped_in_python
from explorer.engine.normalizers.stage import NormalizeEvent, Normalizer
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.unicode.versions import combining_class
from explorer.text import label, name, visible
from explorer.text.code_points import CATEGORIES, NfdRange, nfd_ranges, search
from explorer.text.say import Text
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


WORDS: Final[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
OPERATIONS: Final = {name: Operation(**row) for name, row in WORDS["operations"].items()}
"""By the class of the normalizer, or by a word for a variant of one."""
APART = ("for each code point c:", "    pair = decomposition of c; take the first of the pair apart again")
ORDERED = ("for each run of marks:", "    sort by combining class; equal classes stay as they are")
TOGETHER = (
    "for each mark after a base:",
    "    if no mark between has its class or a higher one:",
    "        base = the character that is base + mark, if there is one",
)


def operation(normalizer: Normalizer, number: int) -> Operation:
    """The operation of a pass of a normalizer.

    >>> operation(UnicodeForm("NFC"), 2).title, operation(Prepend("▁"), 0).note
    ('Put together', '“▁” before the text')
    """
    if isinstance(normalizer, UnicodeForm):
        return of_form(normalizer, number)
    if isinstance(normalizer, Drop) and not isinstance(normalizer, StripAccents):
        if normalizer.kind == NormalizeEvent.DROP_MARK:
            return OPERATIONS["marks"]
        found, of_bert = OPERATIONS["Drop"], normalizer.matches in (is_dropped, is_dropped_in_python)
        return found if of_bert else found._replace(source="Nmt")
    if isinstance(normalizer, Prepend):
        text = visible(normalizer.text)
        return Operation("Prepend", f"“{text}” before the text", "nothing to put in front", "Prepend",
                         (f"text = “{text}” + text",))  # fmt: skip
    if isinstance(normalizer, Strip):
        sides = " and ".join(side for side, on in (("beginning", normalizer.left), ("end", normalizer.right)) if on)
        return Operation("Strip", f"white space at the {sides or 'ends'}", "nothing to strip", "Strip",
                         (f"while the {sides or 'text'} is white space: drop it",))  # fmt: skip
    if isinstance(normalizer, Replace):
        return of_replace(normalizer)
    name = type(normalizer).__name__
    return OPERATIONS.get(name) or Operation(name, "", "nothing", name, ())


def of_form(form: UnicodeForm, number: int) -> Operation:
    """A pass of a Unicode form."""
    what = "letter and mark" if not form.compatible else "also variants of letters"
    name = form.form
    return (
        Operation("Take apart", f"{name}: {what}", f"nothing to do ({name})", f"{name}: decompose", APART),
        Operation("Order the marks", "by combining class", "none out of order", f"{name}: canonical order", ORDERED),
        Operation("Put together", f"{name}: letter with mark", "nothing to do", f"{name}: compose", TOGETHER),
    )[number]


def of_replace(normalizer: Replace) -> Operation:
    """A `Replace`, with what it looks for."""
    content = visible(normalizer.content)
    by = f"by “{content}”" if content else "left out"
    if isinstance(normalizer.spans, Literal):
        wanted = f"“{visible(normalizer.spans.wanted)}”"
        return Operation("Replace", f"{wanted} {by}", f"no {wanted}", "Replace", (f"each {wanted}: {by}",))
    does = f"write “{content}”" if content else "leave it out"
    code = "for each match of the pattern:", f"    {does}"
    return Operation("Replace", f"a pattern {by}", "no match", "Replace", code)


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
        yield Found("in full", " ".join(map(label, full)), Text.of("lost: {0:t}", " ".join(map(label, full[1:]))))


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
    yield Found(label(ch), f"{category}: {CATEGORIES[category]}", name(ch).lower(), True)


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
                f"byte {byte:02X}", where, Text.of("its label is {0:t}: no edge, the walk ends", f"{unit & 0xFF:02X}")
            )
            return
        if unit & HAS_VALUE:
            value = units[node ^ offset_of(unit)] & VALUE_MASK
            to = table.string(value)
            yield Found(f"byte {byte:02X}", where, f"a rule ends: strings[{value}] = “{visible(to)}”", True)
        else:
            yield Found(f"byte {byte:02X}", where, "no rule yet" if index + 1 < len(data) else "no rule")

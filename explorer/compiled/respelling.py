"""A piece as its model sees it: spaces as ▁, characters as the character map of a SentencePiece model has them.

What `spaces.Spaces` does to a piece, over bytes. The map is searched as sentencepiece and llama.cpp do, for the longest
rule at each position (`normalizers.charsmap.table`). A piece is left to Python where a rule or its string is damaged,
where it grows beyond the memory for it, and where its end depends on the text after it.

Source for Python and for numba (`build`).
"""

from typing import Any

from explorer.compiled.scanners import DROPPED
from explorer.compiled.utf8 import Respelling, run, width

# what is done, one bit each
RESPELLED = 1
"""The piece is respelled."""
MARKED = 2
"""A space becomes ▁."""
WORDS = 4
"""White space before a piece is dropped, and a ▁ put in front instead."""
MAPPED = 8
"""The character map changes characters."""

SPACE = 0x20
MARK = (0xE2, 0x96, 0x81)
"""The bytes of ▁."""

LABEL = 1 << 31 | 0xFF
"""The bits of a unit that must equal the byte that leads to it."""
HAS_VALUE = 1 << 8
"""The bit of a unit whose node ends a rule."""
VALUE = (1 << 31) - 1
"""The bits of a value: the index of a string, which ends at the next NUL."""


def respelled(data: Any, start: int, size: int, respelling: Respelling, classes: Any, text: Any, room: int) -> int:
    """Writes a piece as its model sees it to `text`; returns its bytes, -1 where Python has to make it.

    room: bytes of `text`.
    """
    spaces, strings = respelling.does, respelling.strings
    at, stop, made = start, start + size, 0
    spaced = -1
    """the index after the last ▁, if that is a space of which only one stays"""
    if spaces & WORDS:
        at = run(data, at, classes, DROPPED)
        made = spaced = mark_written(text, 0)
    while at < stop:
        if made + 4 > room:
            return -1
        found = longest_rule(respelling.units, data, at, stop) if spaces & MAPPED else -1
        if found < 0:
            if data[at] == SPACE and spaces & MARKED:
                made = mark_written(text, made)
                at += 1
            else:
                for _ in range(width(data[at])):
                    text[made] = data[at]
                    made += 1
                    at += 1
            continue
        at = found >> 32
        string = found & VALUE
        # a rule that ends within a character is an error, and so is half a character
        if (at < stop and data[at] & 0xC0 == 0x80) or strings[string] & 0xC0 == 0x80:
            return -1
        before = 0
        while strings[string] != 0:
            byte = strings[string]
            if made + 4 > room:
                return -1
            if byte != SPACE or not spaces & MARKED:
                text[made] = byte
                made += 1
            elif not spaces & WORDS:
                made = mark_written(text, made)
            elif before == SPACE:
                return -1
            elif spaced != made:
                made = spaced = mark_written(text, made)
            before = byte
            string += 1
    if spaces & WORDS:
        if made == spaced:
            made -= 3
        return -1 if ends_in_mark(text, made) else made
    if spaces & MAPPED and data[stop - 1] != SPACE and (made == 0 or ends_in_mark(text, made)):
        return -1
    return made


def ends_in_mark(text: Any, size: int) -> bool:
    """Whether the last character of a text is ▁."""
    if size < 3:
        return False
    return bool(text[size - 3] == MARK[0] and text[size - 2] == MARK[1] and text[size - 1] == MARK[2])


def mark_written(text: Any, at: int) -> int:
    """Writes a ▁; returns the index after it."""
    text[at] = MARK[0]
    text[at + 1] = MARK[1]
    text[at + 2] = MARK[2]
    return at + 3


def longest_rule(units: Any, data: Any, at: int, stop: int) -> int:
    """The longest rule from a byte on: the index after it · 2³² + the index of its string, -1 for none."""
    node, unit, found = 0, units[0], -1
    while at < stop and data[at] != 0:
        node = node ^ offset_of(unit) ^ data[at]
        unit = units[node]
        if unit & LABEL != data[at]:
            break
        at += 1
        if unit & HAS_VALUE:
            found = at << 32 | units[node ^ offset_of(unit)] & VALUE
    return found


def offset_of(unit: int) -> int:
    """That of `normalizers.charsmap.table`."""
    return (unit >> 10) << ((unit & 1 << 9) >> 6)

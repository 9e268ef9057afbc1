"""What a board is: rows of cells, each cell tied to a span of the original text, and one sentence.

The browser component draws them and marks in all of them what is selected in one. A cell is a dictionary as the
component takes it; `cell` and `row` leave out what is not set, to keep the data small.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from explorer.text import CATEGORIES, Flag, facts, label, name, visible_char
from explorer.text.visible import shortened as visible_shortened
from explorer.views.say import Say

BoardCell: TypeAlias = dict[str, Any]
BoardRow: TypeAlias = dict[str, Any]

LONG = 60
"""Longer texts are shortened in a chip; the whole text is shown above it."""


class Board(NamedTuple):
    """A stage as it is drawn."""

    say: Say
    rows: list[BoardRow]

    @property
    def id(self) -> str:
        """The same for the same content, so that the browser redraws only what changed."""
        return hashlib.sha256(json.dumps(self, separators=(",", ":")).encode()).hexdigest()[:16]


def row(
    kind: str,
    title: str,
    cells: list[BoardCell],
    note: str = "",
    empty: str = "",
    limit: int = 400,
    outside: tuple[int, int] = (0, 0),
) -> BoardRow:
    """kind: chips, cards, map or bytes. limit: cells drawn at first. outside: cells before and after those given."""
    before, after = outside
    return {
        "kind": kind, "title": title, "note": note, "cells": cells, "empty": empty, "limit": limit,
        "before": before, "after": after,
    }  # fmt: skip


def cell(shown: str, start: int, end: int, **more: Any) -> BoardCell:
    """A cell over code points [start, end) of the original text; what is None is left out."""
    return {"t": shown, "s": start, "e": end} | {key: value for key, value in more.items() if value is not None}


def glyph(ch: str) -> dict[str, Any]:
    """One character as it is drawn alone."""
    shown, is_label = visible_char(ch)
    return {"t": shown, "control": True} if is_label else {"t": shown}


def shortened(text: str) -> str:
    """A text made visible, without its middle if it is longer than `LONG`."""
    return visible_shortened(text, LONG)


def code_points(text: str, most: int = 6) -> str:
    """`U+00C5 LATIN CAPITAL LETTER A WITH RING ABOVE`, one after the other; of many the first ones."""
    named = [f"{label(ch)} {name(ch)}" for ch in text[:most]]
    return " · ".join(named) + (f" · and {len(text) - most} more" if len(text) > most else "")


FLAGS: Mapping[Flag, str] = MappingProxyType(
    {
        Flag.UNDEFINED: "not assigned",
        Flag.NUMBER: "number",
        Flag.LETTER: "letter",
        Flag.SEPARATOR: "separator",
        Flag.ACCENT_MARK: "mark on another character",
        Flag.PUNCTUATION: "punctuation",
        Flag.SYMBOL: "symbol",
        Flag.CONTROL: "control or invisible sign",
        Flag.WHITESPACE: "white space",
        Flag.LOWERCASE: "the lower case of a letter",
        Flag.UPPERCASE: "the upper case of a letter",
        Flag.NFD: "what another character begins with when it is decomposed (NFD)",
    }
)
"""What a character is to llama.cpp, by its flags, in plain words."""


def classes(ch: str) -> list[list[str]]:
    """What a character is, as two entries of a tip: to llama.cpp and to Unicode.

    >>> classes("é")
    [['is', 'letter, the lower case of a letter'], ['Unicode category', 'Ll: lowercase letter']]
    """
    fact = facts(ch)
    flags = ", ".join(words for flag, words in FLAGS.items() if flag in fact.flags)
    return [["is", flags], ["Unicode category", f"{fact.category}: {CATEGORIES[fact.category]}"]]


def offsets(start: int, end: int) -> str:
    """A span as everywhere: from 0, the end excluded, as in links, tables and files.

    >>> offsets(7, 10), offsets(3, 3)
    ('7–10, end excluded', 'none: it is empty')
    """
    return f"{start}–{end}, end excluded" if start < end else "none: it is empty"


def hexadecimal(data: bytes, most: int = 24) -> str:
    """`E2 96 81`; of many the first ones."""
    return data[:most].hex(" ").upper() + (f" … {len(data)} bytes" if len(data) > most else "")

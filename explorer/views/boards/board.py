"""A board: rows of cells, each cell tied to a span of the original text, and a sentence about the result.

The browser component draws boards and shares one selection among them. A cell is a dictionary as the component takes
it; `cell` leaves out what isn't set, to keep the data small.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from explorer.text import CATEGORIES, Flag, facts, label, name, visible_char
from explorer.text.say import Say
from explorer.text.visible import shortened as visible_shortened

BoardCell: TypeAlias = dict[str, Any]
BoardRow: TypeAlias = dict[str, Any]

LONG = 60
"""Longer texts are shortened in a chip; the whole text is shown above it."""


class Board(NamedTuple):
    """What is drawn of a stage. of_tokens: whether the ids of cells are those of tokens, not of a pattern's parts."""

    say: Say
    rows: list[BoardRow]
    of_tokens: bool = True

    @property
    def id(self) -> str:
        """A hash of the content, so the browser redraws only what changed."""
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
    """A row of a board.

    kind: chips, cards, map or bytes. limit: cells drawn at first. outside: how many cells lie before and after these.
    """
    before, after = outside
    return {
        "kind": kind, "title": title, "note": note, "cells": cells, "empty": empty, "limit": limit,
        "before": before, "after": after,
    }  # fmt: skip


def cell(shown: str, start: int, end: int, **more: Any) -> BoardCell:
    """A cell over code points [start, end) of the original text; fields that are None are left out."""
    return {"t": shown, "s": start, "e": end} | {key: value for key, value in more.items() if value is not None}


def glyph(ch: str) -> dict[str, Any]:
    """The fields of a cell that shows one character."""
    shown, is_label = visible_char(ch)
    return {"t": shown, "control": True} if is_label else {"t": shown}


def shortened(text: str) -> str:
    """A text made visible, without its middle if it is longer than `LONG`."""
    return visible_shortened(text, LONG)


def code_points(text: str, most: int = 6) -> str:
    """`U+00C5 LATIN CAPITAL LETTER A WITH RING ABOVE`, for at most the first `most` characters."""
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
        Flag.CONTROL: "control or invisible character",
        Flag.WHITESPACE: "white space",
        Flag.LOWERCASE: "lowercase of another letter",
        Flag.UPPERCASE: "uppercase of another letter",
        Flag.NFD: "the first code point of another character's decomposition (NFD)",
    }
)
"""What llama.cpp's flags say of a character."""


def classes(ch: str) -> list[list[str]]:
    """What a character is to llama.cpp and to Unicode, as two entries of a card.

    >>> classes("é")
    [['is', 'letter, lowercase of another letter'], ['Unicode category', 'Ll: lowercase letter']]
    """
    fact = facts(ch)
    flags = ", ".join(words for flag, words in FLAGS.items() if flag in fact.flags)
    return [["is", flags], ["Unicode category", f"{fact.category}: {CATEGORIES[fact.category]}"]]


def offsets(start: int, end: int) -> str:
    """A span counted from 0 without its end, as in links, tables and files.

    >>> offsets(7, 10), offsets(3, 3)
    ('7–10, end excluded', 'none: it is empty')
    """
    return f"{start}–{end}, end excluded" if start < end else "none: it is empty"

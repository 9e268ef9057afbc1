"""The events of a character map, and the chunks it divides a text into."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

SPACE = " "


class CharsmapEvent(IntEnum):
    """What a `CharsmapRow` says."""

    MAP = 0
    """The longest prefix that has a rule: code points [at, at + size) become the string `value`."""
    SHORTER = 1
    """The shorter prefix [at, at + size) has a rule, too, but a longer one has one."""
    KEEP = 2
    """No rule matches at the code point `at`: it stays."""
    USER_DEFINED = 3
    """Code points [at, at + size) are a user-defined piece, which the map does not touch."""
    BEGINNING = 4
    """The same for a mere prefix of a user-defined piece, as llama.cpp does."""
    PREFIX = 5
    """A space is inserted before the code point `at`."""
    SUFFIX = 6
    """A space is appended, at the code point `at`."""
    ESCAPE = 7
    """The white space from code points [at, at + size) is written as one ▁."""
    DROP = 8
    """The white space from code points [at, at + size) is dropped: it is at an end or follows other white space."""
    CUT = 9
    """The code point `at` begins with bytes of a user-defined piece, which stay; the rest is not valid UTF-8."""


class CharsmapRow(NamedTuple):
    """One decision of the character map or a white space rule."""

    kind: int
    """A `CharsmapEvent`."""
    at: int
    """First code point in the original text."""
    size: int
    """Number of code points in the original text; 0 for PREFIX and SUFFIX."""
    value: int
    """Byte offset of the string in the map's strings; -1 for none."""


class Chunk(NamedTuple):
    """Code points [start, end) of a segment and their replacement. Spaces are trimmed chunk by chunk."""

    start: int
    end: int
    text: str


Note = Callable[[CharsmapEvent, int, int, int], None]
"""The sink of a search or a white space rule: kind, first code point of the segment, number of code points, value."""

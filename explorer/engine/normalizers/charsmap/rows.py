"""The events of a character map, and the pieces that it cuts a text into."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

SPACE, ESCAPED_SPACE = " ", "▁"


class Charsmap(IntEnum):
    """What a `CharsmapRow` says."""

    MAP = 0
    """The longest prefix the map knows: code points [at, at + size) become its string `value`."""
    SHORTER = 1
    """A shorter prefix [at, at + size) has a rule, too; a longer one was found."""
    KEEP = 2
    """No rule begins at the code point `at`: it stays."""
    USER_DEFINED = 4
    """Code points [at, at + size) are a user-defined piece: the map is not asked."""
    BEGINNING = 5
    """The same for the mere beginning of a user-defined piece, as llama.cpp does."""
    PREFIX = 6
    """A space is put in front of the code point `at`."""
    SUFFIX = 7
    """A space is put behind, at the code point `at`."""
    ESCAPE = 8
    """The white space from code points [at, at + size) is written as one ▁."""
    DROP = 9
    """The white space from code points [at, at + size) is dropped: it is at an end or follows other white space."""
    CUT = 10
    """The code point `at` begins with bytes of a user-defined piece, which pass; what is left of it is no text."""


class CharsmapRow(NamedTuple):
    """One decision of the normalization."""

    kind: int
    """A `Charsmap`."""
    at: int
    """First code point, of the original text."""
    size: int
    """How many code points of the original text; 0 for PREFIX and SUFFIX."""
    value: int
    """Where the string lies in the map's strings (byte offset), -1 where there is none."""


class Chunk(NamedTuple):
    """Code points [start, end) of a segment and what they became. Trimming looks at one chunk at a time."""

    start: int
    end: int
    text: str


Note = Callable[[Charsmap, int, int, int], None]
"""What a search or a white space rule calls: kind, first code point of the segment, how many, value."""

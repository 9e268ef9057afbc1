"""The events of the partition, whichever original runs it."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class PartitionEvent(IntEnum):
    """What a `PartitionRow` says."""

    NOT_PARSED = 0
    """The special token is not looked for: it is a control or unknown token and `parse_special` is off."""
    TOKEN = 1
    """A fragment TOKEN: the special token was found at [start, end)."""
    RAW_TEXT = 2
    """A fragment RAW_TEXT: what stays text, [start, end). Emitted once all special tokens were looked for."""
    STRIPPED = 3
    """Whitespace at [start, end) that the token beside it swallowed."""
    NOT_A_WORD = 4
    """The token is written at [start, end), but a letter, number or _ stands beside it, and it asks to stand alone."""
    TAKEN_TWICE = 5
    """The token at [start, end) is white space that the token before it had swallowed: both have it."""


class PartitionRow(NamedTuple):
    """One decision of the partition."""

    kind: int
    """A `PartitionEvent`."""
    start: int
    """First code point of the original text, -1 for NOT_PARSED."""
    end: int
    """One after the last."""
    token: int
    """The special token's id, -1 for RAW_TEXT."""

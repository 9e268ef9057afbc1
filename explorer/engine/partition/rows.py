"""The events of the partition, shared by all originals, and how they are emitted."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.items import Item, Segment
from explorer.engine.trace import Emit


class PartitionEvent(IntEnum):
    """What a `PartitionRow` says."""

    NOT_PARSED = 0
    """The special token is not searched for: it is a control or unknown token, and `parse_special` is off."""
    TOKEN = 1
    """The special token was found at [start, end)."""
    RAW_TEXT = 2
    """[start, end) stays text. Emitted after all special tokens were searched for."""
    STRIPPED = 3
    """White space [start, end) that the adjacent token stripped."""
    NOT_A_WORD = 4
    """The token's text is at [start, end) next to a word character, but it matches only as a word of its own."""
    TAKEN_TWICE = 5
    """The token [start, end) is white space that the previous token has stripped: both have it."""
    NOT_THERE = 6
    """No fragment contains the token, nor those searched since the event before. `end` is how many tokens that are;
    start is -1. Only the originals that search one token after the other emit it."""


class PartitionRow(NamedTuple):
    """One decision of the partition."""

    kind: int
    """A `PartitionEvent`."""
    start: int
    """First code point of the original text, -1 for NOT_PARSED and NOT_THERE."""
    end: int
    """One after the last."""
    token: int
    """The special token's id, -1 for RAW_TEXT."""


def emit_texts(items: Iterable[Item], emit: Emit) -> None:
    """Emits what stays text."""
    for item in items:
        if isinstance(item, Segment):
            emit(PartitionEvent.RAW_TEXT, item.starts[0], item.ends[-1], -1)

"""How long a pattern may work on a text: a file can bring one that tries more ways to match than there is time for."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from typing import Final

from explorer.engine.items import Item, Segment
from explorer.errors import InputError

PATTERN_SECONDS: Final = 2.0
"""For one pattern on one piece of up to 100,000 characters; on a longer one as much longer."""

STAGE_SECONDS: Final = 10.0
STAGE_SECONDS_A_CHARACTER: Final = 0.001
"""For a whole stage, which may have many pieces: far more than it needs with patterns that do not run away."""


def seconds_for(text: str) -> float:
    """How long a pattern may work on this text."""
    return PATTERN_SECONDS * max(1.0, len(text) / 100_000)


class TooSlow(InputError):
    """The limit is reached; whoever has another way to do the same need not try it."""


def too_slow(what: str, text: str) -> TooSlow:
    return TooSlow(
        f"{what} took too long on {len(text)} characters of this text: it tries too many ways to match; make it "
        "simpler (a possessive a++ for a+ gives nothing back), or give a shorter text"
    )


def too_large(what: str, text: str) -> InputError:
    """The matcher's stacks are full (`regex` allows each up to half a gigabyte)."""
    return InputError(
        f"{what} took too much memory on {len(text)} characters of this text: it remembers too many ways to match; "
        "make it simpler (a possessive a++ for a+ gives nothing back), or give a shorter text"
    )


class Deadline:
    """The limit of a whole stage.

    >>> Deadline("the stage", [Segment.of("text")]).check("text")
    """

    def __init__(self, what: str, items: Iterable[Item]) -> None:
        size = sum(len(item.text) for item in items if isinstance(item, Segment))
        self.what, self.ends = what, monotonic() + STAGE_SECONDS + size * STAGE_SECONDS_A_CHARACTER

    def check(self, text: str) -> None:
        """Raises InputError when it is over; `text` is what was worked on last."""
        if monotonic() > self.ends:
            raise too_slow(self.what, text)

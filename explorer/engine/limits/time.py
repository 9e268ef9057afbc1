"""How long a pattern may work on a text: a file can bring one that tries more ways to match than there is time for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from math import inf
from time import monotonic, thread_time
from typing import Final, TypeVar

from explorer.engine.limits.budget import TooSlow
from explorer.errors import InputError

PATTERN_SECONDS: Final = 2.0
"""Of processor time, for one pattern on one piece of up to 100,000 characters; on a longer one as much longer."""

SHORT: Final = 64
"""Characters of a short piece."""


def seconds_for(text: str) -> float:
    """How long a pattern may work on this text."""
    return PATTERN_SECONDS * max(1.0, len(text) / 100_000)


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


Match = TypeVar("Match")


def in_seconds(search: Callable[[float | None], Iterator[Match]], text: str, seconds: float) -> Iterator[Match]:
    """The matches that `search` gives from the beginning, given the time-out of one match. Raises TimeoutError where
    all of them take longer than `seconds` of this thread's processor time.

    The `regex` module counts the processor time of all threads: where the others had some of it the matches are looked
    for once more, and those that were given already are passed over.

    >>> list(in_seconds(lambda timeout: iter("ab"), "ab" * 50, 1.0))
    ['a', 'b']
    """
    if seconds == inf:
        yield from search(None)
        return
    # reading the processor's clock takes as long as cutting a short piece: it is read once that takes long
    began = thread_time() if len(text) >= SHORT else None
    given, timeout = 0, seconds
    while True:
        look = monotonic() + seconds
        try:
            for match in islice(search(timeout), given, None):
                given += 1
                yield match
                if monotonic() >= look:
                    began = thread_time() if began is None else began
                    left = seconds - (thread_time() - began)
                    if left <= 0:
                        raise TimeoutError
                    look = monotonic() + left
            return
        except TimeoutError:
            began = thread_time() if began is None else began
            if thread_time() - began >= seconds:
                raise
            timeout *= 2

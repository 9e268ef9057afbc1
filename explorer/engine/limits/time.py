"""The time limit for matching a pattern: an untrusted one may backtrack forever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from math import inf
from time import monotonic, thread_time
from typing import Final, TypeVar

from explorer.engine.limits.budget import TooSlow
from explorer.errors import InputError

PATTERN_SECONDS: Final = 2.0
"""Processor time for one pattern on one piece of up to 100,000 characters; longer pieces get proportionally more."""

SHORT: Final = 64
"""Pieces with fewer characters are short."""


def seconds_for(text: str) -> float:
    """The seconds that a pattern may take on this text."""
    return PATTERN_SECONDS * max(1.0, len(text) / 100_000)


def too_slow(what: str, text: str) -> TooSlow:
    """The error for a pattern that takes too long. what: the pattern, for the message."""
    return TooSlow(
        f"{what} took too long on {len(text)} characters of this text: it tries too many ways to match; make it "
        "simpler (a possessive a++ instead of a+ does not backtrack), or give a shorter text"
    )


def too_large(what: str, text: str) -> InputError:
    """The error for a pattern that fills the matcher's stacks (`regex` allows each up to half a gigabyte)."""
    return InputError(
        f"{what} took too much memory on {len(text)} characters of this text: it remembers too many ways to match; "
        "make it simpler (a possessive a++ instead of a+ does not backtrack), or give a shorter text"
    )


Match = TypeVar("Match")


def in_seconds(search: Callable[[float | None], Iterator[Match]], text: str, seconds: float) -> Iterator[Match]:
    """The matches of `search`, which takes the timeout of one match. Raises TimeoutError if all of them together take
    longer than `seconds` of this thread's processor time.

    The `regex` module counts the processor time of all threads. If other threads used some of it, the search starts
    again, and matches already yielded are skipped.

    >>> list(in_seconds(lambda timeout: iter("ab"), "ab" * 50, 1.0))
    ['a', 'b']
    """
    if seconds == inf:
        yield from search(None)
        return
    # reading the processor's clock takes as long as splitting a short piece, so it is read only if that takes long
    began = thread_time() if len(text) >= SHORT else None
    yielded, timeout = 0, seconds
    while True:
        next_check = monotonic() + seconds
        try:
            for match in islice(search(timeout), yielded, None):
                yielded += 1
                yield match
                if monotonic() >= next_check:
                    began = thread_time() if began is None else began
                    left = seconds - (thread_time() - began)
                    if left <= 0:
                        raise TimeoutError
                    next_check = monotonic() + left
            return
        except TimeoutError:
            began = thread_time() if began is None else began
            if thread_time() - began >= seconds:
                raise
            timeout *= 2

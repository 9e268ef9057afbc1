"""Sets of token ids as whole numbers: bit i is set if id i is in the set.

Intersecting two sets of 256,000 ids takes microseconds, and so does counting one, so the counts of all facets are
computed anew for every search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Final

FLAGS: Final = bytes.maketrans(b"01", b"\x00\x01")
DIGITS: Final = bytes.maketrans(b"\x00\x01", b"01")

Selection = int
"""A set of ids."""


def selection_of(ids: Iterable[int], size: int) -> Selection:
    """The set of some ids. size: the number of ids of the vocabulary.

    >>> selection_of([0, 3], 5)
    9
    """
    flags = bytearray(size)
    for id in ids:
        flags[id] = 1
    return of_flags(flags)


def of_flags(flags: bytes | bytearray) -> Selection:
    """The set of the ids whose byte is 1; the others are 0."""
    return int(flags[::-1].translate(DIGITS) or b"0", 2)


def flags_of(selection: Selection, size: int) -> bytes:
    """One byte per id: 1 if it is in the set.

    >>> flags_of(9, 5)
    b'\\x01\\x00\\x00\\x01\\x00'
    """
    return format(selection, f"0{size}b").encode()[::-1].translate(FLAGS) if size else b""


def ids_in(selection: Selection, size: int) -> Iterator[int]:
    """The ids of a set, ascending.

    >>> list(ids_in(9, 5))
    [0, 3]
    """
    return compress(range(size), flags_of(selection, size))


def everything(size: int) -> Selection:
    """The set of all ids."""
    return (1 << size) - 1

"""The rules of BPE: which pairs may merge, and which merges first. Data of the original, not an algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

BETWEEN = b"\xff"
"""Separates the two sides of a merge in a key: a byte that no UTF-8 text contains."""

END = b"\xfe"
"""Terminates each of many concatenated keys: another such byte."""


class Rule(Protocol):
    """Which pairs may merge, and which first.

    priority: what merges sort by: the position in a list of merges ("merge") or the rank of the joined bytes ("rank").
    """

    @property
    def priority(self) -> str:
        """What merges sort by."""

    def rank(self, left: bytes, right: bytes) -> int | None:
        """The rank of a pair, lowest first; None where it may not merge."""


class MergeList:
    """A list of merges; a pair's rank is its position in the list.

    merges: `left right`, separated by one space. Of a duplicate pair the first position counts, and an entry that is
    not a pair merges nothing (llama.cpp).

    The look-up table is built on first use: 280,000 merges take 0.1 s.

    >>> rule = MergeList([b"a b", b"ab c"])
    >>> rule.rank(b"ab", b"c"), rule.rank(b"a", b"bc")
    (1, None)
    """

    priority = "merge"

    def __init__(self, merges: Sequence[bytes]) -> None:
        self.merges = merges

    def rank(self, left: bytes, right: bytes) -> int | None:
        """The position of the pair, None where it is not listed."""
        return self.ranks.get(left + BETWEEN + right)

    @cached_property
    def ranks(self) -> dict[bytes, int]:
        """left + BETWEEN + right → rank."""
        keys = merge_keys(self.merges)
        # in reverse, so that the first of two duplicates stays
        return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))


class MergeKeys(MergeList):
    """A list of merges given as keys, left + BETWEEN + right + END. Of a duplicate pair the last position counts
    (Hugging Face).

    >>> rule = MergeKeys(b"a\\xffb\\xfeab\\xffc\\xfe")
    >>> rule.rank(b"ab", b"c")
    1
    """

    def __init__(self, keys: bytes) -> None:
        self.keys = keys

    @cached_property
    def ranks(self) -> dict[bytes, int]:
        """left + BETWEEN + right → rank."""
        keys = self.keys.split(END)[:-1]
        return dict(zip(keys, range(len(keys)), strict=True))


def merge_keys(merges: Sequence[bytes]) -> list[bytes]:
    """The keys of a list of merges, in order; an entry that is not a pair gets a key that no pair has."""
    # one pass over all entries is five times as fast as a loop
    joined = b"\n".join(merges)
    if joined.count(b" ") == len(merges) == joined.count(b"\n") + 1:
        keys = joined.replace(b" ", BETWEEN).split(b"\n")
        if joined.count(b"\n ") == 0 and not joined.startswith(b" "):
            return keys
    keys = []
    for entry in merges:
        # as in llama.cpp: the first space after the first character
        at = entry.find(b" ", 1)
        keys.append(entry[:at] + BETWEEN + entry[at + 1 :] if at > 0 else b"")
    return keys


class MergeableRanks:
    """tiktoken's rule (`mergeable_ranks`): the rank of a pair is that of its joined bytes.

    ranks: by bytes.

    >>> MergeableRanks({b"ab": 7}).rank(b"a", b"b")
    7
    """

    priority = "rank"

    def __init__(self, ranks: Mapping[bytes, int]) -> None:
        self.ranks = ranks

    def rank(self, left: bytes, right: bytes) -> int | None:
        """The rank of the joined bytes, None where they are not a token."""
        return self.ranks.get(left + right)

"""Which characters of one string are found in another, in order, as many as possible (longest common subsequence)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

MOST: Final = 1 << 14
"""The most pairs of characters that are compared to find the longest common subsequence; above it, a greedy search."""


class CharacterMatch(NamedTuple):
    """present: per character of the source, 1 if it is found. inserted: all other characters, each with the index of
    the source character before which it is."""

    present: bytes
    inserted: tuple[tuple[int, str], ...]


def match_characters(source: str, now: str) -> CharacterMatch:
    """Which characters of `source` are found in `now`, in order, as many as possible.

    >>> match_characters("ab c", "xbc")
    CharacterMatch(present=b'\\x00\\x01\\x00\\x01', inserted=((0, 'x'),))
    """
    # the same few short strings are compared again and again
    return _cached_match(source, now) if len(source) + len(now) <= 32 else _match(source, now)


def _match(source: str, now: str) -> CharacterMatch:
    if source == now:
        return CharacterMatch(b"\1" * len(source), ())
    least = min(len(source), len(now))
    first = next((i for i in range(least) if source[i] != now[i]), least)
    least -= first
    last = next((i for i in range(least) if source[-1 - i] != now[-1 - i]), least)
    present = bytearray(b"\1") * len(source)
    present[first : len(source) - last] = bytes(len(source) - first - last)
    inserted: list[tuple[int, str]] = []
    at = first
    for index, ch in _common_subsequence(source[first : len(source) - last], now[first : len(now) - last]):
        if index < 0:
            inserted.append((at, ch))
        else:
            present[first + index] = 1
            at = first + index + 1
    return CharacterMatch(bytes(present), tuple(inserted))


_cached_match = lru_cache(maxsize=1 << 12)(_match)


def _common_subsequence(source: str, now: str) -> Iterator[tuple[int, str]]:
    """Every character of `now` with its index in `source`, -1 if it has none."""
    if len(source) * len(now) > MOST:
        # a very long stretch without a cut: search each character after the one before
        at = 0
        for ch in now:
            index = source.find(ch, at)
            at = max(at, index + 1)
            yield index, ch
        return
    # longest[i][j]: how many characters source[i:] and now[j:] have in common
    longest = [[0] * (len(now) + 1) for _ in range(len(source) + 1)]
    for i in range(len(source) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(now) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if source[i] == now[j] else max(below[j], row[j + 1])
    i = j = 0
    while j < len(now):
        if i < len(source) and source[i] == now[j]:
            yield i, now[j]
            i, j = i + 1, j + 1
        elif i < len(source) and longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            yield -1, now[j]
            j += 1

"""The best way through the lattice of a short piece, without telling of the ways that lost.

The same way as `Unigram.best_path` finds, whose sums are made here in the same order: of equal sums the way whose last
token begins first. But a piece is looked up by its characters, not by its bytes, and only those lengths are tried that
some piece has which begins with the next two characters; together that is several times as fast. It takes no decisions
that could be told, so the traced path does not use it; a property holds the two equal.

Left out: characters that are no piece, which the model itself is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

Lengths = dict[str, tuple[int, ...]]


def lengths_by_two(texts: Iterable[str]) -> Lengths:
    """First two characters → the lengths of the texts that begin with them, ascending.

    >>> lengths_by_two(["a", "ab", "abcd", "ba"])
    {'ab': (2, 4), 'ba': (2,)}
    """
    found: dict[str, set[int]] = {}
    for text in texts:
        if len(text) > 1:
            found.setdefault(text[:2], set()).add(len(text))
    return {two: tuple(sorted(lengths)) for two, lengths in found.items()}


def best_way(piece: str, scores: Mapping[str, float], lengths: Lengths) -> list[str] | None:
    """The texts of the best tokens in turn, None where a character is no piece.

    scores: of every text that may be a token; finite. lengths: of `lengths_by_two`.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5}
    >>> best_way("aab", scores, lengths_by_two(scores)), best_way("ac", scores, {})
    (['a', 'ab'], None)
    """
    count = len(piece)
    best = [0.0, *[-inf] * count]
    came_from = [0] * (count + 1)
    score_of = scores.get
    for start, ch in enumerate(piece):
        score = score_of(ch)
        if score is None:
            return None
        here = best[start]
        end = start + 1
        if here + score > best[end]:
            best[end] = here + score
            came_from[end] = start
        for length in lengths.get(piece[start : start + 2], ()):
            end = start + length
            if end > count:
                break
            score = score_of(piece[start:end])
            if score is not None and here + score > best[end]:
                best[end] = here + score
                came_from[end] = start
    way = []
    while count:
        start = came_from[count]
        way.append(piece[start:count])
        count = start
    way.reverse()
    return way

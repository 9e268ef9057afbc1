"""Short pieces without a queue, a lattice of rows or events: merging, and the best path of Unigram.

`merged` makes the same merges as `merges.merge` in the same order: the best pair first, equal pairs from the left. The
ranks of the pairs are kept in a list, and `min` finds the best. For so few symbols that is several times as fast as a
heap with its stale entries. `best_path` finds the same path as `Unigram.best_path` and adds in the same order: of equal
sums, the path whose last token begins first. A piece is looked up by characters, not bytes, and only lengths are tried
that some piece has which begins with the next two characters. Neither emits events, so the traced path does not use
them; property tests hold them equal to the models.

Left out: characters that are not pieces; the model handles those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import inf
from typing import AnyStr, Final

SHORT: Final = 160
"""Symbols. A longer chain is merged with the queue: `min` scans all of it each time, which costs more from about 200
symbols."""


def merged(parts: list[AnyStr], ranks: Mapping[AnyStr, float], between: AnyStr) -> list[AnyStr]:
    """The symbols left when no pair may merge any more. Consumes `parts`.

    ranks: by two neighbors with `between` between them, lowest first; a pair that is missing may not merge.

    >>> merged(list("abbc"), {"ab": 1, "bc": 0}, "")
    ['ab', 'bc']
    """
    rank = ranks.get
    by_pair = [rank(left + between + right, inf) for left, right in pairwise(parts)]
    while by_pair:
        best = min(by_pair)
        if best == inf:
            break
        at = by_pair.index(best)
        parts[at] += parts.pop(at + 1)
        del by_pair[at]
        if at < len(by_pair):
            by_pair[at] = rank(parts[at] + between + parts[at + 1], inf)
        if at:
            by_pair[at - 1] = rank(parts[at - 1] + between + parts[at], inf)
    return parts


Lengths = dict[str, tuple[int, ...]]


def lengths_by_two(texts: Iterable[str]) -> Lengths:
    """First two characters → the lengths of the texts that begin with them, ascending.

    >>> lengths_by_two(["a", "ab", "abcd", "ba"])
    {'ab': (2, 4), 'ba': (2,)}
    """
    by_two: dict[str, set[int]] = {}
    for text in texts:
        if len(text) > 1:
            by_two.setdefault(text[:2], set()).add(len(text))
    return {two: tuple(sorted(lengths)) for two, lengths in by_two.items()}


def best_path(piece: str, scores: Mapping[str, float], lengths: Lengths) -> list[str] | None:
    """The texts of the best tokens in order; None where a character is not a piece.

    scores: of every text that may be a token; finite. lengths: from `lengths_by_two`.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5}
    >>> best_path("aab", scores, lengths_by_two(scores)), best_path("ac", scores, {})
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
    path = []
    while count:
        start = came_from[count]
        path.append(piece[start:count])
        count = start
    path.reverse()
    return path

"""The best path through the lattice of a short piece, without events.

Finds the same path as `Unigram.best_path` and adds in the same order: of equal sums, the path whose last token begins
first. A piece is looked up by characters, not bytes, and only lengths are tried that some piece has which begins with
the next two characters; together that is several times as fast. It emits no events, so the traced path does not use
it; a property test holds the two equal.

Left out: characters that are not pieces; the model handles those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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


def lengths_by_last_three(texts: Iterable[str]) -> Lengths:
    """Last three characters → the lengths of the texts that end with them, ascending.

    >>> lengths_by_last_three(["b", "ab", "bab", "abab"])
    {'bab': (3, 4)}
    """
    found: dict[str, set[int]] = {}
    for text in texts:
        if len(text) > 2:
            found.setdefault(text[-3:], set()).add(len(text))
    return {three: tuple(sorted(lengths)) for three, lengths in found.items()}


def starts_of_last(pieces: Iterable[str], scores: Mapping[str, float], lengths: Lengths) -> Iterator[int]:
    """Where the last token of the best path through each piece begins; -1 where a character is not a piece.

    pieces: sorted, because a piece shares the lattice of the one before as far as both begin alike. scores: as for
    `best_path`. lengths: from `lengths_by_last_three`.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5}
    >>> list(starts_of_last(["aa", "aab", "ac"], scores, lengths_by_last_three(scores)))
    [1, 1, -1]
    """
    best, came_from = [0.0], [-1]
    before = ""
    score_of, lengths_of = scores.get, lengths.get
    for piece in pieces:
        shared = min(len(best) - 1, len(piece))
        while before[:shared] != piece[:shared]:
            shared -= 1
        del best[shared + 1 :], came_from[shared + 1 :]
        before = piece
        for end in range(shared + 1, len(piece) + 1):
            score = score_of(piece[end - 1])
            if score is None:
                break
            start = end - 1
            top = best[start] + score
            # of equal sums, the token that begins first
            if end > 1 and (score := score_of(piece[end - 2 : end])) is not None and best[end - 2] + score >= top:
                start = end - 2
                top = best[start] + score
            for length in lengths_of(piece[end - 3 : end], ()) if end > 2 else ():
                if length > end:
                    break
                score = score_of(piece[end - length : end])
                if score is not None and best[end - length] + score >= top:
                    start = end - length
                    top = best[start] + score
            best.append(top)
            came_from.append(start)
        yield came_from[-1] if len(best) > len(piece) else -1

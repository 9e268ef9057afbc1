"""In how many ways pieces can spell a text, by dynamic programming over its units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from explorer.analysis.why.answers import OtherCuts
from explorer.text.quantities import number
from explorer.text.say import Say

MOST_UNITS: Final = 256
"""A longer text is not counted: the time grows with the square of its length."""


def ways(size: int, is_piece: Callable[[int, int], bool]) -> tuple[int, int]:
    """How many ways there are to cut `size` units into pieces, and the pieces of the shortest; (0, 0) for none.

    is_piece: whether the units [start, end) are a piece.

    >>> ways(4, lambda start, end: "LoRA"[start:end] in {"L", "o", "R", "A", "Lo", "RA"})
    (4, 2)
    """
    counts, fewest = [1] + [0] * size, [0] * (size + 1)
    for end in range(1, size + 1):
        lengths = []
        for start in range(end):
            if counts[start] and is_piece(start, end):
                counts[end] += counts[start]
                lengths.append(fewest[start] + 1)
        fewest[end] = min(lengths, default=0)
    return counts[size], fewest[size]


def other_cuts(text: str, size: int, is_piece: Callable[[int, int], bool], ours: int = 2) -> OtherCuts | None:
    """The cuts of a text of `size` units, with a sentence; None where it is too long or pieces cannot spell it.

    ours: the number of tokens it has now.
    """
    if size > MOST_UNITS:
        return None
    count, fewest = ways(size, is_piece)
    if not count:
        return None
    if count == 1:
        said = Say.of("The pieces allow no other cut of {0:q}.", text)
    elif fewest >= ours:
        said = Say.of("The pieces allow {0:t} cuts of {1:q}. This one has the fewest tokens.", number(count), text)
    else:
        template = "The pieces allow {0:t} cuts of {1:q}. The fewest tokens are {2}, and this one has {3}."
        said = Say.of(template, number(count), text, fewest, ours)
    return OtherCuts(count, fewest, said)

"""The strings that occur more than once in a text and are followed by different things: the seeds of a Unigram model.

They are the inner nodes of the suffix tree of the text, which the originals find with a suffix array. Here the
positions of each string are grouped by what follows, length by length: a string can only repeat if its beginning does,
so few positions are left after a few characters.

Time is (positions that still repeat) × (longest), memory one number per position.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from explorer.engine.limits.budget import ask, asking
from explorer.training.training import TRAINER


def branching(
    text: str, longest: int, grows: Callable[[str], bool], following: str | None = None
) -> Iterator[tuple[str, int]]:
    """Each such string of 2 to `longest` characters, and how often it occurs.

    grows: whether a string can be the beginning of one that is wanted. following: what a position
    looks like to those before it, a character for each of the text; the text itself where it is not given.

    >>> list(branching("abcab.ab", 3, lambda string: True))
    [('ab', 3)]
    >>> list(branching("abcab.ab", 3, lambda string: True, "........"))
    [('ab', 3)]
    """
    after = (text if following is None else following) + "\U0010ffff"
    pairs: defaultdict[str, list[int]] = defaultdict(list)
    for at in asking(range(len(text) - 1), TRAINER):
        pairs[text[at : at + 2]].append(at)
    repeated = {pair: positions for pair, positions in pairs.items() if len(positions) > 1}
    for length in range(2, longest + 1):
        if not repeated:
            return
        longer: dict[str, list[int]] = {}
        for string, positions in repeated.items():
            ask(TRAINER)
            if len({after[at + length] for at in positions}) > 1:
                yield string, len(positions)
            if length == longest or not grows(string):
                continue
            if positions[-1] + length == len(text):
                positions.pop()
            grouped: defaultdict[str, list[int]] = defaultdict(list)
            for at in positions:
                grouped[text[at + length]].append(at)
            longer.update((string + ch, found) for ch, found in grouped.items() if len(found) > 1)
        repeated = longer

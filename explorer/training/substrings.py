"""The strings that occur more than once in a text and are followed by different things: the seeds of a Unigram model.

They are the inner nodes of the suffix tree of the text, which the originals find with a suffix array. Here they are
counted length by length: a string can only repeat if its beginning does, so few positions are left after a few
characters. A string is followed by one thing only exactly if its extension at any one occurrence is as frequent as
itself.

Time is (positions that still repeat) × (longest), memory one string per position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from explorer.engine.limits.budget import ask
from explorer.training.training import TRAINER


def branching(
    text: str, longest: int, grows: Callable[[str], bool], following: str | None = None
) -> Iterator[tuple[str, int]]:
    """Each such string of 2 to `longest` characters, and how often it occurs.

    grows: whether a string can be the beginning of one that is wanted; called once for each. following: what a position
    looks like to those before it, a character for each of the text; the text itself where it is not given.

    >>> list(branching("abcab.ab", 3, lambda string: True))
    [('ab', 3)]
    >>> list(branching("abcab.ab", 3, lambda string: True, "........"))
    [('ab', 3)]
    """
    after = (text if following is None else following) + "\U0010ffff"
    positions = list(range(len(text) - 1))
    for length in range(2, longest + 1):
        ask(TRAINER)
        strings = [text[at : at + length] for at in positions]
        counts = Counter(strings)
        first = dict(zip(reversed(strings), reversed(positions), strict=True))
        repeated = {string: grows(string) for string, n in counts.items() if n > 1}
        left = [(at, string) for at, string in zip(positions, strings, strict=True) if string in repeated]
        extended = Counter([string + after[at + length] for at, string in left])
        for string in repeated:
            if extended[string + after[first[string] + length]] < counts[string]:
                yield string, counts[string]
        positions = [at for at, string in left if repeated[string] and at + length < len(text)]
        if not positions:
            return

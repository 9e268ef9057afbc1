"""Ids of a text that was encoded in parts: cut somewhere, each part encoded by itself, the ids joined.

Looked for near the first id that differs: up to there both lists are of the same text, and a cut shows at once. Each
part must give exactly its share of the expected ids. Left out: a text cut into so many parts that they hold fewer than
two ids each, for then a cut explains nothing; and what `BUDGET` does not reach. One cut is tried before several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from explorer.analysis.expected.answers import Encoded
from explorer.analysis.plausible import is_plausible
from explorer.analysis.what_if import added
from explorer.engine.options import Options
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError

BUDGET: Final = 1_000_000
"""Characters that are encoded for one search."""

TRACED: Final = 4
"""How much more it takes to know where a token comes from."""

MOST_CUTS: Final = 64
TRIES: Final = 160
"""Places that are tried for one cut, those nearest first."""


class Cut(NamedTuple):
    """A text in parts. offsets: where it is cut. how: which parts have special tokens, in words, where some could."""

    offsets: tuple[int, ...]
    parts: tuple[Encoded, ...]
    how: str


def in_parts(tokenizer: Tokenizer, text: str, expected: Sequence[int], options: Options) -> Cut | None:
    """The parts whose ids are exactly the expected ones; None where there are none.

    >>> import explorer
    >>> found = in_parts(explorer.load("llama-2"), "What is", [1, 1724, 474, 1, 269], Options())
    >>> found and found.offsets
    (6,)
    """
    if not is_plausible(tokenizer, expected, text):
        return None
    expected = list(expected)
    off, on = Options(False, options.parse_special), Options(True, options.parse_special)
    ways = [((on, on), ", each part with its special tokens"), ((on, off), ", only the first part with special tokens"),
            ((off, off), ", all without special tokens")]  # fmt: skip
    if not added(tokenizer):
        ways = [((options, options), "")]
    elif not options.add_special:
        ways.reverse()
    for (first, rest), how in ways:
        try:
            offsets = Search(tokenizer, text, expected, first, rest).found()
        except InputError:
            return None  # a vocabulary that cannot encode a part gives no ids
        if offsets and (len(offsets) == 1 or 2 * (len(offsets) + 1) <= len(expected)):
            places = (0, *offsets, len(text))
            parts = tuple(Encoded(tokenizer, text[a:b], first if a == 0 else rest) for a, b in pairwise(places))
            return Cut(tuple(offsets), parts, how)
    return None


class Search:
    """One way to give the parts their special tokens."""

    def __init__(self, tokenizer: Tokenizer, text: str, expected: list[int], first: Options, rest: Options) -> None:
        self.tokenizer, self.text, self.expected = tokenizer, text, expected
        self.first, self.rest = first._asdict(), rest._asdict()
        self.left = BUDGET

    def found(self) -> list[int] | None:
        """Where the text is cut; None where that gives nothing."""
        return self.cuts(0, 0, 1) or self.cuts(0, 0, MOST_CUTS)

    def cuts(self, at: int, place: int, most: int) -> list[int] | None:
        """Where the text from `at` on is cut to give the ids from `place` on; None where that cannot be done.

        most: cuts that may still be made.
        """
        text, wanted, options = self.text[at:], self.expected[place:], self.rest if at else self.first
        if not self.spend(len(text)):
            return None
        encoding = self.tokenizer.encode(text, **options)
        ids = encoding.ids
        if ids == wanted:
            return [] if at else None
        if not most or not self.spend(TRACED * len(text)):
            return None
        differs = next((n for n, (a, b) in enumerate(zip(ids, wanted, strict=False)) if a != b),
                       min(len(ids), len(wanted)))  # fmt: skip
        tokens = encoding.tokens
        of_text = [token for token in tokens[differs:] if token.start >= 0]
        start, end = (of_text[0].start, of_text[0].end) if of_text else (len(text), len(text))
        for length in nearest(start, end, len(text)):
            if not self.spend(length):
                return None
            front = self.tokenizer.encode(text[:length], **options).ids
            if wanted[: len(front)] == front:
                rest = self.cuts(at + length, place + len(front), most - 1)
                if rest is not None:
                    return [at + length, *rest]
        return None

    def spend(self, characters: int) -> bool:
        """Whether so much may still be encoded."""
        self.left -= characters
        return self.left >= 0


def nearest(start: int, end: int, size: int) -> Iterator[int]:
    """The lengths that a part may have, those within [start, end] first, the longest of them first, then outwards.

    >>> list(nearest(2, 3, 6))
    [3, 2, 1, 4, 5]
    """
    lengths = list(range(min(end, start + TRIES), start - 1, -1))
    for step in range(1, TRIES):
        lengths += [start - step, end + step]
    return islice((length for length in lengths if 0 < length < size), TRIES)

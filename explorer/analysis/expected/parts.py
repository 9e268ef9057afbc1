"""Finds out whether a text was encoded in parts: split, each part encoded separately, the ids joined.

The search goes on near the first id that differs: up to there both lists are of the same text, and a cut has an effect
at once. Each part must give exactly its share of the expected ids. One cut is tried before several. Leaves out texts
split into so many parts that these have fewer than two ids each, because then cuts explain nothing, and whatever
exceeds `BUDGET`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from explorer.analysis.expected.answers import Encoded
from explorer.analysis.expected.attempts import Attempts
from explorer.analysis.plausible import is_plausible
from explorer.analysis.what_if import adds_tokens
from explorer.engine.part import Options
from explorer.engine.results import Encoding
from explorer.errors import InputError

BUDGET: Final = 400_000
"""The most characters that are encoded for one search; the encoding of the whole text is known."""

TRACED: Final = 4
"""The relative cost of encoding with spans."""

MOST_CUTS: Final = 64
TRIES: Final = 160
"""The most positions that are tried for one cut, the nearest first."""


class SplitText(NamedTuple):
    """A text in parts. offsets: of the cuts. how: which parts have special tokens, in words, if it matters."""

    offsets: tuple[int, ...]
    parts: tuple[Encoded, ...]
    how: str


def in_parts(
    attempts: Attempts, text: str, expected: Sequence[int], options: Options, most: int = MOST_CUTS
) -> SplitText | None:
    """The parts whose ids are exactly the expected ones; None if there are none. most: the number of cuts.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> found = in_parts(Attempts(tok, tok.trace("What is")), "What is", [1, 1724, 474, 1, 269], Options())
    >>> found and found.offsets
    (6,)
    """
    tokenizer = attempts.tokenizer
    if not is_plausible(tokenizer, expected, text):
        return None
    expected = list(expected)
    off, on = Options(False, options.parse_special), Options(True, options.parse_special)
    settings = [
        ((on, on), ", each part with its special tokens"),
        ((on, off), ", only the first part with special tokens"),
        ((off, off), ", all without special tokens"),
    ]
    if not adds_tokens(tokenizer):
        settings = [((options, options), "")]
    elif not options.add_special:
        settings.reverse()
    left = BUDGET
    for (first, rest), how in settings:
        if not possible(attempts, text, expected, first, rest):
            continue
        search = Search(attempts, text, expected, first, rest, left)
        try:
            offsets = search.found(most)
        except InputError:
            return None  # the vocabulary can't encode a part
        left = search.left
        if offsets and (len(offsets) == 1 or 2 * (len(offsets) + 1) <= len(expected)):
            edges = (0, *offsets, len(text))
            parts = tuple(Encoded(tokenizer, text[a:b], first if a == 0 else rest) for a, b in pairwise(edges))
            return SplitText(tuple(offsets), parts, how)
    return None


def possible(attempts: Attempts, text: str, expected: list[int], first: Options, rest: Options) -> bool:
    """Whether the ids have exactly the special tokens that these options give the parts."""
    around = attempts.added_ids(attempts.tokenizer)
    if around is None:
        return True
    front, back = map(list, around)
    if first.add_special and expected[: len(front)] != front:
        return False
    if rest.add_special and (back or front):
        # the tokens added to every part occur between two parts
        seam, last = [*back, *front], len(expected) - len(back)
        return expected[last:] == back and any(
            expected[index : index + len(seam)] == seam for index in indices_of(seam[0], expected, len(front) or 1)
        )
    unwritten = attempts.unwritten(attempts.tokenizer, expected, text)
    return unwritten <= (Counter([*front, *back]) if first.add_special else Counter())


def indices_of(id: int, ids: list[int], start: int) -> Iterator[int]:
    """The indices of an id in a list, from `start` on."""
    return (index for index in range(start, len(ids)) if ids[index] == id)


class Search:
    """A search with options for the first part and for the rest. left: characters that may still be encoded."""

    def __init__(
        self, attempts: Attempts, text: str, expected: list[int], first: Options, rest: Options, left: int
    ) -> None:
        self.attempts, self.tokenizer, self.text, self.expected = attempts, attempts.tokenizer, text, expected
        self.first, self.rest = first, rest
        self.left = left

    def found(self, most: int) -> list[int] | None:
        """The offsets of the cuts; None if there are none."""
        return self.cuts(0, 0, 1) or (self.cuts(0, 0, most) if most > 1 else None)

    def cuts(self, at: int, index: int, most: int) -> list[int] | None:
        """The cuts of the text from `at` on that give the expected ids from `index` on; None if there are none.

        most: the number of cuts that may still be made.
        """
        text, wanted, options = self.text[at:], self.expected[index:], self.rest if at else self.first
        known = text == self.attempts.given.text
        if not known and not self.spend(len(text)):
            return None
        encoding = self.attempts.encoding(self.tokenizer, text, options) if known else self.encoded(text, options)
        if encoding is None:
            return None
        ids = encoding.ids
        if ids == wanted:
            return [] if at else None
        if not most or (not known and not self.spend(TRACED * len(text))):
            return None
        differs = next(
            (n for n, (a, b) in enumerate(zip(ids, wanted, strict=False)) if a != b), min(len(ids), len(wanted))
        )
        of_text = [token for token in encoding.tokens[differs:] if token.start >= 0]
        start, end = (of_text[0].start, of_text[0].end) if of_text else (len(text), len(text))
        for length in nearest(start, end, len(text)):
            if not self.spend(length):
                return None
            front = self.encoded(text[:length], options).ids
            if wanted[: len(front)] == front:
                rest = self.cuts(at + length, index + len(front), most - 1)
                if rest is not None:
                    return [at + length, *rest]
        return None

    def encoded(self, text: str, options: Options) -> Encoding:
        """The tokens of a part."""
        return self.tokenizer.encode(text, **options._asdict())

    def spend(self, characters: int) -> bool:
        """Uses some of the budget; returns whether it sufficed."""
        self.left -= characters
        return self.left >= 0


def nearest(start: int, end: int, size: int) -> Iterator[int]:
    """The lengths that a part may have: those in [start, end] from the longest down, then outwards.

    >>> list(nearest(2, 3, 6))
    [3, 2, 1, 4, 5]
    """
    lengths = list(range(min(end, start + TRIES), start - 1, -1))
    for step in range(1, TRIES):
        lengths += [start - step, end + step]
    return islice((length for length in lengths if 0 < length < size), TRIES)

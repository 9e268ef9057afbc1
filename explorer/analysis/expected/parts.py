"""Ids of a text that was encoded in parts: cut somewhere, each part encoded by itself, the ids joined.

Looked for near the first id that differs: up to there both lists are of the same text, and a cut shows at once. Each
part must give exactly its share of the expected ids. Left out: a text cut into so many parts that they hold fewer than
two ids each, for then a cut explains nothing; and what `BUDGET` does not reach. One cut is tried before several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Final, NamedTuple

from explorer.analysis.expected.answers import Encoded
from explorer.analysis.expected.tries import Tries
from explorer.analysis.plausible import is_plausible
from explorer.analysis.what_if import added
from explorer.engine.options import Options
from explorer.engine.tokenizer import Encoding
from explorer.errors import InputError

BUDGET: Final = 400_000
"""Characters that are encoded for one search; what is known of the whole text costs nothing."""

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


def in_parts(tries: Tries, text: str, expected: Sequence[int], options: Options) -> Cut | None:
    """The parts whose ids are exactly the expected ones; None where there are none.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> found = in_parts(Tries(tok, tok.trace("What is")), "What is", [1, 1724, 474, 1, 269], Options())
    >>> found and found.offsets
    (6,)
    """
    tokenizer = tries.tokenizer
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
    left = BUDGET
    for (first, rest), how in ways:
        if not possible(tries, text, expected, first, rest):
            continue
        search = Search(tries, text, expected, first, rest, left)
        try:
            offsets = search.found()
        except InputError:
            return None  # a vocabulary that cannot encode a part gives no ids
        left = search.left
        if offsets and (len(offsets) == 1 or 2 * (len(offsets) + 1) <= len(expected)):
            places = (0, *offsets, len(text))
            parts = tuple(Encoded(tokenizer, text[a:b], first if a == 0 else rest) for a, b in pairwise(places))
            return Cut(tuple(offsets), parts, how)
    return None


def possible(tries: Tries, text: str, expected: list[int], first: Options, rest: Options) -> bool:
    """Whether the ids have the special tokens of this way to encode parts, and no others."""
    around = tries.around(tries.tokenizer)
    if around is None:
        return True
    front, behind = map(list, around)
    if first.add_special and expected[: len(front)] != front:
        return False
    if rest.add_special and (behind or front):
        # what is added to every part is there between two of them
        seam, last = [*behind, *front], len(expected) - len(behind)
        return expected[last:] == behind and any(
            expected[place : place + len(seam)] == seam for place in places_of(seam[0], expected, len(front) or 1)
        )
    strange = tries.unwritten(tries.tokenizer, expected, text)
    return strange <= (Counter([*front, *behind]) if first.add_special else Counter())


def places_of(id: int, ids: list[int], start: int) -> Iterator[int]:
    """Where an id is, from a place on."""
    return (place for place in range(start, len(ids)) if ids[place] == id)


class Search:
    """One way to give the parts their special tokens. left: characters that may still be encoded."""

    def __init__(self, tries: Tries, text: str, expected: list[int], first: Options, rest: Options, left: int) -> None:
        self.tries, self.tokenizer, self.text, self.expected = tries, tries.tokenizer, text, expected
        self.first, self.rest = first, rest
        self.left = left

    def found(self) -> list[int] | None:
        """Where the text is cut; None where that gives nothing."""
        return self.cuts(0, 0, 1) or self.cuts(0, 0, MOST_CUTS)

    def cuts(self, at: int, place: int, most: int) -> list[int] | None:
        """Where the text from `at` on is cut to give the ids from `place` on; None where that cannot be done.

        most: cuts that may still be made.
        """
        text, wanted, options = self.text[at:], self.expected[place:], self.rest if at else self.first
        known = text == self.tries.given.text
        if not known and not self.spend(len(text)):
            return None
        encoding = self.tries.encoding(self.tokenizer, text, options) if known else self.encoded(text, options)
        if encoding is None:
            return None
        ids = encoding.ids
        if ids == wanted:
            return [] if at else None
        if not most or (not known and not self.spend(TRACED * len(text))):
            return None
        differs = next((n for n, (a, b) in enumerate(zip(ids, wanted, strict=False)) if a != b),
                       min(len(ids), len(wanted)))  # fmt: skip
        tokens = encoding.tokens
        of_text = [token for token in tokens[differs:] if token.start >= 0]
        start, end = (of_text[0].start, of_text[0].end) if of_text else (len(text), len(text))
        for length in nearest(start, end, len(text)):
            if not self.spend(length):
                return None
            front = self.encoded(text[:length], options).ids
            if wanted[: len(front)] == front:
                rest = self.cuts(at + length, place + len(front), most - 1)
                if rest is not None:
                    return [at + length, *rest]
        return None

    def encoded(self, text: str, options: Options) -> Encoding:
        return self.tokenizer.encode(text, **options._asdict())

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

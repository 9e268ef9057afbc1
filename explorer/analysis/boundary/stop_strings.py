"""In which sequences of tokens a stop string can occur, and where it may begin inside a token.

A program that compares only the ids of the stop string misses all others. Every way is found by the vocabulary alone:
the token in which the string begins ends with some of its bytes, tokens within it spell the next ones, and the one in
which it ends begins with the rest. Whether text ever gives such a sequence is not asked: a model may output any.

Compares bytes that tokens decode to alone, so spaces that a decoder puts between words (WordPiece) are left out.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from explorer.analysis.boundary.borders import ids_of
from explorer.analysis.boundary.followers import TokensByText, tokens_by_text
from explorer.engine.limits.budget import asking, many_runs
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text import clean
from explorer.text.say import number

LONGEST: Final = 1_000
"""The most bytes of a stop string."""


class Beginning(NamedTuple):
    """The tokens that end with the first bytes of a stop string.

    taken: how many bytes. exact: ids of tokens that are these bytes. inside: ids of longer tokens, in which the string
    begins inside.
    """

    taken: int
    exact: tuple[int, ...]
    inside: tuple[int, ...]


class StopString(NamedTuple):
    """A stop string.

    ids: what the tokenizer gives for it alone. contain: ids of tokens that have all of it within. beginnings: by how
    many bytes of it a token ends with. sequences: how many sequences of tokens contain it, from the token in which it
    begins to the one in which it ends. fewest: one of the shortest of several tokens; empty if there are none.
    """

    text: str
    ids: tuple[int, ...]
    contain: tuple[int, ...]
    beginnings: tuple[Beginning, ...]
    sequences: int
    fewest: tuple[int, ...]

    @property
    def inside(self) -> int:
        """How many tokens it can begin inside of, those that have all of it after their first byte included."""
        return len({id for each in self.beginnings for id in each.inside} | set(self.contain))


def stop_string(tokenizer: Opened, text: str, *, parse_special: bool = True) -> StopString:
    """Raises InputError for a string that is empty, too long or unusable.

    >>> import explorer
    >>> found = stop_string(explorer.load("gpt-2"), "\\n\\n")
    >>> found.ids, len(found.contain), found.fewest
    ((628,), 1, (198, 198))
    """
    text = clean(text)
    data = text.encode()
    if not 0 < len(data) <= LONGEST:
        raise InputError(f"a stop string has 1 to {number(LONGEST)} bytes, and this one has {number(len(data))}")
    with many_runs("a stop string", len(text)):
        tokens = tokens_by_text(tokenizer)
        contain = tuple(
            sorted(
                id for each, id in zip(asking(tokens.data, "the vocabulary"), tokens.ids, strict=True) if data in each
            )
        )
        beginnings = []
        for taken in range(1, min(len(data), tokens.longest + 1)):
            exact = set(tokens.spelled(data[:taken]))
            found = tokens.end(data[:taken])
            if found:
                inside = tuple(id for id in found if id not in exact)
                beginnings.append(Beginning(taken, tuple(sorted(exact)), inside))
        counts, steps = completions(data, tokens)
        sequences = len(contain)
        fewest: tuple[int, ...] = ()
        for each in beginnings:
            sequences += (len(each.exact) + len(each.inside)) * counts[each.taken]
            rest = steps[each.taken]
            if rest and (not fewest or len(rest) + 1 < len(fewest)):
                fewest = ((each.exact or each.inside)[0], *rest)
        return StopString(
            text, tuple(ids_of(tokenizer, text, parse_special)), contain, tuple(beginnings), sequences, fewest
        )


def completions(data: bytes, tokens: TokensByText) -> tuple[list[int], list[tuple[int, ...]]]:
    """By offset of a text, in how many ways tokens spell the rest, and a shortest one. The last token may go on."""
    counts = [0] * len(data)
    shortest: list[tuple[int, ...]] = [()] * len(data)
    for at in range(len(data) - 1, 0, -1):
        last = tokens.begin(data[at:])
        counts[at] = len(last)
        if last:
            shortest[at] = ((tokens.spelled(data[at:]) or last)[0],)
        for end in range(at + 1, min(len(data), at + tokens.longest + 1)):
            same = tokens.spelled(data[at:end]) if counts[end] else []
            if same:
                counts[at] += len(same) * counts[end]
                if not shortest[at] or len(shortest[end]) + 1 < len(shortest[at]):
                    shortest[at] = (same[0], *shortest[end])
    return counts, shortest

"""The merges that make a text one token, after those a model has.

The model's merges run on the text's symbols; the first two that are left get a merge of their own, and so on until one
is left. Running the merges again after each addition matters: of `aaaa` the new merge of a and a makes two pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from explorer.editing.step import quoted
from explorer.engine.budget import asking
from explorer.errors import InputError

Pair = tuple[str, str]
Join = Callable[[str, str], str]
"""What a merge makes of its sides."""

LONGEST = 200
"""Symbols of a text."""


def run(symbols: Sequence[str], ranks: dict[Pair, int], join: Join) -> list[str]:
    """The symbols after all merges, the lowest rank first, of several the leftmost.

    >>> run("abab", {("a", "b"): 0}, str.__add__)
    ['ab', 'ab']
    """
    left = list(symbols)
    while True:
        found = [(ranks[pair], at) for at, pair in enumerate(pairwise(left)) if pair in ranks]
        if not found:
            return left
        _, at = min(found)
        left[at : at + 2] = [join(left[at], left[at + 1])]


def merges_for(symbols: Sequence[str], ranks: dict[Pair, int], join: Join = str.__add__) -> list[Pair]:
    """The merges to add so that these symbols become one; `ranks` gets them, too.

    Raises InputError for a text of too many symbols.

    >>> merges_for("aaaa", {})
    [('a', 'a'), ('aa', 'aa')]
    >>> merges_for("abc", {("b", "c"): 0})
    [('a', 'bc')]
    """
    if len(symbols) > LONGEST:
        raise InputError(f"{quoted(''.join(symbols))} has {len(symbols)} symbols; add words of up to {LONGEST}")
    added: list[Pair] = []
    left = run(symbols, ranks, join)
    while len(left) > 1:
        pair = left[0], left[1]
        ranks[pair] = len(ranks)
        added.append(pair)
        left = run(symbols, ranks, join)
    return added


def with_merges(
    words: Sequence[Sequence[str]],
    given: Sequence[Pair],
    old: Sequence[Pair],
    known: set[str],
    join: Join = str.__add__,
) -> tuple[list[Pair], list[str]]:
    """The merges to add, and the tokens they make. given: pairs that are added first, in order.

    known: the tokens of the vocabulary. Raises InputError for a symbol or side that is not a token, and for a merge
    that is there already.

    >>> with_merges(["ab"], [("b", "c")], [], {"a", "b", "c"})
    ([('b', 'c'), ('a', 'b')], ['bc', 'ab'])
    """
    ranks = {pair: at for at, pair in enumerate(old)}
    pairs: list[Pair] = []
    made: list[str] = []

    def take(pair: Pair) -> None:
        for side in pair:
            if side not in known:
                raise InputError(
                    f"the merge of {quoted(pair[0])} and {quoted(pair[1])}: {quoted(side)} is not in the vocabulary; "
                    "add the merge that makes it first"
                )
        pairs.append(pair)
        result = join(*pair)
        if result not in known:
            known.add(result)
            made.append(result)

    known = set(known)
    for pair in given:
        if pair in ranks:
            raise InputError(f"the merge of {quoted(pair[0])} and {quoted(pair[1])} is there already; leave it out")
        ranks[pair] = len(ranks)
        take(pair)
    for symbols in asking(words, "adding merges", 8):
        missing = next((each for each in symbols if each not in known), None)
        if missing is not None:
            raise InputError(
                f"{quoted(''.join(symbols))}: the symbol {quoted(missing)} is not in the vocabulary, so no merge can "
                "start with it; add the word with add-token"
            )
        for pair in merges_for(symbols, ranks, join):
            take(pair)
    return pairs, made

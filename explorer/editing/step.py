"""What the modules of the formats share: the result of an edit, names of tokens, merges that make a text one token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from explorer.engine.budget import asking
from explorer.errors import InputError
from explorer.text import visible

Notes = tuple[str, ...]
"""Sentences: what else an edit changed."""


class Step(NamedTuple):
    """The content after an edit."""

    content: Any
    notes: Notes = ()


class Editor(NamedTuple):
    """What can be done to a format.

    read: bytes and a name in errors → the content. write: the content → bytes. steps: by the kind of edit. instead: for
    kinds that this format does not have, why not and what to use. found_first: the edit that adds a text as one token,
    found whole where the format can, by the text and whether it is special. suffix: how the name of a file ends.
    """

    read: Callable[[bytes, str], Any]
    write: Callable[[Any], bytes]
    steps: Mapping[type, Callable[[Any, Any], Step]]
    instead: Mapping[type, str]
    found_first: Callable[[str, bool], Any]
    suffix: str


LONGEST: Final = 60
"""Characters of a token in a sentence."""

NAMED: Final = 5
"""Tokens named in a sentence."""


def quoted(token: str) -> str:
    """A token in a sentence, made visible.

    >>> quoted("a b")
    '“a␣b”'
    """
    return f"“{visible(token[:LONGEST])}{'…' if len(token) > LONGEST else ''}”"


def named(tokens: list[str]) -> str:
    """The first of many tokens in a sentence.

    >>> named(["a"]), named(list("abcdefg"))
    ('“a”', '“a”, “b”, “c”, “d”, “e” and 2 more')
    """
    more = len(tokens) - NAMED
    return ", ".join(map(quoted, tokens[:NAMED])) + (f" and {more:,} more" if more > 0 else "")


def moved(ids: Mapping[int, int]) -> Notes:
    """The sentence about ids that move: old → new.

    >>> moved({1: 1, 5: 4, 6: 5})
    ('2 ids move down; the first is 5, now 4.',)
    """
    changed = [(old, new) for old, new in ids.items() if old != new]
    if not changed:
        return ()
    old, new = min(changed)
    count = len(changed)
    return (
        f"{count:,} id{'' if count == 1 else 's'} move{'s' if count == 1 else ''} down; the first is {old}, now {new}.",
    )


def closed_up(ids: list[int], removed: set[int]) -> dict[int, int]:
    """Where the ids are that stay, once those above a removed one have moved down.

    >>> closed_up([0, 1, 2, 5], {1})
    {0: 0, 2: 1, 5: 4}
    """
    found, below = {}, 0
    gone = sorted(removed)
    for id in sorted(ids):
        while below < len(gone) and gone[below] < id:
            below += 1
        if id not in removed:
            found[id] = id - below
    return found


def lost_merges(merges: list[tuple[str, str]]) -> str:
    """The sentence about merges that go with a removed token.

    >>> lost_merges([("a", "b")])
    '1 merge goes, too, since it uses or makes a removed token: “a” + “b”.'
    """
    many = len(merges) > 1
    says = (
        f"{len(merges):,} merges go, too, since they use or make"
        if many
        else "1 merge goes, too, since it uses or makes"
    )
    shown = ", ".join(" + ".join(map(quoted, pair)) for pair in merges[:NAMED])
    return f"{says} a removed token: {shown}{f' and {len(merges) - NAMED:,} more' if len(merges) > NAMED else ''}."


def refuse_twice(token: str, id: int) -> InputError:
    """The error for a token that is in the vocabulary already."""
    return InputError(f"{quoted(token)} is in the vocabulary already, with the id {id}; leave it out")


def check_new(new: Iterable[str], known: Mapping[str, int]) -> None:
    """Raises InputError for a token that is there, or given twice."""
    seen = set()
    for each in new:
        if each in known:
            raise refuse_twice(each, known[each])
        if each in seen:
            raise InputError(f"{quoted(each)} is given twice; give it once")
        seen.add(each)


def unknown(token: str) -> InputError:
    """The error for a token that isn't in the vocabulary."""
    return InputError(f"{quoted(token)} is not in the vocabulary; write it as the vocabulary spells it, or give its id")


Pair = tuple[str, str]
Join = Callable[[str, str], str]
"""What a merge makes of its sides."""

LONGEST_WORD = 200
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
    if len(symbols) > LONGEST_WORD:
        raise InputError(f"{quoted(''.join(symbols))} has {len(symbols)} symbols; add words of up to {LONGEST_WORD}")
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

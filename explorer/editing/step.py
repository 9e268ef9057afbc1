"""What the modules of the formats share: the result of an edit, and the names of tokens in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

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

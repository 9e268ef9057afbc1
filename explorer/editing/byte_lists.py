"""Edits of files that are lists of bytes: tiktoken's ranks and RWKV's vocabulary.

A rank is an id and the order of merging at once, so a token that is added merges after all others. RWKV's ids are
positions from 1, and in its data an id takes 16 bits: 65,536 ids, of which 0 ends a text.
"""

from collections.abc import Iterable, Sequence
from itertools import chain, count, pairwise
from typing import NamedTuple

from explorer.editing.edits import (
    PRESETS,
    AddEntries,
    Editor,
    Preset,
    Remove,
    Step,
    closed_up,
    moved,
    named,
    refuse_twice,
)
from explorer.engine.budget import asking
from explorer.errors import InputError, shown
from explorer.formats import rwkv, tiktoken_ranks
from explorer.implementations.tiktoken import with_sha256
from explorer.text.say import Text, shortened
from explorer.vocabulary import spelled

Ranks = dict[bytes, int]

MOST_IDS = 65_536
"""Ids of RWKV, with 0."""


def entries(edit: AddEntries) -> list[bytes]:
    """The tokens of an edit. Raises InputError.

    >>> entries(AddEntries(("é",), ("FF 61",)))
    [b'\\xc3\\xa9', b'\\xffa']
    """
    tokens = [text.encode("utf-8", "surrogateescape") for text in edit.tokens]
    for written in edit.hex:
        try:
            tokens.append(bytes.fromhex(written))
        except ValueError:
            raise InputError(f"{shown(written)} is not bytes in hexadecimal; write them as in E3 81") from None
    if not all(tokens):
        raise InputError("an empty token can never be found; leave it out")
    return tokens


def appended(ranks: Ranks, new: Iterable[bytes], reserved: frozenset[int] = frozenset()) -> Ranks:
    """The list with new tokens after the last, at ids that are not reserved. Raises InputError for one that is there.

    >>> appended({b"a": 0}, [b"aa", b"aaa"], frozenset({1}))
    {b'a': 0, b'aa': 2, b'aaa': 3}
    """
    longer, free = dict(ranks), count(max(ranks.values(), default=-1) + 1)
    for token in new:
        if token in longer:
            raise refuse_twice(spelled(token), longer[token])
        longer[token] = next(id for id in free if id not in reserved)
    return longer


def tokens_of(ranks: Ranks, edit: Remove) -> set[bytes]:
    """The tokens that an edit removes. Raises InputError for a single byte."""
    by_id = {id: token for token, id in ranks.items()}
    tokens = set(edit.chosen(by_id, lambda text: [text.encode("utf-8", "surrogateescape")]).values())
    single = sorted(token for token in tokens if len(token) == 1)
    if single:
        raise InputError(f"{shown(single[0])} is a single byte, which text falls back to; leave it in")
    return tokens


# --- ranks ------------------------------------------------------------------------------------------------------------


class RanksFile(NamedTuple):
    """A file of ranks. reserved: ids of special tokens that code gives a known file, which it does not hold."""

    ranks: Ranks
    reserved: frozenset[int]


def read_ranks(data: bytes, name: str) -> RanksFile:
    """The ranks of a file. Raises InputError."""
    special = (each.special_tokens.values() for each in with_sha256(data)[:1])
    return RanksFile(tiktoken_ranks.read(data, name), frozenset(chain.from_iterable(special)))


def write_ranks(file: RanksFile) -> bytes:
    """The file, by rank."""
    return tiktoken_ranks.write(sorted(file.ranks.items(), key=lambda row: row[1]))


def add_ranks(file: RanksFile, edit: AddEntries) -> Step:
    """Adds tokens after the last rank, but not at the ids of special tokens."""
    longer = appended(file.ranks, entries(edit), file.reserved)
    odd = [
        spelled(token)
        for token in entries(edit)
        if not any(token[:at] in longer and token[at:] in longer for at in range(1, len(token)))
    ]
    says = "No two tokens join to {0:t}: found only where the pattern cuts it out whole."
    notes = (Text(says, named(odd)),) if odd else ()
    return Step(file._replace(ranks=longer), notes)


def remove_ranks(file: RanksFile, edit: Remove) -> Step:
    """Removes tokens; the ranks of the others close up, or not."""
    ranks = file.ranks
    gone = tokens_of(ranks, edit)
    kept = {token: rank for token, rank in ranks.items() if token not in gone}
    # what only merged from a removed token is no longer made
    notes = orphans(ranks, gone)
    if edit.keep_ids:
        return Step(file._replace(ranks=kept), notes)
    ids = closed_up([*ranks.values()], {ranks[token] for token in gone})
    closed = {token: ids[rank] for token, rank in kept.items()}
    clash = next((token for token, rank in closed.items() if rank in file.reserved), None)
    if clash is not None:
        says = "{0:q} would move to {1:i}, the id of a special token; use keep_ids"
        raise InputError(says, shortened(spelled(clash)), closed[clash])
    return Step(file._replace(ranks=closed), (*notes, *moved(ids)))


def orphans(ranks: Ranks, gone: set[bytes]) -> tuple[str, ...]:
    """The sentence about tokens that two others joined to, one of which is removed.

    >>> orphans({b"a": 0, b"b": 1, b"ab": 2, b"abb": 3}, {b"ab"})
    ('No two tokens join to “abb” any more; the tokens stay.',)
    """

    lost = []
    for token in asking([each for each in ranks if each not in gone], "a removal"):
        splits = [(token[:at], token[at:]) for at in range(1, len(token))]
        pairs = [pair for pair in splits if pair[0] in ranks and pair[1] in ranks]
        if pairs and all(left in gone or right in gone for left, right in pairs):
            lost.append(spelled(token))
    return (Text("No two tokens join to {0:t} any more; the tokens stay.", named(lost)),) if lost else ()


# --- RWKV -------------------------------------------------------------------------------------------------------------


def read_rwkv(data: bytes, name: str) -> Ranks:
    """The ids of the tokens, from 1. Raises InputError."""
    tokens = rwkv.read(data, name)
    ids = {token: id for id, token in enumerate(tokens, 1)}
    if len(ids) < len(tokens):
        twice = next(token for id, token in enumerate(tokens, 1) if ids[token] != id)
        raise InputError(f"{name}: the token {shown(twice)} occurs twice; repair the file")
    return ids


def in_order(ids: Ranks) -> list[bytes]:
    """The tokens by id."""
    return sorted(ids, key=lambda token: ids[token])


def checked(tokens: Sequence[bytes]) -> Ranks:
    """The ids of tokens from 1. Raises InputError for more than 16 bits hold."""
    if len(tokens) > MOST_IDS - 1:
        raise InputError(
            f"{len(tokens) + 1:,} ids with 0, and 16 bits hold {MOST_IDS:,}; remove {len(tokens) + 1 - MOST_IDS:,} "
            "tokens first"
        )
    return {token: id for id, token in enumerate(tokens, 1)}


def add_rwkv(ids: Ranks, edit: AddEntries) -> Step:
    """Adds tokens after the last. The longest that matches is taken, so each is found at once."""
    return Step(checked(in_order(appended(ids, entries(edit)))))


def remove_rwkv(ids: Ranks, edit: Remove) -> Step:
    """Removes tokens; higher ids move down, since the file can't have gaps."""
    if edit.keep_ids:
        raise InputError("the ids of an RWKV vocabulary are its lines, without gaps; leave keep_ids out")
    gone = tokens_of(ids, edit)
    closed = closed_up([*ids.values()], {ids[token] for token in gone})
    return Step(checked([token for token in in_order(ids) if token not in gone]), moved(closed))


def preset(ids: Ranks, edit: Preset) -> Step:
    """Runs a list of edits with a name."""
    if edit.name not in PRESETS:
        raise InputError(f"no preset is called {shown(edit.name)}; known: {', '.join(PRESETS)}")
    tokens, notes = PRESETS[edit.name](in_order(ids))
    return Step(checked(tokens), notes)


def write_rwkv(ids: Ranks) -> bytes:
    """The file, by id."""
    order = in_order(ids)
    assert all(ids[high] == ids[low] + 1 for low, high in pairwise(order)), "ids without gaps"
    return rwkv.write(order)


RANKS = Editor(
    read_ranks,
    write_ranks,
    {AddEntries: add_ranks, Remove: remove_ranks},
    lambda text, special: AddEntries((text,)),
    ".tiktoken",
)
"""What can be done to ranks."""

RWKV = Editor(
    read_rwkv,
    write_rwkv,
    {AddEntries: add_rwkv, Remove: remove_rwkv, Preset: preset},
    lambda text, special: AddEntries((text,)),
    ".txt",
)
"""What can be done to an RWKV vocabulary."""

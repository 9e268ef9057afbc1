"""`model.merges` of a BPE model, checked at once: every pair is of pieces, and so is what it makes.

Old files have lines `left right`, new ones pairs of texts. Follows `convert_merges_to_hashmap` and `BpeBuilder::build`
of Hugging Face's tokenizers: a line that begins with `#version` is none, and a merge keeps the prefix of its left piece
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Final, NamedTuple, cast

from explorer.engine.models.bpe_rules import BETWEEN, END, MergeKeys
from explorer.errors import InputError, shown
from explorer.implementations.huggingface.bulk import END_TEXT, SIDE_TEXT, joined

COMMENT: Final = "#version"
TEXT: Final = bytes(byte for byte in range(256) if byte not in BETWEEN + END)
"""The bytes that a text may have."""


class Sides(NamedTuple):
    """What the merges are of. both: left, right, left, right … made: what they make. keys: of the lookup."""

    both: list[str]
    made: list[str]
    keys: bytes


def merge_list(merges: object, texts: Mapping[str, int], prefix: str, name: str) -> tuple[MergeKeys, int]:
    """The rule, and how many merges there are. texts: the pieces of the model.

    Raises InputError naming `model.merges[PLACE]` for what is no pair, a side that is no piece, or a pair that makes
    none.

    >>> rule, count = merge_list(["a b", "ab c"], {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, "", "toy")
    >>> rule.priority(b"ab", b"c"), count
    (1, 2)
    """
    if not isinstance(merges, list):
        raise InputError(f"{name}: model.merges is no list; the file is damaged")
    both, made, keys = sides(merges, name)
    known = texts.keys()
    # all at once is five times as fast; only a file that is refused is looked through one by one
    if not set(both) <= known:
        for place, side in enumerate(both):
            if side not in known:
                raise refused(merges, place // 2, f"merges {shown(side)}, which is not in model.vocab", name)
    if prefix:
        made = [left + dropped(right, prefix) for left, right in zip(both[::2], both[1::2], strict=True)]
        size = len(prefix.encode())
        for place, right in enumerate(both[1::2]):
            if len(right.encode()) < size:
                raise refused(merges, place, f"merges {shown(right)}, which is shorter than the prefix", name)
    if not all(map(texts.__contains__, made)):
        for place, text in enumerate(made):
            if text not in known:
                raise refused(merges, place, f"makes {shown(text)}, which is not in model.vocab", name)
    return MergeKeys(keys), len(made)


def sides(merges: list[object], name: str) -> Sides:
    """The sides of all merges. Raises InputError for an entry that is no pair."""
    kinds = set(map(type, merges))
    if kinds == {str}:
        lines = cast(list[str], merges)
        text = END_TEXT.join([*lines, ""])
        if COMMENT in text:
            lines = [line for line in lines if not line.startswith(COMMENT)]
            text = END_TEXT.join([*lines, ""])
        keys = text.replace(" ", SIDE_TEXT).encode("utf-8", "surrogateescape")
        # one space in each line
        if keys.translate(None, TEXT) == (BETWEEN + END) * len(lines):
            both = text.replace(" ", END_TEXT).split(END_TEXT)[:-1]
            return Sides(both, text.replace(" ", "").split(END_TEXT)[:-1], keys)
    elif kinds <= {list}:
        pairs = cast(list[list[str]], merges)
        if set(map(len, pairs)) <= {2}:
            both = list(chain.from_iterable(pairs))
            if set(map(type, both)) <= {str}:
                return Sides(both, list(map("".join, pairs)), joined(map(SIDE_TEXT.join, pairs)))
    place = next(place for place, entry in enumerate(merges) if not is_pair(entry, type(merges[0])))
    raise InputError(f"{name}: model.merges[{place}] is {shown(merges[place])} and no pair of pieces; repair the file")


def is_pair(entry: object, kind: type) -> bool:
    """Whether an entry is a pair. kind: of the first entry, which all have to be of."""
    if isinstance(entry, str):
        return kind is str and (entry.count(" ") == 1 or entry.startswith(COMMENT))
    return kind is list and isinstance(entry, list) and [type(side) for side in entry] == [str, str]


def dropped(right: str, prefix: str) -> str:
    """What a merge takes of its right side: all but as many bytes as the prefix has, whatever they are.

    >>> dropped("##b", "##")
    'b'
    """
    if right.startswith(prefix):
        return right[len(prefix) :]
    return right.encode()[len(prefix.encode()) :].decode("utf-8", "replace")


def refused(merges: list[object], place: int, why: str, name: str) -> InputError:
    """place: among the merges that are no comment."""
    places = [at for at, entry in enumerate(merges) if not (isinstance(entry, str) and entry.startswith(COMMENT))]
    return InputError(f"{name}: model.merges[{places[place]}] {why}; repair the file")

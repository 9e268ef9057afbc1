"""`model.merges` of a BPE model, checked at once: every pair is of pieces, and so is what it makes.

Old files have lines `left right`, new ones pairs of texts. Follows `convert_merges_to_hashmap` and `BpeBuilder::build`
of Hugging Face's tokenizers: a line that begins with `#version` is none, a merge keeps the prefix of its left piece
only, and of a pair that is listed twice the last place counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import add

from explorer.engine.bpe import BETWEEN
from explorer.errors import InputError
from explorer.formats.strict_json import shown

# in text, what the lookup has for a byte that no UTF-8 holds
SIDE, LINE = "\udcff", "\udcfe"


def merge_ranks(merges: object, texts: Mapping[str, int], prefix: str, name: str) -> dict[bytes, int]:
    """The lookup of a `MergeList`. texts: the pieces of the model.

    Raises InputError naming `model.merges[PLACE]` for what is no pair, a side that is no piece, or a pair that makes
    none.

    >>> merge_ranks(["a b", "ab c"], {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, "", "toy")
    {b'a\\xffb': 0, b'ab\\xffc': 1}
    """
    if not isinstance(merges, list):
        raise InputError(f"{name}: model.merges is no list; the file is damaged")
    pairs = pairs_of(merges, name)
    if not pairs:
        return {}
    lefts, rights = [left for left, _ in pairs], [right for _, right in pairs]
    known = texts.keys()
    # all at once is five times as fast; only a file that is refused is looked through one by one
    if not (known >= set(lefts) and known >= set(rights)):
        for place, pair in enumerate(pairs):
            for side in pair:
                if side not in known:
                    raise refused(merges, place, f"merges {shown(side)}, which is not in model.vocab", name)
    if prefix:
        size = len(prefix.encode())
        for place, right in enumerate(rights):
            if len(right.encode()) < size:
                raise refused(merges, place, f"merges {shown(right)}, which is shorter than the prefix", name)
        rights = [without(right, prefix) for right in rights]
    made = list(map(add, lefts, rights))
    if not known >= set(made):
        for place, text in enumerate(made):
            if text not in known:
                raise refused(merges, place, f"makes {shown(text)}, which is not in model.vocab", name)
    del lefts, rights, made
    keys = LINE.join(map(SIDE.join, pairs)).encode("utf-8", "surrogateescape").split(b"\xfe")
    assert SIDE.encode("utf-8", "surrogateescape") == BETWEEN
    return dict(zip(keys, range(len(keys)), strict=True))


def without(right: str, prefix: str) -> str:
    """What a merge takes of its right side: all but as many bytes as the prefix has, whatever they are.

    >>> without("##b", "##")
    'b'
    """
    if right.startswith(prefix):
        return right[len(prefix) :]
    return right.encode()[len(prefix.encode()) :].decode("utf-8", "replace")


def pairs_of(merges: list[object], name: str) -> Sequence[Sequence[str]]:
    """The merges as pairs. Raises InputError for an entry that is none."""
    kinds = set(map(type, merges))
    if kinds == {str}:
        lines: list[str] = [line for line in merges if isinstance(line, str) and not line.startswith("#version")]
        pairs: Sequence[Sequence[str]] = [line.split(" ") for line in lines]
        if set(map(len, pairs)) <= {2}:
            return pairs
    elif kinds <= {list}:
        listed: list[list[str]] = [entry for entry in merges if isinstance(entry, list)]
        if set(map(len, listed)) <= {2} and {type(side) for pair in listed for side in pair} <= {str}:
            return listed
    for place, entry in enumerate(merges):
        if isinstance(entry, str) and type(merges[0]) is str:
            good = entry.count(" ") == 1 or entry.startswith("#version")
        else:
            good = (
                type(merges[0]) is list
                and isinstance(entry, list)
                and len(entry) == 2
                and all(isinstance(side, str) for side in entry)
            )
        if not good:
            raise InputError(f"{name}: model.merges[{place}] is {shown(entry)} and no pair of pieces; repair the file")
    raise AssertionError("one of them is no pair")


def refused(merges: list[object], place: int, why: str, name: str) -> InputError:
    """place: among the merges that are no comment."""
    places = [at for at, entry in enumerate(merges) if not (isinstance(entry, str) and entry.startswith("#version"))]
    return InputError(f"{name}: model.merges[{places[place]}] {why}; repair the file")

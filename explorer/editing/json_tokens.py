"""The tokens of a tokenizer.json and their ids, as the original numbers them.

The original ignores the ids in `added_tokens`: a token that is a piece of the model has that piece's id, the others are
numbered from the number of pieces on (`implementations/huggingface/added_tokens.py`). So a new piece would move the ids
of all added tokens. To keep them where they are, such tokens are entered in the model's vocabulary (`settled`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from explorer.editing.step import Notes, named, quoted
from explorer.errors import InputError

Json = dict[str, Any]


def is_unigram(whole: Json) -> bool:
    """Whether the ids of the model's pieces are their positions in a list."""
    return isinstance(whole["model"]["vocab"], list)


def pieces(whole: Json) -> dict[str, int]:
    """The ids of the model's pieces."""
    vocab = whole["model"]["vocab"]
    if not is_unigram(whole):
        return dict(vocab)
    return {piece: id for id, (piece, _) in enumerate(vocab)}


def added_ids(whole: Json) -> dict[str, int]:
    """The ids of the added tokens, as the original gives them."""
    known, found = pieces(whole), dict[str, int]()
    free = len(whole["model"]["vocab"])
    for entry in whole.get("added_tokens") or []:
        text = entry["content"]
        if text and text not in found:
            if text not in known:
                known[text], free = free, free + 1
            found[text] = known[text]
    return found


def all_ids(whole: Json) -> dict[str, int]:
    """The ids of all tokens."""
    return pieces(whole) | added_ids(whole)


def next_id(whole: Json) -> int:
    """The id after the highest."""
    return max(all_ids(whole).values(), default=-1) + 1


def with_model(whole: Json, **changes: object) -> Json:
    """The file with other entries of its model."""
    return {**whole, "model": {**whole["model"], **changes}}


def entered(whole: Json, new: Mapping[str, int], scores: Mapping[str, float] | None = None) -> Json:
    """The file with new pieces of its model. scores: of Unigram's, 0 if missing. Raises InputError for a gap there."""
    vocab = whole["model"]["vocab"]
    if not is_unigram(whole):
        return with_model(whole, vocab={**vocab, **new})
    ordered = sorted(new, key=lambda piece: new[piece])
    if [new[piece] for piece in ordered] != list(range(len(vocab), len(vocab) + len(new))):
        raise InputError(
            "the ids of a Unigram model are positions in its list, and these would leave a gap; let the ids close up"
        )
    return with_model(whole, vocab=[*vocab, *([piece, (scores or {}).get(piece, 0.0)] for piece in ordered)])


def settled(whole: Json, wanted: Mapping[str, int]) -> tuple[Json, Notes]:
    """The file in which the added tokens have these ids, in the original as well. Raises InputError if one is taken.

    >>> model = {"type": "WordLevel", "vocab": {"a": 0, "b": 2}}
    >>> whole = {"model": model, "added_tokens": [{"id": 1, "content": "x"}]}
    >>> settled(whole, {"x": 1})[0]["model"]["vocab"]
    {'a': 0, 'b': 2, 'x': 1}
    """
    notes: Notes = ()
    if added_ids(whole) != dict(wanted):
        known = pieces(whole)
        loose = {text: id for text, id in wanted.items() if text not in known}
        whole = entered(whole, loose)
        count = f"{len(loose):,} added tokens" if len(loose) > 1 else f"The added token {named(list(loose))}"
        verb = "are" if len(loose) > 1 else "is"
        notes = (f"{count} {verb} entered in model.vocab, so that the original keeps the ids.",)
    holders = {id: piece for piece, id in pieces(whole).items()}
    for text, id in added_ids(whole).items():
        if id != wanted[text] or holders.get(id, text) != text:
            raise InputError(f"the id {id} of {quoted(text)} is taken by {quoted(holders.get(id, text))}; remove one")
    entries = [{**entry, "id": wanted.get(entry["content"], entry["id"])} for entry in whole.get("added_tokens") or []]
    if entries or "added_tokens" in whole:
        whole = {**whole, "added_tokens": entries}
    return whole, notes


def merge_pairs(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The merges of a BPE model, in order."""
    lines = [each for each in model["merges"] if not (isinstance(each, str) and each.startswith("#version"))]
    found: list[tuple[str, str]] = [tuple(each.split(" ", 1) if isinstance(each, str) else each) for each in lines]
    return found


def merges_like(model: Mapping[str, Any], pairs: Iterable[tuple[str, str]]) -> list[Any]:
    """Merges written as those of the model are: as lines, or as lists. Raises InputError for a space in a line."""
    old = model["merges"]
    if not (old and isinstance(old[0], str)):
        return [list(pair) for pair in pairs]
    found = []
    for left, right in pairs:
        if " " in left + right:
            raise InputError(
                f"the merge of {quoted(left)} and {quoted(right)} has a space, which separates the sides "
                "in this file; spell the space as the vocabulary does"
            )
        found.append(f"{left} {right}")
    return found

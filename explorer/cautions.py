"""What to know before reading ids: what the card of the file warns about, and a BOS or EOS that is there twice.

Said once, above the result: by the command line on standard error, by the pages in a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from explorer.engine.post_processors.lengths import Padding
from explorer.engine.tokenizer import Tokenizer
from explorer.facts import FactKind
from explorer.text import visible

NEAR: Final = 5
"""Ids at each end among which two that are the same are worth a closer look. No known model adds more at an end."""


def of_file(tokenizer: Tokenizer) -> tuple[str, ...]:
    """What the card of a tokenizer's file warns about, each with its place in the file.

    >>> import explorer
    >>> of_file(explorer.load("gpt-2")), len(of_file(explorer.load("bert-uncased")))
    ((), 2)
    """
    return tuple(
        f"{fact.says} [{fact.place}]" if fact.place else fact.says
        for fact in tokenizer.facts
        if fact.kind == FactKind.WARNING
    )


def of_ids(tokenizer: Tokenizer, ids: Sequence[int], add_special: bool) -> tuple[str, ...]:
    """A token that the text brings along and `add_special` adds once more.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> of_ids(tok, tok.encode("<s>Hi").ids, True)
    ('<s> (1) is there twice: the text begins with it, and “add special” adds another one. Leave one of them out.',)
    """
    if not add_special or not any(one == other for end in (ids[:NEAR], ids[-NEAR:]) for one, other in pairwise(end)):
        return ()
    return tuple(
        f"{visible(tokenizer.vocabulary.spelling(id))} ({id}) is there twice: the text {does} with it, and “add "
        "special” adds another one. Leave one of them out."
        for id, does in twice(tokenizer, ids)
    )


def twice(tokenizer: Tokenizer, ids: Sequence[int]) -> list[tuple[int, str]]:
    """The tokens that were added beside the same token of the text, and what the text does with it."""
    front, behind = around(tokenizer)
    given = unpadded(tokenizer, ids)
    own = given[len(front) : len(given) - len(behind)]
    found = [(front[-1], "begins")] if front and own and own[0] == front[-1] else []
    return found + ([(behind[0], "ends")] if behind and own and own[-1] == behind[0] else [])


def around(tokenizer: Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids that `add_special` puts in front of a text and behind it."""
    tokens = tokenizer.encode("a").tokens
    of_text = [place for place, token in enumerate(tokens) if token.start >= 0] or [len(tokens), -1]
    front, behind = tokens[: of_text[0]], tokens[of_text[-1] + 1 :]
    left, right = (unpadded(tokenizer, [token.id for token in each]) for each in (front, behind))
    return tuple(left), tuple(right)


def unpadded(tokenizer: Tokenizer, ids: Sequence[int]) -> Sequence[int]:
    """The ids without those that only fill them up."""
    pad = next((part.token for part in tokenizer.parts if isinstance(part, Padding)), None)
    start, stop = 0, len(ids)
    while start < stop and ids[start] == pad:
        start += 1
    while start < stop and ids[stop - 1] == pad:
        stop -= 1
    return ids[start:stop]

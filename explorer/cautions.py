"""Warnings to read before the ids: those of the file's card, and a doubled BOS or EOS.

They are shown once, above the result: by the command line on standard error, by the pages in a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from explorer.engine.post_processors import Padding
from explorer.facts import FactKind
from explorer.implementations.opened import Opened
from explorer.text import visible

NEAR: Final = 5
"""Ids at each end that are checked for equal neighbors. No known model adds more at one end."""


def of_file(tokenizer: Opened) -> tuple[str, ...]:
    """The warnings of a tokenizer's card, each with its location in the file.

    >>> import explorer
    >>> of_file(explorer.load("gpt-2")), len(of_file(explorer.load("bert-uncased")))
    ((), 2)
    """
    return tuple(
        f"{fact.says} [{fact.place}]" if fact.place else fact.says
        for fact in tokenizer.facts
        if fact.kind == FactKind.WARNING
    )


def of_ids(tokenizer: Opened, ids: Sequence[int], add_special: bool) -> tuple[str, ...]:
    """Warnings about special tokens that the text contains and `add_special` adds again.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> of_ids(tok, tok.encode("<s>Hi").ids, True)
    ('<s> (1) occurs twice: the text begins with it, and “add special” adds another one. Remove one of them.',)
    """
    if not add_special or not any(one == other for end in (ids[:NEAR], ids[-NEAR:]) for one, other in pairwise(end)):
        return ()
    return tuple(
        f"{visible(tokenizer.vocabulary.spelling(id))} ({id}) occurs twice: the text {does} with it, and “add "
        "special” adds another one. Remove one of them."
        for id, does in _doubled(tokenizer, ids)
    )


def _doubled(tokenizer: Opened, ids: Sequence[int]) -> list[tuple[int, str]]:
    """The added tokens next to the same token of the text, and whether the text begins or ends with it."""
    before, after = _added_ids(tokenizer)
    ids = _unpadded(tokenizer, ids)
    own = ids[len(before) : len(ids) - len(after)]
    found = [(before[-1], "begins")] if before and own and own[0] == before[-1] else []
    return found + ([(after[0], "ends")] if after and own and own[-1] == after[0] else [])


def _added_ids(tokenizer: Opened) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids that `add_special` adds before and after a text."""
    tokens = tokenizer.encode("a").tokens
    of_text = [index for index, token in enumerate(tokens) if token.start >= 0] or [len(tokens), -1]
    before, after = (
        _unpadded(tokenizer, [token.id for token in each]) for each in (tokens[: of_text[0]], tokens[of_text[-1] + 1 :])
    )
    return tuple(before), tuple(after)


def _unpadded(tokenizer: Opened, ids: Sequence[int]) -> Sequence[int]:
    """The ids without padding."""
    pad = next((part.token for part in tokenizer.parts if isinstance(part, Padding)), None)
    start, stop = 0, len(ids)
    while start < stop and ids[start] == pad:
        start += 1
    while start < stop and ids[stop - 1] == pad:
        stop -= 1
    return ids[start:stop]

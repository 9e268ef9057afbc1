"""Every border of a text, or of a part of it: which keep the ids. Both sides of each border are tokenized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from explorer.analysis.boundary.followers import check_length
from explorer.engine import budget
from explorer.engine.budget import many_runs
from explorer.implementations.opened import Opened
from explorer.text import clean

TOGETHER: Final = 2_000_000
"""About the most characters that are tokenized for all borders together: a second or two."""


class Borders(NamedTuple):
    """The borders at the offsets [first, first + len(keeps)). keeps: 1 for each that keeps the ids."""

    first: int
    keeps: bytes

    @property
    def kept(self) -> int:
        """How many keep the ids."""
        return self.keeps.count(1)

    @property
    def offsets(self) -> Iterator[int]:
        """The offsets of those that keep the ids."""
        return (self.first + index for index, keeps in enumerate(self.keeps) if keeps)


def borders(
    tokenizer: Opened, text: str, *, around: int = 0, parse_special: bool = True, together: int = TOGETHER
) -> Borders:
    """Which borders of a text keep the ids. Of a long text, those nearest to `around`.

    together: about the most characters that are tokenized for all of them.

    >>> import explorer
    >>> found = borders(explorer.load("gpt-2"), "https://example.org")
    >>> len(found.keeps), list(found.offsets)
    (18, [5, 8, 15, 16])
    """
    text = clean(text)
    check_length(text)
    count = len(text) - 1
    if count < 1:
        return Borders(1, b"")
    most = min(count, max(1, together // len(text)))
    first = min(max(1, around - most // 2), count + 1 - most)
    with many_runs("the borders", len(text)):
        whole = ids_of(tokenizer, text, parse_special)
        keeps = bytearray()
        for at in range(first, first + most):
            budget.ask("the borders")
            left = ids_of(tokenizer, text[:at], parse_special)
            same = whole[: len(left)] == left and whole[len(left) :] == ids_of(tokenizer, text[at:], parse_special)
            keeps.append(same)
        return Borders(first, bytes(keeps))


def ids_of(tokenizer: Opened, text: str, parse_special: bool) -> list[int]:
    """The ids of a text, without those added around it."""
    return tokenizer.encode(text, add_special=False, parse_special=parse_special).ids

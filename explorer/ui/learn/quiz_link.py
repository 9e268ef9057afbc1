"""What a quiz asks, and its parameters in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from explorer.answers.offers import bundled
from explorer.learning.questions import KINDS

MOST: Final = 30
MOST_TEXT: Final = 1_000
"""Characters of all texts of a quiz, so that they fit into its link."""


class Quiz(NamedTuple):
    """What a quiz asks. kinds: none are all. texts: none are the usual ones."""

    size: int = 5
    seed: int = 1
    model: str = "llama-2"
    kinds: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def query(self) -> dict[str, str]:
        """Its parameters in the URL, but for the seed."""
        query = {"quiz": str(self.size), "m": self.model}
        query |= {"kinds": ",".join(self.kinds)} if self.kinds else {}
        return query | ({"texts": "\n".join(self.texts)} if self.texts else {})


def quiz_of_link(given: Mapping[str, str]) -> Quiz:
    """The quiz that the parameters of a link ask for; what it can't have is the usual.

    >>> quiz_of_link({"quiz": "3", "seed": "7", "m": "gpt-2", "kinds": "how-many,x"})
    Quiz(size=3, seed=7, model='gpt-2', kinds=('how-many',), texts=())
    """
    usual = Quiz()
    count, seed, model = given.get("quiz", ""), given.get("seed", ""), given.get("m", "")
    return Quiz(
        min(MOST, max(1, int(count))) if count.isdecimal() and len(count) < 4 else usual.size,
        int(seed) if seed.isdecimal() and len(seed) < 10 else usual.seed,
        model if model in bundled() else usual.model,
        tuple(each for each in given.get("kinds", "").split(",") if each in KINDS),
        lines_of(given.get("texts", "")[:MOST_TEXT]),
    )


def lines_of(typed: str) -> tuple[str, ...]:
    """The texts in a field, one a line."""
    return tuple(dict.fromkeys(line for line in typed.split("\n") if line.strip()))

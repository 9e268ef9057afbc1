"""What a vocabulary file says about its tokenizer, in sentences for people, each with its place in the file.

Whoever makes a `Tokenizer` from a file knows what it read, what it did not need, and what looks wrong although it runs.
It says so in facts; the pages and the command line show them as the file's card. No algorithm reads a fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

NAMED = 20
"""Tokens that a fact names one by one."""


def listed(things: Sequence[str], most: int = NAMED) -> str:
    """The first of them, and how many more there are.

    >>> listed(["a", "b", "c"], 2), listed(["a", "b"])
    ('a, b and 1 more', 'a, b')
    """
    return ", ".join(things[:most]) + (f" and {len(things) - most:,} more" if len(things) > most else "")


class FactKind(StrEnum):
    """What a fact is about."""

    USED = "used"
    """A setting in force: a normalizer, a pattern, a flag."""
    UNUSED = "unused"
    """Something in the file that has no part in tokenizing."""
    WARNING = "warning"
    """It runs, but hardly as its maker meant it, or not as its original does by itself."""


class Fact(NamedTuple):
    """One fact.

    topic: what the card files it under, such as "normalizer", "pre-tokenizer", "special tokens", "flags".
    says: one plain sentence. place: where it stands in the file, as errors spell it (`pre_tokenizer.pretokenizers[1]`,
    `tokenizer.ggml.add_bos_token`); empty where it is the original's default and the file is silent.
    code: verbatim text the sentence is about, such as a pattern; empty where there is none.

    >>> Fact("flags", "BOS is put in front of every text.", "tokenizer.ggml.add_bos_token").kind.value
    'used'
    """

    topic: str
    says: str
    place: str = ""
    code: str = ""
    kind: FactKind = FactKind.USED


class Choosable(NamedTuple):
    """What may be chosen of a tokenizer when it is opened, beyond what must be (`ChoiceNeeded`).

    key: what the answer is given under: `--choose KEY=VALUE`, `explorer.load(…, KEY=VALUE)`. label: for people.
    options: the answers. chosen: the one in force.

    >>> Choosable("add_special", "“add special” adds", ("bos", "both"), "bos").says
    'add_special = bos (or both)'
    """

    key: str
    label: str
    options: tuple[str, ...]
    chosen: str

    @property
    def says(self) -> str:
        """The choice in a line."""
        others = ", ".join(option for option in self.options if option != self.chosen)
        return f"{self.key} = {self.chosen} (or {others})"

"""Facts: plain sentences about what a vocabulary file says, each with its location in the file.

The code that makes a `Tokenizer` from a file knows what it used, what it ignored, and what looks wrong although it
runs. It reports that as facts, which the pages and the command line show as the file's card. No algorithm reads them.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from explorer.text.say import Text, in_a_row

NAMED = 20
"""The most tokens that a fact names."""


def listed(things: Sequence[str], most: int = NAMED) -> str:
    """The first items in a row, and the number of others, as a text that a language says.

    >>> listed(["a", "b", "c"], 2), listed(["a", "b"])
    ('a, b and 1 more', 'a, b')
    """
    shown, more = in_a_row(*things[:most]), len(things) - most
    return Text("{0:t} and {1} more", shown, more) if more > 0 else shown


class FactKind(StrEnum):
    """The kind of a fact."""

    USED = "used"
    """A setting in effect: a normalizer, a pattern, a flag."""
    UNUSED = "unused"
    """Something in the file that does not affect tokenization."""
    WARNING = "warning"
    """It runs, but probably not as its author intended, or not as the original does by default."""


USED, UNUSED, WARNING = FactKind


class Fact(NamedTuple):
    """One fact.

    topic: the heading on the card, such as "normalizer", "pre-tokenizer", "special tokens", "flags". says: one plain
    sentence. place: the location in the file, as in errors (`pre_tokenizer.pretokenizers[1]`,
    `tokenizer.ggml.add_bos_token`); empty for a default of the original that the file does not set. code: verbatim text
    that the sentence is about, such as a pattern; empty for none.

    >>> Fact("flags", "BOS is put in front of every text.", "tokenizer.ggml.add_bos_token").kind.value
    'used'
    """

    topic: str
    says: str
    place: str = ""
    code: str = ""
    kind: FactKind = FactKind.USED


class Choosable(NamedTuple):
    """An optional choice when a tokenizer is opened; a required one is a `ChoiceNeeded`.

    key: the name of the choice: `--choose KEY=VALUE`, `explorer.load(…, KEY=VALUE)`. label: its name for people.
    options: the answers. chosen: the one in effect.

    >>> Choosable("add_special", "“Add BOS/EOS” adds", ("bos", "both"), "bos").says
    'add_special = bos (or both)'
    """

    key: str
    label: str
    options: tuple[str, ...]
    chosen: str

    @property
    def says(self) -> str:
        """The choice as one line."""
        others = ", ".join(option for option in self.options if option != self.chosen)
        return f"{self.key} = {self.chosen} (or {others})"

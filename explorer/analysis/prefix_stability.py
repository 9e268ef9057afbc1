"""Which tokens of a text change while it is typed.

Models that answer while somebody types, prompt caches and streamed text all assume that the tokens of a prefix don't
change. Mostly only the last one does. This module tokenizes every prefix of a text and compares it with the one before:
how many tokens are kept from the left, and which earlier ones change.

A text of more than `MOST` characters grows in equal steps of several characters, and in longer ones if all prefixes
together have more than `TOGETHER` characters. Only tokens of the text count; added ones (BOS, EOS) are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from explorer.analysis.ownership import common
from explorer.engine.budget import many_runs
from explorer.engine.items import Token
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text import clean

MOST: Final = 300
"""The most prefixes that are tokenized."""

TOGETHER: Final = 1_000_000
"""About the most characters of all prefixes together: some seconds of work."""

LONGEST: Final = 20_000
"""The most characters of a text, because each prefix is tokenized from the start."""


class Prefix(NamedTuple):
    """The prefix of `length` characters.

    kept: how many tokens from the left equal those of the prefix before. tail: the tokens after them, so the tokens of
    a prefix are the first `kept` of the one before, then the tail. changed: how many tokens of the prefix before are
    gone; a token that only covers more characters now (a growing unknown word) is not. reach: how many characters
    before its end the first changed token began.
    """

    length: int
    kept: int
    tail: tuple[Token, ...]
    changed: int
    reach: int


class Stability(NamedTuple):
    """The tokens of a growing text.

    step: by how many characters each prefix is longer than the one before. prefixes: in order; the last is the text.
    """

    text: str
    step: int
    prefixes: tuple[Prefix, ...]

    @property
    def furthest(self) -> int:
        """The longest reach: tokens this far from the end may still change when the text grows."""
        return max((each.reach for each in self.prefixes), default=0)

    @property
    def stable(self) -> bool:
        """Whether only the last token ever changed."""
        return all(each.changed <= 1 for each in self.prefixes)

    def tokens(self) -> Iterator[tuple[Token, ...]]:
        """The tokens of each prefix, in order."""
        tokens: tuple[Token, ...] = ()
        for each in self.prefixes:
            tokens = tokens[: each.kept] + each.tail
            yield tokens


def stability(tokenizer: Opened, text: str, *, parse_special: bool = True, most: int = MOST) -> Stability:
    """Tokenizes the prefixes of a text. Raises InputError for a text that is too long or unusable.

    >>> import explorer
    >>> [(each.length, each.kept, len(each.tail), each.changed)
    ...  for each in stability(explorer.load("gpt-2"), "token").prefixes]
    [(1, 0, 1, 0), (2, 0, 1, 1), (3, 0, 2, 1), (4, 0, 2, 2), (5, 0, 1, 2)]
    """
    text = clean(text)
    if len(text) > LONGEST:
        raise InputError(
            f"the text has {len(text)} characters, and each prefix is tokenized from the start; give up to {LONGEST}"
        )
    most = min(most, 2 * TOGETHER // max(1, len(text)))
    step = max(1, -(-len(text) // most))
    prefixes: list[Prefix] = []
    before: tuple[Token, ...] = ()
    end = 0
    with many_runs("the prefixes", len(text)):
        for length in (*range(step, len(text), step), len(text)) if text else ():
            encoding = tokenizer.trace_lazily(text[:length], add_special=False, parse_special=parse_special).encoding
            tokens = tuple(token for token in encoding.tokens if token.start >= 0)
            kept = common(before, tokens)
            gone = Counter(map(identity, before[kept:])) - Counter(map(identity, tokens[kept:]))
            reach = end - min((start for _, start in gone), default=end)
            prefixes.append(Prefix(length, kept, tokens[kept:], gone.total(), reach))
            before, end = tokens, length
    return Stability(text, step, tuple(prefixes))


def identity(token: Token) -> tuple[int, int]:
    """What identifies a token in a growing text: its id and its start."""
    return token.id, token.start

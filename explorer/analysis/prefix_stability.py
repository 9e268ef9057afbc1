"""What happens to the tokens of a text while it is typed: which of them change when the text grows.

A model that answers while somebody types, a cache of prompts and a streamed text all rest on the hope that the tokens
of a beginning stay as they are. Mostly only the last one changes. Here every prefix of a text is tokenized and laid
beside the one before: how many tokens were kept from the left, and which of the earlier ones were taken back.

A text of more than `MOST` characters is walked in steps of equal length, longer ones where all prefixes together have
more than `TOGETHER`. Only tokens that come from the text count; what is added around it (BOS, EOS) is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from explorer.engine.items import Token
from explorer.engine.limits.budget import many_runs
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.text import clean

MOST: Final = 300
"""Prefixes that are tokenized at most."""

TOGETHER: Final = 1_000_000
"""Characters of all prefixes, about: some seconds."""

LONGEST: Final = 20_000
"""Characters of a text at most: each prefix is tokenized anew."""


class Prefix(NamedTuple):
    """The prefix of `length` characters.

    kept: how many tokens from the left are the same as those of the prefix before. tail: the tokens behind them, so
    that the tokens of a prefix are the first `kept` of the one before and the tail. changed: how many tokens of the
    prefix before are no longer there; one that only stands for more characters now (an unknown word that grows) is.
    reach: how many characters back from its end the first of them began.
    """

    length: int
    kept: int
    tail: tuple[Token, ...]
    changed: int
    reach: int


@dataclass(frozen=True, slots=True)
class Stability:
    """A text as it grows.

    step: how many characters longer each prefix is than the one before. prefixes: in order; the last one is the text.
    """

    text: str
    step: int
    prefixes: tuple[Prefix, ...]

    @property
    def furthest(self) -> int:
        """The longest reach: of every text, so many characters at the end may still change the tokens before."""
        return max((each.reach for each in self.prefixes), default=0)

    @property
    def stable(self) -> bool:
        """Whether nothing but the last token ever changed."""
        return all(each.changed <= 1 for each in self.prefixes)

    def tokens(self) -> Iterator[tuple[Token, ...]]:
        """The tokens of each prefix, in order."""
        tokens: tuple[Token, ...] = ()
        for each in self.prefixes:
            tokens = tokens[: each.kept] + each.tail
            yield tokens


def stability(tokenizer: Tokenizer, text: str, *, parse_special: bool = True, most: int = MOST) -> Stability:
    """Tokenizes the prefixes of a text. Raises InputError for a text that is too long or cannot be used.

    >>> import explorer
    >>> [(each.length, each.kept, len(each.tail), each.changed)
    ...  for each in stability(explorer.load("gpt-2"), "token").prefixes]
    [(1, 0, 1, 0), (2, 0, 1, 1), (3, 0, 2, 1), (4, 0, 2, 2), (5, 0, 1, 2)]
    """
    text = clean(text)
    if len(text) > LONGEST:
        raise InputError(
            f"the text has {len(text)} characters, and each prefix is tokenized anew; give up to {LONGEST}"
        )
    with many_runs("the prefixes", len(text)):
        return tokenized(tokenizer, text, parse_special, most)


def tokenized(tokenizer: Tokenizer, text: str, parse_special: bool, most: int) -> Stability:
    """The same for a text that can be used."""
    most = min(most, 2 * TOGETHER // max(1, len(text)))
    step = max(1, -(-len(text) // most))
    prefixes: list[Prefix] = []
    before: tuple[Token, ...] = ()
    end = 0
    for length in (*range(step, len(text), step), len(text)) if text else ():
        encoding = tokenizer.trace_lazily(text[:length], add_special=False, parse_special=parse_special).encoding
        tokens = tuple(token for token in encoding.tokens if token.start >= 0)
        kept = 0
        while kept < min(len(before), len(tokens)) and before[kept] == tokens[kept]:
            kept += 1
        gone = Counter(map(begun, before[kept:])) - Counter(map(begun, tokens[kept:]))
        reach = end - min((start for _, start in gone), default=end)
        prefixes.append(Prefix(length, kept, tokens[kept:], gone.total(), reach))
        before, end = tokens, length
    return Stability(text, step, tuple(prefixes))


def begun(token: Token) -> tuple[int, int]:
    """What is the same of a token for as long as its id stays: the id, and where it begins."""
    return token.id, token.start

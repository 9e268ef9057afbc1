"""What is known about a border between two texts. Spans are code points of both texts joined.

Only the tokens of the texts count; those added around a text (BOS, EOS) are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from explorer.engine.items import Token
from explorer.stages.answers import WhyStep
from explorer.text.say import Say


class BoundaryCause(StrEnum):
    """Why a border changes ids."""

    NONE = "none"
    """It does not."""
    MERGE = "merge"
    """A merge joins symbols of both sides."""
    WHOLE = "whole"
    """The text between two cuts of the pre-tokenizer is a piece and was taken without merges."""
    BEST_PATH = "best-path"
    """The best path has a piece across the border."""
    LONGEST_MATCH = "longest-match"
    """The longest match goes on after the border."""
    LOOKED_UP = "looked-up"
    """A unit of the text, looked up as a whole, has characters of both sides."""
    SPECIAL_TOKEN = "special-token"
    """A special or added token is spelled across the border."""
    NORMALIZER = "normalizer"
    """Characters of both sides become one before the model runs, or other characters than each side alone."""
    UNKNOWN = "unknown"
    """One unknown token takes the place of text of both sides."""
    PREFIX = "prefix"
    """Nothing is across the border, but the right part as a text of its own gets a space in front."""
    PRE_TOKENIZER = "pre-tokenizer"
    """Nothing is across the border, but without the other side the text is cut elsewhere."""
    CONTEXT = "context"
    """Nothing is across the border, but the model makes other tokens of a part than of the whole."""


class Crossing(NamedTuple):
    """A token of the whole text with characters on both sides.

    number: its index among the whole text's tokens. say: what joined the two sides. steps: the events that did; their
    indices count the events about the token's own segment. parts: the texts of both sides, for people.
    """

    number: int
    token: Token
    cause: BoundaryCause
    say: Say
    steps: tuple[WhyStep, ...] = ()
    parts: tuple[str, str] = ("", "")


class Followers(NamedTuple):
    """The tokens that agree with a text: those that begin with it, and those that it begins with.

    begin: ids of tokens that begin with the text or are it, ascending. shorter: ids of tokens that spell a proper
    beginning of it, shortest first.
    """

    begin: Sequence[int]
    shorter: Sequence[int]

    @property
    def total(self) -> int:
        """How many tokens may follow."""
        return len(self.begin) + len(self.shorter)


class StableCut(NamedTuple):
    """The last cut before the border at which the left part's ids are those of the whole text.

    kept: how many ids of the left part stay. drop: those after them. text: the bytes that `drop` spells. at: where the
    last kept token ends. followers: the tokens that agree with the dropped text; None where nothing is
    dropped, or an unknown token is.
    """

    kept: int
    drop: tuple[int, ...]
    text: bytes
    at: int
    followers: Followers | None


class LoneSpace(NamedTuple):
    """The left part ends in a space that is a token of its own.

    id: that token. tokens: how many of the vocabulary begin with a space and go on.
    """

    id: int
    tokens: int


class Boundary(NamedTuple):
    """A border between two texts.

    at: its offset. whole, left, right: tokens of the text, of the part before the border and of the part after it.
    kept_left, kept_right: how many tokens the left part and the whole text share from the start, the right part and
    the whole from the end. say: why ids change, or that nothing does.
    """

    text: str
    at: int
    whole: tuple[Token, ...]
    left: tuple[Token, ...]
    right: tuple[Token, ...]
    kept_left: int
    kept_right: int
    crossings: tuple[Crossing, ...]
    cause: BoundaryCause
    say: Say
    stable: StableCut
    lone_space: LoneSpace | None

    @property
    def keeps(self) -> bool:
        """Whether the ids of both parts are the ids of the whole text."""
        return self.cause is BoundaryCause.NONE

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text."""
        return [token.id for token in self.whole]

    @property
    def left_ids(self) -> list[int]:
        """The ids of the left part."""
        return [token.id for token in self.left]

    @property
    def right_ids(self) -> list[int]:
        """The ids of the right part."""
        return [token.id for token in self.right]

    @property
    def gone(self) -> tuple[Token, ...]:
        """The tokens of the whole text that the border replaces."""
        return self.whole[self.kept_left : len(self.whole) - self.kept_right]

    @property
    def instead(self) -> tuple[Token, ...]:
        """The tokens of both parts that take their place."""
        return self.left[self.kept_left :] + self.right[: len(self.right) - self.kept_right]

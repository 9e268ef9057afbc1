"""The explanation of expected ids: why they differ, what reproduces them, where they differ, and where they are drawn.

To draw expected ids above the tokenizer's own, they are put on the characters of the text. What gives the ids knows
their spans. Without it, ids that spell the text lie where they spell it. Otherwise an id that both lists have lies
where the tokenizer's own does, and those that differ share the characters of their stretch in proportion to what they
spell. Special tokens have no characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import Final, NamedTuple

from explorer.analysis.ownership import Span
from explorer.engine.part import ADDED, Options, Token
from explorer.engine.tokenizer import Encoding
from explorer.implementations.opened import Opened
from explorer.text.say import Say, plain
from explorer.vocabulary import PieceKind


class Reason(StrEnum):
    """Why the expected ids differ from the tokenizer's."""

    SAME = "same ids"
    MISSING_SPECIAL = "missing special token"
    EXTRA_SPECIAL = "extra special token"
    OTHER_SPECIAL = "other special token"
    DOUBLED = "special token twice"
    OPTIONS = "other options"
    NORMALIZED = "added token searched in the normalized text"
    ESCAPES = "escapes"
    LEADING_SPACE = "leading space"
    WHITE_SPACE = "white space at an end"
    PATTERN = "another pattern"
    PARTS = "encoded in parts"
    IMPLEMENTATION = "another implementation"
    OTHER_TOKENIZER = "another tokenizer"
    OUT_OF_RANGE = "no id of this vocabulary"
    TEXT = "another text"
    CUTS = "other cuts"


class Position(StrEnum):
    """Where a stretch of ids is: among the special tokens before or after the text, or in the text."""

    FRONT = "in front"
    TEXT = "in the text"
    BEHIND = "behind"


class Stretch(NamedTuple):
    """Expected ids aligned with given ids, as ranges of indices. same: whether they are equal."""

    same: bool
    expected: range
    given: range
    position: Position = Position.TEXT


class Region(NamedTuple):
    """A stretch that differs.

    span: its characters of the text, None for special tokens at an end. where, text: the span in words, and its text.
    expected, given: the ids of both sides with their spellings. name: of the tokenizer.
    """

    stretch: Stretch
    span: Span | None
    where: str
    text: str
    expected: str
    given: str
    name: str

    @property
    def say(self) -> Say:
        """The region in one sentence."""
        at = Say.of("{0:t}, {1:q}" if self.text else "{0:t}", self.where, self.text)
        return Say.of("{0}: expected {1:t}; {2:t} gives {3:t}.", at, self.expected, self.name, self.given)

    @property
    def sentence(self) -> str:
        """The same as plain text."""
        return plain(self.say)


class Tried(NamedTuple):
    """What was tried: how many tokenizers, and how many ways to run the one in question (options, texts, settings)."""

    tokenizers: int = 0
    ways: int = 0


NOTHING_TRIED: Final = Tried()


class Encoded(NamedTuple):
    """A call of a tokenizer: a text and options."""

    tokenizer: Opened
    text: str
    options: Options

    def ids(self) -> list[int]:
        """The ids that the call gives."""
        return self.tokenizer.encode(self.text, **self.options._asdict()).ids


class Recipe(NamedTuple):
    """What reproduces the expected ids: texts are encoded, their ids joined, and the tokens at the ends replaced.

    drop: the number of ids removed at the start and the end. front, back: the ids that replace them.
    """

    encoded: tuple[Encoded, ...]
    drop: tuple[int, int] = (0, 0)
    front: tuple[int, ...] = ()
    back: tuple[int, ...] = ()

    def ids(self) -> list[int]:
        """The ids that the recipe gives."""
        made = [id for each in self.encoded for id in each.ids()]
        return [*self.front, *made[self.drop[0] : len(made) - self.drop[1]], *self.back]


class Explanation(NamedTuple):
    """The explanation of expected ids.

    given: the tokenizer's tokens for `text`. decoded: the text that the expected ids spell, None if one is not in the
    vocabulary. encoding: the expected ids as tokens on `text`, None if they don't spell exactly this text. stretches:
    both lists of ids aligned, in order. regions: the stretches that differ, special tokens at the ends first. recipe:
    what gives exactly the expected ids; None if nothing tried does, or if only special tokens within the text differ.
    specs: the tokenizers that give them, the first one with `options` for the text `read`. cuts: the offsets at which
    the text was split, if it was encoded in parts. pattern: the one that gives them when typed in place of
    the tokenizer's own, None if none does. words: that pattern as people call it. tried: what was
    tried up to the explanation.
    """

    text: str
    expected: tuple[int, ...]
    given: Encoding
    decoded: str | None
    encoding: Encoding | None
    stretches: tuple[Stretch, ...]
    regions: tuple[Region, ...]
    reason: Reason
    say: Say
    recipe: Recipe | None = None
    specs: tuple[str, ...] = ()
    options: Options | None = None
    read: str | None = None
    cuts: tuple[int, ...] = ()
    pattern: str | None = None
    words: str = ""
    tried: Tried = NOTHING_TRIED

    @property
    def sentence(self) -> str:
        """The explanation as plain text."""
        return plain(self.say)

    @property
    def same(self) -> bool:
        """Whether the expected ids are the tokenizer's."""
        return not self.regions

    @property
    def at(self) -> int | None:
        """The index of the first id that differs, from 0; None if they are the same."""
        return next((stretch.expected.start for stretch in self.stretches if not stretch.same), None)


class Answer(NamedTuple):
    """A complete explanation.

    says: a clause that follows "The expected ids" or "they". recipe: what gives the expected ids; None if only the
    regions tell. specs: the tokenizers that give the ids, if there are any. pattern, words: as in `Explanation`.
    """

    reason: Reason
    says: Say
    recipe: Recipe | None = None
    specs: tuple[str, ...] = ()
    cuts: tuple[int, ...] = ()
    pattern: str | None = None
    words: str = ""


class Placed(NamedTuple):
    """Expected ids on the text. tokenizer: whose ids they are, another one if only that gives them."""

    tokenizer: Opened
    tokens: tuple[Token, ...]


def placed(explanation: Explanation, tokenizer: Opened) -> Placed:
    """The expected ids as tokens on the text. tokenizer: the one in question.

    >>> import explorer
    >>> from explorer.analysis.expected.explainer import explain
    >>> tok = explorer.load("gpt-2")
    >>> [token[1:] for token in placed(explain(tok, "What is", [2061, 4808, 79]), tok).tokens]
    [(0, 4), (4, 6), (6, 7)]
    """
    of_recipe = by_recipe(explanation)
    if of_recipe is not None:
        return of_recipe
    if explanation.encoding is not None:
        return Placed(tokenizer, explanation.encoding.tokens)
    tokens = [Token(0, 0, 0)] * len(explanation.expected)
    for stretch in explanation.stretches:
        for index, token in zip(stretch.expected, by_stretch(explanation, stretch, tokenizer), strict=True):
            tokens[index] = token
    return Placed(tokenizer, tuple(tokens))


def by_recipe(explanation: Explanation) -> Placed | None:
    """The tokens that the recipe gives, if its texts are the text."""
    recipe = explanation.recipe
    if recipe is None or "".join(each.text for each in recipe.encoded) != explanation.text:
        return None
    made: list[Token] = []
    at = 0
    for each in recipe.encoded:
        tokens = each.tokenizer.encode(each.text, **each.options._asdict()).tokens
        made += (token if token.start < 0 else Token(token.id, token.start + at, token.end + at) for token in tokens)
        at += len(each.text)
    ends = [[Token(id, ADDED, ADDED) for id in ids] for ids in (recipe.front, recipe.back)]
    tokens = (*ends[0], *made[recipe.drop[0] : len(made) - recipe.drop[1]], *ends[1])
    return Placed(recipe.encoded[0].tokenizer, tokens)


def by_stretch(explanation: Explanation, stretch: Stretch, tokenizer: Opened) -> Iterator[Token]:
    """The expected tokens of a stretch."""
    ids = [explanation.expected[index] for index in stretch.expected]
    given = [explanation.given.tokens[index] for index in stretch.given]
    if stretch.same:
        yield from (Token(id, token.start, token.end) for id, token in zip(ids, given, strict=True))
        return
    if stretch.position != Position.TEXT:
        yield from (Token(id, ADDED, ADDED) for id in ids)
        return
    span = next((region.span for region in explanation.regions if region.stretch == stretch), None) or Span(0, 0)
    vocabulary = tokenizer.vocabulary
    special = [vocabulary.has(id) and vocabulary.kinds[id] == PieceKind.CONTROL for id in ids]
    lengths = [0 if added else length_of(tokenizer, id) for id, added in zip(ids, special, strict=True)]
    spans = iter(shares(span, [length for length in lengths if length]))
    for id, added in zip(ids, special, strict=True):
        yield Token(id, ADDED, ADDED) if added else Token(id, *next(spans))


def length_of(tokenizer: Opened, id: int) -> int:
    """How many characters an id spells, at least 1."""
    if not tokenizer.vocabulary.has(id):
        return 1
    return max(1, len(tokenizer.decoder.alone(id).decode("utf-8", "replace")))


def shares(span: Span, lengths: Sequence[int]) -> Iterator[Span]:
    """The spans of things that share the characters of one. They overlap where there are fewer characters than things.

    >>> [tuple(each) for each in shares(Span(2, 6), [1, 3])], [tuple(each) for each in shares(Span(0, 1), [1, 1])]
    ([(2, 3), (3, 6)], [(0, 1), (0, 1)])
    """
    start, end = span
    size, total, many = end - start, sum(lengths), len(lengths)
    at = 0
    for number, sum_ in enumerate(accumulate(lengths)):
        if size >= many:
            # each has at least one character
            to = max(at + 1, min((2 * size * sum_ + total) // (2 * total), size - (many - 1 - number)))
            yield Span(start + at, start + to)
            at = to
        else:
            yield Span(start + size * number // many, start - (-size * (number + 1) // many))

"""Puts expected ids on the characters of the text, to draw them above the tokenizer's own.

What gives the ids knows their spans. Without it, ids that spell the text lie where they spell it. Otherwise an id that
both lists have lies where the tokenizer's own does, and those that differ share the characters of their stretch in
proportion to what they spell. Special tokens have no characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.expected.answers import Explanation, Position, Stretch
from explorer.engine.items import ADDED, Token
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind


class Placed(NamedTuple):
    """Expected ids on the text. tokenizer: whose ids they are, another one if only that gives them."""

    tokenizer: Opened
    tokens: tuple[Token, ...]


def placed(explanation: Explanation, tokenizer: Opened) -> Placed:
    """The expected ids as tokens on the text. tokenizer: the one in question.

    >>> import explorer
    >>> from explorer.analysis.expected import explain
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

"""A border in a text as it is drawn: characters in a row, the whole text's tokens below them, and the tokens of both
parts for each border near the mark, so that the mark can be dragged without asking again.

Of a long text a window around the mark is drawn. The longer the text, the fewer borders are prepared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from explorer.analysis.boundary import borders, boundary_at
from explorer.analysis.boundary.answers import Boundary
from explorer.analysis.boundary.sentences import Sentences
from explorer.analysis.why.spellings import Form, Speller
from explorer.engine.items import Token
from explorer.implementations.opened import Opened
from explorer.text import visible

WIDE: Final = 22
"""Characters that are drawn."""

PREPARED: Final = 20_000
"""About the most characters of text that are tokenized for borders the mark may be dragged to."""

TOGETHER: Final = 400_000
"""About the most characters that are tokenized to tell which borders keep the ids."""

LONG: Final = 20_000
"""Of a text with more characters, only the border at the mark is told: one takes as long as many in a short text."""

Picture: TypeAlias = dict[str, Any]


def first_border(text: str, tokens: Iterable[Token]) -> int:
    """The border that is shown first: inside the second token of several characters, else the first one's.

    >>> first_border("https://x", [Token(1, 0, 5), Token(2, 5, 8), Token(3, 8, 9)]), first_border("ab", [])
    (6, 1)
    """
    wide = [token.start + 1 for token in tokens if token.end - token.start > 1]
    return [*wide, 1][min(1, max(0, len(wide) - 1))]


def border_picture(
    tokenizer: Opened, text: str, at: int | None, *, parse_special: bool, label: str, form: Form
) -> Picture:
    """The picture of a border. at: its offset; None: the first one shown. A text without borders has no `borders`."""
    if len(text) < 2:
        return {"length": len(text), "chars": [], "borders": {}, "at": 0}
    whole = tokenizer.encode(text, add_special=False, parse_special=parse_special)
    at = first_border(text, whole.tokens) if at is None else min(max(1, at), len(text) - 1)
    first = max(0, min(at - WIDE // 2, len(text) - WIDE))
    last = min(len(text), first + WIDE)
    count = max(1, min(WIDE, PREPARED // len(text)))
    begin = max(first + 1, min(at - count // 2, last - count))
    prepared = range(begin, min(last, begin + count)) if count > 1 else range(at, at + 1)
    speller = Speller(tokenizer.trace(""), form)
    together = TOGETHER if len(text) <= LONG else len(text)
    every = borders(tokenizer, text, around=at, parse_special=parse_special, together=together)
    found = [boundary_at(tokenizer, text, each, parse_special=parse_special, label=label, form=form)
             for each in (prepared if at in prepared else range(at, at + 1))]  # fmt: skip
    return {
        "length": len(text),
        "first": first,
        "at": at,
        "chars": ["·" if ch == " " else visible(ch) for ch in text[first:last]],
        "tokens": len(whole),
        "ids": whole.ids,
        "whole": cells(whole.tokens, speller, first, last),
        "borders": {str(each.at): border(each, tokenizer, speller, label, form, first, last) for each in found},
        "dots": {"first": every.first, "keeps": list(every.keeps), "kept": every.kept},
    }


def border(
    found: Boundary, tokenizer: Opened, speller: Speller, label: str, form: Form, first: int, last: int
) -> Picture:
    """One border. first, last: the characters [first, last) that are drawn."""
    said = Sentences(tokenizer, found, label, form, speller)
    fresh = (set(range(found.kept_left, len(found.left))),
             set(range(len(found.right) - found.kept_right)))  # fmt: skip
    return {
        "keeps": found.keeps,
        "counts": [len(found.left), len(found.right)],
        "kept": [found.kept_left, found.kept_right],
        "left": found.left_ids[found.kept_left :],
        "right": found.right_ids[: len(found.right) - found.kept_right],
        "cells": [
            cells(found.left, speller, first, last, fresh[0]),
            cells(found.right, speller, first, last, fresh[1]),
        ],
        "across": [[each.token.start, each.token.end] for each in found.crossings],
        "space": said.takes_space,
        "says": {name: getattr(said, name)._asdict() for name in ("headline", "across", "why", "healing", "sent")},
        "examples": said.examples,
    }


def cells(
    tokens: Sequence[Token], speller: Speller, first: int, last: int, fresh: Iterable[int] = ()
) -> list[list[Any]]:
    """Tokens as cells [start, end, text, ids, fresh] within a window.

    Tokens that share a character share a cell, and one without characters of its own goes with the next.
    """
    made: list[list[Any]] = []
    fresh, waiting = set(fresh), list[int]()
    for number, (_, start, end) in enumerate(tokens):
        if start < 0 or end < first or start > last:
            continue
        if start == end and number + 1 < len(tokens):
            waiting.append(number)
            continue
        numbers, waiting = [*waiting, number], []
        text, ids = " ".join(speller.token(tokens[each].id) for each in numbers), [tokens[each].id for each in numbers]
        new = any(each in fresh for each in numbers)
        if made and start < made[-1][1]:
            before = made[-1]
            before[1], before[2], before[4] = max(before[1], end), f"{before[2]} {text}", before[4] or new
            before[3] += ids
        else:
            made.append([start, end, text, ids, new])
    return [[max(start, first), min(end, last), *rest] for start, end, *rest in made if start < last and end > first]

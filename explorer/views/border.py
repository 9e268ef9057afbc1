"""A border in a text as it is drawn: characters in a row, the whole text's tokens below them, and the tokens of both
parts for each border near the mark, so that the mark can be dragged without asking again. Of several tokenizers each
has a row: the tokens of the whole text.

Of a long text a window around the mark is drawn. The longer the text, the fewer borders are prepared.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from explorer.analysis.boundary.boundary import Borders, Sentences, borders, boundary_at, several_say
from explorer.analysis.boundary.followers import Boundary
from explorer.engine.part import Token
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller
from explorer.text import visible

WIDE = 22
"""Characters that are drawn."""

PREPARED = 20_000
"""About the most characters of text that are tokenized for borders the mark may be dragged to."""

TOGETHER = 400_000
"""About the most characters that are tokenized to tell which borders keep the ids."""

LONG = 20_000
"""Of a text with more characters, only the border at the mark is told: one takes as long as many in a short text."""

Picture = dict[str, Any]

NO_BORDER: Picture = {"chars": [], "borders": {}, "at": 0}
"""A text that is too short for a border."""


def first_border(text: str, tokens: Iterable[Token]) -> int:
    """The border that is shown first: inside the second token of several characters, else the first one's.

    >>> first_border("https://x", [Token(1, 0, 5), Token(2, 5, 8), Token(3, 8, 9)]), first_border("ab", [])
    (6, 1)
    """
    wide = [token.start + 1 for token in tokens if token.end - token.start > 1]
    return [*wide, 1][min(1, max(0, len(wide) - 1))]


class Prepared(NamedTuple):
    """The borders that are drawn around a mark. at: its offset. first, last: the characters [first, last) that are
    drawn. offsets: of the borders that the mark may be dragged to without asking again.
    """

    at: int
    first: int
    last: int
    offsets: range


def prepared(text: str, at: int, tokenizers: int = 1) -> Prepared:
    """What is drawn around an offset: the longer the text and the more tokenizers, the fewer borders are prepared.

    >>> prepared("x" * 30, 20), prepared("x" * 20_000, 9)
    (Prepared(at=20, first=8, last=30, offsets=range(9, 30)), Prepared(at=9, first=0, last=22, offsets=range(9, 10)))
    """
    at = min(max(1, at), len(text) - 1)
    first = max(0, min(at - WIDE // 2, len(text) - WIDE))
    last = min(len(text), first + WIDE)
    count = max(1, min(WIDE, PREPARED // len(text) // tokenizers))
    begin = max(first + 1, min(at - count // 2, last - count))
    offsets = range(begin, min(last, begin + count)) if count > 1 else range(at, at + 1)
    return Prepared(at, first, last, offsets if at in offsets else range(at, at + 1))


def border_picture(
    tokenizer: Opened, text: str, at: int | None, *, parse_special: bool, label: str, form: Form
) -> Picture:
    """The picture of a border. at: its offset; None: the first one shown. A text without borders has no `borders`."""
    if len(text) < 2:
        return NO_BORDER | {"length": len(text)}
    if at is None:
        at = first_border(text, tokenizer.encode(text, add_special=False, parse_special=parse_special).tokens)
    drawn = prepared(text, at)
    found, every = borders_drawn(tokenizer, label, text, drawn, parse_special, form)
    first, speller = found[0][0], found[0][1].speller
    return {
        **characters(text, drawn),
        "tokens": len(first.whole),
        "ids": first.ids,
        "whole": cells(first.whole, speller, drawn),
        "borders": {str(each.at): border(each, said, drawn) for each, said in found},
        "dots": {"first": every.first, "keeps": list(every.keeps), "kept": every.kept},
    }


def borders_picture(
    tokenizers: Mapping[str, Opened], text: str, at: int | None, *, parse_special: bool, form: Form
) -> Picture:
    """The picture of a border under several tokenizers, by the names that people call them: a row for each."""
    if len(text) < 2:
        return NO_BORDER | {"length": len(text), "rows": []}
    if at is None:
        first = next(iter(tokenizers.values()))
        at = first_border(text, first.encode(text, add_special=False, parse_special=parse_special).tokens)
    drawn = prepared(text, at, len(tokenizers))
    made = [
        in_rows(tokenizer, name, text, drawn, parse_special, form, len(tokenizers))
        for name, tokenizer in tokenizers.items()
    ]
    every = [each for _, _, each in made]
    keeps = [sum(each) for each in zip(*(each.keeps for each in every), strict=True)]
    return {
        **characters(text, drawn),
        "rows": [row for row, _, _ in made],
        "borders": {
            str(offset): {"say": several_say([each["keeps"] for each in column])._asdict(), "rows": list(column)}
            for offset, column in zip(drawn.offsets, zip(*(each for _, each, _ in made), strict=True), strict=True)
        },
        "dots": {"first": every[0].first, "keeps": keeps, "kept": keeps.count(len(tokenizers))},
    }


def in_rows(
    tokenizer: Opened, name: str, text: str, drawn: Prepared, parse_special: bool, form: Form, tokenizers: int
) -> tuple[Picture, list[Picture], Borders]:
    """One of several tokenizers: its row, the borders in it, and which keep the ids.

    The tokens of a long text take 100 MB: they are freed before the next tokenizer's are made.
    """
    found, every = borders_drawn(tokenizer, name, text, drawn, parse_special, form, tokenizers)
    whole, speller = found[0][0].whole, found[0][1].speller
    row = {"name": name, "tokens": len(whole), "whole": cells(whole, speller, drawn)}
    pictures = [
        {**border_in_row(each, said, "across", "healing"), "cut": each.stable.at}  # of the last cut that holds
        for each, said in found
    ]
    return row, pictures, every


def borders_drawn(
    tokenizer: Opened, label: str, text: str, drawn: Prepared, parse_special: bool, form: Form, tokenizers: int = 1
) -> tuple[list[tuple[Boundary, Sentences]], Borders]:
    """The borders that are drawn with their sentences, and which keep the ids: as many as there is time for.

    Of a long text, only the one at the mark is told. tokenizers: how many share the time.
    """
    speller = Speller(tokenizer.trace(""), form)
    found = [boundary_at(tokenizer, text, at, parse_special=parse_special, label=label, form=form)
             for at in drawn.offsets]  # fmt: skip
    if len(text) > LONG:
        every = Borders(drawn.at, bytes(each.keeps for each in found if each.at == drawn.at))
    else:
        together = TOGETHER // tokenizers
        every = borders(tokenizer, text, around=drawn.at, parse_special=parse_special, together=together)
    return [(each, Sentences(tokenizer, each, label, form, speller)) for each in found], every


def border_in_row(found: Boundary, said: Sentences, *sentences: str) -> Picture:
    """One border under one of several tokenizers. sentences: the names of those that are shown."""
    return {
        "keeps": found.keeps,
        "counts": [len(found.left), len(found.right)],
        "across": [[each.token.start, each.token.end] for each in found.crossings],
        "says": {name: getattr(said, name)._asdict() for name in sentences},
    }


def characters(text: str, drawn: Prepared) -> Picture:
    """The characters that are drawn, and where they are."""
    chars = ["·" if ch == " " else visible(ch) for ch in text[drawn.first : drawn.last]]
    return {"length": len(text), "first": drawn.first, "at": drawn.at, "chars": chars}


def border(found: Boundary, said: Sentences, drawn: Prepared) -> Picture:
    """One border under one tokenizer."""
    begin = len(found.right) - found.kept_right
    return {
        **border_in_row(found, said, "headline", "across", "why", "healing", "sent"),
        "kept": [found.kept_left, found.kept_right],
        "left": found.left_ids[found.kept_left :],
        "right": found.right_ids[:begin],
        "cells": [
            cells(found.left, said.speller, drawn, range(found.kept_left, len(found.left))),
            cells(found.right, said.speller, drawn, range(begin)),
        ],
        "space": said.takes_space,
        "examples": said.examples,
    }


def cells(tokens: Sequence[Token], speller: Speller, drawn: Prepared, fresh: range = range(0)) -> list[list[Any]]:
    """Tokens as cells [start, end, text, ids, fresh] within a window. fresh: those that only a part has.

    Tokens that share a character share a cell, and one without characters of its own goes with the next.
    """
    made: list[list[Any]] = []
    first, last = drawn.first, drawn.last
    waiting = list[int]()
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

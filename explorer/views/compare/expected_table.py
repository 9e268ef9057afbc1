"""Expected ids next to the ids a tokenizer gives, as a table."""

from __future__ import annotations

from itertools import zip_longest

import pandas as pd

from explorer.analysis.expected import Explanation, no_token
from explorer.analysis.why import Speller
from explorer.text import visible
from explorer.text.say import Say

MOST = 1_000
"""Rows at most. Long stretches of equal ids are shortened before that."""

LONGEST = 400
"""Characters shown of the text that the ids spell."""

AROUND = 4
"""Ids shown at each end of a stretch of equal ids."""


COLUMNS = (
    "region",
    "expected no.",
    "expected id",
    "expected token",
    "given no.",
    "given id",
    "given token",
    "text",
    "is",
)


def table_of_expected(explanation: Explanation, speller: Speller) -> pd.DataFrame:
    """One row per id, expected and given side by side if they belong to the same text.

    Only the ends of long stretches of equal ids are shown. Tokens are drawn as on other pages, bytes in hexadecimal.
    """
    rows: list[tuple[str, ...]] = []
    tokens, regions = explanation.given.tokens, {each.stretch: n for n, each in enumerate(explanation.regions, 1)}

    def piece(id: int) -> str:
        return speller.token(id) if speller.vocabulary.has(id) else no_token(speller.vocabulary, id)

    for stretch in explanation.stretches:
        if len(rows) >= MOST:
            break
        region, last = str(regions.get(stretch, "")), max(len(stretch.expected), len(stretch.given)) - AROUND
        for index, (one, other) in enumerate(zip_longest(stretch.expected, stretch.given)):
            if stretch.same and AROUND <= index < last:
                if index == AROUND:
                    rows.append(("", "…", "", "", "…", "", "", "", f"{last - AROUND} more the same"))
                continue
            if len(rows) >= MOST:
                break
            left = right = ("", "", "")
            text = ""
            if one is not None:
                left = str(one + 1), str(explanation.expected[one]), piece(explanation.expected[one])
            if other is not None:
                id, start, end = tokens[other]
                right, text = (str(other + 1), str(id), piece(id)), explanation.text[start:end] if start >= 0 else ""
            rows.append((region, *left, *right, visible(text), "same" if stretch.same else "≠"))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def table_of_regions(explanation: Explanation) -> pd.DataFrame:
    """One row per region in which the ids differ, the ends of the text first."""
    rows = [
        (str(number), region.where, region.text, region.expected, region.given)
        for number, region in enumerate(explanation.regions[:MOST], 1)
    ]
    return pd.DataFrame(rows, columns=["region", "where", "text", "expected", "given"])


def spelled_say(explanation: Explanation) -> Say | None:
    """The text the expected ids spell; None if one of them isn't an id of the vocabulary."""
    if explanation.decoded is None:
        return None
    decoded = explanation.decoded
    return Say.of(
        "In this vocabulary they spell {0:q}.", decoded if len(decoded) <= LONGEST else f"{decoded[:LONGEST]} …"
    )

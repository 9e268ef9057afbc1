"""Expected ids beside the ids that a tokenizer gives, as a table."""

from __future__ import annotations

import pandas as pd

from explorer.analysis.expected import Explanation
from explorer.text import visible
from explorer.views.say import Say
from explorer.vocabulary import Vocabulary

MOST = 1_000
"""Rows at most; the beginning of long stretches that are the same is left out anyway."""

LONGEST = 400
"""Characters that are shown of what the ids spell."""

AROUND = 4
"""Ids that are shown of a stretch that is the same, at each of its ends."""


def table_of_expected(explanation: Explanation, vocabulary: Vocabulary) -> pd.DataFrame:
    """One row an id: expected, given, the same or not. Of long runs that are the same only the ends."""
    rows: list[tuple[str, str, str, str, str, str]] = []
    given = explanation.given.ids

    def piece(id: int | None) -> str:
        known = id is not None and 0 <= id < len(vocabulary) and bool(vocabulary.pieces[id])
        return visible(vocabulary.spelling(id)) if known and id is not None else "" if id is None else "no such id"

    for stretch in explanation.stretches:
        if len(rows) >= MOST:
            break
        count = max(len(stretch.expected), len(stretch.given))
        for place in range(count):
            if stretch.same and AROUND <= place < count - AROUND:
                if place == AROUND:
                    rows.append(("…", "", "…", "", "", f"{count - 2 * AROUND} more the same"))
                continue
            one = explanation.expected[stretch.expected[place]] if place < len(stretch.expected) else None
            other = given[stretch.given[place]] if place < len(stretch.given) else None
            number = str((stretch.expected if one is not None else stretch.given)[place] + 1)
            rows.append((number, text(one), piece(one), text(other), piece(other), "same" if stretch.same else "≠"))
    return pd.DataFrame(
        rows[:MOST], columns=["number", "expected id", "expected piece", "given id", "given piece", "is"]
    )


def spelled_say(explanation: Explanation) -> Say | None:
    """What the expected ids spell; None where one of them is no id."""
    if explanation.decoded is None:
        return None
    decoded = explanation.decoded
    return Say.of(
        "In this vocabulary they spell {0:q}.", decoded if len(decoded) <= LONGEST else f"{decoded[:LONGEST]} …"
    )


def text(id: int | None) -> str:
    return "" if id is None else str(id)

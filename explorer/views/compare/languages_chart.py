"""The cost of languages in tokens, as a heat map, a table and a sentence."""

from __future__ import annotations

from math import radians, sin
from typing import NamedTuple

import altair as alt
import pandas as pd

from explorer.analysis.languages import UNKNOWN_MOST, Languages
from explorer.text.say import Say


class Figure(NamedTuple):
    """A figure for the heat map.

    column: in the long table. says: what it measures. colors: from low to high, pale enough for dark text on them.
    """

    column: str
    says: str
    colors: tuple[str, ...]


BLUES = ("#f3f7fd", "#9cc4f0")
ORANGES = ("#fdf6ee", "#f2a765")
SHARES = ("unknown", "in bytes")
"""Columns that hold shares of the text."""

BYTES = "bytes a character"
"""The heat map's first column, next to the tokenizers."""

FIGURES = {
    "premium": Figure("premium", "tokens, as a multiple of the baseline language's", (*BLUES[::-1], *ORANGES)),
    "tokens": Figure("tokens", "tokens", BLUES),
    "characters a token": Figure("characters a token", "characters of text per token", BLUES),
    "unknown": Figure("unknown", "share of characters that become the unknown token", ORANGES),
    "broken": Figure("in bytes", "share of characters spelled in bytes, because they have no piece", ORANGES),
}
"""The name that a visitor chooses → figure."""


LINE, LETTER, LABEL, LEGEND = 20, 6.5, 160, 84
"""In pixels: a language's row, a letter of a heading, the longest heading, and the legend with its margins."""

ROOM = 32
"""Least width in pixels of a cell that shows its number."""


def long_table(languages: Languages) -> pd.DataFrame:
    """One row per language and tokenizer."""
    return pd.DataFrame(
        [
            {
                "code": row.language.code,
                "language": row.language.name,
                "script": row.language.script,
                "bytes a character": row.bytes_per_character,
                "tokenizer": label,
                "tokens": cost.tokens,
                "premium": cost.premium,
                "characters a token": cost.characters_per_token,
                "unknown": cost.unknown,
                "in bytes": cost.broken,
            }
            for row in languages.rows
            for label, cost in zip(languages.labels, row.costs, strict=True)
        ]
    )


def wide_table(languages: Languages) -> pd.DataFrame:
    """One row per language: its name, bytes per character, and tokens and premium with each tokenizer."""
    rows = []
    for row in languages.rows:
        made: dict[str, object] = {
            "language": row.language.name,
            "native": row.language.native,
            "code": row.language.code,
            "script": row.language.script,
            "characters": row.characters,
            "bytes a character": row.bytes_per_character,
        }
        for label, cost in zip(languages.labels, row.costs, strict=True):
            made |= {f"{label}: tokens": cost.tokens, f"{label}: premium": cost.premium}
            if any(each.costs[languages.labels.index(label)].unknown for each in languages.rows):
                made[f"{label}: unknown"] = cost.unknown
            if any(each.costs[languages.labels.index(label)].broken for each in languages.rows):
                made[f"{label}: in bytes"] = cost.broken
        rows.append(made)
    return pd.DataFrame(rows)


def heat_map(languages: Languages, figure: str) -> alt.LayerChart | alt.FacetChart:
    """Languages as rows, the most expensive first, tokenizers as columns.

    The first column shows bytes per character: the cost of the script itself, apart from the tokenizer's.
    """
    chosen = FIGURES[figure]
    table = long_table(languages)
    order = table.groupby("language")[chosen.column].mean().sort_values(ascending=False).index.tolist()
    scale = alt.Scale(range=list(chosen.colors))
    if chosen.column == "premium":
        # 1 is neutral: the middle of the colors, or their beginning if nothing is cheaper
        most, least = max(2.0, float(table["premium"].max())), float(table["premium"].min())
        domain, colors = ([1 / most, 0.999, 1, most], chosen.colors) if least < 1 else ([1, most], ORANGES)
        scale = alt.Scale(range=list(colors), domain=domain, type="log")
    x = alt.X(
        "tokenizer:N", sort=[BYTES, *languages.labels], title=None,
        axis=alt.Axis(orient="top", labelAngle=-40, labelLimit=LABEL, labelOverlap=False),
    )  # fmt: skip
    y = alt.Y("language:N", sort=order, title=None, axis=alt.Axis(labelLimit=150, labelOverlap=False, labelFlush=False))
    # the chart's height on the page includes headings and legend
    headings = min(LABEL, LETTER * max(map(len, (BYTES, *languages.labels)))) * sin(radians(40)) + 16
    base = alt.Chart(table, height=round(LINE * len(order) + headings + LEGEND)).encode(x=x, y=y)
    script = alt.Chart(table.drop_duplicates("code").assign(tokenizer=BYTES)).encode(x=x, y=y)
    own_cost = script.mark_rect(color="#e6e8ec", stroke="white", strokeWidth=1).encode(
        tooltip=["language", "script", alt.Tooltip("bytes a character:Q", format=".2f")]
    )
    seen = alt.condition(f"bandwidth('x') >= {ROOM}", alt.value(1), alt.value(0))
    own_number = script.mark_text(fontSize=11, color="#16181d").encode(
        text=alt.Text("bytes a character:Q", format=".2f"), opacity=seen
    )
    share = chosen.column in SHARES
    layout = ".0%" if share else ".0f" if chosen.column == "tokens" else ".2f"
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color(f"{chosen.column}:Q", scale=scale, title=None, legend=alt.Legend(orient="bottom")),
        tooltip=["language", "script", "tokenizer", "tokens", alt.Tooltip("premium:Q", format=".2f"),
                 alt.Tooltip("bytes a character:Q", format=".2f"), alt.Tooltip("characters a token:Q", format=".2f"),
                 alt.Tooltip("unknown:Q", format=".1%"), alt.Tooltip("in bytes:Q", format=".1%")],
    )  # fmt: skip
    numbers = base.mark_text(fontSize=11, color="#16181d").encode(
        text=alt.Text(f"{chosen.column}:Q", format=layout), opacity=seen
    )
    return alt.layer(own_cost, own_number, cells, numbers)


def languages_say(languages: Languages) -> Say:
    """Which language costs the most, and with which tokenizer, in a sentence."""
    baseline = languages.row(languages.baseline)
    found = [
        (cost.premium, row.language.name, label, cost.is_read and of_baseline.is_read)
        for row in languages.rows
        for label, cost, of_baseline in zip(languages.labels, row.costs, baseline.costs, strict=True)
        if cost.premium is not None and row.language.code != languages.baseline
    ]
    if not found:
        return Say.of("There is only one language, so there is nothing to compare.")
    read = [each for each in found if each[3]]
    unread = len(found) - len(read)
    share = f"{UNKNOWN_MOST:.0%} of the text is unknown to the tokenizer"
    if not read:
        return Say.of("No languages can be compared: more than {0:t}.", share)
    base = baseline.language.name
    most, least = max(read), min(read)
    left_out = f" (left out: {unread} of {len(found)}, where more than {share})" if unread else ""
    if most[0] <= 1:
        return Say.of(
            "For the same text no language takes more tokens than {0:t}; the cheapest is {1:t} with {2:t}, {3:t} "
            "times{4:t}.",
            base, least[1], least[2], f"{least[0]:.2f}", left_out,
        )  # fmt: skip
    times = f"{most[0]:.1f}" if most[0] >= 2 else f"{most[0]:.2f}"
    cheapest = f"; the cheapest is {least[1]} with {least[2]}, {least[0]:.2f} times" if least != most else ""
    return Say.of(
        "For the same text {0:t} takes {1:t} times the tokens of {2:t} with {3:t}{4:t}.",
        most[1], times, base, most[2], cheapest + left_out,
    )  # fmt: skip

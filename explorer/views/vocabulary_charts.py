"""Charts of vocabularies: scripts, lengths, and what was learned when; two of them in the same axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import altair as alt
import pandas as pd

from explorer.analysis.vocabulary.pictures import LAST, Picture

SCRIPTS: Final = 8
"""Scripts that a chart names; the others are one."""
OTHERS: Final = "others"
HEIGHT: Final = 200
COLORS: Final = ("#c2374a", "#3b7dd8")
"""Of the left and the right one; both are readable on light and dark."""

Pictures = Mapping[str, Picture]
"""Pictures by the titles of their tokenizers."""


def named_scripts(pictures: Pictures) -> list[str]:
    """The scripts that are drawn, those with most tokens first."""
    totals: dict[str, float] = {}
    for each in pictures.values():
        for script, n in each.scripts.items():
            totals[script] = totals.get(script, 0) + n / max(1, each.learned)
    return sorted(totals, key=lambda script: -totals[script])[:SCRIPTS]


def script_table(pictures: Pictures) -> pd.DataFrame:
    """The share of each script, in per cent."""
    named = named_scripts(pictures)
    rows = []
    for title, each in pictures.items():
        shares = {script: each.scripts.get(script, 0) for script in named}
        shares[OTHERS] = each.learned - sum(shares.values())
        rows += [(title, script, n, 100 * n / max(1, each.learned)) for script, n in shares.items()]
    return pd.DataFrame(rows, columns=["tokenizer", "script", "tokens", "share"])


def length_table(pictures: Pictures) -> pd.DataFrame:
    """The share of each length, in per cent."""
    rows = [
        (title, bytes, f"{bytes} or more" if bytes == LAST else str(bytes), n, 100 * n / max(1, each.learned))
        for title, each in pictures.items()
        for bytes, n in enumerate(each.lengths, 1)
    ]
    return pd.DataFrame(rows, columns=["tokenizer", "bytes", "length", "tokens", "share"])


def growth_table(title: str, one: Picture, named: list[str]) -> pd.DataFrame:
    """For each part of the ranks the share of each script, in per cent."""
    rows = []
    for part in one.growth:
        first, last = part.ranks
        count = last - first + 1
        shares = {script: part.scripts.get(script, 0) for script in named}
        shares[OTHERS] = count - sum(shares.values())
        rows += [
            (title, last, f"{first:,} to {last:,}", script, 100 * n / count, round(part.bytes, 1))
            for script, n in shares.items()
        ]
    return pd.DataFrame(rows, columns=["tokenizer", "rank", "ranks", "script", "share", "bytes"])


def colors(pictures: Pictures) -> alt.Color:
    """One color for each tokenizer; a legend where there are two."""
    return alt.Color(
        "tokenizer:N", title=None, scale=alt.Scale(domain=list(pictures), range=list(COLORS[: len(pictures)])),
        legend=alt.Legend(orient="top", labelLimit=400) if len(pictures) > 1 else None,
    )  # fmt: skip


def chart_of_scripts(pictures: Pictures) -> alt.Chart:
    """Bars by script."""
    order = [*named_scripts(pictures), OTHERS]
    chart: alt.Chart = (
        alt.Chart(script_table(pictures), height=HEIGHT + 120, title="Scripts, % of the tokens")
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title=None),
            y=alt.Y("script:N", title=None, sort=order, axis=alt.Axis(labelOverlap=False)),
            yOffset=alt.YOffset("tokenizer:N", sort=list(pictures)), color=colors(pictures),
            tooltip=["tokenizer:N", "script:N", "tokens:Q", alt.Tooltip("share:Q", format=".2f")],
        )
    )  # fmt: skip
    return chart


def chart_of_lengths(pictures: Pictures) -> alt.Chart:
    """Bars by length in bytes."""
    chart: alt.Chart = (
        alt.Chart(length_table(pictures), height=HEIGHT + 120, title="Length in bytes, % of the tokens")
        .mark_bar()
        .encode(
            x=alt.X("bytes:O", title=None, axis=alt.Axis(labelAngle=0)), y=alt.Y("share:Q", title=None),
            xOffset=alt.XOffset("tokenizer:N", sort=list(pictures)), color=colors(pictures),
            tooltip=["tokenizer:N", "length:N", "tokens:Q", alt.Tooltip("share:Q", format=".2f")],
        )
    )  # fmt: skip
    return chart


def chart_of_growth(title: str, one: Picture, named: list[str]) -> alt.Chart:
    """The scripts of what was learned, from the first ranks to the last."""
    order = [*named, OTHERS]
    chart: alt.Chart = (
        alt.Chart(growth_table(title, one, named), height=HEIGHT + 80, title=f"Learned when: scripts by rank, {title}")
        .mark_bar(width={"band": 1})
        .encode(
            x=alt.X("rank:O", title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True, format=",d")),
            y=alt.Y("share:Q", title=None, stack="zero", scale=alt.Scale(domain=[0, 100])),
            color=alt.Color("script:N", sort=order, title=None, scale=alt.Scale(domain=order, scheme="tableau10")),
            tooltip=["ranks:N", "script:N", alt.Tooltip("share:Q", format=".2f"),
                     alt.Tooltip("bytes:Q", title="bytes on average")],
        )
    )  # fmt: skip
    return chart

"""The result of a corpus job as tables and charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import altair as alt
import pandas as pd

from explorer.corpus.result import Result, ResultRow
from explorer.text import visible_words
from explorer.views.premiums import LOST_FROM

BLUES: Final = ("#f3f7fd", "#9cc4f0")
ORANGES: Final = ("#fdf6ee", "#f2a765")
"""From low to high, pale enough for dark text on them."""
NO_LABEL: Final = "(none)"
"""The name of records without a label."""
MOST_ROWS: Final = 60
"""Labels or files drawn at most; the table has all of them."""


class Figure(NamedTuple):
    """A measure for a chart.

    key: in a result. says: what it measures, for a first-time reader. layout: the format of its numbers. high_is_dear:
    whether a higher number costs more. of_all: whether only the whole corpus has it.
    """

    key: str
    says: str
    layout: str = ".2f"
    high_is_dear: bool = False
    of_all: bool = False


FIGURES: Final = {
    "bytes per token": Figure(
        "bytes_per_token", "how much text a token covers; with more, the model needs fewer tokens"),
    "characters per token": Figure("characters_per_token", "the same in characters"),
    "tokens per word": Figure(
        "fertility", "also called fertility; 1 is one token per word. Words are separated by white space, so the "
        "number means nothing for scripts without spaces", high_is_dear=True),
    "premium": Figure(
        "parity", "tokens of a document, as a multiple (×) of the baseline label's. A fair comparison only if the "
        "documents of all labels say the same", high_is_dear=True),
    "unknown": Figure(
        "unknown_share", "share of the tokens that are the unknown token: text the model won't see", ".2%", True),
    "byte fallback": Figure(
        "byte_fallback_share", "share of the tokens that spell a byte or part of a character, because it has no piece",
        ".2%", True),
    "single bytes": Figure("single_byte_share", "share of the tokens that are one byte", ".2%", True),
    "vocabulary used": Figure(
        "vocabulary_use", "share of the vocabulary that occurs in this corpus", ".1%",
        of_all=True),
    "Rényi efficiency": Figure(
        "renyi_efficiency", "how evenly the vocabulary is used, from 0 to 1; very common tokens lower it", ".3f",
        of_all=True),
}  # fmt: skip
"""The name that a visitor chooses → figure."""


def figures_of(rows: Sequence[ResultRow]) -> list[str]:
    """The names of the figures that these rows have.

    >>> figures_of([ResultRow("de", {}, ({"tokens": 3, "fertility": 1.5},))])
    ['tokens per word']
    """
    return [
        name
        for name, figure in FIGURES.items()
        if any(measures.get(figure.key) is not None for row in rows for measures in row.measures)
    ]


def name_of(row: ResultRow) -> str:
    """A row's name for display, with invisible characters other than spaces made visible.

    >>> name_of(ResultRow("my texts\\u202e.txt", {}, ())), name_of(ResultRow("", {}, ()))
    ('my textsU+202E.txt', '(none)')
    """
    return visible_words(row.name) or NO_LABEL


def long_table(result: Result, rows: Sequence[ResultRow], figure: str) -> pd.DataFrame:
    """One line per row and tokenizer, with one figure. lost: so much text is unknown that its count means nothing."""
    key = FIGURES[figure].key
    return pd.DataFrame(
        [
            {
                "name": name_of(row),
                "tokenizer": label,
                "tokens": measures["tokens"],
                "documents": row.text["documents"],
                "lost": (measures.get("unknown_share") or 0.0) > LOST_FROM,
                figure: measures.get(key),
            }
            for row in rows
            for label, measures in zip(result.tokenizers, row.measures, strict=True)
        ]
    )


def wide_table(result: Result, rows: Sequence[ResultRow]) -> pd.DataFrame:
    """One line per row and tokenizer, with all figures, shares in percent; columns without a number are left out.

    added: how many of the tokens the tokenizer added around the texts.
    """
    made = [
        {
            "name": name_of(row),
            "tokenizer": label,
            "documents": row.text["documents"],
            "bytes": row.text["bytes"],
            "words": row.text["words"],
            "tokens": measures["tokens"],
            "added": measures.get("added") or None,
            **{name: shown_figure(figure, measures.get(figure.key)) for name, figure in FIGURES.items()},
        }
        for row in rows
        for label, measures in zip(result.tokenizers, row.measures, strict=True)
    ]
    return pd.DataFrame(made).dropna(axis="columns", how="all")


def shown_figure(figure: Figure, value: float | None) -> float | None:
    """A figure as the table has it: a share in percent.

    >>> shown_figure(FIGURES["unknown"], 0.08612), shown_figure(FIGURES["premium"], 1.5)
    (8.612, 1.5)
    """
    return value if value is None or not figure.layout.endswith("%") else round(100 * value, 6)


BELOW: Final = 80
"""Pixels of an axis with its title, or of a legend; the page includes them in a chart's height."""
ABOVE: Final = 60
"""The same, for names in two lines."""
COLUMN: Final = 88
"""Pixels of a tokenizer's column."""
LEGEND_ROW: Final = 24

TYPE: Final[dict[str, Any]] = {"labelFontSize": 13, "titleFontSize": 13}
"""Of an axis: nothing on a page is smaller."""
INK: Final = {"light": "#16181d", "dark": "#f0f2f6"}
"""Theme → color of the numbers next to bars; a chart's default text is black in both."""


def bars(
    result: Result, figure: str, theme: str = "light", beside: Sequence[Result] = ()
) -> alt.LayerChart | alt.FacetChart:
    """One bar per tokenizer over the whole corpus, with its number. beside: results drawn on the same scale."""
    chosen = FIGURES[figure]
    table = long_table(result, [result.total], figure)
    most = max(float(long_table(each, [each.total], figure)[figure].max()) for each in (result, *beside)) or 1.0
    base = alt.Chart(table, height=30 * len(result.tokenizers) + BELOW).encode(
        # room for the number after the longest bar
        x=alt.X(f"{figure}:Q", title=figure, scale=alt.Scale(domain=[0, 1.2 * most], nice=False),
                axis=alt.Axis(format=chosen.layout, tickCount=5, **TYPE)),
        y=alt.Y("tokenizer:N", sort=list(result.tokenizers), title=None,
                axis=alt.Axis(labelLimit=180, labelOverlap=False, **TYPE)),
        tooltip=["tokenizer", alt.Tooltip("tokens:Q", format=","), alt.Tooltip(f"{figure}:Q", format=chosen.layout)],
    )  # fmt: skip
    color = ORANGES[1] if chosen.high_is_dear else BLUES[1]
    numbers = base.mark_text(align="left", dx=6, color=INK[theme], fontSize=13).encode(
        text=alt.Text(f"{figure}:Q", format=chosen.layout)
    )
    hollow = alt.condition("datum.lost", alt.value(0.12), alt.value(1))
    bar = base.mark_bar(color=color, stroke=color, strokeWidth=1.5, cornerRadiusEnd=3)
    return alt.layer(bar.encode(fillOpacity=hollow), numbers)


def drawn(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """At most `MOST_ROWS` rows, those with the most bytes."""
    return sorted(rows, key=lambda row: -row.text["bytes"])[:MOST_ROWS]


def heat_map(result: Result, rows: Sequence[ResultRow], figure: str) -> alt.LayerChart | alt.FacetChart:
    """Labels or files as rows, the most expensive first, tokenizers as columns."""
    chosen = FIGURES[figure]
    table = long_table(result, drawn(rows), figure)
    read = table[~table["lost"]]
    order = read.groupby("name")[figure].mean().sort_values(ascending=not chosen.high_is_dear).index.tolist()
    order += [name for name in dict.fromkeys(table["name"]) if name not in order]  # lost with every tokenizer
    known = read[figure].dropna()
    domain = [float(known.min()), float(known.max())] if len(known) else [0.0, 1.0]
    scale = alt.Scale(range=list(ORANGES if chosen.high_is_dear else BLUES), domain=domain)
    if chosen.key == "parity":
        # 1 is neutral: the middle of the colors
        most = max(2.0, float(known.max()) if len(known) else 2.0)
        scale = alt.Scale(range=[*BLUES[::-1], *ORANGES], domain=[1 / most, 0.999, 1, most], type="log", clamp=True)
    base = alt.Chart(table, height=22 * len(order) + ABOVE + BELOW, width=alt.Step(COLUMN)).encode(
        x=alt.X("tokenizer:N", sort=list(result.tokenizers), title=None,
                axis=alt.Axis(orient="top", labelAngle=0, labelLimit=COLUMN, labelOverlap=False,
                            labelExpr="split(datum.label, ' ')", **TYPE)),
        y=alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelLimit=150, labelOverlap=False, **TYPE)),
    )  # fmt: skip
    legend = alt.Legend(orient="bottom", format=chosen.layout, labelFontSize=13)
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.condition("datum.lost", alt.value("#ffffff"),
                            alt.Color(f"{figure}:Q", scale=scale, title=None, legend=legend)),
        tooltip=["name", "tokenizer", alt.Tooltip("documents:Q", format=","), alt.Tooltip("tokens:Q", format=","),
                 alt.Tooltip(f"{figure}:Q", format=chosen.layout)],
    )  # fmt: skip
    # three digits: more run into each other on a phone
    layout = f"datum['{figure}'] < 10 ? '{chosen.layout}' : '{chosen.layout.replace('.2f', '.1f')}'"
    numbers = base.transform_calculate(shown=f"format(datum['{figure}'], {layout})").mark_text(
        fontSize=13, color="#16181d"
    ).encode(text="shown:N")  # fmt: skip
    return alt.layer(cells, numbers)


def table_of_lengths(result: Result) -> pd.DataFrame:
    """One row per bucket of lengths and tokenizer: the share of documents that are at most this long.

    A document without tokens counts as length 0.
    """
    rows = []
    for label, details in zip(result.tokenizers, result.details, strict=True):
        total = sum(count for *_, count in details.buckets)
        so_far = 0
        if details.buckets and details.buckets[0][0] > 0:
            rows.append({"tokenizer": label, "tokens, up to": 0, "documents": 0, "share": 0.0})
        for _, last, count in details.buckets:
            so_far += count
            rows.append({"tokenizer": label, "tokens, up to": last, "documents": count, "share": so_far / total})
    return pd.DataFrame(rows, columns=["tokenizer", "tokens, up to", "documents", "share"])


def chart_of_lengths(result: Result) -> alt.Chart:
    """The share of documents with at most this many tokens: how many fit into a model's context."""
    chart: alt.Chart = (
        alt.Chart(table_of_lengths(result), height=316 + LEGEND_ROW * len(result.tokenizers))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("tokens, up to:Q", title="tokens of a document, at most",
                    scale=alt.Scale(type="symlog", nice=False),
                    axis=alt.Axis(values=TICKS, labelExpr="format(datum.value, '~s')", **TYPE)),
            y=alt.Y("share:Q", title="documents", axis=alt.Axis(format=".0%", **TYPE), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("tokenizer:N", title=None, sort=list(result.tokenizers),
                            legend=alt.Legend(orient="top", columns=1, labelLimit=300, labelFontSize=13)),
            tooltip=["tokenizer", "tokens, up to", alt.Tooltip("documents:Q", format=","),
                     alt.Tooltip("share:Q", format=".1%")],
        )
    )  # fmt: skip
    return chart


TICKS: Final = [0, *(digit * 10**power for power in range(9) for digit in (1, 2, 5))]
"""The numbers on the axis of lengths: by itself, a scale that begins at 0 would have only two."""


def in_words(data: str) -> str:
    """Bytes in hexadecimal, with the word.

    >>> in_words("E0"), in_words("E0 A4")
    ('byte E0', 'bytes E0 A4')
    """
    return f"{'bytes' if ' ' in data else 'byte'} {data}"


def table_of_frequent(result: Result, index: int) -> pd.DataFrame:
    """The most frequent tokens of the tokenizer at an index. A text of digits looks like bytes, so bytes are named."""
    in_bytes = result.details[index].in_bytes
    total = result.total.measures[index]["tokens"] or 1
    return pd.DataFrame(
        [
            {"id": id, "token": in_words(text) if id in in_bytes else text, "count": count, "share": count / total}
            for id, text, count in result.details[index].frequent
        ],
        columns=["id", "token", "count", "share"],
    )

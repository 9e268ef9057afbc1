"""A chart of the speeds: one bar per tokenizer and corpus, warm, cold and the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from benchmarks.speed.measure import Speed

SIDES = ("this engine, warm", "this engine, cold", "the original")


def chart(rows: Sequence[Speed], machine: Mapping[str, str]) -> alt.Chart:
    """Whole documents: one row of bars per tokenizer, one column per corpus."""
    long = [
        {"tokenizer": f"{row.spec} / {row.rival}", "corpus": row.corpus, "side": side, "MB/s": speed}
        for row in rows
        if row.how == "document"
        for side, speed in zip(SIDES, (row.warm, row.cold, row.theirs), strict=True)
    ]
    return (
        alt.Chart(pd.DataFrame(long))
        .mark_bar()
        .encode(
            x=alt.X("MB/s:Q", title="MB a second, one core"),
            y=alt.Y("side:N", sort=list(SIDES), title=None, axis=None),
            color=alt.Color("side:N", sort=list(SIDES), title=None,
                            scale=alt.Scale(range=["#2f6f8f", "#9cc3d5", "#c9822b"])),
            row=alt.Row("tokenizer:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left")),
            column=alt.Column("corpus:N", title=None),
            tooltip=["tokenizer:N", "corpus:N", "side:N", alt.Tooltip("MB/s:Q", format=".1f")],
        )
        .properties(width=200, height=45, title=f"Text to ids, {machine['date']}, {machine['machine']}")
        .configure_legend(orient="top")
    )  # fmt: skip

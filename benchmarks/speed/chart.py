"""Charts of the speeds: of the stages beside the originals, and of one pass beside the originals and their peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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


class Rate(NamedTuple):
    """MB a second of an encoder on one thread, on text that is new to it and on text it has seen."""

    spec: str
    encoder: str
    new: float
    warm: float


def rates_chart(rates: Sequence[Rate], title: str) -> alt.HConcatChart:
    """New text beside text seen before, a group of bars per tokenizer, with their numbers."""
    encoders = list(dict.fromkeys(rate.encoder for rate in rates))
    colors = ["#c22f4a", *["#8a8f98", "#b9a26a", "#6fa3a0", "#9c8fc0"][: len(encoders) - 1]]
    sides = []
    for field, heading in (("new", "text that is new"), ("warm", "the same text again")):
        data = pd.DataFrame({"tokenizer": rate.spec, "encoder": rate.encoder, "rate": getattr(rate, field)}
                            for rate in rates)  # fmt: skip
        bars = alt.Chart(data).encode(
            y=alt.Y("tokenizer:N", sort=None, title=None, axis=alt.Axis(labels=not sides, ticks=False, domain=False,
                                                                        labelLimit=260)),
            yOffset=alt.YOffset("encoder:N", sort=encoders),
            x=alt.X("rate:Q", title="MB a second, one thread", axis=alt.Axis(grid=False, tickCount=5)),
        )  # fmt: skip
        color = alt.Color("encoder:N", sort=encoders, title=None, scale=alt.Scale(domain=encoders, range=colors))
        numbers = bars.mark_text(align="left", dx=3, fontSize=9).encode(text=alt.Text("rate:Q", format=".3~r"))
        sides.append((bars.mark_bar().encode(color=color) + numbers).properties(width=330, title=heading))
    return (
        alt.hconcat(*sides, title=title)
        .configure_legend(orient="top", columns=len(encoders))
        .configure_view(stroke=None)
    )

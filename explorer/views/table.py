"""A trace as a table of its tokens and a chart of the entries popped from the queue."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.analysis.tokenizer_exports import token_rows
from explorer.engine.results import Trace
from explorer.implementations.opened import Opened
from explorer.script.script import Script


def table_of_tokens(trace: Trace, tokenizer: Opened, most: int | None = None) -> pd.DataFrame:
    """One row per token: id, piece, bytes, kind, score, span, text, and its share of a character that was split.

    most: at most this many tokens.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> table_of_tokens(tok.trace("is"), tok)["piece"].tolist()
    ['<s>', '▁is']
    """
    heading, *rows = token_rows(tokenizer, trace, most)
    return pd.DataFrame(rows, columns=[str(name) for name in heading]).astype({"start": "Int64", "end": "Int64"})


KINDS = ("merge", "stale")
COLORS = {"light": ("#079464", "#e0682b"), "dark": ("#7ed5b0", "#f2a56d")}
"""Theme → colors of the kinds: Streamlit's green and orange, as in the stepper."""


def chart_of_queue(script: Script, priority: str, theme: str = "light") -> alt.Chart | None:
    """One point per entry popped from the queue: its priority by step, merges and stale entries in their own colors.

    The queue always gives its best entry, but entries don't only get worse: a merge can push a pair that is better than
    those already waiting. The best are at the top. The scale is logarithmic, because the worst score is often a
    thousand times the best. None if nothing was popped.
    """
    rows = []
    for step in range(1, len(script) + 1):
        kind = script.kind(step)["label"]
        if kind in KINDS:
            text, score = (script.data["texts"][arg] for arg in script.args(step)[2:4])
            value = float(score.replace("−", "-").replace(",", ""))
            rows.append({"step": step, "priority": value, "shown": score, "pair": text, "entry": kind})
    if not rows:
        return None
    values = [row["priority"] for row in rows]
    # a higher score is better, but a lower rank or number in a list
    scale = alt.Scale(type="symlog", domain=[min(*values, 0), max(*values, 0)], reverse=max(values) > 0, nice=False)
    scales = {
        "color": alt.Scale(domain=KINDS, range=COLORS[theme]),
        "shape": alt.Scale(domain=KINDS, range=("circle", "diamond")),
    }
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_point(filled=True, size=60, opacity=0.9)
        .encode(
            x=alt.X("step:Q", title="step", scale=alt.Scale(zero=False)),
            y=alt.Y(
                "priority:Q", title=f"{priority} of the entry popped", scale=scale, axis=alt.Axis(values=ticks(values))
            ),
            color=alt.Color("entry:N", title=None, scale=scales["color"], legend=alt.Legend(orient="top")),
            shape=alt.Shape("entry:N", title=None, scale=scales["shape"], legend=alt.Legend(orient="top")),
            tooltip=["step:Q", "pair:N", alt.Tooltip("shown:N", title=priority), "entry:N"],
        )
        .properties(height=260)
    )
    return chart


def ticks(values: list[float]) -> list[float]:
    """The powers of ten within the range of the values, on both sides of 0, and 0.

    >>> ticks([-36.0, -3609.0])
    [-1000, -100, -10, 0]
    """
    most = max(abs(value) for value in values)
    powers = [10**power for power in range(1, len(str(int(most))))]
    return [-power for power in reversed(powers) if min(values) < 0] + [0] + [p for p in powers if max(values) > 0]

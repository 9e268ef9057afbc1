"""Tokens of a corpus against the size of the vocabulary, while it is learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt
import pandas as pd

from explorer.training.rows import Train, UnigramTrain, real
from explorer.training.training import Training

ACCENT = "#c2374a"
INK = {"light": "#5f6470", "dark": "#b9bdc7"}
HEIGHT = 150


Points = tuple[tuple[int, int], ...]
"""(Size of the vocabulary, tokens of the corpus)."""


class Curve(NamedTuple):
    """points: (size of the vocabulary, tokens of the corpus), as it is learned. words: in the corpus."""

    points: Points
    words: int


def merge_curve(training: Training[Any]) -> Curve:
    """The curve of a training that merges pairs.

    >>> from explorer.training.huggingface import bpe
    >>> merge_curve(bpe.train({"aba": 3}, bpe.Options(vocab_size=3)))
    Curve(points=((2, 9), (3, 6)), words=3)
    """
    times: list[int] = []
    tokens = 0
    size = len(training.learned.tokens) - sum(row.kind in GROWS for row in training.events)
    points: list[tuple[int, int]] = []
    for row in training.events:
        if row.kind == Train.WORD:
            times.append(row.n)
        elif row.kind == Train.SYMBOL:
            tokens += times[row.a]
        elif row.kind == Train.WINNER:
            points.append((size, tokens))
        elif row.kind in GROWS:
            size += 1
        elif row.kind == Train.REWRITE:
            tokens -= times[row.a]
    return Curve((*points, (size, tokens)), sum(times))


GROWS = (Train.TOKEN,)


def unigram_curve(training: Training[str]) -> Curve:
    """The curve of a Unigram training: a point for each pruning, by the best ways to write the words."""
    points: list[tuple[int, int]] = []
    words = pieces = 0
    tokens = 0.0
    for row in training.events:
        if row.kind == UnigramTrain.WORD:
            words += row.n
        elif row.kind == UnigramTrain.USED:
            pieces, tokens = pieces + 1, tokens + real(row.n)
        elif pieces and row.kind in (UnigramTrain.KEPT, UnigramTrain.ROUND, UnigramTrain.STOP):
            points.append((pieces, int(tokens)))
            pieces, tokens = 0, 0.0
    return Curve(tuple(sorted(points)), words)


def chart_of_curve(
    curve: Curve, wanted: int, theme: str, beyond: Points = (), others: Sequence[tuple[str, Points]] = ()
) -> alt.LayerChart:
    """The chart. wanted: the size asked for.

    beyond: the whole curve, drawn pale past that size. others: of other trainers, by name, in gray.
    """
    table = pd.DataFrame(curve.points, columns=["vocabulary", "tokens"])
    last = table.tail(1)
    x = alt.X("vocabulary:Q", title=None, axis=alt.Axis(tickMinStep=1, format="d"),
              scale=alt.Scale(zero=False, nice=False, padding=6))  # fmt: skip
    y = alt.Y("tokens:Q", title=None, scale=alt.Scale(zero=True))
    base = alt.Chart(table, height=HEIGHT).encode(x, y, tooltip=["vocabulary:Q", "tokens:Q"])
    gray = [line(points, x, y, INK[theme], 0.6, name) for name, points in others]
    pale = [line(beyond, x, y, ACCENT, 0.4)] if beyond else []
    layers: Sequence[Any] = (
        rule(pd.DataFrame({"tokens": [curve.words]}), theme).encode(y="tokens:Q"),
        rule(pd.DataFrame({"vocabulary": [wanted]}), theme).encode(x="vocabulary:Q"),
        *gray,
        *pale,
        base.mark_line(color=ACCENT),
        alt.Chart(last).mark_circle(color=ACCENT, size=70, opacity=1).encode(x, y),
        alt.Chart(last).mark_text(color=INK[theme], align="right", dx=-8, dy=12).encode(x, y, text="tokens:Q"),
    )
    chart: alt.LayerChart = alt.layer(*layers)  # type: ignore[assignment]
    return chart


def line(points: Points, x: alt.X, y: alt.Y, color: str, opacity: float, name: str = "") -> alt.LayerChart:
    """A curve beside the one at work, with its name in the middle."""
    table = pd.DataFrame(points, columns=["vocabulary", "tokens"]).assign(trainer=name)
    drawn = (
        alt.Chart(table)
        .mark_line(color=color, opacity=opacity)
        .encode(x, y, tooltip=["trainer:N", "vocabulary:Q", "tokens:Q"])
    )
    named = alt.Chart(table.iloc[[len(table) // 3]]).mark_text(color=color, align="left", dx=6, dy=-6)
    both: alt.LayerChart = alt.layer(drawn, named.encode(x, y, text="trainer:N"))  # type: ignore[assignment]
    return both


def rule(table: pd.DataFrame, theme: str) -> alt.Chart:
    """A dashed line."""
    chart: alt.Chart = alt.Chart(table).mark_rule(color=INK[theme], strokeDash=[3, 4])
    return chart

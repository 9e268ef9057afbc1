"""A text while it is typed, as a chart: one line per prefix, with its kept, new and changed tokens."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.analysis.prefix_stability import Stability, identity
from explorer.analysis.why import Speller
from explorer.text.quantities import number, plural
from explorer.text.say import Say

KEPT, NEW, ANEW = "kept", "new", "cut anew"
COLORS = {KEPT: "#8a8f98", NEW: "#2f7de1", ANEW: "#e0652b"}


def table_of_typing(stability: Stability, speller: Speller) -> pd.DataFrame:
    """One row per bar: the prefix, its characters [start, end), the kind of token, and the token as pages show it.

    All tokens that a prefix keeps from the one before share one bar.
    """
    rows: list[tuple[int, int, int, str, str]] = []
    before = 0
    end_of: list[int] = []
    were: set[tuple[int, int]] = set()
    for prefix, tokens in zip(stability.prefixes, stability.tokens(), strict=True):
        kept_to = end_of[prefix.kept - 1] if prefix.kept else 0
        if prefix.kept:
            rows.append((prefix.length, 0, kept_to, KEPT, plural(prefix.kept, "token")))
        for token in prefix.tail:
            # a token that overlaps the previous prefix replaces other tokens
            kind = KEPT if identity(token) in were else ANEW if token.start < before else NEW
            rows.append((prefix.length, token.start, token.end, kind, speller.token(token.id)))
        end_of = [*end_of[: prefix.kept], *(token.end for token in prefix.tail)]
        before = prefix.length
        were = set(map(identity, tokens))
    return pd.DataFrame(rows, columns=["prefix", "start", "end", "token is", "token"])


def chart_of_typing(stability: Stability, speller: Speller) -> alt.Chart:
    """The chart: the text from left to right, its prefixes from top to bottom."""
    table = table_of_typing(stability, speller)
    kinds = [kind for kind in COLORS if (table["token is"] == kind).any()]
    height = min(560, max(120, 14 * len(stability.prefixes)))
    chart: alt.Chart = (
        alt.Chart(table, height=height)
        # a gap between two tokens, for any color of the page
        .transform_calculate(until="datum.end - 0.08")
        .mark_bar(cornerRadius=2)
        .encode(
            x=alt.X("start:Q", title="character of the text", axis=alt.Axis(tickMinStep=1)),
            x2="until:Q",
            y=alt.Y("prefix:O", title="characters typed", axis=alt.Axis(labelOverlap=True)),
            color=alt.Color(
                "token is:N", title=None, legend=alt.Legend(orient="top"),
                scale=alt.Scale(domain=kinds, range=[COLORS[kind] for kind in kinds]),
            ),
            tooltip=["prefix:Q", "token:N", "token is:N", "start:Q", "end:Q"],
        )
    )  # fmt: skip
    return chart


def typing_say(stability: Stability) -> Say:
    """What the chart shows, in a sentence."""
    if not stability.prefixes:
        return Say.of("The text is empty. Type something.")
    steps = "" if stability.step == 1 else f" (checked every {number(stability.step)} characters)"
    taken_back = sum(prefix.changed for prefix in stability.prefixes)
    if not taken_back:
        return Say.of("No token changes while you type this text{0:t}.", steps)
    most = max(prefix.changed for prefix in stability.prefixes)
    return Say.of(
        "While you type this text{0:t}, {1:t} replaced in all, at most {2:t} at once. A token that changes begins at "
        "most {3:t} before the end.",
        steps,
        f"{plural(taken_back, 'token')} {'is' if taken_back == 1 else 'are'}",
        number(most),
        plural(stability.furthest, "character"),
    )

"""Token counts of several tokenizers for one text: a table, a chart and a sentence."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.analysis.alignment import Alignment, TokenRow
from explorer.text.quantities import plural
from explorer.text.say import Say


def table_of_rows(alignment: Alignment) -> pd.DataFrame:
    """One line per row: tokens, added tokens, characters and bytes per token, multiple of the baseline."""
    return pd.DataFrame(
        {
            "tokenizer": [row.label for row in alignment.rows],
            "tokens": [row.tokens for row in alignment.rows],
            "of these added": [row.added for row in alignment.rows],
            "times the baseline": [row.relative for row in alignment.rows],
            "characters a token": [row.characters for row in alignment.rows],
            "bytes a token": [row.bytes for row in alignment.rows],
            "characters lost": [lost(row) for row in alignment.rows],
        }
    )


def lost(row: TokenRow) -> int:
    """How many characters of the text no token of the row covers."""
    return sum(span.end - span.start for span in row.uncovered)


def chart_of_rows(alignment: Alignment) -> alt.LayerChart | alt.FacetChart:
    """The tokens of each row as bars, in the order of the rows, with a line at the baseline."""
    data = pd.DataFrame(
        {
            "tokenizer": [row.label for row in alignment.rows],
            "tokens": [row.tokens for row in alignment.rows],
            "is": ["baseline" if index == alignment.baseline else "other" for index in range(len(alignment.rows))],
        }
    )
    # room for the number after the longest bar
    longest = 1.06 * max(1, *data["tokens"])
    base = alt.Chart(data).encode(
        y=alt.Y(
            "tokenizer:N",
            sort=[row.label for row in alignment.rows],
            title=None,
            axis=alt.Axis(labelLimit=220, labelPadding=6),
        ),
        x=alt.X("tokens:Q", title="tokens", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(domain=[0, longest])),
        tooltip=["tokenizer", "tokens"],
    )
    # the other bars are pale; a line through all bars marks the end of the baseline's
    pale = alt.condition(alt.datum["is"] == "baseline", alt.value(1), alt.value(0.55))
    bars = base.mark_bar(size=16).encode(opacity=pale)
    line = (
        alt.Chart(data[data["is"] == "baseline"])
        .mark_rule(strokeDash=[4, 3], size=1.5, color="#8a8f98")
        .encode(x="tokens:Q")
    )
    # gray is legible on both themes
    counts = base.mark_text(align="left", dx=4, fontSize=14, color="#8a8f98").encode(text="tokens:Q")
    return alt.layer(bars, line, counts, height=60 + 30 * len(alignment.rows))


def rows_say(alignment: Alignment) -> Say:
    """The result in a sentence: fewest tokens, most tokens, and their ratio."""
    if not alignment.text:
        return Say.of("The text is empty. Type something to compare.")
    fewest = min(alignment.rows, key=lambda row: row.tokens)
    most = max(alignment.rows, key=lambda row: row.tokens)
    if len(alignment.rows) == 1:
        return Say.of("{0:t} makes {1:t} of it. Choose a second tokenizer to compare.", fewest.label, tokens(fewest))
    if fewest.tokens == most.tokens:
        return Say.of("All of them make {0:t} of it.", tokens(fewest))
    return Say.of(
        "From {0:t} ({1:t}) to {2:t} ({3:t}): {4:t} times as many.",
        tokens(fewest), fewest.label, tokens(most), most.label, f"{alignment.spread or 0:.2f}",
    )  # fmt: skip


def tokens(row: TokenRow) -> str:
    """`1 token`, `6 tokens`."""
    return plural(row.tokens, "token")

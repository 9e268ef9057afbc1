"""A trace as a table and a chart: the tokens as a DataFrame, the queue as it was popped."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.engine.tokenizer import Trace
from explorer.views.script import Script
from explorer.vocabulary import Vocabulary


def table_of_tokens(trace: Trace, vocabulary: Vocabulary) -> pd.DataFrame:
    """One row a token: id, piece, kind, score, span and text.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> table_of_tokens(tok.trace("is"), tok.vocabulary)["piece"].tolist()
    ['<s>', '▁is']
    """
    tokens = trace.encoding.tokens
    return pd.DataFrame(
        {
            "id": [token.id for token in tokens],
            "piece": [vocabulary.spelling(token.id) for token in tokens],
            "kind": [vocabulary.kind(token.id).name.lower() for token in tokens],
            "score": [vocabulary.scores[token.id] if vocabulary.scores else None for token in tokens],
            "start": [token.start if token.start >= 0 else None for token in tokens],
            "end": [token.end if token.start >= 0 else None for token in tokens],
            "text": [trace.text[token.start : token.end] if token.start >= 0 else "" for token in tokens],
        }
    ).astype({"start": "Int64", "end": "Int64"})


def chart_of_queue(script: Script, worth: str) -> alt.Chart | None:
    """One point for each entry popped from the queue: what it is worth by step, merges and stale entries apart.

    The queue always gives the best entry it has, yet they do not only get worse: a merge can push a pair that is
    better than those already waiting. None where nothing was popped.
    """
    rows = []
    for step in range(1, len(script) + 1):
        kind = script.kind(step)["label"]
        if kind in ("merge", "stale"):
            *_, text, score = (script.data["texts"][arg] for arg in script.args(step))
            value = float(score.replace("−", "-").replace(",", ""))
            rows.append({"step": step, "worth": value, "pair": text, "entry": kind})
    if not rows:
        return None
    kinds = ["merge", "stale"]
    colours, shapes = ["#0a9467", "#e0652b"], ["circle", "diamond"]
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_point(filled=True, size=60)
        .encode(
            x=alt.X("step:Q", title="step"),
            y=alt.Y("worth:Q", title=f"{worth} of the entry popped"),
            color=alt.Color("entry:N", title=None, scale=alt.Scale(domain=kinds, range=colours)),
            shape=alt.Shape("entry:N", title=None, scale=alt.Scale(domain=kinds, range=shapes)),
            tooltip=["step:Q", "pair:N", "worth:Q", "entry:N"],
        )
        .properties(height=240)
    )
    return chart

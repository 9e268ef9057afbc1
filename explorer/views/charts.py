"""Tables and charts of Explore, Train and Vocabulary: tokens, tries, trainings, scripts and lengths.

Vocabularies are drawn by scripts, by lengths, and by what was learned when; two of them in the same axes. The
structures that can hold a trie are those of tries.tsv, measured by `python -m benchmarks.tries`.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from explorer.analysis.tokenizer_exports import token_rows
from explorer.analysis.vocabulary.figures import LAST, Picture
from explorer.engine.tokenizer import Trace
from explorer.implementations.opened import Opened
from explorer.tables import Record
from explorer.text.say import Say, Text, Words
from explorer.views.corpus import chart


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


FILE = Path(__file__).with_name("tries.tsv")


class TrieStructures(NamedTuple):
    """The table, one row a structure, and what was measured when and where."""

    rows: tuple[dict[str, str], ...]
    measured: str


@cache
def trie_structures() -> TrieStructures:
    """The figures of the file.

    >>> [row["Structure"] for row in trie_structures().rows][:2]
    ['sorted list, text erased from the front', 'dict of prefixes']
    """
    head, _, *lines = FILE.read_text("utf-8").splitlines()
    rows = []
    for name, nodes, size, speed in (line.split("\t") for line in lines):
        count = f"{int(nodes):,}" if int(nodes) else "–"
        rows.append(
            {"Structure": name, "Nodes": count, "MB": f"{int(size) / 1e6:.1f}", "Matches a second": f"× {speed}"}
        )
    return TrieStructures(tuple(rows), head.removeprefix("# "))


SCRIPTS = 8
"""Scripts that a chart names; the others are one."""
OTHERS = "others"
INK = {"light": "#2f2d2b", "dark": "#eceae8"}
ROOM = 7
"""Per cent that a band needs for its name."""
WIDE = 5
"""Parts of the ranks over which a band has that room."""
EDGE = 0.08
"""The part of the ranks at either side where no name stands."""
COLORS = ("#c2374a", "#3b7dd8")
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


def length_table(pictures: Pictures, words: Words = str) -> pd.DataFrame:
    """The share of each length, in per cent."""
    rows = [
        (
            title,
            bytes,
            words(Text("{0} or more", bytes)) if bytes == LAST else str(bytes),
            n,
            100 * n / max(1, each.learned),
        )
        for title, each in pictures.items()
        for bytes, n in enumerate(each.lengths, 1)
    ]
    return pd.DataFrame(rows, columns=["tokenizer", "bytes", "length", "tokens", "share"])


def in_words(table: pd.DataFrame, words: Words) -> pd.DataFrame:
    """A table whose scripts are named in the visitor's language."""
    return table.assign(script=table["script"].map(words))


def growth_table(title: str, one: Picture, named: list[str]) -> pd.DataFrame:
    """For each part of the ranks the share of each script, in per cent, and where its band lies: from, to."""
    rows = []
    for part in one.growth:
        first, last = part.ranks
        count = last - first + 1
        shares = {script: part.scripts.get(script, 0) for script in named}
        shares[OTHERS] = count - sum(shares.values())
        low = 0.0
        for script, n in shares.items():
            share = 100 * n / count
            rows.append((title, last, (first + last) / 2, f"{first:,} to {last:,}", script, share, low, low + share,
                         round(part.bytes, 1)))  # fmt: skip
            low += share
    return pd.DataFrame(
        rows, columns=["tokenizer", "rank", "middle", "ranks", "script", "share", "from", "to", "bytes"]
    )


def labels_table(table: pd.DataFrame) -> pd.DataFrame:
    """For each script that has room for its name, where that stands: in the band, where it stays high for a while and
    not at the edges of the chart, or else after the end of a band that is high there (`is_after`)."""
    inner = table["middle"].between(table["middle"].quantile(EDGE), table["middle"].quantile(1 - EDGE))
    least = table.groupby("script")["share"].transform(
        lambda share: share.rolling(WIDE, min_periods=1, center=True).min()
    )
    room = least[inner & (least >= ROOM)]
    within = table.loc[room.groupby(table["script"]).idxmax()]
    last = table[table["middle"] == table["middle"].max()]
    after = last[~last["script"].isin(within["script"]) & (last["share"] >= ROOM)]
    labels: pd.DataFrame = pd.concat([within.assign(is_after=False), after.assign(is_after=True)])
    return labels.assign(at=(labels["from"] + labels["to"]) / 2)


def turn_say(title: str, one: Picture) -> Say:
    """Where what was learned changed most."""
    if one.turn is None:
        return Say("The scripts of {0:t} change little by little.", title)
    where = Text("after id {0}", one.turn.id - 1)
    if one.by_score:
        where = Text("after its first {0} tokens", one.turn.rank)
    (fell, had, has), (rose, had_of, has_of) = one.turn.fell, one.turn.rose
    return Say(
        "The scripts of {0:t} change {1:t}: {2:t} falls from {3:t} to {4:t} of the tokens, {5:t} rises from {6:t} to "
        "{7:t}.",
        title, where, Text(fell), f"{had:.0f} %", f"{has:.0f} %", Text(rose), f"{had_of:.0f} %",
        f"{has_of:.0f} %",
    )  # fmt: skip


def shares(name: str, pictures: Pictures, table: pd.DataFrame, theme: str, words: Words) -> Record:
    """Bars of shares, one color for each tokenizer; a legend where there are two."""
    titles = list(pictures)
    legend = {"orient": "top", "labelLimit": 400} if len(titles) > 1 else None
    order = list(map(words, (*named_scripts(pictures), OTHERS)))
    look = {"titles": titles, "colors": list(COLORS[: len(titles)]), "legend": legend, "ink": INK[theme]}
    return chart(name, {"table": table, "order": order, **look}, words)


def chart_of_scripts(pictures: Pictures, theme: str, words: Words) -> Record:
    """Bars by script."""
    return shares("scripts", pictures, in_words(script_table(pictures), words), theme, words)


def chart_of_lengths(pictures: Pictures, theme: str, words: Words) -> Record:
    """Bars by length in bytes."""
    return shares("lengths", pictures, length_table(pictures, words), theme, words)


def chart_of_growth(title: str, one: Picture, named: list[str], theme: str, words: Words) -> Record:
    """The scripts of what was learned, as a stream from the first ids (or ranks) to the last, each named in place."""
    table = in_words(growth_table(title, one, named), words)
    look = {"order": list(map(words, (*named, OTHERS))), "ids": [1, max(2, one.learned)], "ink": INK[theme]}
    said = {
        "title": words(Text("Learned when: scripts of {0:t}", title)),
        "x": words("rank, the highest score first") if one.by_score else words("id"),
    }
    turn = [] if one.turn is None else [{"middle": one.turn.rank}]
    return chart("growth", {"table": table, "labels": labels_table(table), "turn": turn, **look, **said}, words)

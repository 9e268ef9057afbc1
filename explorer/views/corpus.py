"""The result of a corpus job as the page draws it: tables and charts, who pays more, and a sentence for each part.

A label counts as a translation of the base's text if it has as many documents. Where no other label has, all labels are
compared by their tokens per document. A tokenizer that loses text costs nothing for it, so it is in no ranking. Numbers
are texts in sentences: the browser is exact only up to 2⁵³.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from explorer.corpus.result import Measures, Result, ResultRow
from explorer.corpus.sample import Article
from explorer.facts import listed
from explorer.tables import filled, read_toml
from explorer.text import visible_words
from explorer.text.say import Figure, Say, Text, Words, number, three_digits, two_digits
from explorer.views.premiums import LOST_FROM, Cost, Premiums, Row, Sample

BLUES = ("#f3f7fd", "#9cc4f0")
ORANGES = ("#fdf6ee", "#f2a765")
"""From low to high, pale enough for dark text on them."""
NO_LABEL = "(none)"
"""The name of records without a label."""
MOST_ROWS = 60
"""Labels or files drawn at most; the table has all of them."""


class Measure(NamedTuple):
    """A measure for a chart.

    key: in a result. says: what it measures, for a first-time reader. layout: the format of its numbers. high_is_dear:
    whether a higher number costs more.
    """

    key: str
    says: str
    layout: str = ".2f"
    high_is_dear: bool = False


FIGURES = {name: Measure(**row) for name, row in read_toml(__file__, "figures.toml").items()}
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
    return pd.DataFrame(
        [
            {
                "name": name_of(row),
                "tokenizer": label,
                "tokens": measures["tokens"],
                "documents": row.text["documents"],
                "lost": (measures.get("unknown_share") or 0.0) > LOST_FROM,
                figure: measures.get(FIGURES[figure].key),
            }
            for row, label, measures in measured(result, rows)
        ]
    )


def measured(result: Result, rows: Sequence[ResultRow]) -> Iterator[tuple[ResultRow, str, Measures]]:
    """Every row under every tokenizer, with its label and measures."""
    return ((row, *each) for row in rows for each in zip(result.tokenizers, row.measures, strict=True))


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
        for row, label, measures in measured(result, rows)
    ]
    return pd.DataFrame(made).dropna(axis="columns", how="all")


def shown_figure(figure: Measure, value: float | None) -> float | None:
    """A figure as the table has it: a share in percent.

    >>> shown_figure(FIGURES["unknown"], 0.08612), shown_figure(FIGURES["premium"], 1.5)
    (8.612, 1.5)
    """
    return round(100 * value, 6) if value is not None and figure.layout.endswith("%") else value


BELOW = 80
"""Pixels of an axis with its title, or of a legend; the page includes them in a chart's height."""
ABOVE = 60
"""The same, for names in two lines."""
LEGEND_ROW = 24

INK = {"light": "#16181d", "dark": "#f0f2f6"}
"""Theme → color of the numbers next to bars; a chart's default text is black in both."""


def chart(name: str, values: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """A chart of charts.json in Vega-Lite. values: what its `$` names stand for. words: says its titles."""
    tables = {
        key: each.astype(object).where(each.notna(), None).to_dict("records")
        for key, each in values.items() if isinstance(each, pd.DataFrame)
    }  # fmt: skip
    spec: dict[str, Any] = filled(CHARTS[name], {**values, **tables}, words)
    return spec


CHARTS: Mapping[str, Any] = json.loads(Path(__file__).with_name("charts.json").read_text("utf-8"))


def bars(
    result: Result, figure: str, theme: str = "light", beside: Sequence[Result] = (), words: Words = str
) -> dict[str, Any]:
    """One bar per tokenizer over the whole corpus, with its number. beside: results drawn on the same scale.

    words: says a title in the visitor's language.
    """
    chosen = FIGURES[figure]
    table = long_table(result, [result.total], figure)
    most = max(float(long_table(each, [each.total], figure)[figure].max()) for each in (result, *beside)) or 1.0
    # room for the number after the longest bar
    look = {"domain": [0, 1.2 * most], "ink": INK[theme], "color": (ORANGES if chosen.high_is_dear else BLUES)[1]}
    shown = {"table": table, "tokenizers": list(result.tokenizers), "height": 30 * len(result.tokenizers) + BELOW}
    return chart("bars", {**shown, **look, **figure_named(figure, words)}, words)


def figure_named(figure: str, words: Words) -> dict[str, str]:
    """What charts call a figure."""
    return {"figure": figure, "named": words(figure), "layout": FIGURES[figure].layout}


def heat_map(result: Result, rows: Sequence[ResultRow], figure: str, words: Words = str) -> dict[str, Any]:
    """Labels or files as rows, the most expensive first, tokenizers as columns."""
    chosen = FIGURES[figure]
    table = long_table(result, sorted(rows, key=lambda row: -row.text["bytes"])[:MOST_ROWS], figure)
    read = table[~table["lost"]]
    order = read.groupby("name")[figure].mean().sort_values(ascending=not chosen.high_is_dear).index.tolist()
    order += [name for name in dict.fromkeys(table["name"]) if name not in order]  # lost with every tokenizer
    known = read[figure].dropna()
    domain = [float(known.min()), float(known.max())] if len(known) else [0.0, 1.0]
    scale = {"range": list(ORANGES if chosen.high_is_dear else BLUES), "domain": domain}
    if chosen.key == "parity":
        # 1 is neutral: the middle of the colors
        most = max(2.0, float(known.max()) if len(known) else 2.0)
        colors = [*BLUES[::-1], *ORANGES]
        scale = {"range": colors, "domain": [1 / most, 0.999, 1, most], "type": "log", "clamp": True}
    # three digits: more run into each other on a phone
    layout = f"datum['{figure}'] < 10 ? '{chosen.layout}' : '{chosen.layout.replace('.2f', '.1f')}'"
    shown = f"format(datum['{figure}'], {layout})"
    look = {"scale": scale, "shown": shown, "height": 22 * len(order) + ABOVE + BELOW}
    rows_shown = {"table": table, "order": order, "tokenizers": list(result.tokenizers)}
    return chart("map", {**rows_shown, **look, **figure_named(figure, words)}, words)


def table_of_lengths(result: Result) -> pd.DataFrame:
    """One row per bucket of lengths and tokenizer: the share of documents that are at most this long.

    A document without tokens counts as length 0.
    """
    rows = []
    for label, details in zip(result.tokenizers, result.details, strict=True):
        total = sum(count for *_, count in details.buckets)
        so_far = 0
        if details.buckets and details.buckets[0][0] > 0:
            rows.append((label, 0, 0, 0.0))
        for _, last, count in details.buckets:
            so_far += count
            rows.append((label, last, count, so_far / total))
    return pd.DataFrame(rows, columns=["tokenizer", "tokens, up to", "documents", "share"])


def chart_of_lengths(result: Result, words: Words = str) -> dict[str, Any]:
    """The share of documents with at most this many tokens: how many fit into a model's context."""
    look = {"ticks": TICKS, "height": 316 + LEGEND_ROW * len(result.tokenizers)}
    return chart("fits", {"table": table_of_lengths(result), "tokenizers": list(result.tokenizers), **look}, words)


TICKS = [0, *(digit * 10**power for power in range(9) for digit in (1, 2, 5))]
"""The numbers on the axis of lengths: by itself, a scale that begins at 0 would have only two."""


def in_words(data: str) -> Text:
    """Bytes in hexadecimal, with the word.

    >>> in_words("E0"), in_words("E0 A4")
    ('byte E0', 'bytes E0 A4')
    """
    return Text("bytes {0:t}" if " " in data else "byte {0:t}", data)


def table_of_frequent(result: Result, index: int, words: Words = str) -> pd.DataFrame:
    """The most frequent tokens of the tokenizer at an index. A text of digits looks like bytes, so bytes are named."""
    in_bytes = result.details[index].in_bytes
    total = result.total.measures[index]["tokens"] or 1
    return pd.DataFrame(
        [
            (id, words(in_words(text)) if id in in_bytes else text, count, count / total)
            for id, text, count in result.details[index].frequent
        ],
        columns=["id", "token", "count", "share"],
    )


MOST_LANGUAGES = 300
"""Labels drawn at most, those with the most bytes: a dot takes room."""


def bases(result: Result) -> list[str]:
    """The labels that others can be compared with, the job's baseline first."""
    names = [name_of(row) for row in result.labels if row.text["documents"]]
    return sorted(names, key=lambda name: name != visible_words(result.baseline))


def premiums_of(result: Result, base: str) -> Premiums | None:
    """Every label under every tokenizer, compared with the base; None with fewer than two labels."""
    kept = compared_labels(result, base)
    if not kept:
        return None
    names = tuple(map(name_of, kept))
    return Premiums(
        names,
        names.index(base),
        tuple(
            Row(label, tuple(cost(row, number) for row in kept), sum(text_tokens(row, number) for row in kept))
            for number, label in enumerate(result.tokenizers)
        ),
        tuple(name_of(row) for row in result.labels if row not in kept),
    )


def compared_labels(result: Result, base: str | None = None) -> list[ResultRow]:
    """The labels that are compared with the base, by name, and the base itself; none if there are fewer than two.

    base: without one, the job's baseline, or the label that comes first.
    """
    base = next(iter(bases(result)), "") if base is None else base
    rows = sorted((row for row in result.labels if row.text["documents"]), key=lambda row: -row.text["bytes"])
    of_base = next((row for row in rows if name_of(row) == base), None)
    if of_base is None or len(rows) < 2:
        return []
    translated = [row for row in rows if row.text["documents"] == of_base.text["documents"]]
    kept = translated if len(translated) > 1 else rows
    return sorted({id(row): row for row in [of_base, *kept[:MOST_LANGUAGES]]}.values(), key=name_of)


def cost(row: ResultRow, tokenizer: int) -> Cost:
    """The tokens of one of a label's documents, on average."""
    return Cost(
        text_tokens(row, tokenizer) / row.text["documents"], row.measures[tokenizer].get("unknown_share") or 0.0
    )


def text_tokens(row: ResultRow, tokenizer: int) -> int:
    """The tokens of a label's text, without those that are added to it."""
    measures = row.measures[tokenizer]
    return int((measures["tokens"] or 0) - (measures.get("added") or 0))


def article_sample(result: Result, article: Article) -> Sample:
    """An article of the Declaration. result: of the sample, its tokenizers by any names, in its order."""
    return Sample(
        Text("Article 3, in full"),
        article.texts,
        {
            label: {language: Cost(*counts) for language, counts in article.costs[number].items()}
            for number, label in enumerate(result.tokenizers)
        },
    )


def mean_sample(premiums: Premiums) -> Sample:
    """Where the text itself is not kept: a document of average length."""
    costs = {row.name: dict(zip(premiums.languages, row.costs, strict=True)) for row in premiums.rows}
    return Sample(Text("a document, on average"), {}, costs)


def left_out_words(names: Sequence[str]) -> str:
    """What is not compared, as a sentence that follows another; nothing if all is.

    >>> left_out_words(["code"])
    ' Not compared, because its number of documents differs: code.'
    """
    says = " Not compared, because their number of documents differs: {0:t}."
    if len(names) == 1:
        says = " Not compared, because its number of documents differs: {0:t}."
    return Text(says, listed(names)) if names else ""


UNKNOWN_MATTERS = 0.01
"""From this share on, unknown tokens make a token count look better than it is."""
FREQUENT = 10
"""How many of the most frequent tokens are added up."""
FEW = 3
"""Labels that a sentence names."""


class Said(NamedTuple):
    """The answer, and what is to be said about it."""

    answer: Say
    more: Say | None


def shares_unknown(result: Result) -> list[float]:
    """Of every tokenizer the share of its tokens that are unknown."""
    return [measures.get("unknown_share") or 0.0 for measures in result.total.measures]


def named(result: Result, counts: Sequence[int], count: int) -> list[str]:
    """The tokenizers with this count."""
    return [name for name, its in zip(result.tokenizers, counts, strict=True) if its == count]


def corpus_said(result: Result) -> Said:
    """Which tokenizer needs the fewest tokens for the corpus, and its size."""
    text, shares = result.total.text, shares_unknown(result)
    size = Say("{0:t} documents of {1:t} bytes{2:t}.", number(text["documents"]), number(text["bytes"]), apart(result))
    counts = [
        int(measures["tokens"] or 0) if share <= LOST_FROM else 0
        for measures, share in zip(result.total.measures, shares, strict=True)
    ]
    compared = [count for count in counts if count]
    if len(compared) < 2:
        return Said(size, left_out(result))
    fewest, most = min(compared), max(compared)
    if fewest == most:
        who = Text("All tokenizers") if len(compared) == len(counts) else listed(named(result, counts, most))
        return Said(Say("{0:t} make {1:t} tokens of it.", who, number(fewest)), with_left_out(size, result))
    best, dearest = counts.index(fewest), listed(named(result, counts, most))
    several = counts.count(fewest) > 1, counts.count(most) > 1
    few = "{0:t} need the fewest tokens, {1:t}" if several[0] else "{0:t} needs the fewest tokens, {1:t}"
    many = "{0:t} need the most, {1:t} × as many" if several[1] else "{0:t} needs the most, {1:t} × as many"
    answer = Say(
        "{0}; {1}.",
        Say(few, listed(named(result, counts, fewest)), number(fewest)),
        Say(many, dearest, two_digits(most / fewest)),
    )
    if shares[best] >= UNKNOWN_MATTERS:
        lost = "But {0:t} of the tokens of {1:t} are the unknown token: lost text costs nothing."
        size = size.then(Say(lost, Figure(f"{shares[best]:.1%}"), result.tokenizers[best]))
    return Said(answer, with_left_out(size, result))


def apart(result: Result) -> str:
    """The documents of the labels that the comparison of languages leaves out, which the whole text has too."""
    compared = compared_labels(result)
    others = [row for row in result.labels if row.text["documents"] and row not in compared]
    if not compared or not 0 < len(others) <= FEW:
        return ""
    documents = sum(row.text["documents"] for row in others)
    return Text(", with the {0} of {1:t}", documents, listed([name_of(row) for row in others]))


def left_out(result: Result) -> Say | None:
    """Which tokenizers are in no ranking, and why."""
    names = [
        Text("{0:t} ({1:t} % unknown)", name, Figure(f"{100 * share:.2g}"))
        for name, share in zip(result.tokenizers, shares_unknown(result), strict=True) if share > LOST_FROM
    ]  # fmt: skip
    return Say("Not compared, because the text is lost: {0:t}.", listed(names)) if names else None


def with_left_out(said: Say, result: Result) -> Say:
    """A sentence, and who is not compared."""
    return said.then(*filter(None, [left_out(result)]))


def extremes(result: Result, numbers: Mapping[int, int]) -> tuple[int, int] | None:
    """The tokenizers with the least and the greatest number. numbers: by tokenizer, of those that have one.

    None if there is nothing to compare.
    """
    shares = shares_unknown(result)
    kept = {index: each for index, each in numbers.items() if shares[index] <= LOST_FROM}
    if len(set(kept.values())) < 2:
        return None
    return min(kept, key=lambda index: kept[index]), max(kept, key=lambda index: kept[index])


def lengths_said(result: Result) -> Said:
    """How long half of the documents are at most. Lengths are counted in ranges: a range's end is said."""
    halves: dict[int, int] = {}
    for index, details in enumerate(result.details):
        total, so_far = sum(count for *_, count in details.buckets), 0
        for _, last, count in details.buckets:
            so_far += count
            if 2 * so_far >= total:
                halves[index] = last
                break
    about = Say(
        "The chart shows, for each number of tokens, how many documents fit into a context window of that size."
    )
    found = extremes(result, halves)
    if found is None:
        index, half = next(iter(halves.items()))
        words = "Half of the documents have at most {0:t} tokens with {1:t}."
        return Said(Say(words, number(half), result.tokenizers[index]), about)
    least, most = found
    answer = Say(
        "Half of the documents have at most {0:t} tokens with {1:t}, at most {2:t} with {3:t}.",
        number(halves[least]), result.tokenizers[least], number(halves[most]), result.tokenizers[most],
    )  # fmt: skip
    return Said(answer, with_left_out(about, result))


def frequent_said(result: Result, index: int) -> Said:
    """Which token of a tokenizer is the most frequent one, and what the first ones make up. It has one."""
    total = result.total.measures[index]["tokens"] or 1
    first = result.details[index].frequent[:FREQUENT]
    id, text, count = first[0]
    words = "{0:q} is the most frequent token of {1:t}: {2:t} of all."
    if id in result.details[index].in_bytes:
        words = "The byte {0:q} is the most frequent token of {1:t}: {2:t} of all."
        if " " in text:
            words = "The bytes {0:q} are the most frequent token of {1:t}: {2:t} of all."
    answer = Say(words, text, result.tokenizers[index], Figure(f"{100 * count / total:.3g} %"))
    together = sum(count for *_, count in first)
    share = Figure(f"{100 * together / total:.3g} %")
    more = Say("The {0} most frequent ones together are {1:t}.", len(first), share) if len(first) > 1 else None
    return Said(answer, more)


def larger_said(result: Result, size: str, tokens: Mapping[int, int]) -> Said:
    """How many tokens a larger corpus takes. size: its size in words. tokens: estimates by tokenizer."""
    about = Say(
        "Estimates from the rates of this result. A suffix array stores a position for each byte or id, in the fewest "
        "bytes that hold the largest position, or in 4 or 8."
    )
    found = extremes(result, tokens)
    if found is None:
        index, count = next(iter(tokens.items()))
        said = Say(
            "{0:t} of such text is about {1:t} tokens with {2:t}.", size, three_digits(count), result.tokenizers[index]
        )
        return Said(said, about)
    counts = [text for index in found for text in (three_digits(tokens[index]), result.tokenizers[index])]
    answer = Say("{0:t} of such text is about {1:t} tokens with {2:t}, {3:t} with {4:t}.", size, *counts)
    return Said(answer, with_left_out(about, result))

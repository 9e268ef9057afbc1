"""The languages of a corpus job's result, as `views.premiums` draws them.

A label counts as a translation of the base's text if it has as many documents. Where no other label has, all labels are
compared by their tokens per document.
"""

from __future__ import annotations

from typing import Final

from explorer.corpus.result import Result, ResultRow
from explorer.corpus.sample import Article
from explorer.facts import listed
from explorer.text import visible_words
from explorer.views.corpus.charts import name_of
from explorer.views.premiums import Cost, Premiums, Row, Sample

MOST_LANGUAGES: Final = 300
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
        "Article 3, in full",
        article.texts,
        {
            label: {language: Cost(*counts) for language, counts in article.costs[number].items()}
            for number, label in enumerate(result.tokenizers)
        },
    )


def mean_sample(premiums: Premiums) -> Sample:
    """Where the text itself is not kept: a document of average length."""
    costs = {row.name: dict(zip(premiums.languages, row.costs, strict=True)) for row in premiums.rows}
    return Sample("a document, on average", {}, costs)


def left_out_words(premiums: Premiums) -> str:
    """What is not compared, as a sentence that follows another; nothing if all is.

    >>> left_out_words(Premiums(("en", "de"), 0, (), ("code",)))
    ' Not compared, because its number of documents differs: code.'
    """
    names = premiums.left_out
    if not names:
        return ""
    whose = "its" if len(names) == 1 else "their"
    return f" Not compared, because {whose} number of documents differs: {listed(names)}."

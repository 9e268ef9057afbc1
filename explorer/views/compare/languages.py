"""One text in many languages (`analysis.languages`), as `views.premiums` draws it."""

from __future__ import annotations

from collections import Counter
from typing import Final

from explorer.analysis.languages import Language, Languages
from explorer.views.premiums import Cost, Premiums, Row, Sample

LONGEST_TEXT: Final = 240
"""Characters of a text that are shown beside its blocks."""


def names_of(texts: tuple[Language, ...]) -> tuple[str, ...]:
    """The languages' names, with their codes where a name is given twice.

    >>> names_of((Language("en", "English", "", "", ""), Language("x", "English", "", "", "")))
    ('English (en)', 'English (x)')
    """
    times = Counter(language.name for language in texts)
    return tuple(each.name if times[each.name] == 1 else f"{each.name} ({each.code})" for each in texts)


def premiums_of(languages: Languages, labels: tuple[str, ...]) -> Premiums:
    """Every language under every tokenizer. labels: the names of the tokenizers."""
    texts = tuple(row.language for row in languages.rows)
    costs = [tuple(Cost(row.costs[number].tokens, row.costs[number].unknown) for row in languages.rows)
             for number in range(len(labels))]  # fmt: skip
    base = next(number for number, language in enumerate(texts) if language.code == languages.baseline)
    rows = (Row(label, own, round(sum(cost.tokens for cost in own))) for label, own in zip(labels, costs, strict=True))
    return Premiums(names_of(texts), base, tuple(rows))


def sample_of(languages: Languages, premiums: Premiums, title: str) -> Sample:
    """The texts themselves."""
    texts = (
        text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …"
        for text in (row.language.text for row in languages.rows)
    )
    return Sample(
        title,
        dict(zip(premiums.languages, texts, strict=True)),
        {row.name: dict(zip(premiums.languages, row.costs, strict=True)) for row in premiums.rows},
    )

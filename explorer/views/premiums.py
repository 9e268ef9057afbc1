"""Who pays more for the same text? The premium of each language under several tokenizers, for `ui.components.premiums`.

A language's premium is its tokens as a multiple of the base language's for the same content (Petrov et al. 2023). Text
that becomes the unknown token is lost and costs nothing, so a language of which a tokenizer loses more than `LOST_FROM`
is drawn hollow and has no place in a ranking. Leaves out drawing: the browser places the dots.
"""

from collections import Counter
from collections.abc import Mapping
from statistics import median
from typing import Any, NamedTuple

from explorer.analysis.languages import Language, Languages

LOST_FROM = 0.05
"""The share of unknown text above which a count is not compared."""


class Cost(NamedTuple):
    """One language under one tokenizer. tokens: of the whole text; lost: the share of it that is unknown."""

    tokens: float
    lost: float = 0.0

    @property
    def is_read(self) -> bool:
        """Whether the tokenizer reads enough of the text for its count to mean something."""
        return self.lost <= LOST_FROM and self.tokens > 0


class Sample(NamedTuple):
    """A short text of which the picture draws each token as a block.

    texts: by language, empty where only the counts are known. costs: row → language → cost.
    """

    title: str
    texts: Mapping[str, str]
    costs: Mapping[str, Mapping[str, Cost]]


class Row(NamedTuple):
    """One tokenizer: the cost of each language, in the order of `Premiums.languages`. total: the tokens of all."""

    name: str
    costs: tuple[Cost, ...]
    total: int = 0

    def premium(self, language: int, base: int) -> float | None:
        """A language's premium; None if there is nothing to divide by.

        >>> row = Row("GPT-2", (Cost(10), Cost(25)))
        >>> row.premium(1, 0)
        2.5
        """
        other = self.costs[base].tokens
        return self.costs[language].tokens / other if other else None

    def middle(self, base: int) -> float | None:
        """The premium of the language in the middle, of those the tokenizer reads; None if it reads none.

        >>> Row("GPT-2", (Cost(10), Cost(12), Cost(20), Cost(90), Cost(5, lost=0.9))).middle(0)
        2.0
        """
        if not self.costs[base].is_read:
            return None
        read = [cost.tokens for number, cost in enumerate(self.costs) if number != base and cost.is_read]
        return median(read) / self.costs[base].tokens if read else None


class Premiums(NamedTuple):
    """All languages under all tokenizers. base: the number of the language they are compared with.

    left_out: names of what the source has but is no translation of the base language's text.
    """

    languages: tuple[str, ...]
    base: int
    rows: tuple[Row, ...]
    left_out: tuple[str, ...] = ()

    def sorted_rows(self) -> list[Row]:
        """The tokenizers, the one whose middle language pays least first; those that read none last."""
        return sorted(self.rows, key=lambda row: (row.middle(self.base) is None, row.middle(self.base) or 0.0))

    def dearest(self) -> int:
        """The language that pays most under the last tokenizer that reads any; the base if there is no other."""
        readers = [row for row in self.sorted_rows() if row.middle(self.base) is not None]
        if not readers:
            return next((number for number in range(len(self.languages)) if number != self.base), self.base)
        costs = readers[-1].costs
        others = [number for number, cost in enumerate(costs) if number != self.base and cost.is_read]
        return max(others, key=lambda number: costs[number].tokens)


def picture(premiums: Premiums, sample: Sample, *, left_out: str = "", link: str = "") -> dict[str, Any]:
    """The message to the browser. left_out: what is not compared, in words. link: opens a text, appended to it."""
    base, rows = premiums.base, premiums.sorted_rows()
    return {
        "languages": list(premiums.languages),
        "base": base,
        "chosen": premiums.dearest(),
        "rows": [
            {
                "name": row.name,
                "tokens": row.total,
                "middle": digits(row.middle(base)),
                "premiums": [digits(row.premium(number, base)) for number in range(len(row.costs))],
                "lost": [round(cost.lost, 4) for cost in row.costs],
                "read": [cost.is_read and row.costs[base].is_read for cost in row.costs],
                "blocks": [
                    [round(cost.tokens), round(cost.lost, 3)]
                    for cost in (sample.costs[row.name][language] for language in premiums.languages)
                ],
            }
            for row in rows
        ],
        "title": sample.title,
        "texts": [sample.texts.get(language, "") for language in premiums.languages],
        "link": link,
        "left_out": left_out,
        "words": WORDS,
        "lost_from": LOST_FROM,
    }


def digits(number: float | None) -> float | None:
    """A number with enough digits for a place on a log axis of 1,000 pixels and for three digits of text."""
    return None if number is None else float(f"{number:.4g}")


WORDS = {
    "two": "The same text in {0:t} costs {1:t} {2:t} with {3:t}, {4:t} with {5:t}.",
    "one": "The same text in {0:t} costs {1:t} {2:t} with {3:t}.",
    "none": f"{{0:t}} can't be compared: each tokenizer here loses more than {LOST_FROM:.0%} of it.",
}
"""The sentence of the chosen language. 0: the language, 1 and 4: premiums, 2: the base, 3 and 5: tokenizers."""


LONGEST_TEXT = 240
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

"""Comparisons as lines of Markdown. Positions count from 1, as in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from explorer.analysis.alignment import Alignment
from explorer.analysis.divergence.result import Comparison, numbered_span
from explorer.analysis.expected import Explanation
from explorer.analysis.exports.tables import explained_rows
from explorer.analysis.languages import LanguageCost, Languages
from explorer.analysis.notes import notes

MOST: Final = 100
"""The most rows of a table."""


def comparison_lines(alignment: Alignment, comparisons: Sequence[Comparison]) -> list[str]:
    """The results, the rows with their numbers, and the divergences."""
    said = [sentence for each in comparisons for sentence in (each.sentence, *notes(each))]
    lines = [line for each in said for line in (escaped(each), "")]
    base = alignment.rows[alignment.baseline].label
    lines += table(
        ["tokenizer", "tokens", "characters per token", "bytes per token", f"relative to {base}"],
        [[row.label, row.tokens, f"{row.characters:.2f}", f"{row.bytes:.2f}",
          "" if row.relative is None else f"{row.relative:.2f}"] for row in alignment.rows],
    )  # fmt: skip
    for comparison in comparisons:
        if comparison.divergences:
            lines += ["", escaped(f"{comparison.left.label} and {comparison.right.label}:"), ""]
            lines += table(
                ["stage", "kind", "characters", comparison.left.label, comparison.right.label],
                [[each.stage, each.kind.value, numbered_span(each.region), each.left.does, each.right.does]
                 for each in comparison.divergences[:MOST]],
            )  # fmt: skip
            if len(comparison.divergences) > MOST:
                lines += ["", f"And {len(comparison.divergences) - MOST} more."]
    return lines


def table_lines(says: Iterable[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Sentences and a table whose first row is its heading.

    >>> for line in table_lines(["It is so."], [["a", "b"], [1, None]]): print(line)
    It is so.
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | 1 |  |
    """
    lines = [line for each in says for line in (escaped(each), "")]
    heading, *body = rows
    lines += table(heading, (["" if value is None else value for value in row] for row in body[:MOST]))
    if len(body) > MOST:
        lines += ["", f"And {len(body) - MOST} more."]
    return lines


def explanation_lines(explanations: Mapping[str, Explanation]) -> list[str]:
    """Expected ids under each tokenizer: the verdict, every region, and both lists side by side."""
    lines: list[str] = []
    for label, explanation in explanations.items():
        lines += ["", f"### Expected ids and {escaped(label)}", "", escaped(explanation.sentence), ""]
        lines += [f"{number}. {escaped(each.sentence)}" for number, each in enumerate(explanation.regions[:MOST], 1)]
        if len(explanation.regions) > MOST:
            lines += ["", f"And {len(explanation.regions) - MOST} more."]
        columns = ("region", "expected id", "expected piece", "given id", "given piece")
        heading, *body = explained_rows({label: explanation})
        indices = [heading.index(name) for name in columns]
        shown = [row for row in body if not row[-1]] or body
        rows = [[row[index] for index in indices] for row in (heading, *shown)]
        lines += [*([""] if explanation.regions else []), *table_lines([], rows)]
    return lines


def languages_lines(table_of: Languages) -> list[str]:
    """Languages by tokenizers: tokens and premium, and the share of unknown characters if it makes them meaningless."""
    heading: list[object] = ["language", "script", "bytes per character", *table_of.labels]
    rows = [
        [f"{row.language.name} ({row.language.code})", row.language.script, f"{row.bytes_per_character:.2f}",
         *map(cost_shown, row.costs)]
        for row in table_of.rows
    ]  # fmt: skip
    return table(heading, rows)


def cost_shown(cost: LanguageCost) -> str:
    """The cost of a text, for a table.

    >>> cost_shown(LanguageCost(9, 1.5, 4.0, 0.0, 0.0)), cost_shown(LanguageCost(2, 0.3, 4.0, 0.9, 0.0))
    ('9 (×1.50)', '2 (×0.30, 90% unknown)')
    """
    says = [] if cost.premium is None else [f"×{cost.premium:.2f}"]
    says += [] if cost.is_read else [f"{cost.unknown:.0%} unknown"]
    return f"{cost.tokens} ({', '.join(says)})" if says else f"{cost.tokens}"


def table(heading: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return [f"| {' | '.join(escaped(str(value)) for value in line)} |" for line in lines]


def escaped(text: str) -> str:
    """A text escaped for Markdown, on one line.

    >>> escaped("<b> | *a*")
    '\\\\<b\\\\> \\\\| \\\\*a\\\\*'
    """
    return "".join(f"\\{ch}" if ch in "\\`*_{}[]<>|#~" else ch for ch in " ".join(text.split()))

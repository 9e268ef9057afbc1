"""Comparisons to take away: as plain values for JSON, as rows for CSV, as Markdown.

Positions are code points from 0 in JSON and CSV, where programs read them, and from 1 in sentences and Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from explorer.analysis.alignment import Alignment
from explorer.analysis.divergence import Comparison, Divergence, Half
from explorer.analysis.expected import Explanation
from explorer.analysis.parallel import Cost, Languages
from explorer.analysis.prefix_stability import Stability
from explorer.analysis.what_if import Variation

MOST = 100
"""Divergences listed in Markdown."""


def alignment_record(alignment: Alignment) -> dict[str, Any]:
    """The rows with their numbers and their cells."""
    return {
        "text": alignment.text,
        "baseline": alignment.rows[alignment.baseline].label,
        "smallest": alignment.smallest,
        "largest": alignment.largest,
        "spread": alignment.spread,
        "breaks": list(alignment.breaks),
        "rows": [
            {
                "label": row.label,
                "tokens": row.tokens,
                "added": row.added,
                "characters_per_token": row.characters,
                "bytes_per_token": row.bytes,
                "relative": row.relative,
                "ids": row.encoding.ids,
                "pieces": row.encoding.pieces,
                "bytes": [data.hex() for data in row.encoding.bytes],
                "cells": [
                    {"start": cell.start, "end": cell.end, "kind": cell.kind.value, "ringed": ringed,
                     "tokens": list(range(cell.first, cell.last))}
                    for cell, ringed in zip(row.cells, row.ringed, strict=True)
                ],
                "uncovered": [list(span) for span in row.uncovered],
            }
            for row in alignment.rows
        ],
    }  # fmt: skip


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """Both sides, whether they are the same, and every divergence."""
    return {
        "left": comparison.left.label,
        "right": comparison.right.label,
        "same": comparison.same,
        "kind": comparison.kind.value,
        "sentence": comparison.sentence,
        "first": divergence_record(comparison.first) if comparison.first else None,
        "divergences": [divergence_record(each) for each in comparison.divergences],
        "harmless": [
            {"stage": each.stage, "kind": each.kind.value, "times": each.times, "start": each.spot.start,
             "end": each.spot.end, "sentence": each.sentence}
            for each in comparison.harmless
        ],
    }  # fmt: skip


def divergence_record(divergence: Divergence) -> dict[str, Any]:
    """One divergence."""
    return {
        "stage": divergence.stage,
        "kind": divergence.kind.value,
        "says": divergence.kind.says,
        "region": list(divergence.region),
        "spot": list(divergence.spot),
        "sentence": divergence.sentence,
        "left": half_record(divergence.left),
        "right": half_record(divergence.right),
    }


def half_record(half: Half) -> dict[str, Any]:
    """One side of a divergence."""
    return {
        "stage": half.stage,
        "event": half.event,
        "text": half.text,
        "points": list(half.points),
        "does": half.does,
        "ids": [token.id for token in half.tokens],
    }


def explanation_record(explanation: Explanation) -> dict[str, Any]:
    """Expected ids and what became of them."""
    return {
        "expected": list(explanation.expected),
        "given": explanation.given.ids,
        "reason": explanation.reason.value,
        "sentence": explanation.sentence,
        "decoded": explanation.decoded,
        "at": explanation.at,
        "tokenizers": list(explanation.specs),
        "options": explanation.options._asdict() if explanation.options else None,
        "stretches": [
            {"same": each.same, "expected": [each.expected.start, each.expected.stop],
             "given": [each.given.start, each.given.stop]}
            for each in explanation.stretches
        ],
    }  # fmt: skip


def flips_record(flips: Sequence[tuple[Variation, Comparison]]) -> list[dict[str, Any]]:
    """Every switch as it was flipped, and what came of it."""
    return [
        {"switch": flip.switch.value, "from": flip.on, "to": flip.spec or not flip.on} | comparison_record(comparison)
        for flip, comparison in flips
    ]


def stability_record(stability: Stability) -> dict[str, Any]:
    """A text as it grows: of each beginning, what became of its tokens."""
    return {
        "text": stability.text,
        "step": stability.step,
        "furthest": stability.furthest,
        "prefixes": [
            {"length": prefix.length, "kept": prefix.kept, "changed": prefix.changed, "reach": prefix.reach,
             "ids": [token.id for token in tokens]}
            for prefix, tokens in zip(stability.prefixes, stability.tokens(), strict=True)
        ],
    }  # fmt: skip


def languages_record(table: Languages) -> dict[str, Any]:
    """What every language costs with every tokenizer."""
    return {
        "baseline": table.baseline,
        "tokenizers": list(table.labels),
        "languages": [
            {
                "code": row.language.code,
                "name": row.language.name,
                "script": row.language.script,
                "text": row.language.text,
                "characters": row.characters,
                "bytes": row.bytes,
                "costs": [
                    {
                        "tokens": cost.tokens,
                        "premium": cost.premium,
                        "unknown": cost.unknown,
                        "broken": cost.broken,
                        "is_read": cost.is_read,
                    }
                    for cost in row.costs
                ],
            }
            for row in table.rows
        ],
    }


# --- rows -----------------------------------------------------------------------------------------------------------


def alignment_rows(alignment: Alignment) -> list[list[object]]:
    """A heading and one row a token: where it stands and what it is made of.

    >>> import explorer
    >>> from explorer.analysis.alignment import align
    >>> for row in alignment_rows(align("is", [("gpt-2", explorer.load("gpt-2").encode("is"))])): print(row)
    ['tokenizer', 'token', 'id', 'piece', 'bytes', 'from', 'start', 'end', 'text', 'ringed']
    ['gpt-2', 0, 271, 'is', '69 73', 'text', 0, 2, 'is', False]
    """
    made: list[list[object]] = [
        ["tokenizer", "token", "id", "piece", "bytes", "from", "start", "end", "text", "ringed"]
    ]
    for row in alignment.rows:
        pieces, data = row.encoding.pieces, row.encoding.bytes
        for cell, ringed in zip(row.cells, row.ringed, strict=True):
            text = alignment.text[cell.start : cell.end]
            made += [
                [row.label, place, row.encoding.tokens[place].id, pieces[place], data[place].hex(" ").upper(),
                 cell.kind.value, cell.start, cell.end, text, ringed]
                for place in range(cell.first, cell.last)
            ]  # fmt: skip
    return made


def comparisons_rows(comparisons: Iterable[Comparison]) -> list[list[object]]:
    """A heading and one row a place in which the ids of two sides differ."""
    made: list[list[object]] = [
        ["left", "right", "start", "end", "text", "stage", "kind", "left ids", "right ids", "because"]
    ]
    for comparison in comparisons:
        left, right = comparison.left, comparison.right
        made += [
            [left.label, right.label, *each.region, left.text[slice(*each.region)], each.stage, each.kind.value,
             listed(each.left), listed(each.right), each.sentence]
            for each in comparison.divergences
        ]  # fmt: skip
    return made


def listed(half: Half) -> str:
    return " ".join(str(token.id) for token in half.tokens)


def explanation_rows(explanation: Explanation) -> list[list[object]]:
    """A heading and one row an id: the expected one and the one given in its place; None where there is none."""
    made: list[list[object]] = [["number", "expected", "given", "same"]]
    for stretch in explanation.stretches:
        expected = [explanation.expected[place] for place in stretch.expected]
        given = [explanation.given.ids[place] for place in stretch.given]
        for one, other in zip_longest(expected, given):
            made.append([len(made) - 1, one, other, stretch.same])
    return made


def stability_rows(stability: Stability) -> list[list[object]]:
    """A heading and one row a beginning of the text."""
    made: list[list[object]] = [["characters", "tokens", "kept", "changed", "reach"]]
    return made + [
        [prefix.length, prefix.kept + len(prefix.tail), prefix.kept, prefix.changed, prefix.reach]
        for prefix in stability.prefixes
    ]


def languages_rows(table: Languages) -> list[list[object]]:
    """A heading and one row a language and tokenizer."""
    made: list[list[object]] = [
        ["language", "name", "script", "characters", "bytes", "bytes per character", "tokenizer", "tokens", "premium",
         "characters per token", "unknown", "broken"]
    ]  # fmt: skip
    for row in table.rows:
        language = row.language
        for label, cost in zip(table.labels, row.costs, strict=True):
            made.append(
                [language.code, language.name, language.script, row.characters, row.bytes, row.bytes_per_character,
                 label, cost.tokens, cost.premium, cost.characters_per_token, cost.unknown, cost.broken]
            )  # fmt: skip
    return made


def markdown(alignment: Alignment, comparisons: Sequence[Comparison]) -> str:
    """The answer, the rows with their numbers, and where they part."""
    lines = [escaped(comparison.sentence) for comparison in comparisons]
    lines = [line for each in lines for line in (each, "")]
    size = f"{len(alignment.text)} characters, {len(alignment.text.encode())} bytes"
    lines += [f"Text: {size}.", ""]
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
                [[each.stage, each.kind.value, f"{each.region.start + 1}–{each.region.end}", each.left.does,
                  each.right.does] for each in comparison.divergences[:MOST]],
            )  # fmt: skip
            if len(comparison.divergences) > MOST:
                lines += ["", f"And {len(comparison.divergences) - MOST} more."]
    return "\n".join(lines) + "\n"


def rows_markdown(says: Iterable[str], rows: Sequence[Sequence[object]]) -> str:
    """Sentences and a table, whose first row is its heading.

    >>> print(rows_markdown(["It is so."], [["a", "b"], [1, None]]), end="")
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
    return "\n".join(lines) + "\n"


def languages_markdown(table_of: Languages) -> str:
    """Languages by tokenizers: tokens and premium, and where so much is unknown that they deceive, its share."""
    heading: list[object] = ["language", "script", "bytes per character", *table_of.labels]
    rows = [
        [f"{row.language.name} ({row.language.code})", row.language.script, f"{row.bytes_per_character:.2f}",
         *map(cost_shown, row.costs)]
        for row in table_of.rows
    ]  # fmt: skip
    return "\n".join(table(heading, rows)) + "\n"


def cost_shown(cost: Cost) -> str:
    """What a text costs, for a table.

    >>> cost_shown(Cost(9, 1.5, 4.0, 0.0, 0.0)), cost_shown(Cost(2, 0.3, 4.0, 0.9, 0.0))
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
    """A text that Markdown shows as it is, on one line.

    >>> escaped("<b> | *a*")
    '\\\\<b\\\\> \\\\| \\\\*a\\\\*'
    """
    return "".join(f"\\{ch}" if ch in "\\`*_{}[]<>|#~" else ch for ch in " ".join(text.split()))

"""Comparisons as tables, the heading first: for CSV and Markdown. Positions are code points from 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from explorer.analysis.alignment import Alignment
from explorer.analysis.divergence.result import Comparison, Side
from explorer.analysis.expected import Explanation
from explorer.analysis.languages import Languages
from explorer.analysis.prefix_stability import Stability
from explorer.analysis.what_if import Variation


def alignment_rows(alignment: Alignment) -> list[list[object]]:
    """A heading and one row per token: its span and its content.

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
                [row.label, index, row.encoding.tokens[index].id, pieces[index], data[index].hex(" ").upper(),
                 cell.kind.value, cell.start, cell.end, text, ringed]
                for index in range(cell.first, cell.last)
            ]  # fmt: skip
    return made


OF_COMPARISON: Final = (
    "left", "right", "start", "end", "text", "stage", "kind", "left ids", "right ids", "because",
)  # fmt: skip


def comparisons_rows(comparisons: Iterable[Comparison]) -> list[list[object]]:
    """A heading and one row per region in which the ids differ; one row that says so if they don't."""
    made: list[list[object]] = [list(OF_COMPARISON)]
    for comparison in comparisons:
        left, right = comparison.left, comparison.right
        made += [
            [left.label, right.label, *each.region, left.text[slice(*each.region)], each.stage, each.kind.value,
             ids_of(each.left), ids_of(each.right), each.sentence]
            for each in comparison.divergences
        ]  # fmt: skip
        if not comparison.divergences:
            made.append([left.label, right.label, *[None] * 7, comparison.sentence])
    return made


def flips_rows(flips: Sequence[tuple[Variation, Comparison]]) -> list[list[object]]:
    """The same for every flipped switch, with the switch as the first column."""
    made: list[list[object]] = [["switch", *OF_COMPARISON]]
    for flip, comparison in flips:
        made += [[flip.switch.value, *row] for row in comparisons_rows([comparison])[1:]]
    return made


def ids_of(side: Side) -> str:
    """The ids of one side, separated by spaces."""
    return " ".join(str(token.id) for token in side.tokens)


def explained_rows(explanations: Mapping[str, Explanation]) -> list[list[object]]:
    """A heading and one row per id: the expected one and the given one for the same text; None if one is missing.

    Indices and the characters of the given id count from 0. region: the number of the region in which the ids differ,
    from 1.

    >>> import explorer
    >>> from explorer.analysis.expected import explain
    >>> for row in explained_rows({"x": explain(explorer.load("gpt-2"), "What is", [2061, 1312, 82])})[2:]: print(row)
    ['x', 1, 1, 1312, 'Ġi', 1, 318, 'Ġis', 4, 7, ' is', False]
    ['x', 1, 2, 82, 's', None, None, None, None, None, None, False]
    """
    made: list[list[object]] = [[
        "tokenizer", "region", "expected index", "expected id", "expected piece", "given index", "given id",
        "given piece", "start", "end", "text", "same",
    ]]  # fmt: skip
    for label, explanation in explanations.items():
        regions = {region.stretch: number for number, region in enumerate(explanation.regions, 1)}
        tokens, vocabulary = explanation.given.tokens, explanation.given.vocabulary
        for stretch in explanation.stretches:
            for one, other in zip_longest(stretch.expected, stretch.given):
                row: list[object] = [None] * 9
                if one is not None:
                    id = explanation.expected[one]
                    row[:3] = one, id, vocabulary.spelling(id) if 0 <= id < len(vocabulary) else None
                if other is not None:
                    id, start, end = tokens[other]
                    row[3:6] = other, id, vocabulary.spelling(id)
                    row[6:] = (start, end, explanation.text[start:end]) if start >= 0 else (None, None, None)
                made.append([label, regions.get(stretch), *row, stretch.same])
    return made


def stability_rows(stability: Stability) -> list[list[object]]:
    """A heading and one row per prefix."""
    made: list[list[object]] = [["characters", "tokens", "kept", "changed", "reach"]]
    return made + [
        [prefix.length, prefix.kept + len(prefix.tail), prefix.kept, prefix.changed, prefix.reach]
        for prefix in stability.prefixes
    ]


def languages_rows(table: Languages) -> list[list[object]]:
    """A heading and one row per language and tokenizer."""
    made: list[list[object]] = [
        ["language", "name", "script", "text", "characters", "bytes", "bytes per character", "tokenizer", "tokens",
         "premium", "characters per token", "unknown", "broken"]
    ]  # fmt: skip
    for row in table.rows:
        language = row.language
        for label, cost in zip(table.labels, row.costs, strict=True):
            made.append(
                [language.code, language.name, language.script, language.text, row.characters, row.bytes,
                 row.bytes_per_character, label, cost.tokens, cost.premium, cost.characters_per_token, cost.unknown,
                 cost.broken]
            )  # fmt: skip
    return made

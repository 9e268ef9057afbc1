"""Comparisons as exports: for each result its record (JSON), its rows (CSV, the heading first) and what writes it.

Positions are code points from 0; in Markdown they count from 1, as in sentences.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from explorer.analysis.boundary.followers import Stability
from explorer.analysis.divergence.result import Comparison, Divergence, Run, numbered_span
from explorer.analysis.expected.expected_ids import Explanation, Stretch
from explorer.analysis.export import COLUMNS, MOST, Export, Provenance, Table, escaped, picked, table, table_lines
from explorer.analysis.languages import LanguageCost, Languages
from explorer.analysis.notes import notes
from explorer.analysis.ownership import Alignment, align
from explorer.analysis.what_if import Variation
from explorer.engine.part import Options
from explorer.implementations.opened import Opened
from explorer.tables import Record
from explorer.text.say import plain

BY_LABEL: Mapping[str, str] = {"": "tokenizer"}
"""Each row is about the tokenizer that its column `tokenizer` names."""


def made_of(runs: Sequence[Run]) -> Provenance:
    """The provenance of runs on one text with the same options."""
    first = runs[0]
    return Provenance.of([run.tokenizer for run in runs], first.read, first.options, [run.label for run in runs])


# --- several tokenizers, aligned --------------------------------------------------------------------------------------


def alignment_record(alignment: Alignment) -> Record:
    """The rows with their numbers and cells."""
    return {
        "text": alignment.text,
        "baseline": alignment.rows[alignment.baseline].label,
        **picked(alignment, "smallest", "largest", "spread"),
        "breaks": alignment.breaks,
        "rows": [
            {
                **picked(row, "label", "tokens", "added"),
                "characters_per_token": row.characters,
                "bytes_per_token": row.bytes,
                "relative": row.relative,
                **picked(row.encoding, "ids", "pieces"),
                "bytes": [data.hex() for data in row.encoding.bytes],
                "cells": [
                    picked(cell, "start", "end", "kind")
                    | {"ringed": ringed, "tokens": list(range(cell.first, cell.last))}
                    for cell, ringed in zip(row.cells, row.ringed, strict=True)
                ],
                "uncovered": row.uncovered,
            }
            for row in alignment.rows
        ],
    }


def alignment_rows(alignment: Alignment) -> Table:
    """A heading and one row per token: its span and its content.

    >>> import explorer
    >>> from explorer.analysis.ownership import align
    >>> for row in alignment_rows(align("is", [("gpt-2", explorer.load("gpt-2").encode("is"))])): print(row)
    ['tokenizer', 'token', 'id', 'piece', 'bytes', 'from', 'start', 'end', 'text', 'ringed']
    ['gpt-2', 0, 271, 'is', '69 73', 'text', 0, 2, 'is', False]
    """
    made: Table = [COLUMNS["alignment"]]
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


def alignment_export(made: Provenance, alignment: Alignment) -> Export:
    """Several tokenizers, aligned. One row per token."""
    return Export(
        "alignment", made, lambda: alignment_record(alignment), lambda: alignment_rows(alignment),
        lambda: comparison_lines(alignment, ()), BY_LABEL,
    )  # fmt: skip


# --- where two diverge ------------------------------------------------------------------------------------------------


def comparison_record(comparison: Comparison) -> Record:
    """Both sides, whether their ids are the same, and every divergence."""
    return {
        "left": comparison.left.label,
        "right": comparison.right.label,
        **picked(comparison, "same", "kind", "sentence"),
        "notes": list(map(plain, notes(comparison))),
        "first": comparison.first and divergence_record(comparison.first),
        "divergences": [divergence_record(each) for each in comparison.divergences],
        "harmless": [
            {**picked(first, "stage", "kind", "sentence"), "times": times, **first.spot._asdict()}
            for first, times in comparison.harmless
        ],
    }


def divergence_record(divergence: Divergence) -> Record:
    """One divergence."""
    left, right = (
        picked(side, "stage", "event", "text", "points", "does") | {"ids": [token.id for token in side.tokens]}
        for side in (divergence.left, divergence.right)
    )
    fields = picked(divergence, "stage", "kind", "region", "spot", "sentence")
    return fields | {"says": divergence.kind.says, "left": left, "right": right}


def comparisons_rows(comparisons: Iterable[Comparison]) -> Table:
    """A heading and one row per region in which the ids differ; one row that says so if they don't."""
    made: Table = [COLUMNS["comparison"]]
    for comparison in comparisons:
        left, right = comparison.sides
        for each in comparison.divergences:
            ids = (" ".join(str(token.id) for token in side.tokens) for side in (each.left, each.right))
            text = left.text[slice(*each.region)]
            made.append([left.label, right.label, *each.region, text, each.stage, each.kind.value, *ids, each.sentence])
        if not comparison.divergences:
            made.append([left.label, right.label, *[None] * 7, comparison.sentence])
    return made


def comparison_lines(alignment: Alignment, comparisons: Sequence[Comparison]) -> list[str]:
    """The results, the rows with their numbers, and the divergences."""
    said = [sentence for each in comparisons for sentence in (each.sentence, *map(plain, notes(each)))]
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
                [
                    [each.stage, each.kind.value, numbered_span(each.region), each.left.does, each.right.does]
                    for each in comparison.divergences[:MOST]
                ],
            )
            if len(comparison.divergences) > MOST:
                lines += ["", f"And {len(comparison.divergences) - MOST} more."]
    return lines


def divergence_export(comparison: Comparison) -> Export:
    """Where two tokenizers diverge. One row per region."""
    sides = comparison.sides
    return Export(
        "parting",
        made_of(sides),
        lambda: comparison_record(comparison),
        lambda: comparisons_rows([comparison]),
        lambda: comparison_lines(align(sides[0].text, [(each.label, each.encoding) for each in sides]), [comparison]),
        {"left_": "left", "right_": "right"},
    )


# --- one tokenizer with its switches flipped --------------------------------------------------------------------------


def flips_record(flips: Sequence[tuple[Variation, Comparison]]) -> list[Record]:
    """Every flipped switch with its comparison."""
    return [
        {"switch": flip.switch.value, "from": flip.on, "to": flip.spec or not flip.on} | comparison_record(comparison)
        for flip, comparison in flips
    ]


def flips_rows(flips: Sequence[tuple[Variation, Comparison]]) -> Table:
    """The same for every flipped switch, with the switch as the first column."""
    rows = ([flip.switch.value, *row] for flip, each in flips for row in comparisons_rows([each])[1:])
    return [["switch", *COLUMNS["comparison"]], *rows]


def flips_export(made: Provenance, flips: Sequence[tuple[Variation, Comparison]], says: Sequence[str]) -> Export:
    """One tokenizer with each of its switches flipped. says: a sentence for each switch."""
    return Export(
        "what-if",
        made,
        lambda: {"flips": flips_record(flips)},
        lambda: flips_rows(flips),
        lambda: table_lines(says, flips_rows(flips)),
    )


# --- a growing text ---------------------------------------------------------------------------------------------------


def stability_record(stability: Stability) -> Record:
    """The tokens of a growing text, by prefix."""
    return picked(stability, "text", "step", "furthest") | {
        "prefixes": [
            picked(prefix, "length", "kept", "changed", "reach") | {"ids": [token.id for token in tokens]}
            for prefix, tokens in zip(stability.prefixes, stability.tokens(), strict=True)
        ]
    }


def stability_rows(stability: Stability) -> Table:
    """A heading and one row per prefix."""
    made: Table = [COLUMNS["growing"]]
    for length, kept, tail, changed, reach in stability.prefixes:
        made.append([length, kept + len(tail), kept, changed, reach])
    return made


def stability_export(made: Provenance, found: Stability, says: str) -> Export:
    """The tokens of a growing text. One row per prefix."""
    return Export(
        "typing",
        made,
        lambda: stability_record(found),
        lambda: stability_rows(found),
        lambda: table_lines([says], stability_rows(found)),
    )


# --- one text in many languages ---------------------------------------------------------------------------------------


def languages_record(table: Languages) -> Record:
    """The cost of every language with every tokenizer."""
    return {
        "baseline": table.baseline,
        "tokenizers": table.labels,
        "languages": [
            picked(row.language, "code", "name", "script", "text")
            | picked(row, "characters", "bytes")
            | {"costs": [picked(cost, "tokens", "premium", "unknown", "broken", "is_read") for cost in row.costs]}
            for row in table.rows
        ],
    }


def languages_rows(table: Languages) -> Table:
    """A heading and one row per language and tokenizer."""
    lines: Table = [COLUMNS["languages"]]
    for row in table.rows:
        code, name, _, script, text = row.language
        own = code, name, script, text, row.characters, row.bytes, row.bytes_per_character
        lines += [[*own, label, *cost] for label, cost in zip(table.labels, row.costs, strict=True)]
    return lines


def cost_shown(cost: LanguageCost) -> str:
    """The cost of a text, for a table.

    >>> cost_shown(LanguageCost(9, 1.5, 4.0, 0.0, 0.0)), cost_shown(LanguageCost(2, 0.3, 4.0, 0.9, 0.0))
    ('9 (×1.50)', '2 (×0.30, 90% unknown)')
    """
    says = [] if cost.premium is None else [f"×{cost.premium:.2f}"]
    says += [] if cost.is_read else [f"{cost.unknown:.0%} unknown"]
    return f"{cost.tokens} ({', '.join(says)})" if says else f"{cost.tokens}"


def languages_export(tokenizers: Sequence[Opened], found: Languages) -> Export:
    """One text in many languages. One row per language and tokenizer; in Markdown, one per language.

    There, the share of unknown characters stands beside tokens and premium if it makes them meaningless.
    """

    def lines() -> list[str]:
        rows = [
            [f"{row.language.name} ({row.language.code})", row.language.script, f"{row.bytes_per_character:.2f}",
             *map(cost_shown, row.costs)]
            for row in found.rows
        ]  # fmt: skip
        return table(["language", "script", "bytes per character", *found.labels], rows)

    made = Provenance.of(tokenizers, None, Options(add_special=False), found.labels)
    return Export("languages", made, lambda: languages_record(found), lambda: languages_rows(found), lines, BY_LABEL)


# --- expected ids -----------------------------------------------------------------------------------------------------


def explanation_record(explanation: Explanation) -> Record:
    """Expected ids and their explanation."""
    return {
        **picked(explanation, "expected", "reason", "sentence", "decoded", "at", "cuts", "pattern"),
        "given": explanation.given.ids,
        "tokenizers": explanation.specs,
        "options": explanation.options and explanation.options._asdict(),
        "regions": [
            {"place": region.stretch.position, **picked(region, "span", "sentence"), **sides_record(region.stretch)}
            for region in explanation.regions
        ],
        "stretches": [{"same": each.same} | sides_record(each) for each in explanation.stretches],
    }


def sides_record(stretch: Stretch) -> Record:
    """The ranges of a stretch in both lists."""
    return {
        "expected": [stretch.expected.start, stretch.expected.stop],
        "given": [stretch.given.start, stretch.given.stop],
    }


def explained_rows(explanations: Mapping[str, Explanation]) -> Table:
    """A heading and one row per id: the expected one and the given one for the same text; None if one is missing.

    Indices and the characters of the given id count from 0. region: the number of the region in which the ids differ,
    from 1.

    >>> import explorer
    >>> from explorer.analysis.expected.explainer import explain
    >>> for row in explained_rows({"x": explain(explorer.load("gpt-2"), "What is", [2061, 1312, 82])})[2:]: print(row)
    ['x', 1, 1, 1312, 'Ġi', 1, 318, 'Ġis', 4, 7, ' is', False]
    ['x', 1, 2, 82, 's', None, None, None, None, None, None, False]
    """
    made: Table = [COLUMNS["expected"]]
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


def explanation_export(made: Provenance, found: Explanation) -> Export:
    """Expected ids beside those of one tokenizer. One row per id."""
    label = made.tokenizers[0].label
    return Export(
        "expected", made, lambda: explanation_record(found), lambda: explained_rows({label: found}),
        lambda: explanation_lines({label: found}), BY_LABEL, {label: found.sentence},
    )  # fmt: skip


# --- all of it: the command `compare` ---------------------------------------------------------------------------------


class Compared(NamedTuple):
    """The result of the command `compare`. explanations: one per run, none if no ids were expected."""

    runs: Sequence[Run]
    alignment: Alignment
    comparisons: Sequence[Comparison]
    explanations: Sequence[Explanation]
    same: bool
    first: str


def comparison_export(found: Compared) -> Export:
    """One text under several tokenizers, compared with each other and with expected ids.

    The CSV has one row per token or, if ids were expected, one row per id of either side.
    """
    runs, alignment, comparisons, explanations, same, first = found
    explained = {run.label: each for run, each in zip(runs, explanations, strict=False)}
    said: dict[str, list[str]] = {run.label: [] for run in runs}
    for comparison in comparisons:
        said[comparison.right.label].append(comparison.sentence)
    for label, each in explained.items():
        said[label].append(each.sentence)

    def body() -> Record:
        return {
            "same": same,
            "first": first,
            "comparisons": [comparison_record(each) for each in comparisons],
            "expected": [{"tokenizer": label} | explanation_record(each) for label, each in explained.items()],
            "alignment": alignment_record(alignment),
        }

    return Export(
        "comparison",
        made_of(runs),
        body,
        lambda: explained_rows(explained) if explained else alignment_rows(alignment),
        lambda: [*comparison_lines(alignment, comparisons), *explanation_lines(explained)],
        BY_LABEL,
        {label: " ".join(sentences) or first for label, sentences in said.items()},
    )

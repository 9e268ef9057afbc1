"""Exports of the Compare page and of the commands that compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from explorer.analysis.alignment import Alignment, align
from explorer.analysis.divergence.result import Comparison
from explorer.analysis.expected import Explanation
from explorer.analysis.exports.export import Export
from explorer.analysis.exports.markdown import comparison_lines, explanation_lines, languages_lines, table_lines
from explorer.analysis.exports.records import (
    alignment_record,
    comparison_record,
    explanation_record,
    flips_record,
    languages_record,
    stability_record,
)
from explorer.analysis.exports.tables import (
    alignment_rows,
    comparisons_rows,
    explained_rows,
    flips_rows,
    languages_rows,
    stability_rows,
)
from explorer.analysis.languages import Languages
from explorer.analysis.prefix_stability import Stability
from explorer.analysis.provenance import Provenance
from explorer.analysis.run import Run
from explorer.analysis.what_if import Variation
from explorer.engine.options import Options
from explorer.implementations.opened import Opened

BY_LABEL: Mapping[str, str] = {"": "tokenizer"}
"""Each row is about the tokenizer that its column `tokenizer` names."""


def alignment_export(made: Provenance, alignment: Alignment) -> Export:
    """Several tokenizers, aligned. One row per token."""
    return Export(
        "alignment", made, lambda: alignment_record(alignment), lambda: alignment_rows(alignment),
        lambda: comparison_lines(alignment, ()), BY_LABEL,
    )  # fmt: skip


def made_of(runs: Sequence[Run]) -> Provenance:
    """The provenance of runs on one text with the same options."""
    first = runs[0]
    return Provenance.of([run.tokenizer for run in runs], first.read, first.options, [run.label for run in runs])


def divergence_export(comparison: Comparison) -> Export:
    """Where two tokenizers diverge. One row per region."""
    sides = comparison.left, comparison.right
    made = made_of(sides)
    text = comparison.left.text
    return Export(
        "parting", made, lambda: comparison_record(comparison), lambda: comparisons_rows([comparison]),
        lambda: comparison_lines(align(text, [(each.label, each.encoding) for each in sides]), [comparison]),
        {"left_": "left", "right_": "right"},
    )  # fmt: skip


def flips_export(made: Provenance, flips: Sequence[tuple[Variation, Comparison]], says: Sequence[str]) -> Export:
    """One tokenizer with each of its switches flipped. says: a sentence for each switch."""
    return Export(
        "what-if", made, lambda: {"flips": flips_record(flips)}, lambda: flips_rows(flips),
        lambda: table_lines(says, flips_rows(flips)),
    )  # fmt: skip


def stability_export(made: Provenance, found: Stability, says: str) -> Export:
    """The tokens of a growing text. One row per prefix."""
    return Export(
        "typing", made, lambda: stability_record(found), lambda: stability_rows(found),
        lambda: table_lines([says], stability_rows(found)),
    )  # fmt: skip


def languages_export(tokenizers: Sequence[Opened], found: Languages) -> Export:
    """One text in many languages. One row per language and tokenizer."""
    made = Provenance.of(tokenizers, None, Options(add_special=False), found.labels)
    return Export(
        "languages", made, lambda: languages_record(found), lambda: languages_rows(found),
        lambda: languages_lines(found), BY_LABEL,
    )  # fmt: skip


def explanation_export(made: Provenance, found: Explanation) -> Export:
    """Expected ids beside those of one tokenizer. One row per id."""
    label = made.tokenizers[0].label
    return Export(
        "expected", made, lambda: explanation_record(found), lambda: explained_rows({label: found}),
        lambda: explanation_lines({label: found}), BY_LABEL, {label: found.sentence},
    )  # fmt: skip


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

    def body() -> dict[str, Any]:
        return {
            "same": same,
            "first": first,
            "comparisons": [comparison_record(each) for each in comparisons],
            "expected": [{"tokenizer": label} | explanation_record(each) for label, each in explained.items()],
            "alignment": alignment_record(alignment),
        }

    return Export(
        "comparison", made_of(runs), body,
        lambda: explained_rows(explained) if explained else alignment_rows(alignment),
        lambda: [*comparison_lines(alignment, comparisons), *explanation_lines(explained)],
        BY_LABEL, {label: " ".join(sentences) or first for label, sentences in said.items()},
    )  # fmt: skip

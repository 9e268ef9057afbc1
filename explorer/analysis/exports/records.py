"""Comparisons as plain values, for JSON. Positions are code points from 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from explorer.analysis.alignment import Alignment
from explorer.analysis.divergence.result import Comparison, Divergence, Side
from explorer.analysis.expected import Explanation, Stretch
from explorer.analysis.languages import Languages
from explorer.analysis.notes import notes
from explorer.analysis.prefix_stability import Stability
from explorer.analysis.what_if import Variation


def alignment_record(alignment: Alignment) -> dict[str, Any]:
    """The rows with their numbers and cells."""
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
    """Both sides, whether their ids are the same, and every divergence."""
    return {
        "left": comparison.left.label,
        "right": comparison.right.label,
        "same": comparison.same,
        "kind": comparison.kind.value,
        "sentence": comparison.sentence,
        "notes": list(notes(comparison)),
        "first": divergence_record(comparison.first) if comparison.first else None,
        "divergences": [divergence_record(each) for each in comparison.divergences],
        "harmless": [
            {"stage": first.stage, "kind": first.kind.value, "times": times, "start": first.spot.start,
             "end": first.spot.end, "sentence": first.sentence}
            for first, times in comparison.harmless
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
        "left": side_record(divergence.left),
        "right": side_record(divergence.right),
    }


def side_record(side: Side) -> dict[str, Any]:
    """One side of a divergence."""
    return {
        "stage": side.stage,
        "event": side.event,
        "text": side.text,
        "points": list(side.points),
        "does": side.does,
        "ids": [token.id for token in side.tokens],
    }


def explanation_record(explanation: Explanation) -> dict[str, Any]:
    """Expected ids and their explanation."""
    return {
        "expected": list(explanation.expected),
        "given": explanation.given.ids,
        "reason": explanation.reason.value,
        "sentence": explanation.sentence,
        "decoded": explanation.decoded,
        "at": explanation.at,
        "tokenizers": list(explanation.specs),
        "options": explanation.options._asdict() if explanation.options else None,
        "cuts": list(explanation.cuts),
        "pattern": explanation.pattern,
        "regions": [
            {"place": region.stretch.position.value, "span": None if region.span is None else list(region.span),
             "sentence": region.sentence} | sides_record(region.stretch)
            for region in explanation.regions
        ],
        "stretches": [{"same": each.same} | sides_record(each) for each in explanation.stretches],
    }  # fmt: skip


def sides_record(stretch: Stretch) -> dict[str, Any]:
    """The ranges of a stretch in both lists."""
    return {
        "expected": [stretch.expected.start, stretch.expected.stop],
        "given": [stretch.given.start, stretch.given.stop],
    }


def flips_record(flips: Sequence[tuple[Variation, Comparison]]) -> list[dict[str, Any]]:
    """Every flipped switch with its comparison."""
    return [
        {"switch": flip.switch.value, "from": flip.on, "to": flip.spec or not flip.on} | comparison_record(comparison)
        for flip, comparison in flips
    ]


def stability_record(stability: Stability) -> dict[str, Any]:
    """The tokens of a growing text, by prefix."""
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
    """The cost of every language with every tokenizer."""
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

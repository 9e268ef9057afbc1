"""Pairs of tokenizers for tests of comparisons."""

from __future__ import annotations

from itertools import combinations

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison, run, runs
from tests.bundled import bundled

TWINS = tuple(
    (f"{model.name}@{one}", f"{model.name}@{other}")
    for model in explorer.catalog().values()
    for one, other in combinations(model.implementations, 2)
)
"""Every bundled model that runs under two implementations, as both."""


def compared(one: str, other: str, text: str, *, add_special: bool = True, parse_special: bool = True) -> Comparison:
    """Two tokenizers, by their names, on a text."""
    both = [bundled(one), bundled(other)]
    return compare(*runs(both, text, add_special=add_special, parse_special=parse_special))


def against(one: explorer.Tokenizer, other: explorer.Tokenizer, text: str) -> Comparison:
    """Two tokenizers made for a test, called “one” and “other”."""
    return compare(run(one, text, "one"), run(other, text, "other"))

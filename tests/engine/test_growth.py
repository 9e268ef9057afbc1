"""The number of decisions per symbol is bounded: counted, not timed."""

from __future__ import annotations

import pytest

import explorer
from benchmarks.growth import CASES
from tests.bundled import bundled


@pytest.mark.parametrize("name", explorer.catalog())
def test_decisions_grow_linearly_with_the_text(name: str) -> None:
    tok = bundled(name)
    for case, text in CASES.items():
        small, large = (sum(len(stage.events) for stage in tok.trace(text(size)).stages) for size in (1_000, 10_000))
        assert large <= 12 * small, case

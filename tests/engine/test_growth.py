"""The number of decisions stays within a few for each symbol: counted, not timed."""

from __future__ import annotations

import pytest

import explorer
from benchmarks.growth import CASES
from tests.bundled import bundled


@pytest.mark.parametrize("name", explorer.catalog())
def test_decisions_grow_with_the_text_and_no_faster(name: str) -> None:
    tok = bundled(name)
    for case, text in CASES.items():
        small, large = (sum(len(stage.events) for stage in tok.trace(text(size)).stages) for size in (1_000, 10_000))
        assert large <= 12 * small, case

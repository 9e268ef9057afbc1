"""The number of decisions stays within a few for each symbol: counted, not timed."""

from __future__ import annotations

import pytest

import explorer
from benchmarks.growth import CASES


@pytest.mark.parametrize("case", CASES)
def test_decisions_grow_with_the_text_and_no_faster(llama2: explorer.Tokenizer, case: str) -> None:
    small, large = (len(llama2.trace(CASES[case](size)).stage("model").events) for size in (1_000, 20_000))
    assert large <= 6 * 20_000
    assert large <= 21 * small
    assert llama2.trace(CASES[case](20_000)).ids == llama2.encode(CASES[case](20_000)).ids

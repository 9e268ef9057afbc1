"""The first stretch at a position, against a full scan."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.stages.stage import Covering, Covers

stretches = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), max_size=25).map(
    lambda found: [(start, start + size, number * 3) for number, (start, size) in enumerate(found)]
)


@given(stretches, st.integers(0, 45), st.integers(0, 12))
def test_the_first_stretch_is_the_one_found_by_a_full_scan(found: list[Covering], start: int, size: int) -> None:
    end = start + size
    expected = next((number for begin, stop, number in found if begin < end and start < stop), None)
    assert Covers(found).first(start, end) == expected

"""Merging without a queue, against merging with one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.engine.fast.chains import merged
from explorer.engine.models.merges import Pairs, merge_by_queue
from explorer.engine.trace import silent

pieces = st.text("abc", min_size=2, max_size=4)


def with_queue(text: str, ranks: dict[str, float]) -> list[str]:
    def lookup(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        rank = ranks.get((left + right).decode())
        return None if rank is None else (rank, left + right, 0)

    return [piece.decode() for piece in merge_by_queue([ch.encode() for ch in text], Pairs(lookup), silent).pieces]


@given(st.text("abc", max_size=30), st.dictionaries(pieces, st.integers(0, 5)))
def test_it_merges_what_the_queue_merges(text: str, ranks: dict[str, float]) -> None:
    assert merged(list(text), ranks, "") == with_queue(text, ranks)


def test_of_equal_ranks_the_leftmost_pair_comes_first() -> None:
    assert merged(list("aaa"), {"aa": 1}, "") == ["aa", "a"]
    assert merged([b"a", b"b", b"b"], {b"a|b": 0, b"b|b": 0}, b"|") == [b"ab", b"b"]

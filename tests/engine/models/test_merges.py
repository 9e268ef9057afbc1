"""The chain and the queue, on texts of a few letters."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from explorer.engine.models.merges import MergeEvent, MergeRow, PairLookup, Pairs, merge, merge_by_queue
from explorer.engine.part import Events, silent


def letters(text: bytes) -> list[bytes]:
    return [text[at : at + 1] for at in range(len(text))]


def lookup_of(pieces: Mapping[bytes, float]) -> PairLookup:
    """Pairs that spell one of these pieces may merge, the lowest number first; ids count from 0."""
    names = list(pieces)

    def lookup(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        both = left + right
        return (pieces[both], both, names.index(both)) if both in pieces else None

    return lookup


def merged(text: bytes, pieces: dict[bytes, float]) -> tuple[list[bytes], list[MergeRow]]:
    """The symbols after merging `text`, and the decisions."""
    events: Events[MergeRow] = Events(MergeRow)
    return merge(letters(text), Pairs(lookup_of(pieces)), events.emit).pieces, list(events)


def test_nothing_merges_without_pieces() -> None:
    assert merged(b"abc", {}) == ([b"a", b"b", b"c"], [(MergeEvent.MISS, 0, 1, -1), (MergeEvent.MISS, 1, 2, -1)])


def test_no_symbol_and_one_symbol_need_no_decision() -> None:
    assert merged(b"", {b"ab": 0}) == ([], [])
    assert merged(b"a", {b"ab": 0}) == ([b"a"], [])


def test_the_best_pair_merges_first_and_makes_the_other_stale() -> None:
    parts, events = merged(b"abc", {b"ab": 1, b"bc": 0})
    assert parts == [b"a", b"bc"]
    assert events == [
        (MergeEvent.PUSH, 0, 1, 0),
        (MergeEvent.PUSH, 1, 2, 1),
        (MergeEvent.MERGE, 1, 2, 1),
        (MergeEvent.MISS, 0, 1, -1),
        (MergeEvent.STALE_SIZE, 0, 1, 0),
    ]


def test_equal_pairs_merge_from_the_left() -> None:
    assert merged(b"aaa", {b"aa": 0})[0] == [b"aa", b"a"]
    assert merged(b"aaaa", {b"aa": 0})[0] == [b"aa", b"aa"]


def test_stale_entries_say_which_side_is_gone() -> None:
    # ab wins; bc then finds its left symbol b absorbed
    assert [row.kind for row in merged(b"abc", {b"ab": 0, b"bc": 1})[1]][-1] == MergeEvent.STALE_LEFT
    # bcd: cd wins, then bc's right symbol c has grown; with bcd first pushed the right one may also be absorbed
    events = merged(b"bcd", {b"cd": 0, b"bc": 2, b"bcd": 1})[1]
    assert [row.kind for row in events][-1] == MergeEvent.STALE_RIGHT


def test_merging_continues_until_no_pair_is_left() -> None:
    parts, events = merged(b"abcd", {b"ab": 0, b"cd": 1, b"abcd": 2})
    assert parts == [b"abcd"]
    assert [row.kind for row in events].count(MergeEvent.MERGE) == 3


def test_a_merge_may_push_a_better_pair_than_those_waiting() -> None:
    assert merged(b"abcd", {b"bc": 5, b"abc": 0, b"cd": 6})[0] == [b"abc", b"d"]


known = st.text("abc", min_size=2, max_size=5).map(str.encode)
ranks = st.integers(-3, 3)
scores = st.sampled_from([-1e300, -1.5, -0.0, 0.0, 1e-300, 0.25, 3.0])
pieces_with_priorities = st.one_of(st.dictionaries(known, each, max_size=12) for each in (ranks, scores))


@given(st.text("abc", max_size=60).map(str.encode), pieces_with_priorities)
def test_merges_are_the_same_with_and_without_events(text: bytes, pieces: dict[bytes, float]) -> None:
    lookup = lookup_of(pieces)
    by_queue = merge_by_queue(letters(text), Pairs(lookup), silent)
    assert merge(letters(text), Pairs(lookup), silent) == by_queue
    # and as the rule says: the best of all pairs, of equal ones the leftmost, one at a time
    left = letters(text)
    while found := [(pair[0], at, pair[1]) for at in range(len(left) - 1) if (pair := lookup(left[at], left[at + 1]))]:
        _, at, both = min(found)
        left[at : at + 2] = [both]
    assert by_queue.pieces == left


def test_a_pair_is_looked_up_once_or_whenever_it_is_pushed() -> None:
    asked: list[tuple[bytes, bytes]] = []

    def lookup(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        asked.append((left, right))
        return (0, left + right, 0) if left + right == b"aa" else None

    merge_by_queue(letters(b"aaaab"), Pairs(lookup), silent)
    once = sorted(asked)
    assert once == sorted(set(asked))
    asked.clear()
    merge_by_queue(letters(b"aaaab"), Pairs(lookup, remember=False), silent)
    assert sorted(set(asked)) == once
    assert asked.count((b"a", b"a")) == 3

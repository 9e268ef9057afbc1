"""The chain and the queue, on texts of a few letters."""

from __future__ import annotations

from explorer.engine.merges import Merge, MergeRow, Symbols, merge
from explorer.trace import Events


def merged(text: bytes, pieces: dict[bytes, float]) -> tuple[list[bytes], list[MergeRow]]:
    """The parts `text` is merged to, and the decisions. Lowest number merges first."""
    names = list(pieces)
    symbols = Symbols([1] * len(text))
    events: Events[MergeRow] = Events(MergeRow)

    def lookup(start: int, middle: int, end: int) -> tuple[float, int] | None:
        pair = text[start:end]
        return (pieces[pair], names.index(pair)) if pair in pieces else None

    merge(symbols, lookup, events.emit)
    parts = [text[symbols.begin[i] : symbols.begin[i] + symbols.size[i]] for i in range(len(text)) if symbols.size[i]]
    return parts, list(events)


def test_nothing_merges_without_pieces() -> None:
    assert merged(b"abc", {}) == ([b"a", b"b", b"c"], [(Merge.MISS, 0, 1, -1), (Merge.MISS, 1, 2, -1)])


def test_no_symbol_and_one_symbol_take_no_decision() -> None:
    assert merged(b"", {b"ab": 0}) == ([], [])
    assert merged(b"a", {b"ab": 0}) == ([b"a"], [])


def test_the_best_pair_merges_first_and_makes_the_other_stale() -> None:
    parts, events = merged(b"abc", {b"ab": 1, b"bc": 0})
    assert parts == [b"a", b"bc"]
    assert events == [
        (Merge.PUSH, 0, 1, 0),
        (Merge.PUSH, 1, 2, 1),
        (Merge.MERGE, 1, 2, 1),
        (Merge.MISS, 0, 1, -1),
        (Merge.STALE_SIZE, 0, 1, 0),
    ]


def test_equal_pairs_merge_from_the_left() -> None:
    assert merged(b"aaa", {b"aa": 0})[0] == [b"aa", b"a"]
    assert merged(b"aaaa", {b"aa": 0})[0] == [b"aa", b"aa"]


def test_stale_entries_say_which_side_is_gone() -> None:
    # ab wins; bc then finds its left symbol b absorbed
    assert [row.kind for row in merged(b"abc", {b"ab": 0, b"bc": 1})[1]][-1] == Merge.STALE_LEFT
    # bcd: cd wins, then bc's right symbol c has grown; with bcd first pushed the right one may also be absorbed
    events = merged(b"bcd", {b"cd": 0, b"bc": 2, b"bcd": 1})[1]
    assert [row.kind for row in events][-1] == Merge.STALE_RIGHT


def test_merging_goes_on_until_nothing_is_left() -> None:
    parts, events = merged(b"abcd", {b"ab": 0, b"cd": 1, b"abcd": 2})
    assert parts == [b"abcd"]
    assert [row.kind for row in events].count(Merge.MERGE) == 3


def test_a_merge_may_push_a_better_pair_than_those_waiting() -> None:
    assert merged(b"abcd", {b"bc": 5, b"abc": 0, b"cd": 6})[0] == [b"abc", b"d"]

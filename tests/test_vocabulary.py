"""Vocabularies are checked when they are made."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.engine.models.merges import MergeRow
from explorer.engine.part import Events
from explorer.errors import InputError
from explorer.vocabulary import (
    FEW,
    LATEST,
    PieceKind,
    SortedIds,
    Vocabulary,
    by_id,
    highest,
    joint,
    order_of,
    spelled,
)


def test_a_piece_may_occur_once() -> None:
    with pytest.raises(InputError, match=r"token 0 and token 2 are both spelled 'a'"):
        Vocabulary.of([b"a", b"b", b"a"])


def test_scores_and_kinds_are_as_many_as_pieces() -> None:
    with pytest.raises(InputError, match="2 pieces but 1 scores"):
        Vocabulary.of([b"a", b"b"], [0.0])
    with pytest.raises(InputError, match="2 pieces but 1 kinds"):
        Vocabulary.of([b"a", b"b"], kinds=[1])


def test_nan_has_no_place_in_an_order() -> None:
    with pytest.raises(InputError, match="token 1 has the score NaN"):
        Vocabulary.of([b"a", b"b"], [0.0, float("nan")])


def test_byte_pieces_are_told_by_kind_and_spelling() -> None:
    v = Vocabulary.of([b"<0x0A>", b"<0x0A", b"x"], kinds=[PieceKind.BYTE, PieceKind.BYTE, PieceKind.NORMAL])
    assert [v.byte_of(id) for id in range(3)] == [10, None, None]


def test_bytes_that_are_no_text_are_spelled_in_hex() -> None:
    assert spelled(b"a\xff") == "a\\xff"


def test_events_are_rows_over_one_array() -> None:
    events: Events[MergeRow] = Events(MergeRow)
    events.emit(1, 2, 3, 4)
    events.emit(5, 6, 7, 8)
    assert list(events) == [MergeRow(1, 2, 3, 4), MergeRow(5, 6, 7, 8)]
    assert events[-1].token == 8
    assert events.data.itemsize * len(events.data) == 32
    with pytest.raises(IndexError):
        events[2]


def test_what_depends_on_the_vocabulary_alone_is_made_once_for_each_part() -> None:
    vocabulary, one, other = Vocabulary.of([b"a"]), object(), object()
    made = [vocabulary.once(pair, part) for part in (one, other, one)]
    assert made[0] is made[2] is not made[1]
    assert made[1] == (vocabulary, other)
    for part in [object() for _ in range(LATEST)]:
        vocabulary.once(pair, part)
    assert vocabulary.once(pair, one) is not made[0]


def pair(*given: object) -> tuple[object, ...]:
    return given


PIECES = st.lists(st.binary(max_size=3), unique=True, max_size=12)
QUESTIONS: tuple[Callable[[Any, bytes], object], ...] = (
    lambda ids, piece: ids.get(piece), lambda ids, piece: ids.get(piece, -7), lambda ids, piece: piece in ids,
    lambda ids, piece: list(ids), lambda ids, piece: len(ids),
    lambda ids, piece: list(ids.items()), lambda ids, piece: [*ids.keys()], lambda ids, piece: sorted(ids.values()),
    lambda ids, piece: dict(ids), lambda ids, piece: {**ids}, lambda ids, piece: ids == {piece: 0},
    lambda ids, piece: set(ids), lambda ids, piece: bool(ids), lambda ids, piece: {piece: 0} == ids,
)  # fmt: skip


@given(pieces=PIECES, extra=st.dictionaries(st.binary(max_size=3), st.integers(12, 20), max_size=3), data=st.data())
def test_ids_that_are_searched_for_are_those_of_a_table(
    pieces: list[bytes], extra: dict[bytes, int], data: Any
) -> None:
    order = array("i", order_of(pieces))
    table = dict(zip(pieces, range(len(pieces)), strict=True))
    assert highest(SortedIds(pieces, order)) == highest(table)
    assert by_id(SortedIds(pieces, order), 13) == by_id(table, 13)
    ids = joint(SortedIds(pieces, order), extra)
    assert isinstance(ids, SortedIds)
    table = {**joint(table, extra)}
    ids.left = data.draw(st.integers(0, 8))
    taken = ids.get, ids.__getitem__, ids.__contains__
    for ask in data.draw(st.lists(st.sampled_from(QUESTIONS), max_size=12)):
        piece = data.draw(st.sampled_from([*table, b"", b"\xff\xff\xff\xff"]))
        assert ask(ids, piece) == ask(table, piece)
        assert (taken[0](piece), taken[2](piece)) == (table.get(piece), piece in table)
        if piece in table:
            assert taken[1](piece) == table[piece]
        else:
            with pytest.raises(KeyError):
                taken[1](piece)
    assert [*ids.items()] == [*table.items()]


def test_a_few_numbers_are_looked_up_without_a_table() -> None:
    ids = SortedIds([7, 3], [1, 0])
    assert None not in SortedIds([b"a"], [0])
    assert [ids[3] for _ in range(FEW)] == [1] * FEW
    assert "table" not in vars(ids)
    assert (ids[3], ids.get(4, -1), vars(ids)["table"]) == (1, -1, {7: 0, 3: 1})


def test_of_equal_keys_the_last_counts() -> None:
    for few in (0, FEW):
        ids = SortedIds([b"b", b"a", b"b"], [1, 2])
        ids.left = few
        assert (ids[b"b"], len(ids), {**ids}) == (2, 2, {b"b": 2, b"a": 1})

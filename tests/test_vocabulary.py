"""Vocabularies are checked when they are made."""

from __future__ import annotations

import pytest

from explorer.engine.models.merges import MergeRow
from explorer.engine.part import Events
from explorer.errors import InputError
from explorer.vocabulary import LATEST, PieceKind, Vocabulary, spelled


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

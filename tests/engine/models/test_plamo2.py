"""The lattice computed from the end, on vocabularies small enough to check by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.engine.models.unigram import LAST_RESORT, NEVER, Plamo2, UnigramEvent, UnigramRow, in_units
from explorer.engine.part import Events, Options, Segment, Token
from explorer.vocabulary import PieceKind, Vocabulary

BYTES = [b"<0x%02X>" % byte for byte in range(256)]


def model(pieces: dict[str, float]) -> Plamo2:
    v = Vocabulary.of(
        [*(piece.encode() for piece in pieces), *BYTES], (),
        [PieceKind.NORMAL] * len(pieces) + [PieceKind.BYTE] * 256,
    )  # fmt: skip
    return Plamo2(v, [*pieces.values(), *[0.0] * 256], range(len(pieces), len(v)))


def run(it: Plamo2, text: str) -> tuple[list[str], list[UnigramRow]]:
    events: Events[UnigramRow] = Events(UnigramRow)
    tokens = it.run([Segment.of(text)], Options(), events.emit)
    return [it.vocabulary.spelling(token.id) for token in tokens if isinstance(token, Token)], list(events)


def test_the_best_sum_wins_and_of_equal_ones_the_longer_piece() -> None:
    it = model({"a": -1, "b": -1, "ab": -2, "ba": -1.9})
    assert run(it, "ab")[0] == ["ab"]
    assert run(it, "aba")[0] == ["a", "ba"]
    assert run(it, "é")[0] == ["<0xC3>", "<0xA9>"]


def test_every_candidate_is_an_event() -> None:
    it = model({"a": -1, "ab": -4})
    _, events = run(it, "ab")
    assert events == [
        (UnigramEvent.SEGMENT, 0, 2, -1),
        (UnigramEvent.UNKNOWN_BEST, 1, 2, -1),
        (UnigramEvent.BEST, 0, 2, 1), (UnigramEvent.LOST, 0, 1, 0), (UnigramEvent.UNKNOWN_LOST, 0, 1, -1),
        (UnigramEvent.BACK, 0, 2, 1), (UnigramEvent.TOKEN, 0, 2, 1),
    ]  # fmt: skip


def test_a_byte_order_mark_is_dropped_at_the_beginning_only() -> None:
    it = model({"a": -1})
    assert run(it, "\ufeffa")[0] == ["a"]
    assert run(it, "\ufeff") == ([], [(UnigramEvent.SEGMENT, 0, 1, -1), (UnigramEvent.DROPPED, 0, 1, -1)])
    assert run(it, "a\ufeff")[0] == ["a", "<0xEF>", "<0xBB>", "<0xBF>"]


def test_a_piece_that_scores_like_the_last_resort_hides_shorter_ones() -> None:
    assert run(model({"[": -1, "[P]": -1000}), "[P]")[0] == ["[P]"]
    assert run(model({"[": -1, "[P": -1, "]": -1, "[P]": -1000}), "[P]")[0] == ["[P]"]
    assert run(model({"[": -1, "P": -1, "]": -1, "[P]": -1001}), "[P]")[0] == ["[", "P", "]"]


def test_scores_in_units() -> None:
    assert [in_units(score) for score in (-1, 0.25, -0.00005, 0.00005, -1000)] == [-10_000, 2500, -1, 1, LAST_RESORT]
    assert [in_units(score) for score in (math.nan, math.inf, -math.inf, 3e38, -3e5)] == [NEVER] * 5


@given(st.dictionaries(st.text("abc", min_size=1, max_size=4), st.sampled_from([-1.0, -1.5, -2.0, -3.0]), min_size=1),
       st.text("abcd", max_size=12))  # fmt: skip
def test_no_other_path_scores_higher(pieces: dict[str, float], text: str) -> None:
    """Against the plain definition: the best of all paths, tried one after the other from the end."""
    it = model(pieces)
    best = [0.0] * (len(text) + 1)
    for start in range(len(text) - 1, -1, -1):
        sums = [best[start + 1] + LAST_RESORT / 10_000]
        sums += [best[start + len(piece)] + score for piece, score in pieces.items() if text.startswith(piece, start)]
        best[start] = max(sums)
    spelled, _ = run(it, text)
    got = sum(pieces.get(piece, LAST_RESORT / 10_000) for piece in spelled)
    assert got == pytest.approx(best[0])

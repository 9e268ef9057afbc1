"""Where a text may be cut before the model runs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.engine.fast.piece_encoder import Neighbors

characters = st.sampled_from("ab é漢字\U0001f600")


def test_whole_characters() -> None:
    neighbors = Neighbors(["漢字".encode(), b"ab"])
    assert neighbors.cut("漢字ab字漢") == ["漢字", "ab", "字", "漢"]
    assert neighbors.cut("") == [""]


def test_a_piece_that_ends_within_a_character() -> None:
    # 漢 is E6 BC A2, 淚 is E6 B7 9A: the piece reaches into every character that begins with E6
    neighbors = Neighbors([b"a\xe6"])
    assert neighbors.cut("a漢a淚aéa") == ["a漢", "a淚", "a", "é", "a"]


@given(st.lists(st.binary(min_size=1, max_size=5)), st.lists(characters, max_size=12))
def test_no_piece_crosses_a_cut(pieces: list[bytes], text: list[str]) -> None:
    whole = "".join(text)
    data = whole.encode()
    # and pieces of the text itself, cut anywhere
    pieces = [*pieces, data[1:4], data[3:8], data[2:3]]
    parts = Neighbors(piece for piece in pieces if piece).cut(whole)
    assert "".join(parts) == whole
    at = 0
    for part in parts[:-1]:
        at += len(part.encode())
        for piece in pieces:
            for begin in range(max(0, at - len(piece) + 1), at):
                assert not (piece and data[begin : begin + len(piece)] == piece and begin + len(piece) > at)

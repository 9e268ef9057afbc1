"""Character and word models: units, and the tokens of units that are not pieces."""

from __future__ import annotations

import pytest

from explorer.engine.models.lookup import CharWord, CharWordEvent, CharWordRow, UnitEnds, characters, words
from explorer.engine.part import Events, Options, Segment, Token
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary

PIECES = ("<unk>", "a", "b", "ab", "▁ab", "▁", "é", "u")
KINDS = (2, 1, 1, 4, 1, 1, 1, 5)


def run(
    cut: UnitEnds, text: str, *, unknown: int | None = 0, byte_tokens: range = range(0)
) -> tuple[list[Token], list[CharWordRow]]:
    v = Vocabulary.of([piece.encode() for piece in PIECES], kinds=KINDS)
    events: Events[CharWordRow] = Events(CharWordRow)
    tokens = CharWord(v, unknown, cut, byte_tokens).run([Token(9, 0, 2), Segment.of(text, 2)], Options(), events.emit)
    return [token for token in tokens if isinstance(token, Token)][1:], list(events)


def test_characters_are_looked_up_one_by_one_and_symbols_whole() -> None:
    tokens, events = run(characters({"ab": 3}), "babé")
    assert tokens == [Token(2, 2, 3), Token(3, 3, 5), Token(6, 5, 6)]
    assert events[0] == (CharWordEvent.SEGMENT, 1, 4, -1)
    assert events[1:] == [
        (CharWordEvent.FOUND, 0, 1, 2),
        (CharWordEvent.FOUND, 1, 3, 3),
        (CharWordEvent.FOUND, 3, 4, 6),
    ]


def test_a_run_of_unknown_characters_is_one_token() -> None:
    tokens, events = run(characters({}), "axyu☃b")
    assert tokens == [Token(1, 2, 3), Token(0, 3, 7), Token(2, 7, 8)]
    kinds = [row.kind for row in events]
    assert kinds == [
        CharWordEvent.SEGMENT,
        CharWordEvent.FOUND,
        CharWordEvent.UNKNOWN,
        CharWordEvent.JOINED,
        CharWordEvent.UNUSED,
        CharWordEvent.JOINED,
        CharWordEvent.JOINED,
        CharWordEvent.FOUND,
    ]


def test_unknown_characters_fall_back_to_bytes() -> None:
    tokens, events = run(characters({}), "aßu", byte_tokens=range(1000, 1256))
    assert tokens == [Token(1, 2, 3), Token(1000 + 0xC3, 3, 4), Token(1000 + 0x9F, 3, 4), Token(1000 + 0x75, 4, 5)]
    assert [row.kind for row in events][2:] == [
        CharWordEvent.BYTE,
        CharWordEvent.BYTE,
        CharWordEvent.UNUSED,
        CharWordEvent.BYTE,
    ]


def test_words_begin_at_each_space() -> None:
    tokens, _ = run(words, "▁ab▁▁xy▁ab")
    assert tokens == [Token(4, 2, 5), Token(5, 5, 6), Token(0, 6, 9), Token(4, 9, 12)]
    assert [list(words(text)) for text in ("", "a", "▁", "a▁", "▁▁")] == [[], [1], [1], [1, 2], [1, 2]]


def test_without_an_unknown_token_the_error_names_the_character() -> None:
    with pytest.raises(InputError, match=r"character 4: .*'x'"):
        run(characters({}), "ax", unknown=None)

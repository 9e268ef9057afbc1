"""WordLevel on a vocabulary small enough to check by hand."""

from __future__ import annotations

import pytest

from explorer.engine.models.lookup import WordLevel, WordLevelEvent, WordLevelRow
from explorer.engine.part import Events, Options, Segment, Token, silent
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary

V = Vocabulary.of([b"<unk>", b"low", b"lower", b"<s>"])


def test_a_word_is_a_piece_or_unknown_and_tokens_pass_through() -> None:
    events: Events[WordLevelRow] = Events(WordLevelRow)
    items = [Segment.of("low", 0), Token(3, 3, 6), Segment.of("lowe", 6), Segment.of("lower", 10)]
    after = WordLevel(V, 0).run(items, Options(), events.emit)
    assert after == [Token(1, 0, 3), Token(3, 3, 6), Token(0, 6, 10), Token(2, 10, 15)]
    assert list(events) == [
        (WordLevelEvent.KNOWN, 0, 3, 1),
        (WordLevelEvent.UNKNOWN, 2, 4, 0),
        (WordLevelEvent.KNOWN, 3, 5, 2),
    ]
    assert WordLevel(V, 0).run(items, Options(), silent) == after


def test_pieces_outside_the_model_never_match() -> None:
    model = WordLevel(V, 0, {b"<unk>": 0, b"low": 1})
    assert model.run([Segment.of("lower")], Options(), silent) == [Token(0, 0, 5)]


def test_an_unknown_token_outside_the_vocabulary_is_refused() -> None:
    with pytest.raises(InputError, match="unknown token 4 is not in this vocabulary of 4"):
        WordLevel(V, 4)

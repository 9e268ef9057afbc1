"""What does not come back is said, by stage, and what comes back is not called lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import explorer
from explorer.views.boards.decode import decode_board
from explorer.views.boards.lost import lost_say
from explorer.views.say import plain
from explorer.views.window import window_of
from tests.originals.generators import texts


def said(name: str, text: str) -> str:
    tok = explorer.load(name)
    trace = tok.trace(text)
    return plain(decode_board(trace, tok.trace_decode(trace.ids), tok.vocabulary, window_of(trace)).say)


@pytest.mark.parametrize(("name", "text", "says"), [
    ("bert-uncased", "what is lora?", "All bytes joined and read as UTF-8 give exactly the text that went in."),
    ("bert-uncased", "Å😊", "Not the same text. Lost at normalization: 1 composed character, 1 combining mark, "
     "1 capital letter; in the model: 1 word that became the unknown token."),
    ("bert-uncased", "각", "Not the same text. Lost at normalization: 1 composed character."),
    ("bert-uncased@llama.cpp", "각", "Not the same text. Lost at normalization: 1 decomposition but for its first "
     "code point."),
    ("bert-uncased@llama.cpp", "a", "Not the same text. Nothing was lost on the way, but decoding guesses where "
     "spaces stood."),
    ("bert-uncased", "a\tb", "Not the same text. Lost at normalization: 1 kind of white space; in the words: 1 "
     "stretch of white space, which decoding guesses."),
    ("rwkv-world", "Å\t각😊", "All bytes joined and read as UTF-8 give exactly the text that went in."),
])  # fmt: skip
def test_what_is_said(name: str, text: str, says: str) -> None:
    assert said(name, text) == says


def test_other_families_are_told_elsewhere(llama2: explorer.Tokenizer) -> None:
    assert lost_say(llama2.trace("▁")) is None


@pytest.mark.parametrize("name", ["bert-uncased", "bert-uncased@llama.cpp"])
@given(text=texts())
@settings(max_examples=100)
def test_there_is_always_something_to_say(name: str, text: str) -> None:
    say = lost_say(explorer.load(name).trace(text))
    assert say is not None
    assert plain(say).startswith("Not the same text. ")

"""Losses of a round trip: one sentence per stage, and the lost characters one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from explorer.analysis.round_trip.losses import round_trip
from explorer.text.say import plain
from explorer.views.boards.board import Board
from explorer.views.boards.decode import decode_board
from explorer.views.window import window_of
from tests.bundled import bundled
from tests.originals.generators import texts

SAME = "All bytes joined and read as UTF-8 give back exactly your text."


def board(name: str, text: str, at: int = 0, size: int = 2000) -> Board:
    tok = bundled(name)
    trace = tok.trace(text)
    return decode_board(trace, round_trip(tok, trace), tok.vocabulary, window_of(trace, at, size))


@pytest.mark.parametrize(("name", "text", "says"), [
    ("bert-uncased", "what is lora?", SAME),
    ("rwkv-world", "Å\t각😊", SAME),
    ("bert-uncased", "What  😊", "3 of 7 characters do not come back. Normalization rewrote 1: "
     "“W” (character 1) became “w”. The pre-tokenizer removed 1: “␣” (character 6). The model could not spell 1: “😊” "
     "(character 7) became “[UNK]”."),
    ("bert-uncased", "각", "None of the text comes back. Normalization rewrote 1: “각” (character 1) became "
     "“\u1100\u1161\u11a8”, which looks the same but has other code points."),
    ("bert-uncased@llama.cpp", "a", "The text that comes back is different, but nothing is lost. Decoding inserted 1 "
     "character: “␣” before character 1. It guesses where the spaces were."),
    ("bert-uncased@llama.cpp", "e\u0301", "1 of 2 characters does not come back. The pre-tokenizer removed 1: "
     "“◌\u0301” (character 2). Decoding inserted 1 character: “␣” before character 1."
     " It guesses where the spaces were."),
    ("xlm-r", "a <mask>ｶﾞ", "3 of 10 characters do not come back. A token cut out of the text stripped 1: “␣” "
     "(character 2). Normalization rewrote 2; the first: “ｶﾞ” (characters 9 to 10) became “ガ”."),
    ("qwen2.5", "e\u0301 é", "2 of 4 characters do not come back. Normalization rewrote 2; the first: “e\u0301” "
     "(characters 1 to 2) became “é”, which looks the same but has other code points."),
    ("gpt-2@llama.cpp", "a , b", "1 of 5 characters does not come back. Decoding dropped 1: "
     "“␣” (character 2); for this vocabulary llama.cpp removes spaces before punctuation and contractions."),
])  # fmt: skip
def test_the_sentence_of_a_lossy_round_trip(name: str, text: str, says: str) -> None:
    assert plain(board(name, text).say) == says


def test_each_character_is_shown_with_the_stage_that_lost_it() -> None:
    lost = board("bert-uncased", "What  😊").rows[0]
    assert lost["title"] == "What does not come back"
    assert [(cell["t"], cell["s"], cell["sub"], cell["look"]) for cell in lost["cells"]] == [
        ("W", 0, "normalize", "changed"), ("␣", 5, "pre-tokenize", "dropped"), ("😊", 6, "model", "changed")
    ]  # fmt: skip
    assert board("bert-uncased", "what").rows[0]["title"] == "Bytes of each token"


def test_only_losses_within_the_window_are_shown() -> None:
    lost = board("bert-uncased", "Aa " * 400, 300, 90).rows[0]
    assert 0 < len(lost["cells"]) < 40
    assert lost["before"] + len(lost["cells"]) + lost["after"] == 401  # plus the space at the very end


@pytest.mark.parametrize("name", ["bert-uncased", "bert-uncased@llama.cpp", "xlm-r", "llama-2", "qwen2.5"])
@given(text=texts())
@settings(max_examples=25)
def test_every_round_trip_has_a_verdict(name: str, text: str) -> None:
    say = plain(board(name, text).say)
    differs = (
        "does not come back. ",
        "do not come back. ",
        "None of the text comes back. ",
        "The text that comes back is ",
    )
    assert say.startswith(SAME) or (any(each in say for each in differs) and say.count(". ") >= 1)

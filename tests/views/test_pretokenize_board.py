"""The pre-tokenizer's board."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from explorer.analysis.round_trip.losses import round_trip
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.text.say import plain
from explorer.views.boards.decode import decode_board
from explorer.views.boards.normalize import normalize_say
from explorer.views.boards.pretokenize import pretokenize_board
from explorer.views.window import window_of
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

MODELS = ("gpt-2", "qwen2.5", "cl100k_base", "llama-3@llama.cpp")


def test_pieces_have_the_color_of_their_alternative_and_say_what_failed_before() -> None:
    trace = bundled("gpt-2").trace("He's é")
    board = pretokenize_board(trace, bundled("gpt-2").vocabulary, window_of(trace))
    pieces, alternatives, spelled = board.rows
    assert [(cell["t"], cell["id"]) for cell in pieces["cells"]] == [("He", 1), ("'s", 0), ("␣é", 1)]
    tip = dict(pieces["cells"][0]["tip"])
    assert tip["taken by"] == r"alternative 2:  ?\p{L}+"
    assert tip["failed before"] == "1: 's|'t|'re|'ve|'m|'ll|'d"
    assert [cell["sub"] for cell in alternatives["cells"]][:3] == [
        "1 · took 1 pre-token", "2 · took 2 pre-tokens", "3 · took 0 pre-tokens"
    ]  # fmt: skip
    became = [[glyph["t"] for glyph in cell.get("to", ())] for cell in spelled["cells"]]
    assert became == [[], [], [], [], ["Ġ"], ["Ã", "©"]], "what is spelled as itself is unchanged"
    assert plain(board.say).startswith("The text is cut into 3 pre-tokens; no token crosses a cut. Every byte")


def test_pieces_are_as_normalization_left_them_and_removals_are_counted() -> None:
    file = {
        "model": {"type": "WordLevel", "vocab": {"hat": 0}, "unk_token": "hat"},
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"\s+"}, "behavior": "Removed", "invert": False},
    }
    tok = from_tokenizer_json(read(json.dumps(file).encode(), "toy"), "toy")
    trace = tok.trace("HAT  hat Hat")
    pieces, alternatives = pretokenize_board(trace, tok.vocabulary, window_of(trace)).rows
    assert [cell["t"] for cell in pieces["cells"]] == ["hat", "␣␣", "hat", "␣", "hat"]
    assert dict(pieces["cells"][0]["tip"])["from the text"] == "HAT"
    assert "from the text" not in dict(pieces["cells"][2]["tip"])
    assert [(cell["sub"], cell.get("look")) for cell in alternatives["cells"]] == [("1 · removed 2 stretches", None)]


@pytest.mark.parametrize(
    ("model", "version"), [("qwen2.5", "16"), ("cl100k_base", "16"), ("llama-3@llama.cpp", "15.1")]
)
def test_a_character_newer_than_the_original_is_called_unassigned(model: str, version: str) -> None:
    for text, labels in (("a\U0003e784\x10", "U+3E784"), ("a\u0897", "U+0897" * (version == "15.1")), ("aé😊", "")):
        trace = bundled(model).trace(text)
        cells = pretokenize_board(trace, bundled(model).vocabulary, window_of(trace)).rows[0]["cells"]
        entries = [says for cell in cells for key, says in cell["tip"] if key == f"newer than Unicode {version}"]
        assert entries == ([f"{labels}: unassigned to the original, neither letter nor number"] if labels else [])
        assert not any(key.startswith("newer") for cell in cells for key, _ in cell["tip"]) or labels


def test_tiktoken_spells_no_bytes() -> None:
    trace = bundled("cl100k_base").trace("He's é")
    board = pretokenize_board(trace, bundled("cl100k_base").vocabulary, window_of(trace))
    assert len(board.rows) == 2
    assert plain(board.say) == "The text is cut into 3 pre-tokens; no token crosses a cut."


@pytest.mark.parametrize("name", MODELS)
@given(text=texts())
@settings(max_examples=amount(40))
def test_any_text_can_be_drawn_in_any_window(name: str, text: str) -> None:
    tok = bundled(name)
    trace = tok.trace(text)
    for at, size in ((0, 2_000), (len(text) // 2, 10)):
        window = window_of(trace, at, size)
        board = pretokenize_board(trace, tok.vocabulary, window)
        assert json.dumps(board.rows)
        assert plain(board.say)
        assert decode_board(trace, round_trip(tok, trace), tok.vocabulary, window).id


def test_the_sentences_name_llama_cpps_cleanup_and_what_nfc_rewrites() -> None:
    tok = bundled("llama-3@llama.cpp")
    trace = tok.trace("Well , yes")
    say = decode_board(trace, round_trip(tok, trace), tok.vocabulary, window_of(trace)).say
    assert "Decoding dropped 1: “␣” (character 5); for this vocabulary llama.cpp removes spaces" in plain(say)
    assert "normalization form rewrites 1 character" in plain(normalize_say(bundled("qwen2.5").trace("cafe\u0301")))


def test_the_sentence_says_where_a_rewritten_pattern_takes_less() -> None:
    def say(name: str, text: str) -> str:
        trace = bundled(name).trace(text)
        return plain(pretokenize_board(trace, bundled(name).vocabulary, window_of(trace)).say)

    assert say("llama-3@llama.cpp", "x'ſ").endswith(
        " At character 2 the model's own pattern would take “'ſ” with “(?i:'s|'t|'re|'ve|'m|'ll|'d)”. llama.cpp has "
        "rewritten it for ASCII letters and does not."
    )
    assert "rewritten" not in say("llama-3@llama.cpp", "x's")
    assert "rewritten" not in say("qwen2.5", "x'ſ")

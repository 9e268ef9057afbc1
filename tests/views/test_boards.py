"""Sentences and cells of the boards, checked by eye with the bundled vocabularies."""

from __future__ import annotations

from array import array

import pytest

import explorer
from explorer.analysis.round_trip.losses import round_trip
from explorer.engine.items import Segment
from explorer.text.say import plain
from explorer.views.boards.board import Board
from explorer.views.boards.decode import decode_board
from explorer.views.boards.normalize import Mapped, mapped, normalize_board
from explorer.views.boards.partition import partition_board
from explorer.views.boards.post_process import post_process_board
from explorer.views.boards.tokens import tokens_board
from explorer.views.boards.utf8 import utf8_board
from explorer.views.sections import sections
from explorer.views.window import window_of
from tests.bundled import bundled


def boards(tok: explorer.Tokenizer, text: str, at: int = 0, size: int = 2000, **options: bool) -> dict[str, Board]:
    trace = tok.trace(text, **options)
    decoded = round_trip(tok, trace)
    window = window_of(trace, at, size)
    v = tok.vocabulary
    return {
        "tokens": tokens_board(trace, v, window),
        "utf8": utf8_board(trace, v, window),
        "partition": partition_board(trace, v, window),
        "normalize": normalize_board(trace, v, window),
        "post": post_process_board(trace, v, window),
        "decode": decode_board(trace, decoded, v, window),
    }


def cells(board: Board, row: int = 0) -> list[dict[str, object]]:
    return list(board.rows[row]["cells"])


SENTENCES = [
    ("tokens", "What is LoRA?", {}, "6 tokens, 1 of them added, for 13 characters (13 bytes): "
     "2.60 bytes per token of the text."),
    ("utf8", "", {}, "The text is empty: no code points, no bytes."),
    ("utf8", "aé", {}, "2 code points in 3 bytes of UTF-8, 1 to 2 bytes each."),
    ("utf8", "👨‍👩‍👧", {}, "What a reader sees as 1 character are 5 code points "
     "in 18 bytes of UTF-8, 3 to 4 bytes each."),
    ("partition", "Hi", {}, "Changed nothing: the text contains no token that is cut out first."),
    ("partition", "<s>Hi", {}, "Found 1 special token in the text: 2 fragments, of which 1 is left to tokenize."),
    ("partition", "<s>", {}, "Found 1 special token in the text: 1 fragment, of which none is left to tokenize."),
    ("partition", "a<s>" * 10, {},
     "Found 10 special tokens in the text: 20 fragments, of which 10 are left to tokenize."),
    ("partition", "<s><s>x<s>", {"parse_special": False}, "Changed nothing: 3 special tokens are in the text, but "
     "special tokens are not parsed, so they stay text."),
    ("decode", "a<s>a<s>a", {}, "The text that comes back is different, but nothing is lost. Normalization inserted "
     "2 characters; the first: “␣” before character 5. Decoding removes such a space only at the very beginning."),
    ("partition", "<s>", {"parse_special": False}, "Changed nothing: 1 special token is in the text, but special "
     "tokens are not parsed, so it stays text."),
    ("normalize", "Hi", {}, "A space is put before the text, and 1 space is written ▁ (U+2581)."),
    ("normalize", "<s>a<s>b", {}, "A space is put before 2 fragments, and 2 spaces are written ▁ (U+2581)."),
    ("normalize", "", {}, "Changed nothing: the text is empty."),
    ("post", "Hi", {}, "“<s>” (1) is added before the text."),
    ("post", "Hi", {"add_special": False}, "Changed nothing: adding special tokens is off."),
    ("post", "<s>", {}, "“<s>” (1) is added before the text. The text already began with it, so it occurs twice, as "
     "in the original."),
    ("decode", "Hi", {}, "All bytes joined and read as UTF-8 give back exactly your text."),
    ("decode", "Hi 😊", {}, "All bytes joined and read as UTF-8 give back exactly your text. “😊” (character 4) "
     "is spread over several tokens: decoded separately they would give \ufffd, and their lengths would no longer add "
     "up."),
    ("decode", "a▁b", {}, "1 of 3 characters does not come back. Decoding rewrote 1: “▁” (character 2) became “␣”; "
     "the vocabulary writes spaces as ▁ (U+2581), so a real ▁ looks like a space."),
    ("decode", "<s>Hi", {}, "The text that comes back is different, but nothing is lost. Normalization inserted 1 "
     "character: “␣” before character 4. Decoding removes such a space only at the very beginning."),
]  # fmt: skip


@pytest.mark.parametrize(("board", "text", "options", "sentence"), SENTENCES)
def test_each_stage_says_what_it_did_to_this_text(
    llama2: explorer.Tokenizer, board: str, text: str, options: dict[str, bool], sentence: str
) -> None:
    assert plain(boards(llama2, text, **options)[board].say) == sentence


def test_a_split_character_is_drawn_in_parts_not_as_a_replacement_character(llama2: explorer.Tokenizer) -> None:
    chips = cells(boards(llama2, "😊")["tokens"])
    assert [chip.get("part") for chip in chips] == [None, None, [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 4, 4]]
    assert [chip.get("top") for chip in chips][2:] == ["F0", "9F", "98", "8A"]
    assert {chip["t"] for chip in chips[2:]} == {"😊"}


def test_added_and_special_tokens_have_different_labels(llama2: explorer.Tokenizer) -> None:
    chips = cells(boards(llama2, "<s>a")["tokens"])
    assert [chip.get("tag") for chip in chips] == ["added", "special", None]
    assert [(chip["s"], chip["e"]) for chip in chips] == [(-1, -1), (0, 3), (3, 4)]


def test_bytes_are_shown_bit_by_bit(llama2: explorer.Tokenizer) -> None:
    (card,) = cells(boards(llama2, "é")["utf8"])
    assert card["top"] == "U+00E9"
    assert card["bytes"] == [[0xC3, 3, "lead"], [0xA9, 2, "continuation"]]
    assert ["is", "letter, lowercase of another letter"] in card["tip"]  # type: ignore[operator]
    assert ["Unicode category", "Ll: lowercase letter"] in card["tip"]  # type: ignore[operator]


def test_fragments_have_offset_and_length_in_code_points_and_bytes(llama2: explorer.Tokenizer) -> None:
    token, raw = cells(boards(llama2, "<s>é!")["partition"])
    assert (token["tag"], token["id"]) == ("TOKEN", 1)
    assert (raw["tag"], raw["sub"]) == ("RAW_TEXT", "offset 3 · length 2")
    assert ["bytes", "offset 3, length 3"] in raw["tip"]  # type: ignore[operator]


def test_special_tokens_that_are_not_parsed_are_shown(llama2: explorer.Tokenizer) -> None:
    board = boards(llama2, "a<s>", parse_special=False)["partition"]
    assert [(cell["t"], cell["s"], cell["tag"]) for cell in cells(board, 1)] == [("<s>", 1, "not parsed")]


def test_the_map_shows_what_was_inserted_and_replaced(llama2: explorer.Tokenizer) -> None:
    inserted, a, space = cells(boards(llama2, "a ")["normalize"])
    assert (inserted["t"], inserted["look"], inserted["to"]) == ("", "inserted", [{"t": "▁"}])
    assert "to" not in a
    assert (space["t"], space["look"], space["to"]) == ("␣", "changed", [{"t": "▁"}])


def test_the_map_groups_any_alignment() -> None:
    # ﬁ → fi (one to many), e + U+0301 → é (many to one), x dropped
    segment = Segment("fié", array("i", [0, 0, 1]), array("i", [1, 1, 3]))
    assert list(mapped(segment)) == [Mapped(0, 1, "fi"), Mapped(1, 3, "é")]


def test_every_board_is_limited_to_the_window(llama2: explorer.Tokenizer) -> None:
    text = "<s>word " * 500
    found = boards(llama2, text, 2000, 100)
    for name, board in found.items():
        drawn = cells(board)
        assert 0 < len(drawn) <= 220, name
        assert all(int(str(cell["e"])) > 1990 and int(str(cell["s"])) < 2110 for cell in drawn), name
        assert board.rows[0]["before"] > 0, name
        assert board.rows[0]["after"] > 0, name


def test_the_id_of_a_board_names_its_content(llama2: explorer.Tokenizer) -> None:
    assert boards(llama2, "a")["tokens"].id == boards(llama2, "a")["tokens"].id
    assert boards(llama2, "a")["tokens"].id != boards(llama2, "b")["tokens"].id


def test_every_stage_has_a_section(llama2: explorer.Tokenizer) -> None:
    trace = llama2.trace("<s>Hi 😊")
    shown = sections(llama2, trace, round_trip(llama2, trace), window_of(trace))
    assert [s.key for s in shown] == ["utf8", *(stage.name for stage in trace.stages), "decode"]
    assert all(s.board is not None or s.script is not None for s in shown)


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        ("xlm-r", "ﬁ  a ", "The character map made 1 replacement; 1 white space character is dropped; a ▁ is put "
         "before the text; 1 run of white space is written ▁ (U+2581)."),
        ("xlm-r", "", "Changed nothing."),
        ("mistral-v1", "a", "A ▁ is put before the text."),
        ("mistral-v1", "a b c", "A ▁ is put before the text; 2 runs of white space are written ▁ (U+2581)."),
    ],
)  # fmt: skip
def test_the_sentence_names_what_the_character_map_did(model: str, text: str, expected: str) -> None:
    assert plain(normalize_board_of(model, text).say) == expected


def normalize_board_of(model: str, text: str) -> Board:
    tok = bundled(model)
    trace = tok.trace(text)
    return normalize_board(trace, tok.vocabulary, window_of(trace))


def test_a_unigram_model_has_a_lattice_stepper() -> None:
    tok = bundled("xlm-r")
    trace = tok.trace("is")
    found = sections(tok, trace, round_trip(tok, trace), window_of(trace))
    (model,) = [section for section in found if section.key == "model"]
    assert model.title == "The best path"
    assert model.script is not None
    assert model.script.data["title"] == "Lattice"


def test_added_tokens_that_are_not_special_are_counted_separately() -> None:
    for spec in ("qwen2.5", "qwen2.5@llama.cpp"):
        tok = bundled(spec)
        trace = tok.trace("<tool_call>a<|im_end|>b<tool_call>")
        board = partition_board(trace, tok.vocabulary, window_of(trace))
        assert plain(board.say) == (
            "Found 1 special token and 2 user-defined tokens in the text: 5 fragments, of which 2 are left to tokenize."
        )
        looks = [(cell["t"], cell.get("look")) for cell in cells(board) if cell["tag"] == "TOKEN"]
        assert looks == [("<tool_call>", None), ("<|im_end|>", "special"), ("<tool_call>", None)], spec

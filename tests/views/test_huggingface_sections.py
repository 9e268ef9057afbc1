"""Every kind of tokenizer.json is drawn: all its stages, with sentences for what only some files have."""

from __future__ import annotations

from typing import Any

import pytest

import explorer
from explorer.analysis.round_trip.losses import round_trip
from explorer.text.say import plain
from explorer.views.boards.decode import decode_board
from explorer.views.sections import Section, sections
from explorer.views.window import window_of
from tests.implementations.huggingface import test_decoders as decoders
from tests.implementations.huggingface import test_models as models
from tests.implementations.huggingface import test_post_processors as processors
from tests.originals.hugging_face import both

TEXT = "A tokenizer cuts größere 漢字, isn't it? 😊"


def drawn(tok: explorer.Tokenizer, text: str, **options: bool) -> dict[str, Section]:
    trace = tok.trace(text, **options)
    decoded = round_trip(tok, trace)
    return {each.key: each for each in sections(tok, trace, decoded, window_of(trace))}


def said(tok: explorer.Tokenizer, text: str, key: str, **options: bool) -> str:
    board = drawn(tok, text, **options)[key].board
    assert board is not None
    return plain(board.say)


@pytest.mark.parametrize("name", models.FILES)
def test_every_model_has_its_section(name: str) -> None:
    tok = both(models.FILES[name]()).ours
    model = drawn(tok, TEXT)["model"]
    assert model.board or (model.script and len(model.script) > 5)
    if model.script:
        for step in range(1, len(model.script) + 1):
            assert model.script.sentence(step)


def test_prefix_and_suffix_are_steps() -> None:
    script = drawn(both(models.FILES["BPE, both"]()).ours, "lower")["model"].script
    assert script is not None
    assert script.sentence(1).startswith("Every symbol but the first gets the prefix “•”.")
    assert script.sentence(2).startswith("The last symbol gets the suffix “</w>”.")


def test_words_looked_up() -> None:
    tok = both(models.FILES["WordLevel"]()).ours
    assert said(tok, "A tokenizer xyz", "model") == "5 words are looked up, of which 1 is unknown."
    assert said(tok, "A", "model") == "1 word is looked up and found."
    assert said(tok, "", "model") == "There is no word to look up."


SENTENCES: list[tuple[str, Any, str]] = [
    ("both", "xy", "“<s>” ({0}) is added before the text and “</s>” ({1}) is added after the text."),
    ("ByteLevel, trimmed", " a", "No tokens are added. The offsets of 1 token are trimmed: they leave out white "
     "space at the ends."),
    ("the text twice", "x", "“<s>” ({0}) is added before the text and “</s>” ({1}) is added after the text. "
     "The template contains the text more than once, which adds 1 token."),
    ("no text", "x", "“<s>” ({0}) is added before the text and “</s>” ({1}) is added before the text. "
     "The template doesn't contain the text, so none of its tokens is left."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "says"), SENTENCES)
def test_post_processors_say_what_they_did(name: str, text: str, says: str) -> None:
    tok = both(processors.file(processors.PROCESSORS[name])).ours
    assert said(tok, text, "post-process") == says.format(processors.FIRST, processors.LAST)


GIVES = [
    ("none", "ab", "its piece; a space before it, because there is no decoder"),
    ("Metaspace", "▁", "its piece; the space mark becomes a space, or nothing at the beginning"),
    ("BPEDecoder", "ab</w>", "its piece; the end-of-word suffix becomes a space, or nothing at the end"),
    ("CTC", "<pad>a", "its piece; the padding in it is left out"),
    ("CTC", "a|b", "its piece; the word delimiter in it becomes a space"),
    ("Replace", "▁a", "its piece; text in it is replaced"),
    ("Strip left", "▁a", "its piece; characters at its ends are removed"),
    ("ByteLevel", "Ã©", "its piece, printable characters back to bytes"),
    ("WordPiece", " .", "its piece; spaces next to punctuation are removed"),
    ("ByteFallback", "<0xC3>", "U+FFFD: this byte is not part of a character"),
    ("Fuse", "ab</w>", "its piece; joined with all later pieces"),
]


@pytest.mark.parametrize(("name", "text", "gives"), GIVES)
def test_a_card_says_what_the_decoder_did_to_a_piece(name: str, text: str, gives: str) -> None:
    content = decoders.file(decoders.DECODERS[name]) | {"added_tokens": [], "normalizer": None}
    # a text that is a piece is taken whole
    tok = both(content | {"model": content["model"] | {"ignore_merges": True}}).ours
    trace = tok.trace(text)
    board = decode_board(trace, round_trip(tok, trace), tok.vocabulary, window_of(trace))
    assert gives in [dict(cell["tip"])["gives"] for cell in board.rows[-1]["cells"]]

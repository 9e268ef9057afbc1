"""Every kind of tokenizer.json is drawn: all its stages, with sentences for what only some files have."""

from __future__ import annotations

from typing import Any

import pytest

import explorer
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.text.say import plain
from explorer.views.overview import Section, sections
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
    result = drawn(tok, text, **options)[key].result
    assert result is not None
    return plain(result)


@pytest.mark.parametrize("name", models.FILES)
def test_every_model_has_its_section(name: str) -> None:
    tok = both(models.FILES[name]()).ours
    model = drawn(tok, TEXT)["model"]
    assert model.script is not None
    assert len(model.script) > 5
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
    ("both", "xy", "“<s>” ({0}) is added before the text. “</s>” ({1}) is added after the text."),
    ("ByteLevel, trimmed", " a", "No tokens are added. The offsets of 1 token are trimmed: they leave out white "
     "space at the ends."),
    ("the text twice", "x", "“<s>” ({0}) is added before the text. “</s>” ({1}) is added after the text. "
     "The template contains the text more than once, which adds 1 token."),
    ("no text", "x", "“<s>” ({0}) is added before the text. “</s>” ({1}) is added before the text. "
     "The template doesn't contain the text, so none of its tokens is left."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "says"), SENTENCES)
def test_post_processors_say_what_they_did(name: str, text: str, says: str) -> None:
    tok = both(processors.file(processors.PROCESSORS[name])).ours
    assert said(tok, text, "post-process") == says.format(processors.FIRST, processors.LAST)


GIVES = [
    ("none", "ab", "“b” becomes “␣b”"),
    ("Metaspace", "▁", "“▁” becomes “”"),
    ("BPEDecoder", "ab</w>", "“ab</w>” becomes “ab”"),
    ("CTC", "<pad>a", "“<pad>a” becomes “a”"),
    ("CTC", "a|b", "“a|b” becomes “a␣b”"),
    ("Replace", "▁a", "“▁a” becomes “␣a”"),
    ("Strip left", "▁a", "“▁a” becomes “a”"),
    ("ByteLevel", "Ã©", "“Ã©” becomes “é”"),
    ("WordPiece", " .", "“␣.” becomes “.”"),
    ("ByteFallback", "<0xC3>", "“<0xC3>” becomes “\ufffd”"),
    ("Fuse", "ab</w>", "Fuse changes no bytes"),
]


@pytest.mark.parametrize(("name", "text", "gives"), GIVES)
def test_a_step_says_what_the_decoder_did_to_a_piece(name: str, text: str, gives: str) -> None:
    content = decoders.file(decoders.DECODERS[name]) | {"added_tokens": [], "normalizer": None}
    # a text that is a piece is taken whole
    tok = both(content | {"model": content["model"] | {"ignore_merges": True}}).ours
    script = drawn(tok, text)["decode"].script
    assert script is not None
    assert gives in script.sentence(1)

"""Tokens as text and as stored: on every page one way, and never bytes that look like other letters."""

from __future__ import annotations

import re

import pytest

import explorer
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.spelling import shown_vocabulary, speller_of
from explorer.views.overview import running_text, sections
from tests.bundled import bundled

TEXT = "I 🤗 café tokens, 猫"
STORED = re.compile(r"[ĠĊ▁]|\\x|Ã|ðŁ|<0x")
"""What only a vocabulary writes of this text."""


def readable(data: bytes) -> str:
    """Bytes as text: characters as themselves, a space as ·, other bytes in hexadecimal."""
    words = re.split(r"(\[(?:[0-9A-F]{2} ?)+\])", re.sub(
        r"((?:\\x[0-9a-f]{2})+)", lambda found: "[" + found[0][2:].replace("\\x", " ").upper() + "]",
        data.decode("utf-8", "backslashreplace"),
    ))  # fmt: skip
    return " ".join(word.strip("[]").replace(" ", "·") if word[0] != "[" else word[1:-1] for word in words if word)


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "rwkv-world", "cl100k_base"])
def test_a_token_as_text_is_what_its_bytes_say(name: str) -> None:
    tok = bundled(name)
    trace = tok.trace(TEXT)
    shown = shown_vocabulary(trace, stored=False)
    for token in trace.encoding.tokens:
        if token.start >= 0:
            data = trace.encoding.bytes_of(token.id)
            assert shown.spelling(token.id) in (readable(data), "·" + readable(data)), (
                token
            )  # a prefix space is dropped
    assert shown_vocabulary(trace, stored=True).spelling(trace.ids[-1]) == tok.vocabulary.spelling(trace.ids[-1])


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", list(explorer.catalog()))
def test_the_model_stage_speaks_in_text_and_by_switch_as_stored(name: str) -> None:
    tok = bundled(name)
    trace = tok.trace(TEXT)
    args = tok, trace, round_trip(tok, trace), window_of(trace), "model"
    (plain,), (stored,) = sections(*args, stored=False), sections(*args, stored=True)
    if plain.script is None or stored.script is None:
        return
    assert "".join(plain.script.data["texts"]).count("\n") == 0
    spelled = [plain.script.data["texts"][index] for index in plain.script.spelled]
    prefix = "▁" if speller_of(trace, False).spelling.how.name == "PHANTOM" else None
    assert [text for text in spelled if STORED.search(text.replace(prefix or "▁▁▁▁", ""))] == []
    assert plain.script.data | {"texts": 0} == stored.script.data | {"texts": 0}, "all else is the same"


def test_the_running_text_as_stored_is_the_vocabularys() -> None:
    tok = bundled("gpt-2")
    trace = tok.trace("I 🤗")
    pieces = running_text(trace, tok.vocabulary, window_of(trace), stored=True)
    assert [piece["t"] for piece in pieces] == ["I", "ĠðŁ", "¤", "Ĺ"]

"""Text to ids and back: the same text where the model keeps every byte, and nothing unexplained where it does not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings

import explorer
from tests.bundled import bundled
from tests.originals.generators import strings, texts
from tests.tiers import amount

LOSSLESS = ("gpt-2", "llama-3", "cl100k_base", "o200k_base", "rwkv-world")
EVERY = [f"{model.name}@{runs}" for model in explorer.catalog().values() for runs in model.implementations]


def there_and_back(tok: explorer.Tokenizer, text: str) -> str:
    return tok.decode(tok.encode(text, parse_special=False).ids)


@pytest.mark.parametrize("name", LOSSLESS)
def test_a_byte_lossless_model_gives_the_text_back(name: str) -> None:
    assert [text for text in strings(seed=5, count=1_500) if there_and_back(bundled(name), text) != text] == []


def test_qwen_gives_the_text_back_composed() -> None:
    tok = bundled("qwen2.5")
    for text in strings(seed=6, count=1_000):
        back = there_and_back(tok, text)
        assert unicodedata.normalize("NFC", back) == unicodedata.normalize("NFC", text)
        if text.isascii():
            assert back == text


@given(text=texts())
@settings(max_examples=amount(40))
def test_traced_and_untraced_ids_are_equal_for_every_model(text: str) -> None:
    for name in EVERY:
        tok = bundled(name)
        for parse in (True, False):
            assert tok.trace(text, parse_special=parse).encoding == tok.encode(text, parse_special=parse), name


@given(text=texts())
@settings(max_examples=amount(40))
def test_spans_are_in_order_and_lie_in_the_text(text: str) -> None:
    for name in EVERY:
        spans = [span for span in bundled(name).encode(text).spans if span is not None]
        assert all(0 <= start <= end <= len(text) for start, end in spans), name

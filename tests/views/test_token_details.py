"""The details of a token: its bytes, its spelling, and its text."""

from __future__ import annotations

import pytest

from explorer.analysis.ownership import ownership
from explorer.text import visible
from explorer.views.charts import table_of_tokens
from explorer.views.compare.aligned import token_details
from tests.bundled import bundled


def details(spec: str, text: str, number: int) -> tuple[str, dict[str, str]]:
    """A token as it is shown, and its details."""
    tok = bundled(spec)
    encoding = tok.encode(text)
    token, shares = encoding.tokens[number], ownership(text, encoding, number, number + 1)[0]
    shown, pairs = token_details(text, token, encoding, shares, tok.vocabulary.spelling(token.id))
    return shown, {pair[0]: pair[1] for pair in pairs}


def card_of(spec: str, text: str, number: int) -> dict[str, str]:
    """The details of one token."""
    return details(spec, text, number)[1]


@pytest.mark.parametrize(
    ("spec", "text", "number", "data", "spelled"),
    [
        ("gpt-2", "I 🤗", 1, "20 F0 9F", "ĠðŁ"),
        ("gpt-2", " a", 0, "20 61", "Ġa"),
        ("llama-2", "What is LoRA?", 3, "20 4C 6F", "▁Lo"),
        ("llama-2", "😊", 2, "F0", "<0xF0>"),
        ("mistral-v1", "What is LoRA?", 0, "none: decoding writes nothing for it", "<s>"),
        ("bert-uncased", "unaffable", 2, "66 66 61", "##ffa"),
        ("bert-uncased@llama.cpp", "What", 1, "20 77 68 61 74", "▁what"),
        ("cl100k_base", "I 🤗", 1, "20 F0 9F", " \\xf0\\x9f"),
        ("rwkv-world", "🤗", 0, "F0 9F", "\\xf0\\x9f"),
        ("xlm-r", "ａ", 1, "20 61", "▁a"),
    ],
)
def test_a_card_shows_bytes_and_spelling_separately(spec: str, text: str, number: int, data: str, spelled: str) -> None:
    card = card_of(spec, text, number)
    assert card["bytes"] == data
    assert card["in the vocabulary"] == visible(spelled)


def test_a_card_shows_the_share_of_a_character_and_the_change() -> None:
    assert card_of("gpt-2", "I 🤗", 1)["part"] == "bytes 1–2 of 4 of 🤗, and a space"
    assert "part" not in card_of("gpt-2", "What is", 1)
    card = card_of("bert-uncased", "What is", 1)
    assert card["spells"] == "“what”, where the text has “What”"
    assert "spells" not in card_of("bert-uncased", "What is", 2)
    assert details("gpt-2", "I 🤗", 1)[0] == "␣🤗"


def test_an_added_token_that_is_not_special_is_not_called_special() -> None:
    for spec in ("qwen2.5", "qwen2.5@llama.cpp"):
        assert card_of(spec, "<|im_start|>", 0)["kind"].startswith("control: ")
        assert card_of(spec, "<tool_call>", 0)["kind"].startswith("user-defined: ")


def test_the_table_has_the_bytes_and_the_shares() -> None:
    tok = bundled("gpt-2")
    table = table_of_tokens(tok.trace("I 🤗"), tok)
    assert table["bytes"].tolist() == ["49", "20 F0 9F", "A4", "97"]
    assert table["piece"].tolist()[1] == "ĠðŁ"
    assert table["part"].tolist()[:2] == ["", "bytes 1–2 of 4 of 🤗, and a space"]
    assert (table["start"].tolist()[1], table["end"].tolist()[1]) == (1, 3)


@pytest.mark.long
def test_a_limited_table_has_the_first_rows_of_the_whole() -> None:
    for spec in ("gpt-2", "llama-2", "bert-uncased"):
        tok = bundled(spec)
        trace = tok.trace("I 🤗 né 漢字 " * 3)
        whole = table_of_tokens(trace, tok)
        for most in range(len(whole) + 2):
            assert table_of_tokens(trace, tok, most).values.tolist() == whole.head(most).values.tolist(), (spec, most)

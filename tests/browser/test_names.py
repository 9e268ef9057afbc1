"""Tokenizers by the names people know, while the URL keeps the short ones."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlparse

import pytest

from tests.browser.conftest import Explorer

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]


def linked(page: Explorer, name: str) -> list[str]:
    """The values of a parameter of the URL."""
    return parse_qs(urlparse(page.page.url).query).get(name, [])


@pytest.mark.rest
def test_both_names_find_a_tokenizer_and_back_restores_it(visit: Visit) -> None:
    page = visit().open(stage="model", m="gpt-2", **{"as": "llama.cpp"}, text="one")
    shown = page.page.locator(".st-key-m input")
    assert shown.input_value() == "GPT-2 · byte-level BPE"
    page.choose("m", "llama-2")
    assert page.comes_to(lambda: linked(page, "m") == linked(page, "as") == [])
    assert shown.input_value().startswith("Llama 2 · SentencePiece BPE")
    page.field.fill("two")
    assert page.comes_to(lambda: linked(page, "text") == ["two"]), "an entry of its own in the history"
    page.choose("m", "BERT unc")
    assert page.comes_to(lambda: linked(page, "m") == ["bert-uncased"])
    page.page.go_back()
    assert page.comes_to(lambda: shown.input_value().startswith("Llama 2"))
    assert page.field.input_value() == "two"
    page.page.go_back()
    assert page.comes_to(lambda: page.field.input_value() == "one")
    assert linked(page, "m") == []
    # another page has other parameters, and leaves the choice as it is
    page.choose("m", "qwen2.5")
    page.page.get_by_role("link", name="Compare", exact=True).click()
    page.page.locator(".st-key-rows .cell").first.wait_for()
    assert page.comes_to(lambda: linked(page, "m") == [])
    page.page.locator(".st-key-add button").first.click()
    page.choose("with", "rwkv-world@rwkv")
    assert page.comes_to(lambda: linked(page, "with")[-1:] == ["rwkv-world@rwkv"])
    page.page.get_by_role("link", name="Explore", exact=True).click()
    assert page.comes_to(lambda: shown.count() == 1 and shown.input_value().startswith("Qwen 2.5"))
    assert page.comes_to(lambda: linked(page, "m") == ["qwen2.5"])
    assert linked(page, "with") == []

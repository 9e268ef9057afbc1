"""Links that name a tokenizer: to an upload that is missing, and to nothing at all."""

from __future__ import annotations

import pytest

import explorer
from tests.ui.app import chosen, drop, html_of, page, tokens_of
from tests.ui.small_files import SMALL


def test_a_link_to_a_missing_upload_says_so_and_keeps_the_text() -> None:
    at = drop(page(), ("mine.json", SMALL))
    label = chosen(at)
    at = page(m=label, text="abc ab")
    assert not at.exception
    assert chosen(at) == "llama-2"
    assert tokens_of(at) == explorer.load("llama-2").encode("abc ab").ids
    html = html_of(at)
    assert "mine.json" in html
    assert label[-9:-1] in html
    at = drop(at, ("mine.json", SMALL))
    assert chosen(at) == label
    assert tokens_of(at) == [4, 3]
    assert "drop it here again" not in html_of(at)


@pytest.mark.parametrize(
    "label", ["/etc/passwd", "../README.md", "vocabs/gpt2.tokenizer.json", "<img src=x>", "?" * 3000, "a (12345678) b"]
)
def test_a_url_is_never_read_as_a_path(label: str) -> None:
    at = page(m=label, text="is")
    assert not at.exception
    assert chosen(at) == "llama-2"
    assert tokens_of(at) == [1, 338]
    assert "is not available here" in html_of(at)
    assert "<img" not in html_of(at)
    at.button(key="dismiss absent").click().run()
    assert "is not available here" not in html_of(at)

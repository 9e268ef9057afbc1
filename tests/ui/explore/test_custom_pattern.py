"""A typed pattern: its ids, its errors, and what stays."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import explorer
from explorer.engine.pre_tokenizers.patterns import LLAMA3, PATTERNS
from explorer.implementations.opened import with_pattern
from explorer.views.patterns import caret_html, verdict_html
from tests.bundled import bundled
from tests.meaning import mentions
from tests.ui.app import html_of, page, sent_to, tokens_of

TEXT = "Hello 1998 worlds"


def field_of(at: AppTest) -> dict[str, Any]:
    """The data of the pattern's field."""
    found = [sent_to(element) for element in at.get("bidi_component")]
    return next(dict(data) for data in found if data.get("parameter") == "pattern")


def test_a_link_with_a_pattern_uses_it() -> None:
    at = page(m="gpt-2", text=TEXT, pattern=r"\p{N}| ?\p{L}+", stage="pre-tokenize")
    assert not at.exception
    expected = with_pattern(bundled("gpt-2"), r"\p{N}| ?\p{L}+").encode(TEXT).ids
    assert tokens_of(at) == expected != bundled("gpt-2").encode(TEXT).ids
    assert "are not the model&#x27;s" in html_of(at)
    assert field_of(at)["text"] == r"\p{N}| ?\p{L}+"
    assert field_of(at)["unlinked"] == bundled("gpt-2").pattern_slots[0].regex
    at.button(key="own pattern").click().run()
    assert tokens_of(at) == bundled("gpt-2").encode(TEXT).ids
    assert "are not the model&#x27;s" not in html_of(at)


def test_an_invalid_pattern_is_marked_and_the_page_works() -> None:
    at = page(m="gpt-2", text=TEXT, pattern="<b>(a", stage="pre-tokenize")
    assert not at.exception
    assert tokens_of(at) == bundled("gpt-2").encode(TEXT).ids
    html = html_of(at)
    assert mentions(html, "character 6 of the pattern: missing )")
    assert "&lt;b&gt;(a<span> </span>" in html
    assert "are not the model&#x27;s" not in html
    at.button(key="reset pattern").click().run()
    assert "character 6" not in html_of(at)


@pytest.mark.parametrize("stage", ["model", "pre-tokenize"])
def test_an_invalid_pattern_of_a_link_is_said_above_the_tokens(stage: str) -> None:
    at = page(m="gpt-2", text=TEXT, pattern="(a", stage=stage)
    parts = [str(getattr(each.proto, "body", "") or getattr(each.proto, "bytes", "")) for each in at.main]
    said = next(number for number, part in enumerate(parts) if "Your pattern is not used." in part)
    tokens = next(number for number, part in enumerate(parts) if '"tokens"' in part)
    assert said < tokens
    assert parts[said].count("missing )") == 1


def test_a_pattern_where_there_is_none_is_said() -> None:
    assert "has no pattern" in html_of(page(m="llama-2", text=TEXT, pattern="a"))
    assert "has no pattern" not in html_of(page(m="llama-2", text=TEXT))


def test_a_known_pattern_can_be_chosen() -> None:
    at = page(m="gpt-2", text=TEXT, stage="pre-tokenize")
    at.selectbox(key="known pattern").set_value("llama-3").run()
    assert not at.exception
    assert tokens_of(at) == with_pattern(bundled("gpt-2"), LLAMA3.regex).encode(TEXT).ids
    assert at.selectbox(key="known pattern").value is None
    assert list(at.selectbox(key="known pattern").options) == list(PATTERNS)
    at.selectbox(key="known pattern").set_value("gpt-2").run()
    assert at.button(key="reset pattern").disabled, "it is the model's own pattern"


@pytest.mark.long
def test_the_pattern_stays_when_another_tokenizer_is_chosen() -> None:
    at = page(m="gpt-2", text=TEXT, pattern=".")
    at.selectbox(key="m").set_value("llama-3").run()
    assert tokens_of(at) == with_pattern(bundled("llama-3"), ".").encode(TEXT).ids
    at.selectbox(key="m").set_value("llama-2").run()
    assert not at.exception
    assert tokens_of(at) == bundled("llama-2").encode(TEXT).ids, "it has no pattern"
    assert "are not the model&#x27;s" not in html_of(at)


@pytest.mark.sample(2)
@pytest.mark.parametrize("number", ["1", "7", "-3", "x", "²", "9" * 50])
def test_an_invalid_pattern_number_opens_anyway(number: str) -> None:
    at = page(m="gpt-2", text=TEXT, pattern=".", pattern_of=number)
    assert not at.exception
    assert tokens_of(at) == with_pattern(bundled("gpt-2"), ".").encode(TEXT).ids


@pytest.mark.sample(2)
@pytest.mark.parametrize("pattern", ["", "\x00", "字+|é", "(?i)a|b", "😀", "\\", "(" * 3000, "((a{1000}){1000}){1000}"])
def test_no_pattern_breaks_the_page(pattern: str) -> None:
    at = page(m="gpt-2", text=TEXT, pattern=pattern)
    assert not at.exception
    assert tokens_of(at)


@pytest.mark.long
def test_a_slow_pattern_is_stopped_and_the_page_works() -> None:
    text = "a" * 60 + "c"
    at = page(m="gpt-2", text=text, pattern="(?:a|aa)+(?!.)b")
    assert not at.exception
    assert "took too long" in html_of(at)
    assert tokens_of(at) == bundled("gpt-2").encode(text).ids


def test_an_error_is_drawn_with_its_context() -> None:
    assert caret_html("x" * 100 + "<" + "y" * 100, 100) == (
        f'<pre dir="ltr">…{"x" * 32}<span>&lt;</span>{"y" * 32}…</pre>'
    )
    assert caret_html("a\n\u202eb", 1) == '<pre dir="ltr">a<span>↵</span>U+202Eb</pre>'
    assert 'role="alert"' in verdict_html("a", explorer.InputError("took too long"))
    assert 'role="status"' in verdict_html("a", None)

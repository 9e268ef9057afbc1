"""What the palette answers, and that each of its entries opens."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from explorer.languages import languages
from explorer.ui import PAGES, SCRIPT
from explorer.ui.palette import entries, index
from tests.bundled import bundled


@pytest.mark.long
def test_every_entry_opens() -> None:
    at = AppTest.from_file(SCRIPT, default_timeout=120).run()
    hrefs = [row.href for row, _ in index("en") if not row.href.startswith("learn?")]
    assert len(hrefs) > 40
    for href in hrefs:
        link = urlsplit(href)
        name = link.path.removeprefix("./") or "explore"
        at.switch_page(str(PAGES / f"{name}.py"))
        at.query_params.clear()
        for key, values in parse_qs(link.query, keep_blank_values=True).items():
            at.query_params[key] = values
        at.run()
        assert not at.exception, href


def test_entries_are_said_in_all_languages_and_lead_to_pages() -> None:
    pages = {path.stem for path in PAGES.glob("*.py")} | {"./"}
    for each in entries():
        assert all(each[name] for name in ("words", *languages()))
        assert each["href"].partition("?")[0] in pages


def test_a_long_text_has_all_its_tokens_counted() -> None:
    def script() -> None:
        import streamlit as st

        from explorer.ui.palette import row_of_text

        st.text(row_of_text("𒀀" * 1_000).note)

    at = AppTest.from_function(script, default_timeout=60).run()
    assert not at.exception
    tokens = bundled("llama-2").encode("𒀀" * 1_000, add_special=False).tokens
    count = sum(each.start < each.end for each in tokens)
    assert count > 2_000
    assert f"{count:,} tokens" in at.text[0].value

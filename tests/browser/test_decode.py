"""Ids in the text's place: offered, never read unasked, and traced back to text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import Explorer
from tests.bundled import bundled

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]


@pytest.mark.long
def test_numbers_are_text_until_they_are_read_as_ids(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", text="mine")
    text, given = "[1, 450, 29903, 29874]", [1, 450, 29903, 29874]
    shown = page.page.locator(".st-key-overview .token small")
    reading = page.page.locator(".st-key-field .reading")
    assert not reading.is_visible()
    page.field.fill(text)
    wanted = list(map(str, bundled("llama-2").encode(text).ids))
    assert page.comes_to(lambda: shown.all_text_contents() == wanted), "numbers are a text as any other"
    reading.click()
    assert page.comes_to(lambda: shown.all_text_contents() == list(map(str, given)))
    assert "ids=" in page.page.url
    assert "text=" not in page.page.url
    stages = page.page.locator('.st-key-overview [role="tab"] .name')
    assert stages.all_inner_texts() == ["Ids", "Back to text", "Bytes read", "Encode again"]
    hint = page.page.locator(".st-key-overview .hint").inner_text()
    assert "id number 3: expected “S” (29903), “a” (29874)" in hint
    link = page.page.url
    page.page.locator('.st-key-overview [role="tab"]', has_text="Encode again").click()
    rows = page.page.locator(".st-key-again_rows")
    assert page.comes_to(lambda: rows.locator(".cell.k2").count() == 2), "the ids of S and a"
    assert rows.locator(".cell.k1").count() == 1, "that of Sa"
    page.page.get_by_role("button", name="Open this text").click()
    again = list(map(str, bundled("llama-2").encode("TheSa").ids))
    assert page.comes_to(lambda: shown.all_text_contents() == again)
    assert page.field.input_value() == "TheSa"
    assert page.comes_to(lambda: "ids=" not in page.page.url)
    page.page.goto(link)
    assert page.comes_to(lambda: shown.all_text_contents() == list(map(str, given)))
    page.field.fill("[1, 450, 99999]")
    alert = page.page.locator('[role="alert"]')
    assert page.comes_to(lambda: alert.count() == 1 and "id number 3: 99999" in alert.inner_text())
    reading.click()
    assert page.comes_to(lambda: "text=" in page.page.url and len(shown.all_text_contents()) > 6)

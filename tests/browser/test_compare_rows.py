"""Expected ids, What if and While typing in a browser: what is clicked, keys, the address, reload and back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer
from tests.browser.test_compare import opened

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

TEXT = "token unaffable 東京 1234567"
SMALL = """() => {
  const found = [], walk = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) walk(node.shadowRoot);
      const own = [...node.childNodes].some(each => each.nodeType === 3 && each.textContent.trim());
      if (own && node.checkVisibility({ visibilityProperty: true }) && parseFloat(getComputedStyle(node).fontSize) < 13
        && node.getBoundingClientRect().width > 1 && !node.closest('style')) found.push(node.outerHTML.slice(0, 80));
    }
  };
  for (const each of document.querySelectorAll('[class*="st-key-tab-"]')) walk(each);
  return found;
}"""
"""Texts of a tab that are smaller than 13 px."""


def test_an_example_is_taken_explained_and_kept(visit: Visit) -> None:
    page = opened(visit(), ".fr-row", text=TEXT, view="Expected ids", of="llama-2", **{"with": ["llama-2", "gpt-2"]})
    said = page.page.locator(".st-key-expected-rows .al-say")
    examples = page.page.locator("button.fr-row")
    assert page.comes_to(lambda: examples.count() == 4)
    examples.first.click()
    assert page.comes_to(
        lambda: page.page.locator(".st-key-expected-rows .al-colors").inner_text().startswith("Proved")
    )
    assert page.comes_to(lambda: "expect=1" in page.page.url)
    before = said.inner_text()
    page.page.reload()
    page.page.locator(".st-key-expected-rows .cell").first.wait_for()
    assert page.comes_to(lambda: said.inner_text() == before)
    page.settle()  # rows that are drawn again, at their final width, take the focus from the cell
    page.page.keyboard.press("n")
    differs = page.page.locator(".st-key-expected-rows .cell.k4").first
    assert page.comes_to(lambda: differs.evaluate("node => node.getRootNode().activeElement === node"))
    page.page.get_by_role("link", name="See it in What if").click()
    page.page.locator(".st-key-flips .cell").first.wait_for()
    assert page.comes_to(lambda: "view=What" in page.page.url)
    page.page.locator(".st-key-view button", has_text="Expected ids").click()
    page.page.locator(".st-key-expected-rows .cell").first.wait_for()
    page.page.get_by_role("button", name="Clear the field").click()
    assert page.comes_to(lambda: examples.count() == 4)
    assert page.comes_to(lambda: "expect=" not in page.page.url)


def test_the_focus_stays_in_a_row_when_the_width_changes(visit: Visit) -> None:
    page = opened(visit(DESK), text=TEXT, **{"with": ["llama-2", "gpt-2"]})
    page.settle()
    cell = page.page.locator(".st-key-rows .cell").nth(2)
    cell.focus()
    text = cell.inner_text()
    page.page.set_viewport_size({"width": 1060, "height": 800})
    page.settle()
    focused = page.page.locator(".st-key-rows .cell:focus")
    assert page.comes_to(lambda: focused.count() == 1 and focused.inner_text() == text)


def test_folded_switches_open_stay_open_and_a_row_tells_its_reason(visit: Visit) -> None:
    page = opened(visit(), ".st-key-flips .cell", text="hello", view="What if", **{"with": ["gpt-2@huggingface"]})
    names = page.page.locator(".st-key-flips .name .who")
    few = names.count()
    page.page.locator(".st-key-flips .fr-show").click()
    assert page.comes_to(lambda: names.count() > few)
    assert page.comes_to(lambda: "all=1" in page.page.url)
    page.page.reload()
    page.page.locator(".st-key-flips .cell").first.wait_for()
    assert page.comes_to(lambda: names.count() > few)
    names.nth(1).focus()
    assert page.comes_to(lambda: "pre-token" in page.page.locator(".st-key-flips .tips").inner_text())


def test_keys_move_through_the_rows_while_typing(visit: Visit) -> None:
    long = "The unaffable tokenization of Donaudampfschiff"
    page = opened(visit(), ".st-row", text=long, view="While typing", **{"with": ["gpt-2@huggingface"]})
    rows = page.page.locator(".st-row")
    few = rows.count()
    rows.first.focus()
    said = page.page.locator(".st-did")
    first = said.inner_text()
    page.page.keyboard.press("ArrowDown")
    assert page.comes_to(lambda: said.inner_text() != first and "become" in said.inner_text())
    page.page.keyboard.press("End")
    assert page.comes_to(lambda: rows.last.evaluate("node => node.getRootNode().activeElement === node"))
    page.page.locator(".st-key-typing-rows .fr-show").click()
    assert page.comes_to(lambda: rows.count() == len(long) > few)
    page.page.reload()
    rows.first.wait_for()
    assert page.comes_to(lambda: rows.count() == len(long))


@pytest.mark.parametrize(("size", "dark"), [(DESK, True), (PHONE, False)])
@pytest.mark.parametrize("text", [TEXT, "<img src=x onerror=alert(1)> {0:q} שלום مرحبا \u202e1234"])
def test_nothing_is_too_small_or_wider_than_the_page(visit: Visit, size: dict[str, int], dark: bool, text: str) -> None:
    for view, drawn in (("Side by side", ".cell"), ("Where they part", ".stepper"), ("Expected ids", ".cell"),
                        ("What if", ".cell"), ("While typing", ".st-row")):  # fmt: skip
        page = opened(visit(size, dark), drawn, text=text, view=view, expect="1 5993 1185 999999 0 7", of="llama-2",
                      **{"with": ["llama-2", "gpt-2"]})  # fmt: skip
        assert page.page.evaluate(SMALL) == []
        assert page.sideways() == 0

"""Nothing jumps while a page loads: the browser's own score of layout shifts, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.layout_shift import GOOD, LOADS
from tests.browser.conftest import PHONE, Explorer

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]
DESK = {"width": 1280, "height": 800}


@pytest.mark.sample(6)
@pytest.mark.parametrize("path", LOADS)
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_nothing_jumps_while_a_page_loads(visit: Visit, path: str, size: dict[str, int]) -> None:
    page = visit(size)
    page.page.goto(page.address + path)
    page.page.locator("html[data-arrived]").wait_for(state="attached")
    page.settle()
    page.page.wait_for_timeout(1000)
    assert page.jumped() < GOOD
    # on a phone all of a lesson is fixed to the window, and its block has no height: what is in it is seen
    block = page.page.locator(".stMainBlockContainer > .stVerticalBlock").first
    assert block.locator("*:visible").first.is_visible()


def test_another_page_is_shown_once_it_is_whole(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/train")
    arrived = page.page.locator("html[data-arrived]")
    arrived.wait_for(state="attached")
    page.page.evaluate(
        "() => new MutationObserver(() => (window.left = true)).observe(document.documentElement, "
        "{ attributeFilter: ['data-arrived'] })"
    )
    page.page.get_by_role("link", name="Compare", exact=True).click()
    page.page.locator(".st-key-rows .ids").first.wait_for(state="attached")
    assert page.comes_to(lambda: bool(page.page.evaluate("window.left")) and arrived.count() == 1)

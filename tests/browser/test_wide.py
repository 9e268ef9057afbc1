"""Charts and tables: at every width of the window, none is wider than its box or runs off the page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError

from tests.browser.conftest import Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

WIDTHS = (390, 844), (1280, 800), (1920, 1080), (2560, 1440)
PAGES = {
    "/corpus?part=Whole text": 1,
    "/corpus?part=Lengths": 1,
    "/corpus?part=All numbers": 1,
    "/vocabulary?m=gpt-2&look=Charts": 3,
}
"""Page → how many charts and tables it has at least."""

DRAWN = """() => [...document.querySelectorAll(
    '[data-testid=stVegaLiteChart] svg.marks, [data-testid=stDataFrameResizable]'
  )].filter(node => node.checkVisibility()).map(node => {
    const box = node.closest('.stElementContainer').getBoundingClientRect(), drawn = node.getBoundingClientRect();
    return [Math.round(drawn.width - box.width), Math.round(drawn.right - innerWidth), Math.round(drawn.width)];
  })"""
"""For each chart and table: pixels beyond its box, pixels beyond the window, its width."""

LEGENDS = """() => [...document.querySelectorAll('[data-testid=stVegaLiteChart] svg.marks')].flatMap(svg => {
    const { bottom, right } = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('.role-legend text')].filter(node => {
      const drawn = node.getBoundingClientRect();
      return drawn.bottom > bottom + 1 || drawn.right > right + 1;
    }).map(node => node.textContent);
  })"""
"""The words of legends that their chart cuts off."""


def fits(page: Explorer, path: str, least: int) -> None:
    page.page.goto(page.address + path)
    page.settle()
    assert page.comes_to(lambda: len(page.page.evaluate(DRAWN)) >= least)
    assert page.comes_to(lambda: all(wide <= 1 and off <= 0 for wide, off, _ in page.page.evaluate(DRAWN))), (
        path, page.page.evaluate(DRAWN),
    )  # fmt: skip
    assert page.page.evaluate(LEGENDS) == []


def test_on_a_large_screen_charts_and_tables_fill_their_box_and_are_larger(visit: Visit) -> None:
    page = visit({"width": 1920, "height": 1080})
    fits(page, "/corpus?part=Whole text", 1)
    assert all(wide >= -4 for wide, _, _ in page.page.evaluate(DRAWN)), "not smaller than the box either"
    label = page.page.locator("[data-testid=stVegaLiteChart] text").first
    drawn = "node => node.getBoundingClientRect().height / parseFloat(getComputedStyle(node).fontSize)"
    assert label.evaluate(drawn) > 1.3, "its type is enlarged as the page's"
    fits(page, "/corpus?part=All numbers", 1)
    frame = page.page.get_by_test_id("stFullScreenFrame").filter(has=page.page.locator("[data-testid=stDataFrame]"))

    def fills_the_screen() -> bool:
        frame.hover()  # what the page still moves is no longer under the pointer
        with suppress(TimeoutError):
            frame.get_by_role("button", name="Fullscreen").click(timeout=2000)
        return frame.get_by_role("button", name="Close fullscreen").is_visible()

    assert page.comes_to(fills_the_screen)
    assert page.comes_to(lambda: 1800 <= page.page.evaluate(DRAWN)[-1][2] <= 1920)


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_no_chart_or_table_is_wider_than_its_box(visit: Visit, width: int, height: int) -> None:
    page = visit({"width": width, "height": height})
    for path, least in PAGES.items():
        fits(page, path, least)
        assert page.sideways() == 0, path


def test_the_numbers_of_a_chart_are_written_as_the_page_s_language_does(visit: Visit) -> None:
    for language, number in (("en", "15,000"), ("de", "15\u202f000")):
        page = visit({"width": 1280, "height": 800})
        page.page.goto(f"{page.address}/vocabulary?look=Charts&lang={language}")
        page.page.locator("[data-testid=stVegaLiteChart] text", has_text=number).first.wait_for(state="attached")

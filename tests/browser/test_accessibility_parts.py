"""Accessibility of what lies over a page: menus, the palette, the chip and how the first story ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from explorer.languages import languages, phrases
from explorer.ui.compare.tabs import TABS
from tests.browser.conftest import PHONE, Explorer
from tests.browser.test_accessibility import in_both_themes
from tests.browser.test_first_visit import FIRST, NEXT

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
ASKED = ("", "15339", "[1, 1724]", "org/name", "bos", "theme", "zzzz", "U+1F917")


@contextmanager
def opened(page: Explorer, button: str, box: str) -> Iterator[None]:
    page.page.locator(button).first.click()
    page.page.locator(box).first.wait_for()
    yield
    page.page.keyboard.press("Escape")
    page.page.locator(box).first.wait_for(state="hidden")


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_in_what_lies_over_a_page(visit: Visit, language: str, size: dict[str, int]) -> None:
    page = visit(size, locale=language, reduced_motion="reduce")
    page.page.add_init_script(FIRST)
    page.page.goto(f"{page.address}/")
    page.page.locator(NEXT).wait_for()
    found = {"the end of the first story": in_both_themes(page)}
    page.page.keyboard.press("Escape")
    page.field.fill("abc")
    page.page.locator(".st-key-header .ch").wait_for()
    with opened(page, ".ch-open", ".ch-box"):
        found["chip"] = in_both_themes(page)
    for number in range(3):
        button = f".st-key-overview .actions .action[aria-haspopup]:nth-child({number + 1})"
        with opened(page, button, ".st-key-overview .menu:popover-open"):
            found[f"menu {number}"] = in_both_themes(page)
    page.page.keyboard.press("Control+k")
    for typed in ASKED:
        page.page.locator(".pa-field").fill(typed)
        page.page.locator(".pa-row").first.wait_for()
        page.settle()
        found[f"palette {typed}"] = in_both_themes(page)
    assert {part: lines for part, lines in found.items() if lines} == {}


@pytest.mark.parametrize("language", languages())
def test_a_tab_is_read_with_the_words_that_are_seen_and_no_others(visit: Visit, language: str) -> None:
    page = visit(locale=language)
    page.page.goto(f"{page.address}/compare")
    page.page.locator(".st-key-rows .cell").first.wait_for()
    page.settle()
    wanted = shown_in(language)
    assert page.comes_to(lambda: names(page) == wanted), names(page)
    other = "en" if language == "ja" else "ja"
    page.page.locator(".ky-language").select_option(other)
    page.settle()
    wanted = shown_in(other)
    assert page.comes_to(lambda: names(page) == wanted), names(page)


def shown_in(language: str) -> list[str]:
    """The words on the tabs of Compare."""
    return [phrases(language).words(tab.shown or name) for name, tab in TABS.items()]


def names(page: Explorer) -> list[str]:
    """What a screen reader says of the tabs: their names, with what is read inside of them."""
    session = page.page.context.new_cdp_session(page.page)
    nodes = {each["nodeId"]: each for each in session.send("Accessibility.getFullAXTree")["nodes"]}
    session.detach()

    def read(node: dict[str, Any]) -> list[str]:
        inside = [line for each in node.get("childIds", ()) for line in read(nodes[each])]
        return inside if node["ignored"] or not node["name"]["value"] else [node["name"]["value"], *inside]

    radios = [each for each in nodes.values() if each.get("role", {}).get("value") == "radio"]
    return [" | ".join(dict.fromkeys(read(each))) for each in radios]

"""Space and Escape do the same thing on every page: Space plays the steps in view, Escape leaves a field."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]

STEPPED = {
    "/?level=story&step=0": ".st-key-stage .stepper",
    "/compare?view=Where they part&text=Ångström 1234567": ".st-key-parting .stepper",
    "/train": ".st-key-training_stepper .stepper",
    "/learn?lesson=bpe&card=2": ".st-key-learn-panel .stepper",
    "/prompt?view=template": ".st-key-prompt-drawn .stepper",
}
"""Page → its stepper."""
FIELDS = {
    "/": ".st-key-text textarea",
    "/compare": ".st-key-text textarea",
    "/compare?view=Expected ids": ".st-key-expected textarea",
    "/train": ".st-key-train_field textarea",
    "/vocabulary": ".vo input",
    "/prompt": "textarea.pr-area",
}
"""Page → a field of text."""
FOCUSED = """() => {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active?.localName;
}"""


@pytest.mark.sample(3)
@pytest.mark.parametrize("path", STEPPED)
def test_space_plays_and_pauses(visit: Visit, path: str) -> None:
    page = visit(DESK)
    page.page.goto(page.address + path)
    stepper = page.page.locator(STEPPED[path]).first
    count = stepper.locator(".count").first
    page.comes_to(lambda: any(map(str.isdigit, count.inner_text())))
    page.settle()
    page.page.evaluate("document.activeElement?.blur()")
    before = count.inner_text()
    page.page.keyboard.press("Space")
    assert page.comes_to(lambda: count.inner_text() != before), "it plays"
    page.page.keyboard.press("Space")

    def rests() -> bool:
        shown = count.inner_text()
        page.page.wait_for_timeout(1500)
        return count.inner_text() == shown

    assert page.comes_to(rests), "it rests"


@pytest.mark.sample(3)
@pytest.mark.parametrize("path", FIELDS)
def test_escape_leaves_a_field(visit: Visit, path: str) -> None:
    page = visit(DESK)
    page.page.goto(page.address + path)
    field = page.page.locator(FIELDS[path]).first
    field.wait_for()
    page.settle()
    text = field.input_value()
    field.focus()
    page.page.keyboard.press("Escape")
    assert page.page.evaluate(FOCUSED) not in ("input", "textarea")
    assert field.input_value() == text


def test_every_page_is_shared_by_one_button(visit: Visit) -> None:
    """Loaded on a narrow screen, and on a desk."""
    page = visit(PHONE, permissions=["clipboard-read", "clipboard-write"])
    for name in ("", "compare", "train", "vocabulary", "prompt", "learn", "corpus"):
        page.page.set_viewport_size(PHONE)
        page.page.goto(f"{page.address}/{name}")
        page.page.locator("html[data-arrived]").wait_for(state="attached")
        some = page.page.get_by_text("Share", exact=True)
        assert page.comes_to(lambda some=some: any(each.is_visible() for each in some.all())), name
        page.page.set_viewport_size(DESK)
        own = name in ("", "prompt")
        share = page.page.get_by_role("button", name="Share", exact=True) if own else page.page.locator(".ky-share")
        assert page.comes_to(share.first.is_visible), name
    share.click()
    assert page.comes_to(lambda: page.page.evaluate("navigator.clipboard.readText()") == page.page.url)


def test_a_window_made_narrow_shows_the_search_beside_the_language(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/prompt")  # where a narrow window has one button more
    own, head = (page.page.locator(each).first for each in (".hd-own", ".ky-head"))
    head.wait_for()
    page.page.set_viewport_size(PHONE)

    def apart() -> bool:
        left, right = own.bounding_box(), head.bounding_box()
        return bool(left and right) and left["x"] + left["width"] < right["x"] + 1  # a pixel may be shared

    assert page.comes_to(apart)

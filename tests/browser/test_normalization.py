"""The normalization stepper in a browser: a lane for each operation, in a panel that never moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import Explorer

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]
STEPPER = ".st-key-stepper_normalize"
QUERY = "stage=normalize&level=story&m=bert-uncased&as=huggingface"


def shown(page: Explorer) -> tuple[str, list[str], object]:
    """The lanes as text, the looks of their chips, and where the panel's parts are."""
    box = page.page.locator(STEPPER)
    looks = box.locator(".lane-cell").evaluate_all(
        "all => all.map((each) => `${each.className} ${[...each.children].map((chip) => chip.className)}`)"
    )
    places = [box.locator(part).bounding_box() for part in (".stepper", ".headline", ".top", ".foot")]
    return box.locator(".layers").inner_text(), looks, places


@pytest.mark.long
def test_each_operation_is_a_lane_and_back_is_exact(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800})
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.page.goto(f"{page.address}/?{QUERY}&text=ÅWhat is LoRA?")
    box = page.page.locator(STEPPER)
    box.locator(".lane").first.wait_for()
    assert box.locator(".stepper").bounding_box()["height"] == 508  # type: ignore[index]
    assert box.locator(".lane:visible").count() == 9
    box.locator(".stepper").focus()
    assert box.locator(".count").inner_text() == "Step 7 of 7", "it opens at its result"
    page.page.keyboard.press("Home")
    assert page.comes_to(lambda: box.locator(".count").inner_text() == "Step 0 of 7")
    seen = [shown(page)]
    for step in range(1, 8):
        page.page.keyboard.press("ArrowRight")
        assert page.comes_to(lambda step=step: box.locator(".count").inner_text() == f"Step {step} of 7")
        seen.append(shown(page))
    assert all(places == seen[0][2] for _, _, places in seen)
    assert "".join(box.locator(".lane.last .pick b").all_inner_texts()) == "awhat␣is␣lora?"
    for step in range(6, -1, -1):
        page.page.keyboard.press("ArrowLeft")
        assert page.comes_to(lambda step=step: box.locator(".count").inner_text() == f"Step {step} of 7")
        assert shown(page) == seen[step]
    page.page.keyboard.press("ArrowRight")
    page.page.keyboard.press("ArrowRight")
    said = "The ring of Å is dropped. What is left is A."
    assert page.comes_to(lambda: box.locator(".say .what").inner_text() == said)
    assert box.locator(".lane.now .lane-head b").inner_text() == "Drop the marks"
    box.locator(".lane.now .copy").click()
    copied = "65 87 104 97 116 32 105 115 32 76 111 82 65 63"
    assert page.comes_to(lambda: page.page.evaluate("navigator.clipboard.readText()") == copied)
    box.get_by_role("radio", name="Algorithm").click()
    assert page.comes_to(lambda: box.locator(".lane:visible").count() == 3)
    assert box.locator(".stepper").bounding_box()["height"] == 508  # type: ignore[index]
    assert page.sideways() == 0


@pytest.mark.long
def test_what_does_not_fit_is_a_page_around_the_change(visit: Visit) -> None:
    page = visit({"width": 390, "height": 844})
    page.page.goto(f"{page.address}/?{QUERY}&text=some long text Ünd&normalize=2")
    box = page.page.locator(STEPPER)
    box.locator(".lane").first.wait_for()
    assert page.comes_to(lambda: "u" in box.locator(".lane.last").inner_text().lower())
    assert box.locator(".lane-cell.hit:visible").count() > 0
    before, after = box.locator(".pages .pager").all()
    assert before.inner_text().startswith("… ")
    assert not after.is_visible(), "the change is on the last page"
    before.click()
    assert page.comes_to(after.is_visible)
    assert page.sideways() == 0

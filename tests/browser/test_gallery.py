"""The gallery: nine tasks and some texts, each a link that shows what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from explorer.languages import ENGLISH
from explorer.learning.lessons.reading import lessons_in
from explorer.views.components import GALLERY
from explorer.views.examples import PRESETS
from tests.browser.conftest import PHONE, Explorer
from tests.bundled import bundled

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]

CARDS = ".st-key-gallery .card"


def gallery(visit: Visit, query: str = "", size: object = None) -> Explorer:
    page = visit(size or {"width": 1280, "height": 800})
    page.page.goto(f"{page.address}/start{query}")
    page.page.locator(CARDS).first.wait_for()
    return page


def test_the_gallery_has_nine_cards_and_every_text(visit: Visit) -> None:
    page = gallery(visit)
    assert page.page.locator(CARDS).count() == len(GALLERY["cards"]) == 9
    assert page.page.locator(".st-key-gallery .texts a").all_inner_texts() == [each.label for each in PRESETS]
    assert page.page.locator('[data-testid="stTopNavLink"]').count() == 7, "it is not in the navigation"
    phone = gallery(visit, size=PHONE)
    assert phone.sideways() == 0
    heights = phone.page.locator(CARDS).evaluate_all("cards => cards.map(card => card.getBoundingClientRect().height)")
    assert max(heights) < 130


def test_examples_leads_there_and_a_text_comes_back_with_the_tokenizer(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(m="gpt-2", stage="model")
    page.page.get_by_role("button", name="Examples").click()
    page.page.locator(CARDS).first.wait_for()
    page.page.locator(".st-key-gallery").get_by_role("link", name=PRESETS[1].label).click()
    page.page.wait_for_url("**text=**")
    page.page.locator(".st-key-overview .token").first.wait_for()
    assert page.shows(bundled("gpt-2").encode(PRESETS[1].text).ids)
    assert "m=gpt-2" in page.page.url


@pytest.mark.long
def test_the_list_of_lessons_leads_there_once(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800})
    page.page.goto(f"{page.address}/learn")
    page.page.locator(".le-entry").first.wait_for()
    page.settle()
    assert page.page.locator(".le-start a").count() == 1


def test_escape_leads_back_to_the_page_as_it_was(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(m="gpt-2", stage="model", text="as it was")
    page.page.get_by_role("button", name="Examples").click()
    page.page.locator(CARDS).first.wait_for()
    page.page.keyboard.press("Escape")
    assert page.shows(bundled("gpt-2").encode("as it was").ids)
    page.page.locator(".ky-home").click()
    page.page.locator(CARDS).first.wait_for()


@pytest.mark.long
def test_arrows_move_over_the_cards_and_a_digit_opens_one(visit: Visit) -> None:
    page = gallery(visit)
    page.page.locator(CARDS).first.focus()
    for key, number in (("ArrowRight", 1), ("ArrowDown", 4), ("ArrowLeft", 3), ("ArrowUp", 0)):
        page.page.keyboard.press(key)
        assert page.page.locator(CARDS).nth(number).evaluate("card => card.matches(':focus')"), key
    assert page.page.locator(f"{CARDS}[tabindex='0'], .st-key-gallery .texts [tabindex='0']").count() == 1
    page.page.keyboard.press("7")
    page.page.wait_for_url("**m=gpt-2**")
    page.page.locator(".st-key-overview .token").first.wait_for()
    assert page.shows(bundled("gpt-2").encode("🤗").ids)


ANSWERS = (
    "1724",
    "<s> (1) occurs twice",
    "18435",
    "Hindi",
    "43453",
    "151645",
    "8582",
    "A corpus of two lines",
    "1724",
)
"""What the page of each card shows."""


@pytest.mark.long
@pytest.mark.parametrize("part", range(3))
def test_a_card_opens_the_page_that_shows_its_answer(visit: Visit, part: int) -> None:
    page = gallery(visit)
    for card in range(part, len(ANSWERS), 3):
        page.page.goto(f"{page.address}/start")
        page.page.locator(CARDS).nth(card).click()
        page.page.wait_for_url(lambda url: "/start" not in url)
        shown = page.page.locator("[data-testid=stMain]").get_by_text(ANSWERS[card]).locator("visible=true")
        assert page.comes_to(lambda shown=shown: shown.count() > 0), ANSWERS[card]  # type: ignore[misc]
        for bar in GALLERY["cards"][card].get("bars", []) if "Languages" in page.page.url else []:
            count = page.page.locator(".st-key-tab-languages").get_by_text(str(bar["count"]), exact=True)
            assert page.comes_to(lambda count=count: count.count() > 0), bar  # type: ignore[misc]


def test_all_nine_cards_are_above_the_fold_of_a_small_desk(visit: Visit) -> None:
    page = visit({"width": 1060, "height": 800})
    page.page.goto(f"{page.address}/start")
    cards = page.page.locator(".card")
    assert page.comes_to(lambda: cards.count() == 9)
    boxes = [each.bounding_box() for each in cards.all()]
    assert max(box["y"] + box["height"] for box in boxes if box) <= 800


@pytest.mark.long
def test_examples_of_prompt_and_the_last_lesson_lead_there(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800})
    page.page.goto(f"{page.address}/prompt")
    page.page.locator(".pr-examples").click()
    page.page.get_by_role("menuitem", name="What brought you here?").click()
    page.page.locator(CARDS).first.wait_for()
    key, lesson = list(lessons_in(ENGLISH).items())[-1]
    page.page.goto(f"{page.address}/learn?lesson={key}&card={len(lesson.cards)}")
    page.page.locator(".le-next").click()
    page.page.get_by_role("button", name="What brought you here?").click()
    page.page.locator(CARDS).first.wait_for()
    page.page.go_back()
    page.page.locator(".le-next").wait_for()

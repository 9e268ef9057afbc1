"""A border on Explore: its link, the mark by pointer and keys, the way back, a long text, a phone."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import TimeoutError

from explorer.analysis.boundary.boundary import boundary_at
from tests.browser.conftest import DESK, PHONE, Explorer
from tests.bundled import bundled

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
TEXT = "https://example.org"


def opened(page: Explorer, **query: str) -> Explorer:
    page.open(**({"m": "gpt-2", "text": TEXT} | query))
    return page


def at(page: Explorer) -> str | None:
    return page.page.locator(".bd-handle").get_attribute("aria-valuenow")


@pytest.mark.quick
def test_a_link_opens_the_border_and_keys_move_it(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/?m=gpt-2&text=https%3A%2F%2Fexample.org&border=6")
    page.page.locator(".bd-panel .bd-cell.crossed").wait_for()
    assert page.page.locator(".bd-cell.crossed").inner_text().split() == ["://", "1378"]
    assert page.page.locator(".bd-cell.fresh small").all_inner_texts() == ["25", "1003"]
    assert page.page.locator(".bd-dots .keeps").count() == 4
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: "border=7" in page.page.url)
    page.page.keyboard.press("Shift+ArrowRight")
    assert page.comes_to(lambda: at(page) == "8")
    assert page.page.locator(".bd-cell.fresh").count() == 0
    page.page.mouse.click(5, 400)  # the empty page, which Streamlit gives the focus
    page.page.keyboard.press("ArrowLeft")
    assert page.comes_to(lambda: at(page) == "7")
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: at(page) == "8")
    page.page.keyboard.press("Escape")
    page.page.locator(".stepper").wait_for()
    assert page.comes_to(lambda: "border" not in page.page.url)
    page.page.go_back()
    page.page.locator(".bd-panel").wait_for()
    assert page.comes_to(lambda: at(page) == "8")


def test_arrows_move_the_mark_after_a_click_on_border(visit: Visit) -> None:
    page = opened(visit(DESK))
    page.menu("More", "Cut it in two")
    page.page.locator(".bd-panel .bd-cell").first.wait_for()
    before = int(at(page) or 0)
    page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: at(page) == str(before + 1))


def test_the_mark_is_dragged(visit: Visit) -> None:
    page = opened(visit(DESK))
    page.page.keyboard.press("b")
    page.page.locator(".bd-panel .bd-cell").first.wait_for()
    before = int(at(page) or 0)
    box = page.page.locator(".bd-handle").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 88, y + 20, steps=4)
    page.page.mouse.up()
    assert page.comes_to(lambda: at(page) == str(before + 2))


def test_a_long_text_brings_more_borders(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/?m=gpt-2&text={'ab%20cd%20' * 30}&border=10")
    page.page.locator(".bd-panel .bd-cell").first.wait_for()
    for _ in range(40):
        page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: at(page) == "50")
    assert page.comes_to(lambda: page.page.locator(".bd-panel.waits").count() == 0)


def test_a_phone_has_the_tokens_as_chips(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/?m=gpt-2&text=The%20answer%20is%2042&border=14")
    page.page.locator(".bd-phone .bd-chip.crossed").wait_for()
    assert page.page.locator(".bd-phone .fresh small").all_inner_texts() == ["220", "3682"]
    assert page.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.page.get_by_role("button", name="Leave out the space").click()
    assert page.comes_to(lambda: "border=13" in page.page.url)


def test_a_lone_space_is_said_without_being_asked(visit: Visit) -> None:
    page = opened(visit(DESK), text="The answer is ")
    assert page.page.locator(".st-key-overview .ends").is_visible()
    page.field.fill("The answer is")
    assert page.comes_to(lambda: page.page.locator(".st-key-overview .ends").count() == 0)


def test_compare_has_a_row_for_each_tokenizer(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(
        f"{page.address}/compare?text=The%20answer%20is%2042&with=gpt-2%40huggingface&with=llama-3%40huggingface"
    )
    page.page.get_by_role("button", name="Cut it in two", exact=True).click()
    page.page.locator(".bd-panel .bd-cell").first.wait_for()
    assert page.comes_to(lambda: "border=" in page.page.url)
    while at(page) != "14":
        page.page.keyboard.press("ArrowRight")
    assert page.comes_to(lambda: "border=14" in page.page.url)
    assert page.page.locator(".bd-cell.crossed small").all_inner_texts() == ["5433"]
    assert page.page.locator(".bd-holds").count() == 1
    assert page.page.locator(".bd-dots i").nth(13).get_attribute("class") == "some"
    page.page.keyboard.press("Escape")
    page.page.locator(".al-card").wait_for()
    assert page.comes_to(lambda: "border" not in page.page.url)
    page.page.go_back()
    page.page.locator(".bd-panel").wait_for()
    assert page.comes_to(lambda: at(page) == "14")


def test_compare_finds_the_border_that_most_keep(visit: Visit) -> None:
    """Llama 2 puts a space before any right part, so no border keeps the ids of both."""
    page, text, names = visit(DESK), "The answer is 42", ("llama-2", "gpt-2")
    page.page.goto(f"{page.address}/compare?text={quote(text)}&with=llama-2&with=gpt-2&border=2")
    page.page.locator(".bd-panel .bd-cell").first.wait_for()
    keeps = {at: sum(boundary_at(bundled(name), text, at).keeps for name in names) for at in range(1, len(text))}
    assert max(keeps.values()) == 1
    best = [at for at, count in keeps.items() if count == 1]
    for expected in (*best, best[0]):
        page.page.locator(".bd-foot .main").click()
        assert page.comes_to(lambda wanted=str(expected): at(page) == wanted)


def test_the_downloads_are_of_the_border_at_the_mark(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/?m=gpt-2&text=https%3A%2F%2Fexample.org&border=6")
    page.page.locator(".bd-panel .bd-cell.crossed").wait_for()
    page.page.keyboard.press("ArrowRight")
    page.menu("Copy", "Tokens as a table, and files")
    button = page.page.get_by_role("button", name="Cut as JSON")

    def downloaded() -> int:
        try:
            with page.page.expect_download(timeout=5_000) as got:
                button.click()
        except TimeoutError:
            return 0  # a run of the page ended at the click: conftest.STALE
        (border,) = json.loads(got.value.path().read_text())["borders"]
        return int(border["at"])

    # the server hears of a mark that rests
    assert page.comes_to(lambda: downloaded() == 7)


def test_ids_are_looked_for_where_the_border_is(visit: Visit) -> None:
    page = visit(DESK)
    page.page.goto(f"{page.address}/?m=llama-3&text=%23%23%23%20Response%3A%0AYes&border=3")
    page.page.locator(".bd-panel .bd-cell").first.wait_for()
    page.page.get_by_role("radio", name="Find a sequence").click()
    field = page.page.locator(".st-key-find_field textarea")
    field.fill("### Response:")
    said = page.page.locator(".st-key-within_rows .al-say")
    assert page.comes_to(lambda: ":↵" in said.inner_text())
    assert page.comes_to(lambda: "find=" in page.page.url and "between=" in page.page.url)
    page.page.get_by_role("radio", name="A stop string").click()
    page.page.locator(".st-key-stop_field textarea").fill("\\n\\n")
    assert page.comes_to(lambda: page.page.locator(".st-key-stop_say").is_visible())
    assert page.comes_to(lambda: "stop=" in page.page.url)
    page.page.reload()
    assert page.comes_to(lambda: page.page.locator(".st-key-stop_say").is_visible())

"""The Vocabulary page in a browser: a search as it is typed, a token, the address."""

from __future__ import annotations

import zipfile
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]


def test_a_search_a_token_and_its_address(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK, False)
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=rwkv-world")
    found, about = page.locator(".vo-found"), page.locator(".vo-dossier header b")
    expect(found).to_have_text("65,530 of 65,530", timeout=30_000)
    page.locator(".vo-input").fill("token")
    expect(found).to_have_text("11 of 65,530", timeout=20_000)
    page.locator(".vo-plane .vo-row").nth(2).click()
    chosen = page.locator(".vo-plane .vo-row.on .vo-id").inner_text()
    expect(about).to_have_text(chosen, timeout=20_000)
    expect(page.locator(".vo-verdict")).to_contain_text("Its own text gives it.")
    assert f"q=token&token={chosen}" in page.url
    page.reload()
    expect(found).to_have_text("11 of 65,530", timeout=30_000)
    expect(about).to_have_text(chosen)


def test_a_slow_search_says_that_the_list_is_of_another(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK, False)
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=o200k_base&by=regex&q=token")
    found, rows = page.locator(".vo-found"), page.locator(".vo-list")
    expect(found).to_contain_text(" of ", timeout=30_000)
    page.locator(".vo-input").fill(r"^((.+)+)+\d$")
    expect(found).to_have_text("searching…", timeout=20_000)
    expect(rows).to_have_attribute("data-waits", "")
    expect(found).to_contain_text(" of ", timeout=60_000)
    expect(rows).not_to_have_attribute("data-waits", "")


def test_a_surprise_is_a_link_to_it(visit: Callable[..., Explorer]) -> None:
    here = visit({"width": 1280, "height": 800})
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=gpt-2")
    say, about = page.locator(".vo-say"), page.locator(".vo-dossier header b")
    expect(say).to_contain_text("is token", timeout=30_000)
    about.wait_for()  # what is not yet visible has no text
    first = about.inner_text()
    node = "node => node.scrollHeight - node.clientHeight"
    assert here.comes_to(lambda: page.locator("[data-testid=stMain]").evaluate(node) <= 0)
    page.get_by_role("button", name="Surprise me").click()
    expect(about).not_to_have_text(first, timeout=20_000)
    chosen = about.inner_text()
    assert f"token={chosen}" in page.url
    expect(say).to_contain_text(f"token {chosen}")
    page.reload()
    expect(about).to_have_text(chosen, timeout=30_000)


def test_the_answer_of_the_checks_leaves_one_screen_and_no_label_is_cut(visit: Callable[..., Explorer]) -> None:
    here = visit({"width": 1280, "height": 800})
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=llama-2&checked=true")
    page.locator(".st-key-checks-answer .say").wait_for(timeout=60_000)
    page.locator(".vo-name").first.wait_for()
    node = "node => node.scrollHeight - node.clientHeight"
    assert here.comes_to(lambda: page.locator("[data-testid=stMain]").evaluate(node) <= 0)
    cut = "names => names.filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent)"
    assert page.locator(".vo-name").evaluate_all(cut) == []
    tree = page.locator(".vo-dossier .why-tree").bounding_box()
    dossier = page.locator(".vo-dossier").bounding_box()
    assert tree is not None
    assert dossier is not None
    assert tree["y"] + tree["height"] <= dossier["y"] + dossier["height"]


def test_a_phone_shows_a_linked_token_first(visit: Callable[..., Explorer]) -> None:
    here = visit(PHONE)
    page = here.page

    def top(selector: str) -> float:
        box = page.locator(selector).first.bounding_box()
        assert box is not None
        return box["y"]

    page.goto(f"{here.address}/vocabulary?m=gpt-2&token=11241")
    expect(page.locator(".vo-say")).to_contain_text("11241", timeout=30_000)
    assert top(".vo-dossier header") < PHONE["height"]
    assert top(".vo-dossier") < top(".vo-list")
    assert here.sideways() == 0
    page.locator(".vo-input").fill("token")
    assert here.comes_to(lambda: top(".vo-list") < top(".vo-dossier"))


@pytest.mark.long
def test_nothing_covers_the_settings_in_german(visit: Callable[..., Explorer]) -> None:
    page = visit({"width": 1060, "height": 800}, locale="de")
    page.page.goto(f"{page.address}/vocabulary?m=gpt-2")
    page.page.locator(".vo-list").first.wait_for()
    page.settle()
    settings = page.page.locator(".st-key-bar [data-testid=stPopoverButton]").first.bounding_box()
    end = page.page.locator(".st-key-vocabulary-end button").first.bounding_box()
    assert settings
    assert end
    assert settings["x"] + settings["width"] <= end["x"] or settings["y"] + settings["height"] <= end["y"]


def test_the_slider_of_a_trim_answers_at_once_and_its_size_is_in_the_address(visit: Callable[..., Explorer]) -> None:
    here = visit({"width": 1280, "height": 900})
    page = here.page
    page.goto(f"{here.address}/vocabulary?m=gpt-2&look=Trim%20and%20extend")
    say, slider, late = page.locator(".tr-say"), page.locator(".tr-curve input"), page.locator(".tr-late")
    expect(say).to_contain_text("16,385 of 50,257", timeout=120_000)
    assert slider.get_attribute("aria-valuetext")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(say).to_contain_text("2,049 of 50,257", timeout=1_000)
    expect(late.first).to_be_visible()
    expect(late).to_have_count(0, timeout=30_000)
    assert "trim-size=2048" in page.url
    assert page.locator(".tr-piece.gone").count()
    expect(page.locator(".tr-proofs")).to_contain_text("254 of 254")
    with page.expect_download() as download:
        page.get_by_role("button", name="All files as zip").click()
    assert zipfile.ZipFile(download.value.path()).testzip() is None
    page.reload()
    expect(say).to_contain_text("2,049 of 50,257", timeout=60_000)

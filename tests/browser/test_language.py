"""A visitor's language: from the address, chosen in the page's head, or the browser's own; the same on all pages."""

from collections.abc import Callable

import pytest

from explorer.languages import phrases
from tests.browser.conftest import DESK, Explorer

pytestmark = [pytest.mark.browser]
Visit = Callable[..., Explorer]


def speaks(seen: Explorer, language: str) -> bool:
    """Whether the page, its choice and what a component says are in a language."""
    page, to = seen.page, phrases(language)
    return seen.comes_to(
        lambda: (
            page.evaluate("document.documentElement.lang") == language
            and page.locator(".ky-language").input_value() == language
            and page.locator(".ky-share").text_content() == to.words("Share", "browser")
        )
    )


def go_to(seen: Explorer, name: str) -> None:
    """Follows the navigation to a page, by the name of its file."""
    seen.page.locator(f'[data-testid="stTopNavLink"][href$="/{name}"]').click()
    seen.page.wait_for_url(f"**/{name}*")


def test_a_choice_holds_on_all_pages_and_after_a_reload(visit: Visit) -> None:
    seen = visit(DESK)
    seen.page.goto(f"{seen.address}/compare")
    assert speaks(seen, "en")
    seen.page.locator(".ky-language").select_option("de")
    assert speaks(seen, "de")
    assert "lang=de" in seen.page.url
    add = seen.page.get_by_role("button", name=phrases("de").words("Settings"))
    assert seen.comes_to(lambda: add.count() == 1)
    for name in ("vocabulary", "learn"):
        go_to(seen, name)
        assert speaks(seen, "de"), name
        assert "lang=" not in seen.page.url
    seen.page.reload()
    assert speaks(seen, "de")
    seen.page.locator(".ky-language").select_option("en")
    assert speaks(seen, "en")
    seen.page.reload()
    assert speaks(seen, "en")


def test_the_address_wins_over_the_choice_and_a_lesson_names_a_language(visit: Visit) -> None:
    seen = visit(DESK)
    seen.page.goto(f"{seen.address}/compare?lang=ja")
    assert speaks(seen, "ja")
    go_to(seen, "learn")
    assert speaks(seen, "ja")
    seen.page.goto(f"{seen.address}/learn?lesson=bpe.de")
    assert speaks(seen, "de")
    seen.page.locator(".ky-language").select_option("ja")
    assert speaks(seen, "ja")
    seen.page.goto(f"{seen.address}/learn?lang=de")
    assert speaks(seen, "de")


@pytest.mark.parametrize(("locale", "language"), [("de-AT", "de"), ("ja-JP", "ja"), ("fr-FR", "en")])
def test_without_a_choice_the_page_is_in_the_browsers_language(visit: Visit, locale: str, language: str) -> None:
    seen = visit(DESK, locale=locale)
    seen.page.goto(f"{seen.address}/compare")
    assert speaks(seen, language)
    assert "lang=" not in seen.page.url

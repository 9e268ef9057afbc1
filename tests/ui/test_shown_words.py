"""Links keep their values when a page says a choice in other words."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from explorer.languages import languages, phrases
from explorer.ui import PAGES
from tests.ui.app import APP, html_of

LINKS = [
    ("compare", {"text": "is", "view": "Where they part"}, "view", "First difference"),
    ("compare", {"text": "is", "view": "Expected ids"}, "view", "Why are my ids different?"),
    ("explore", {"text": "is it", "border": "2", "between": "A border"}, "between", "Cut it in two"),
    ("explore", {"text": "is it", "border": "2", "between": "Ids in these ids"}, "between", "Find a sequence"),
    ("explore", {"text": "is it", "border": "2", "between": "A stop string"}, "between", "Find a stop string"),
    ("explore", {"ids": "1 306", "stage": "decode", "stream": "One by one"}, "stream", "Streaming"),
]


def opened(page: str, query: dict[str, str]) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.switch_page(str(PAGES / f"{page}.py")).run()


@pytest.mark.parametrize(("page", "query", "key", "shown"), LINKS)
def test_an_older_link_opens_what_other_words_say_now(page: str, query: dict[str, str], key: str, shown: str) -> None:
    for language in languages():
        at = opened(page, {**query, "lang": language})
        assert not at.exception
        assert at.segmented_control(key=key).value == query[key]
        assert f'content: "{phrases(language).words(shown)}"' in html_of(at)


def test_the_menu_opens_a_view_at_its_address() -> None:
    at = opened("train", {})
    assert at.segmented_control(key="ask").value == "Story"
    at.menu_button(key="more_views").click("Lint").run()
    assert not at.exception
    assert at.segmented_control(key="ask").value == "Lint"
    at.segmented_control(key="ask").set_value("Why").run()
    assert at.segmented_control(key="ask").value == "Why"


def test_a_tokenizer_of_one_implementation_has_no_choice_of_it() -> None:
    hidden = ".st-key-as { display: none; }"
    assert hidden in html_of(opened("explore", {"m": "llama-2"}))
    assert hidden not in html_of(opened("explore", {"m": "gpt-2"}))

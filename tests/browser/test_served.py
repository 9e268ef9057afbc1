"""The running server: its headers, and pages that work under them without console messages."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable

import pytest

from tests.browser.conftest import DESK, Explorer

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/compare", "/static/js/nothing.js"])
def test_responses_carry_the_headers(server: str, path: str) -> None:
    try:
        with urllib.request.urlopen(f"{server}{path}") as answer:
            found = answer.headers
    except urllib.error.HTTPError as error:
        with error:
            found = error.headers
    assert found["X-Content-Type-Options"] == "nosniff"
    assert found["X-Frame-Options"] == "SAMEORIGIN"
    assert "script-src 'self'" in found["Content-Security-Policy"]


@pytest.mark.long
def test_charts_and_components_run_under_the_policy(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK, False).open(m="llama-2", text="hello world")
    here.page.goto(f"{here.address}/corpus?part=Lengths")
    here.settle()
    chart = here.page.locator('[data-testid="stVegaLiteChart"] canvas, [data-testid="stVegaLiteChart"] svg')
    assert here.comes_to(lambda: chart.count() > 0)
    here.page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
        }"""
    )
    assert here.page.evaluate("() => window.ran === undefined"), "an inline script doesn't run"
    assert any("Content Security Policy" in each for each in here.complaints)
    here.complaints.clear()


@pytest.mark.parametrize("path", ["/", "/compare", "/corpus"])
def test_all_pages_are_listed_whichever_is_opened_first(visit: Callable[..., Explorer], server: str, path: str) -> None:
    """Streamlit would list the files of a folder `pages` beside its script itself, under other names."""
    here = visit(DESK, False)
    here.page.goto(f"{server}{path}")
    here.settle()
    links = here.page.locator('[data-testid="stTopNavLink"]')
    assert here.comes_to(lambda: links.count() == 7)
    named = zip(
        links.all_text_contents(),
        ("Explore", "Compare", "Train", "Vocabulary", "Prompt", "Learn", "Corpus"),
        strict=True,
    )
    assert all((text or "").endswith(name) for text, name in named)
    known = here.page.evaluate("() => ({...window.__streamlit.HOST_CONFIG, at: window.__streamlit.BACKEND_BASE_URL})")
    answer = here.page.evaluate("async () => (await fetch('/_stcore/host-config')).json()")
    assert known.pop("at") == f"{server}/"
    assert known.items() <= answer.items(), "the browser connects without asking"

"""`explorer app --lesson FILE` in a browser: an author edits a file, and the page beside the editor follows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from explorer.learning.lessons import library
from tests.browser.conftest import DESK, ROOT, Explorer, Visitors, served
from tests.browser.test_learn import open_card, step_of

pytestmark = [pytest.mark.browser, pytest.mark.long]  # a server of its own


def test_the_page_follows_the_file_and_keeps_card_and_step(visitors: Visitors, tmp_path: Path) -> None:
    lesson = library()["bytes"]
    source, title = lesson.source, lesson.cards[1].title
    file = tmp_path / "mine.toml"
    file.write_text(source, "utf-8")
    command = [sys.executable, "-m", "explorer", "app", "--lesson", file, "--server.headless", "true"]
    with served(command, ROOT, tmp_path / "log.txt") as address:
        seen = Explorer(visitors.page(DESK, False, address), address)
        page = seen.page
        open_card(seen, "file", 2)
        heading, problem = page.locator(".le-card h1"), page.locator("[role=alert]:visible")
        assert seen.comes_to(lambda: step_of(seen) == 1)
        page.locator(".st-key-learn-panel .stepper").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert seen.comes_to(lambda: step_of(seen) == 3)

        file.write_text(source.replace(title, "A title that is better"), "utf-8")
        assert seen.comes_to(lambda: heading.inner_text() == "A title that is better")
        seen.settle()
        assert step_of(seen) == 3, "the step to which the author went"
        assert "card=2" in page.url

        file.write_text(source.replace(title, "A title once more").replace("step = 1\n", "stpe = 1\n", 1), "utf-8")
        line = source[: source.index("step = 1\n")].count("\n") + 1
        assert seen.comes_to(lambda: f"line {line}" in " ".join(problem.all_inner_texts()))
        assert "stpe" in " ".join(problem.all_inner_texts())
        assert heading.inner_text() == "A title that is better", "the last version that could be read"
        assert step_of(seen) == 3

        file.write_text(source, "utf-8")
        assert seen.comes_to(lambda: heading.inner_text() == title)
        assert seen.comes_to(lambda: problem.count() == 0)
        assert seen.complaints == []
        visitors.forget(page, address)

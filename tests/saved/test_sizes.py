"""What a saved page weighs: a text of 1,000 characters and all its stages, and a lesson."""

from __future__ import annotations

import pytest

import explorer
from benchmarks.saved_pages import explore, text_of
from explorer.learning.lessons import library
from explorer.saved.lesson import lesson_page
from explorer.saved.page import html


@pytest.mark.parametrize("model", list(explorer.catalog()))
@pytest.mark.sample(2)
def test_a_thousand_characters_take_less_than_500_kilobytes(model: str) -> None:
    assert len(html(explore(model, text_of(1_000))).encode()) < 500_000


@pytest.mark.parametrize("key", list(library()))
@pytest.mark.sample(1)
def test_a_lesson_takes_less_than_500_kilobytes(key: str) -> None:
    assert len(html(lesson_page(library()[key])).encode()) < 500_000

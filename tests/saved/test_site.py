"""The site of all lessons and examples: every link leads to a file, and all of it is light."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from explorer.errors import InputError
from explorer.learning.lessons import library
from explorer.saved.lesson import INDEX, Entry, index, site
from explorer.views.examples import EXAMPLES, PRESETS


def test_a_title_is_text_whatever_it_looks_like() -> None:
    page = index({"<h1>": [Entry("a.html?b=1&c=2", "<script>alert(1)</script>", "</p>", ["<b>", "\u202e"])]}, "")
    assert "<script" not in page
    assert page.count("<h1>") == 1
    assert "a.html?b=1&amp;c=2" in page
    assert "\u202e" not in page


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    there = tmp_path / "public"
    there.write_text("mine")
    with pytest.raises(InputError, match="public"):
        site(there)
    assert there.read_text() == "mine"


@pytest.mark.long
def test_every_link_leads_to_a_file_and_all_is_under_ten_megabytes(tmp_path: Path) -> None:
    sizes = site(tmp_path / "public", "https://explorer.example.org/")
    pages = {path.name: path.read_text("utf-8") for path in (tmp_path / "public").iterdir()}
    assert pages.keys() == sizes.keys()
    assert sum(sizes.values()) < 10_000_000
    entries = re.findall(r'<li><a href="([^"]*)">', pages[INDEX])
    assert len(entries) == len(library()) + len(EXAMPLES) + len(PRESETS)
    links = [unescape(link) for link in entries]
    for page in pages.values():
        links += re.findall(r'<script src="([^"]*)">', page)
        links += re.findall(r'"(lesson-[\w.-]+\.html|index\.html)"', page)
    inside = {urlsplit(link).path for link in links}
    assert inside >= {INDEX, "explore.js", "lesson.js"}
    assert inside - pages.keys() == set()

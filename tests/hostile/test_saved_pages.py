"""Texts that strangers give to lessons and quizzes stay texts in a saved page."""

from __future__ import annotations

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from explorer.cli.main import main

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script><img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) \u2028\u202e ${x}`",
)


class Elements(HTMLParser):
    """Counts elements, and what would run of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag] += 1
        self.found.update(name for name, value in attrs if name.startswith("on") or "javascript:" in (value or ""))


def elements(path: Path) -> Counter[str]:
    parser = Elements()
    parser.feed(path.read_text("utf-8"))
    return parser.found


def lesson(path: Path, said: str) -> Path:
    """A lesson that says this everywhere, saved as a page."""
    quoted = json.dumps(said, ensure_ascii=False)
    path.with_suffix(".toml").write_text(f"""
title = {quoted}
about = {quoted}
minutes = 5
[panel]
text = {quoted}
tokenizer = "gpt-2"
stage = "model"
[[card]]
title = {quoted}
words = {quoted}
step = 1
[[card]]
title = "b"
words = {quoted}
[card.question]
ask = {quoted}
find = "tokens"
because = {quoted}
[card.question.wrong]
"400" = {quoted}
""")
    assert main(["save", "--lesson", str(path.with_suffix(".toml")), "-o", str(path)]) == 0
    return path


@pytest.mark.parametrize("said", HOSTILE)
def test_a_lesson(tmp_path: Path, said: str) -> None:
    assert elements(lesson(tmp_path / "hostile.html", said)) == elements(lesson(tmp_path / "plain.html", "abc"))


@pytest.mark.parametrize("said", HOSTILE)
def test_a_quiz(tmp_path: Path, said: str) -> None:
    pages = []
    for name, text in (("hostile", said), ("plain", "the theme of it")):
        pages.append(tmp_path / f"{name}.html")
        assert main(["save", "-m", "gpt-2", "--quiz", "3", "-o", str(pages[-1]), text]) == 0
    assert elements(pages[0]) == elements(pages[1])

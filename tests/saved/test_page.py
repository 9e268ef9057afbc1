"""A saved page as text: its policy, its data, its code, its size."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.learning.lessons import library
from explorer.learning.questions import Quiz
from explorer.saved.explore import explore_page
from explorer.saved.lesson import lesson_page, quiz_page
from explorer.saved.page import KINDS, Page, html, script, without_comments


class Read(HTMLParser):
    """Reads a page as a browser would: its scripts by type, and how many elements of each kind it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        self.policy, self.kind = "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        found = dict(attrs)
        self.kind = (found.get("type") or "code") if tag == "script" else ""
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self.kind = ""

    def handle_data(self, data: str) -> None:
        if self.kind:
            self.scripts[self.kind] = self.scripts.get(self.kind, "") + data

    @property
    def packed_code(self) -> str:
        return zlib.decompress(b64decode(self.scripts["application/octet-stream"])).decode()


TEXTS = st.text(max_size=40) | st.sampled_from(["</script>", "<!--<script>", "]]>", "\u2028", "&lt;", "</title>"])


@given(text=TEXTS, name=TEXTS)
def test_any_text_is_data(text: str, name: str) -> None:
    text, name = (each.replace("\r", "") for each in (text, name))
    read = Read(html(Page("explore", name, {"text": text}, [(name, text)], text, "a.html"), "https://example.org/<x>"))
    data = json.loads(read.scripts["application/json"])
    assert (data["text"], data["heading"], data["made"]) == (text, name, [[name, text]])
    assert (read.counts["script"], read.counts["meta"], read.counts["title"]) == (3, 5, 1)
    assert read.packed_code == script("explore")


def test_the_policy_allows_the_page_s_own_code_and_no_connection() -> None:
    read = Read(html(Page("training", "", {}, [], "", "a.html")))
    rules = dict(each.strip().split(" ", 1) for each in read.policy.split(";"))
    assert rules["default-src"] == "'none'"
    digests = [sha256(each.encode()).digest() for each in (read.scripts["code"], read.packed_code)]
    assert rules["script-src"] == " ".join(f"'sha256-{b64encode(each).decode()}'" for each in digests)
    assert "connect-src" not in rules
    assert "http" not in read.policy


# a live page is on a host, whose files its policy lets it fetch (tests/browser/test_live.py)
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"live"}))
def test_the_code_loads_nothing(kind: str) -> None:
    code = script(kind) + Read(html(Page(kind, "", {}, [], "", "a.html"))).scripts["code"]
    assert not re.search(r"\b(?:import|export)\b[ (]", code.replace("export default", "export default "))
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|eval\(|new Function|sendBeacon|innerHTML", code)
    names = set(re.findall(r"https?://[\w./-]+", code))
    assert names <= {"http://www.w3.org/2000/svg", "https"}, names


def test_comments_are_left_out_and_strings_stay() -> None:
    assert without_comments('  // a\n  /* b\n c */\n\n  x = "// y"; // z\n') == 'x = "// y"; // z\n'


def test_the_same_page_is_the_same_file_and_small() -> None:
    tok = explorer.load("gpt-2")
    first, second = (html(explore_page(tok, tok.trace("What is LoRA?"))) for _ in range(2))
    assert first == second
    assert len(first.encode()) < 500_000


def test_links_lead_to_the_explorer_that_is_named_or_nowhere() -> None:
    tok = explorer.load("gpt-2")
    page = explore_page(tok, tok.trace("hi"))
    assert json.loads(Read(html(page, "https://x.org/t")).scripts["application/json"])["app"] == "https://x.org/t/"
    assert json.loads(Read(html(page, "")).scripts["application/json"])["app"] == ""


def test_why_is_answered_for_each_token_of_a_short_text_and_for_some_of_a_long_one() -> None:
    tok = explorer.load("gpt-2")
    for text, most in (("What is LoRA?", 9), ("word " * 400, 20)):
        page = explore_page(tok, tok.trace(text))
        cards = unpacked(page.data["whys"])
        assert len(cards) == most
        assert "token 0" in cards


def unpacked(text: str) -> dict[str, object]:
    made: dict[str, object] = json.loads(zlib.decompress(b64decode(text)))
    return made


def test_a_lesson_packs_its_answers_and_has_no_next_one() -> None:
    lesson = library()["bytes"]
    alone = unpacked(lesson_page(lesson).data["packed"])["lesson"]
    assert isinstance(alone, dict)
    assert alone["next"] is None
    block = Read(html(lesson_page(lesson))).scripts["application/json"]
    assert "right" not in json.loads(block)
    assert '"explanation"' not in block


def test_a_quiz_knows_the_line_of_each_answer() -> None:
    tok = explorer.load("gpt-2")
    page = unpacked(quiz_page(tok, Quiz(3, texts=("a fine text", "another one"))).data["packed"])
    results, cards = page["results"], page["cards"]
    assert isinstance(results, dict)
    assert isinstance(cards, list)
    for card, lines, choices in zip(cards, results["lines"], results["choices"], strict=True):
        right = card["questions"][0]["right"]
        rows = [next(csv.DictReader(io.StringIO(f"{results['head']},{line}", newline=""))) for line in lines]
        assert [row["correct"] for row in rows] == [str(at == right) for at in range(len(choices) + 1)]
        assert [row["answer"] for row in rows] == [*choices, ""]

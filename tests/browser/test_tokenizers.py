"""Uploads in a real browser, links to them, and a typed pattern."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

import explorer
from explorer.implementations.opened import with_pattern
from tests.browser.conftest import DESK, PHONE, Explorer
from tests.bundled import bundled
from tests.ui.small_files import MERGES_TXT, VOCAB_JSON, ranks, tokenizer_json

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
GPT2 = Path(explorer.catalog()["gpt-2"].path).read_bytes()
TEXT = "Hello 1998 worlds"


def says(page: Explorer, words: str) -> bool:
    """Whether the page comes to show these words, anywhere."""
    return page.comes_to(lambda: words in page.page.locator("body").inner_text())


def stored_by_streamlit(page: Explorer) -> list[str]:
    """The server's own metrics of uploaded files."""
    with urllib.request.urlopen(f"{page.address}/_stcore/metrics") as answer:
        return [line for line in answer.read().decode().splitlines() if "UploadedFile" in line and "#" not in line]


@pytest.mark.long
def test_an_upload_runs_at_once_and_keeps_the_text(visit: Visit) -> None:
    page = visit().open(text="What is LoRA?")
    page.field.fill("abc ab")
    page.drop(("mine.json", tokenizer_json()))
    assert page.shows([4, 3])
    assert page.field.input_value() == "abc ab"
    assert page.comes_to(lambda: "m=mine.json+%28" in page.page.url)
    assert page.comes_to(lambda: "text=abc+ab" in page.page.url)
    gone = page.comes_to(lambda: all(float(line.split()[-1]) == 0 for line in stored_by_streamlit(page)))
    assert gone, f"Streamlit keeps no second copy: {stored_by_streamlit(page)}"


@pytest.mark.rest
def test_two_files_uploaded_together_are_one_tokenizer(visit: Visit) -> None:
    page = visit().open(text="abc ab")
    page.drop(("vocab.json", VOCAB_JSON), ("merges.txt", MERGES_TXT))
    assert page.comes_to(lambda: "m=vocab.json" in page.page.url)
    assert page.comes_to(lambda: page.ids()[:1] == [4])


@pytest.mark.rest
def test_other_sessions_do_not_see_an_upload(visit: Visit) -> None:
    mine = visit().open()
    mine.drop(("private.json", tokenizer_json()))
    assert says(mine, "lives in this session")
    other = visit().open()
    other.page.locator(".st-key-m input").click()
    options = other.page.locator('[role="option"][id*="option"], li[role="option"]')
    assert other.comes_to(lambda: options.filter(has_text="gpt-2").count() > 0)
    assert options.filter(has_text="private").count() == 0
    other.page.keyboard.press("Escape")
    linked = visit()
    linked.page.goto(mine.page.url)
    assert says(linked, "private.json")
    assert says(linked, "drop it here again")
    linked.drop(("private.json", tokenizer_json()))
    assert linked.comes_to(
        lambda: "drop it here again" not in linked.page.locator('[data-testid="stMain"]').inner_text()
    )
    assert linked.comes_to(lambda: "m=private.json" in linked.page.url)


def test_a_bad_file_is_reported_and_its_name_is_text(visit: Visit) -> None:
    page = visit().open(text=TEXT, m="gpt-2")
    before = page.ids()
    page.drop(("<img src=x onerror=window.hit=1>.json", b'{"model": <script>window.hit=1</script>'))
    assert says(page, "Not opened.")
    assert page.shows(before)
    assert page.page.evaluate("window.hit") is None
    assert page.field.input_value() == TEXT
    page.page.locator(".st-key-dismiss-problems button").click()
    assert page.comes_to(lambda: "Not opened." not in page.page.locator('[data-testid="stMain"]').inner_text())


@pytest.mark.rest
def test_removing_undoing_reloading(visit: Visit) -> None:
    page = visit().open(text="abc")
    before = page.ids()
    page.drop(("mine.json", tokenizer_json()))
    assert page.shows([4])
    page.page.locator(".st-key-remove button").click()
    assert page.shows(before)
    assert says(page, "was removed.")
    # wait until the page is at rest
    page.page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.page.locator(".st-key-undo-removal button").click()
    assert page.shows([4])
    page.page.reload()
    assert says(page, "drop it here again")
    assert page.comes_to(lambda: page.field.input_value() == "abc")


def test_a_required_choice_is_asked_and_a_wrong_answer_is_reported_at_the_field(visit: Visit) -> None:
    page = visit().open(text="abc ab", m="gpt-2")
    page.drop(("mine.tiktoken", ranks(b"ab", b"abc")))
    question = page.page.locator(".st-key-question")
    assert page.comes_to(lambda: "pattern" in question.inner_text())
    own = question.get_by_label("Or a pattern of your own")
    own.fill("a(b")
    question.get_by_role("button", name="Use this answer").click()
    assert page.comes_to(lambda: "character 2 of the pattern" in question.inner_text())
    assert own.input_value() == "a(b"
    own.fill(r"\w+|\W")
    question.get_by_role("button", name="Use this answer").click()
    assert page.shows([257, 32, 256])
    assert page.field.input_value() == "abc ab"
    assert page.comes_to(lambda: "m=mine.tiktoken" in page.page.url)
    page.page.get_by_role("button", name="Choose again").click()
    assert page.comes_to(lambda: "Known answers" in question.inner_text())


@pytest.mark.rest
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_card_and_the_field_fit_a_phone(visit: Visit, dark: bool) -> None:
    page = visit(PHONE, dark).open(text=TEXT, m="llama-3", pattern="a(")
    assert says(page, "character 2 of the pattern")
    page.open_settings()
    page.page.locator(".st-key-about summary").click()
    assert says(page, "256 special tokens")
    assert page.sideways() == 0
    find = page.page.locator(".st-key-find-special-token input")
    find.fill("eot")
    page.settle()
    assert page.page.locator('[data-testid="stException"]').count() == 0
    assert page.sideways() == 0


def test_a_pattern_takes_effect_at_every_key_and_keeps_the_focus(visit: Visit) -> None:
    tok = bundled("gpt-2")
    page = visit().open(text=TEXT, m="gpt-2", stage="pre-tokenize")
    page.page.locator(".st-key-try summary").click()
    area = page.page.locator(".st-key-pattern textarea")
    area.click()
    page.page.keyboard.press("Control+a")
    page.page.keyboard.type(r"\p{N}| ?\p{L}+", delay=60)
    assert page.shows(with_pattern(tok, r"\p{N}| ?\p{L}+").encode(TEXT).ids)
    assert says(page, "are not the model's")
    page.page.keyboard.type("|(", delay=60)
    assert says(page, "character 17 of the pattern: missing )")
    assert page.shows(with_pattern(tok, r"\p{N}| ?\p{L}+").encode(TEXT).ids), "the result of the last valid pattern"
    page.page.keyboard.type("lo)", delay=60)
    assert page.shows(with_pattern(tok, r"\p{N}| ?\p{L}+|(lo)").encode(TEXT).ids)
    assert area.input_value() == r"\p{N}| ?\p{L}+|(lo)"
    assert area.evaluate("field => field.getRootNode().activeElement === field")
    assert page.comes_to(lambda: "%7C%28lo%29" in page.page.url)
    other = visit()
    other.page.goto(page.page.url)
    other.page.locator("[class*=st-key-stepper] .count").first.wait_for(state="attached")
    assert other.shows(page.ids())
    assert other.page.locator(".st-key-pattern textarea").input_value() == area.input_value()
    page.page.locator(".st-key-own-pattern button").click()
    assert page.shows(tok.encode(TEXT).ids)
    assert page.comes_to(lambda: "pattern=" not in page.page.url)
    page.page.go_back()
    assert page.shows(with_pattern(tok, r"\p{N}| ?\p{L}+|(lo)").encode(TEXT).ids)


@pytest.mark.rest
def test_typing_a_pattern_keeps_the_text_and_the_selection(visit: Visit) -> None:
    page = visit(DESK).open(text=TEXT, m="gpt-2", stage="pre-tokenize", sel="0-5")
    page.page.locator(".st-key-try summary").click()
    page.page.locator(".st-key-pattern textarea").fill("[a-z]")
    assert page.shows(with_pattern(bundled("gpt-2"), "[a-z]").encode(TEXT).ids)
    assert page.field.input_value() == TEXT
    assert page.comes_to(lambda: "sel=0-5" in page.page.url), "the text is the same, so its selection stays"
    page.field.fill("abc def")
    assert page.shows(with_pattern(bundled("gpt-2"), "[a-z]").encode("abc def").ids)
    assert page.page.locator(".st-key-pattern textarea").input_value() == "[a-z]"


@pytest.mark.long
def test_with_an_upload_the_stepper_stays_on_the_screen(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(text="abc ab", stage="model", level="story")
    page.drop(("mine.json", tokenizer_json()))
    foot = page.page.locator(".st-key-stepper .foot")
    assert page.comes_to(lambda: foot.count() == 1 and (box := foot.bounding_box()) is not None
                         and box["y"] + box["height"] <= 800)  # fmt: skip

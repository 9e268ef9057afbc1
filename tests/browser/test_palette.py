"""The palette: Ctrl K on every page, answers in the rows, and where Enter leads."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import explorer
from tests.browser.conftest import PHONE, Explorer
from tests.browser.test_walks import start, walk

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


def answers(page: Explorer, typed: str, wanted: str) -> None:
    """Types, and waits for a row that says this."""
    page.page.locator(".pa-field").fill(typed)
    rows = page.page.locator(".pa-row")
    assert page.comes_to(lambda: any(wanted in each for each in rows.all_text_contents())), (
        typed,
        rows.all_text_contents(),
    )


def test_each_kind_is_answered_in_its_row(visit: Visit) -> None:
    page = start(visit)
    page.page.keyboard.press("Control+k")
    tok = explorer.load("llama-2")
    answers(page, "1724", "What")
    answers(page, "99999999", "31999")
    answers(page, "4294967296", "31999")
    assert page.page.locator(".pa-kind").first.inner_text() == "As an id"
    assert page.page.locator(".pa-reading").inner_text() == "a number"
    answers(page, "[1, 99999999999]", "31999")
    answers(page, "[1724, 338, 4309]", tok.decode([1724, 338, 4309]).strip())
    answers(page, "U+1F917", "🤗")
    answers(page, "F0 9F A4 97", "F0 9F A4 97")
    answers(page, "Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B")
    answers(page, "zweimal doppelt".split()[1], "BOS")
    answers(page, "重複", "BOS")
    answers(page, "qqxz vvkj", "tokens")
    field = page.page.locator(".pa-field")
    assert field.get_attribute("role") == "combobox"
    active = page.page.locator(f"#{field.get_attribute('aria-activedescendant')}")
    assert active.get_attribute("aria-selected") == "true"
    field.press("Escape")
    assert field.input_value() == ""
    field.press("Escape")
    assert page.comes_to(lambda: not field.is_visible())


def test_enter_leads_there_and_the_session_stays(visit: Visit) -> None:
    page = start(visit)
    page.choose("m", "gpt-2")
    walk(page, "Corpus")
    page.page.keyboard.press("/")
    page.page.locator(".pa-field").fill("41236")
    page.page.keyboard.press("Enter")  # before there is an answer
    page.page.wait_for_url("**/vocabulary?*")
    assert page.comes_to(lambda: "41236" in page.page.locator(".vo-headline").inner_text())
    page.page.keyboard.press("Control+k")
    answers(page, "qqxz vvkj", "tokens")
    page.page.keyboard.press("Enter")
    assert page.comes_to(lambda: page.field.count() > 0 and page.field.input_value() == "qqxz vvkj")


def test_a_text_that_is_too_long_says_how_much_of_it_is_read(visit: Visit) -> None:
    page = start(lambda *_: visit(permissions=["clipboard-read", "clipboard-write"]))
    text = "zebra 🤗 " * 20_000
    page.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.page.keyboard.press("Control+k")
    page.page.keyboard.press("Control+v")
    field, reading = page.page.locator(".pa-field"), page.page.locator(".pa-reading")
    assert page.comes_to(lambda: any("zebra" in each for each in page.page.locator(".pa-row").all_text_contents()))
    read = field.input_value()
    assert text.startswith(read)
    assert page.comes_to(lambda: f"{len(read):,}" in reading.inner_text()), reading.inner_text()
    page.page.set_viewport_size(PHONE)
    field_box, said = field.bounding_box(), reading.bounding_box()
    assert field_box is not None
    assert said is not None
    assert said["y"] >= field_box["y"] + field_box["height"], "on a phone it is below the field"
    answers(page, "zebra", "zebra")
    assert page.comes_to(lambda: reading.inner_text() == "")


def test_a_slash_in_a_field_is_one_and_a_phone_has_a_button(visit: Visit) -> None:
    page = start(lambda _: visit(PHONE))
    page.field.press_sequentially("/")
    assert not page.page.locator(".pa-field").is_visible()
    page.page.locator(".pa-open").click()
    box = page.page.locator(".pa").bounding_box()
    assert box
    assert box["width"] == PHONE["width"]
    assert page.sideways() == 0


@pytest.mark.parametrize("path", ["vocabulary", "start"])
def test_on_a_phone_nothing_covers_its_button(visit: Callable[..., Explorer], path: str) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/{path}")
    button = page.page.locator(".pa-open")
    button.wait_for()
    page.settle()
    home, own = page.page.locator(".ky-home").bounding_box(), button.bounding_box()
    assert home is not None
    assert own is not None
    assert home["x"] + home["width"] <= own["x"]
    button.click()
    assert page.comes_to(lambda: page.page.locator(".pa-field").is_visible())


def chosen(page: Explorer, typed: str, wanted: str) -> None:
    """Types, and chooses the row that says this."""
    answers(page, typed, wanted)
    page.page.locator(".pa-row").filter(has_text=wanted).first.click()


def test_headings_tell_the_kinds_apart_and_rest_brings_more_tokenizers(visit: Visit) -> None:
    page = start(visit)
    page.page.keyboard.press("Control+k")
    kinds = page.page.locator(".pa-kind")
    answers(page, "bos", "BOS")
    assert page.comes_to(lambda: kinds.all_text_contents() == ["Answers", "Settings", "Lessons", "As text"])
    answers(page, "15339", "As an id".split()[1])
    for name in ("gpt-2", "o200k_base"):
        text = explorer.load(name).decode([15339]).strip()
        assert page.comes_to(lambda text=text: page.page.locator(".pa-row.slim").filter(has_text=text).count() > 0)  # type: ignore[misc]
    assert page.page.locator(".pa-reading").inner_text() == "a number"


def test_settings_switch_in_place(visit: Visit) -> None:
    page = start(visit)
    page.settle()
    page.page.keyboard.press("Control+k")
    ids = page.ids()
    chosen(page, "add special", "Add BOS/EOS")
    assert page.comes_to(lambda: page.ids() == ids[1:])
    row = page.page.locator(".pa-row[aria-checked]").first
    assert row.get_attribute("aria-checked") == "false"
    row.click()
    assert page.comes_to(lambda: page.ids() == ids)
    chosen(page, "algorithm level", "Algorithm")
    assert page.comes_to(lambda: "level=algorithm" in page.page.url)
    page.page.locator(".stepper[data-level=algorithm]").wait_for()
    page.page.keyboard.press("Control+k")
    said = page.page.locator(".pa-open")
    english = said.get_attribute("title")
    chosen(page, "deutsch", "Deutsch")
    assert page.comes_to(lambda: said.get_attribute("title") != english)
    page.settle()
    page.page.keyboard.press("Control+k")
    chosen(page, "english", ": English")
    assert page.comes_to(lambda: said.get_attribute("title") == english)
    page.settle()
    page.page.keyboard.press("Control+k")
    chosen(page, "dark", "dark")
    page.page.locator(".st-key-overview [data-theme=dark]").wait_for()
    assert page.page.locator(".pa[open]").count() == 0


def test_the_last_places_are_offered_first(visit: Visit) -> None:
    page = start(visit)
    for typed in ("1724", "338"):
        page.page.keyboard.press("Control+k")
        answers(page, typed, f"Id {typed}")
        page.page.keyboard.press("Enter")
        page.page.wait_for_url(f"**/vocabulary?*token={typed}*")
        page.page.locator(".vo-headline").first.wait_for()
        page.settle()
    page.page.keyboard.press("Control+k")
    answers(page, "", "Id 1724")  # the rows of 338, which was typed last, may still be there
    rows = page.page.locator(".pa-row").all_text_contents()
    assert "Id 338" in rows[0]
    assert "Id 1724" in rows[1]
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    page.page.wait_for_url("**/vocabulary?*token=1724*")


DROP = """(files) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  const over = { dataTransfer: data, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new DragEvent("dragover", over));
  document.body.dispatchEvent(new DragEvent("drop", over));
}"""
LETTERS = "abcdefghijklmnopqrstuvwxyz ."
TINY = {"model": {"type": "BPE", "vocab": {each: id for id, each in enumerate(LETTERS)}, "merges": []}}


def test_a_dropped_file_is_read_at_once_and_opens_here(visit: Visit) -> None:
    page = start(visit)
    page.field.fill("abc")
    page.settle()
    page.page.evaluate(DROP, [["tokenizer.json", json.dumps(TINY)]])
    rows = page.page.locator(".pa-row")
    assert page.comes_to(lambda: any("reads fine" in each for each in rows.all_text_contents()))
    assert page.page.locator(".pa-reading").inner_text() == "a file"
    assert "3 tokens" in rows.nth(1).inner_text()
    page.page.keyboard.press("Enter")
    assert page.shows([0, 1, 2]), (page.ids(), page.page.url)
    walk(page, "Vocabulary")
    page.page.evaluate(DROP, [["tokenizer.json", '{"model": {"type": "Nothing"}}']])
    assert page.comes_to(lambda: any("Nothing" in each for each in rows.all_text_contents()))
    assert not any("reads fine" in each for each in rows.all_text_contents())


def test_a_phone_has_its_buttons_below_the_field(visit: Visit) -> None:
    page = start(lambda _: visit(PHONE))
    page.page.locator(".pa-open").click()
    for name in ("Paste", "File", "Hub"):
        button = page.page.locator(".pa-buttons").get_by_role("button", name=name)
        box = button.bounding_box()
        assert box
        assert box["height"] >= 44
    page.page.locator(".pa-buttons").get_by_role("button", name="Hub").click()
    assert page.page.locator(".pa-field").get_attribute("placeholder") == "org/name"
    answers(page, "15339", "15339")
    page.page.get_by_role("button", name="Clear").click()
    assert page.page.locator(".pa-field").input_value() == ""
    page.page.get_by_role("button", name="Close").click()
    assert page.comes_to(lambda: not page.page.locator(".pa-field").is_visible())

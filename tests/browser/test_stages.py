"""The steppers of bytes, special tokens, ids and decoding, in the panel of Explore."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest

from tests.browser.conftest import PHONE, Explorer
from tests.bundled import bundled

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
DESK = {"width": 1280, "height": 800}
TEXT = "Å<s>🤗 b"


def open_stage(page: Explorer, stage: str, **query: str) -> str:
    """Opens a stage; the selector of its stepper."""
    page.page.goto(f"{page.address}/?stage={stage}&" + "&".join(f"{name}={value}" for name, value in query.items()))
    found = f".st-key-stepper_{'bytes' if 'bytes' in query else stage}"
    page.page.locator(f"{found} .count b").wait_for()
    page.settle()
    return found


def steps(page: Explorer, stepper: str) -> tuple[int, int]:
    """The step shown and how many there are."""
    done, last = page.page.locator(f"{stepper} .count").inner_text().removeprefix("Step").split(" of ")
    return int(done), int(last)


@pytest.mark.parametrize("stage", ["utf8", "partition", "post-process", "decode"])
def test_nothing_moves_while_stepping_and_all_fits(visit: Visit, stage: str) -> None:
    page = visit(DESK)
    stepper = open_stage(page, stage, level="story", text=TEXT)

    def places() -> list[object]:
        return [
            page.page.locator(f"{stepper} {part}").bounding_box() for part in (".headline", ".top", ".columns", ".foot")
        ]

    page.page.locator(f"{stepper} .count").click()
    before = places()
    for level in ("Story", "Algorithm", "Implementation"):
        page.page.locator(f"{stepper} .levels button", has_text=level).click()
        page.page.locator(f"{stepper} .count").click()
        page.page.keyboard.press("Home")
        at_first = places()
        for _ in range(steps(page, stepper)[1]):
            page.page.keyboard.press("ArrowRight")
            assert places() == at_first
        assert page.comes_to(lambda: len(set(steps(page, stepper))) == 1)
    assert places()[0] == before[0]
    assert page.sideways() == 0


def test_bytes_are_put_together_bit_by_bit(visit: Visit) -> None:
    page = visit(DESK)
    stepper = open_stage(page, "utf8", level="story", text="%C3%85", utf8="2")
    assert page.comes_to(lambda: page.page.locator(f"{stepper} .sum i").count() == 11)
    assert "".join(page.page.locator(f"{stepper} .sum i").all_inner_texts()) == "00011000101"
    page.page.locator(f"{stepper} .count").click()
    page.page.keyboard.press("ArrowRight")
    say = page.page.locator(f"{stepper} .say .what")
    assert page.comes_to(lambda: say.inner_text() == "C3 85 is one character: Å, U+00C5. Two bytes.")
    assert page.page.locator(f"{stepper} .bits .glyph").inner_text() == "Å"
    # bytes that are no text: typed in hexadecimal, kept in the URL
    assert page.page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
    page.page.get_by_role("button", name="Other bytes").click()
    field = page.page.locator(".st-key-bytes input")
    field.fill("41 C0 AF")
    field.press("Enter")
    page.page.locator(".st-key-stepper_bytes .count b").wait_for()
    page.settle()
    assert "bytes=41" in page.page.url
    page.page.locator(".st-key-stepper_bytes .count").click()
    page.page.keyboard.press("End")
    read = page.page.locator(".st-key-stepper_bytes .trow bdi.quoted")
    assert page.comes_to(lambda: read.all_inner_texts()[0] == "A\ufffd\ufffd")
    assert read.all_inner_texts()[2] == "A/"


@pytest.mark.rest
def test_a_token_rings_its_column_and_its_bytes(visit: Visit) -> None:
    page = visit(DESK)
    stepper = open_stage(page, "decode", text="What is it", level="story")
    page.page.locator(".st-key-overview .token", has_text="What").hover()
    assert page.comes_to(lambda: page.page.locator(f"{stepper} :is(.top-text, .text-part).hov").count() == 1)
    stepper = open_stage(page, "utf8", text="What is it", level="story")
    page.page.locator(".st-key-overview .token", has_text="What").hover()
    assert page.comes_to(lambda: page.page.locator(f"{stepper} .cell.hov").count() == 4)


@pytest.mark.rest
def test_on_a_phone_nothing_scrolls_sideways(visit: Visit) -> None:
    page = visit(PHONE, dark=True)
    for stage in ("utf8", "partition", "post-process", "decode"):
        stepper = open_stage(page, stage, text=TEXT, level="story")
        page.page.locator(f"{stepper} .buttons button").nth(1).scroll_into_view_if_needed()
        assert page.sideways() == 0, stage


def test_a_phone_shows_whole_headings_of_a_stream(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/?m=llama-2&text=Hello%20%F0%9F%A4%97&stage=decode&stream=One%20by%20one")
    names = page.page.locator(".st-key-stepper_stream .names span:visible")
    names.first.wait_for()
    page.settle()
    shown = names.evaluate_all("nodes => nodes.map((node) => [node.textContent, node.scrollWidth <= node.clientWidth])")
    assert {"safe to show", "held back", "each id alone"} <= {name for name, _ in shown}
    assert all(whole for _, whole in shown), shown
    wide = visit(DESK)
    wide.page.goto(page.page.url)
    wide.page.locator(".st-key-stepper_stream .names span").first.wait_for()
    assert wide.page.locator(".st-key-stepper_stream .names span:visible").count() > len(shown)


def test_a_stream_is_played_from_the_first_id_to_the_last(visit: Visit) -> None:
    page, tok, text = visit(DESK), bundled("llama-2"), "Hello 🤗"
    ids = [str(id) for id in tok.encode(text, add_special=False).ids]
    page.page.goto(f"{page.address}/?m=llama-2&text={quote(text)}&stage=decode&stream=One%20by%20one&arrived=0")
    stepper = page.page.locator(".st-key-stepper_stream")
    rows = stepper.locator(".rows").first.locator(".trow:visible")
    stepper.locator(".buttons button", has_text="Play").click()
    assert page.comes_to(lambda: rows.locator(".number").all_inner_texts() == ids), "every id arrived"
    assert page.comes_to(lambda: rows.last.locator(".quoted").first.inner_text().replace("␣", " ") == text)
    held = [row.split()[-1] for row in rows.locator(":nth-child(4)").all_inner_texts() if row]
    assert held == ["F0", "9F", "A4"], "bytes of the emoji that wait for the last"


def test_a_longest_match_says_its_rule_where_the_words_leave_room(visit: Visit) -> None:
    page = visit(DESK)
    page.open(stage="model", m="bert-uncased", text="unaffable playing LoRA", level="story", step="21")
    rule, words = page.page.locator(".st-key-stage .rule-of"), page.page.locator(".st-key-stage .of-word")
    rule.wait_for()
    box = rule.bounding_box()
    assert box is not None
    for part in page.page.locator(".st-key-stage :is(.letters span, .bar:not([hidden]), .of-word p)").all():
        other = part.bounding_box()
        assert (
            other is None
            or other["y"] + other["height"] <= box["y"]
            or other["x"] >= box["x"] + box["width"]
            or other["x"] + other["width"] <= box["x"]
        )
    count, rows = words.first.locator("p").bounding_box(), page.page.locator(".st-key-stage .windows").bounding_box()
    assert count is not None
    assert rows is not None
    assert count["y"] + count["height"] <= rows["y"] + rows["height"], "in view"
    assert "##ra" in words.last.locator("p").inner_text(), "what it looks up next"


def test_words_on_the_line_of_a_long_match_keep_their_letters_in_view(visit: Visit) -> None:
    page = visit(DESK)
    text = "and untranslatable hyperparameters in llama.cpp"
    page.open(stage="model", m="bert-uncased", text=text, level="story", step="30")
    rows = page.page.locator(".st-key-stage .windows")
    assert page.comes_to(lambda: rows.evaluate("node => node.scrollTop") > 60)
    top = (rows.bounding_box() or {})["y"]
    tops = [box["y"] for each in page.page.locator(".st-key-stage .letters").all() if (box := each.bounding_box())]
    assert sum(abs(each - top) <= 2 for each in tops) > 1, tops


@pytest.mark.parametrize("model", ["gpt-2", "llama-2"])
def test_at_the_end_each_id_stands_once_even_beside_special_tokens(visit: Visit, model: str) -> None:
    page = visit(DESK)
    text = {"gpt-2": "Say <|endoftext|> now", "llama-2": "Say </s> now"}[model]
    page.open(stage="model", m=model, text=text, level="story", step="99")
    ids = [str(each) for each in bundled(model).encode(text).ids]
    drawn = page.page.locator(".st-key-stage .end-id:visible")
    assert page.comes_to(lambda: drawn.all_inner_texts() == ids), drawn.all_inner_texts()


def test_the_text_given_back_is_as_large_as_the_table_below_leaves_room(visit: Visit) -> None:
    page = visit({"width": 1060, "height": 760})
    text = quote("Say [SEP] Café 😊 now")
    shown = open_stage(page, "decode", m="bert-uncased", text=text, level="story", step="99")
    whole = page.page.locator(f"{shown} .text-whole")
    assert page.comes_to(lambda: whole.evaluate("node => node.scrollHeight - node.clientHeight") <= 1)

"""The views Engines, Next turn and Training of the Prompt page in Chromium: what is drawn, and what its links do."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from explorer.prompts.messages import packed
from tests.browser.conftest import PHONE, Explorer
from tests.browser.test_prompt import MOCK, asked, count, opened

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]


def card(page: Explorer, name: str) -> str:
    """What a card says."""
    return page.page.locator(".pr-cards .stage", has_text=name).inner_text()


def headline(page: Explorer) -> str:
    return page.page.locator(".pr-say").inner_text()


def test_next_turn_shows_where_the_cache_ends_and_mends_it(visit: Visit) -> None:
    page = opened(visit, query="?view=turns")
    assert "22 of 34 kept" in card(page, "Next turn")
    assert "34" in headline(page)
    assert "22" in headline(page)
    cache, after = (page.page.locator(".pr-window").nth(n) for n in (0, 1))
    gone = [int(text) for text in cache.locator(".gone small").all_inner_texts()]
    assert gone[:2] == [198, 198]
    assert after.locator(".split small").inner_text() == "271"
    # as text nothing is lost
    page.page.get_by_role("radio", name="As text").click()
    assert page.comes_to(lambda: "150" in headline(page))
    assert page.page.locator(".pr-excerpt").count() == 2
    page.page.get_by_role("radio", name="As ids").click()
    page.page.locator(".pr-columns .pr-offer").click()
    assert page.comes_to(lambda: "all 33 kept" in card(page, "Next turn"))
    assert page.comes_to(lambda: asked(page)[2]["content"] == "A cheap way to fine-tune a model.")
    assert page.page.locator(".gone").count() == 0


def test_next_turn_without_an_answer_offers_one(visit: Visit) -> None:
    page = opened(visit, query="?view=turns&chat=" + packed({"messages": [{"role": "user", "content": "Hi"}]}))
    page.page.locator(".pr-offer", has_text="Add an answer").click()
    assert page.comes_to(lambda: page.page.locator(".pr-cache-bar").count() == 3)
    assert page.comes_to(lambda: [each["role"] for each in asked(page)] == ["user", "assistant", "user"])


def test_training_has_three_masks_and_looks_for_a_text(visit: Visit) -> None:
    page = opened(visit, query="?view=training&template=ours:training-mask")
    assert page.comes_to(lambda: "12 of 54 trained" in card(page, "Training"))
    assert count(page) == "12"
    assert page.page.locator(".pr-mask-turn .trained").count() == 12
    # the strip is that of the text without the question for an answer
    assert page.page.locator(".pr-strip .pr-cell").count() == 54
    assert page.page.locator(".pr-strip .pr-cell:not(.lost)").count() == 12
    page.page.get_by_role("radio", name="By who wrote it").click()
    assert page.comes_to(lambda: count(page) == "11")
    page.page.get_by_role("radio", name="After a text").click()
    assert page.comes_to(lambda: count(page) == "0")
    assert page.page.locator(".pr-token.blocks small").inner_text() == "271"
    # another text is found, and stands in the address
    page.page.locator(".pr-response").fill("<|im_start|>user")
    assert page.comes_to(lambda: count(page) == "17")
    assert page.comes_to(lambda: "after=" in page.page.url)
    page.page.reload()
    page.settle()
    assert page.comes_to(lambda: page.page.locator(".pr-response").input_value() == "<|im_start|>user")


def test_a_mask_s_offer_changes_the_message(visit: Visit) -> None:
    page = opened(visit, query="?view=training&template=ours:training-mask")
    page.page.locator(".pr-offer").click()
    assert page.comes_to(lambda: page.page.locator(".pr-pill").inner_text() == "trained")
    assert page.comes_to(lambda: asked(page)[2]["content"] == "A cheap way to fine-tune a model.")


def test_engines_that_agree_say_so_and_try_other_conversations(visit: Visit) -> None:
    page = opened(visit, query="?view=engines")
    assert page.page.locator(".pr-pill").inner_text() == "the same"
    assert page.page.locator(".pr-folded .pr-row-pill").count() == 5
    assert page.page.locator(".pr-probe-list li").count() == 8
    page.page.locator(".pr-probe-list button", has_text="content as a list").click()
    assert page.comes_to(lambda: page.page.locator(".pr-pill").inner_text() == "fails in transformers")
    assert page.comes_to(lambda: isinstance(asked(page)[0]["content"], list))
    assert page.page.locator(".pr-engine-words").inner_text()


def test_engines_that_part_show_the_token_of_each(visit: Visit) -> None:
    page = opened(visit, query="?view=engines&m=llama-2&template=ours:chatml")
    assert "differ at token 1" in card(page, "Engines")
    one, other = (page.page.locator(".pr-engine-row").nth(n) for n in (0, 1))
    assert one.locator(".gap").count() == 1
    assert other.locator(".parts-here small").inner_text() == "1"
    counts = [int(each.locator(".pr-end").inner_text()) for each in (one, other)]
    assert counts[1] == counts[0] + 1
    # arrows move through the tokens, which are one stop of the Tab key
    first = page.page.locator(".pr-engine-rows button.pr-token").first
    assert page.page.locator(".pr-engine-rows button.pr-token[tabindex='0']").count() == 1
    first.focus()
    page.page.keyboard.press("ArrowRight")
    assert page.page.locator(".pr-engine-rows button.pr-token").nth(1).get_attribute("tabindex") == "0"


@pytest.mark.parametrize("view", ["engines", "turns", "training"])
def test_a_phone_shows_the_answer_without_scrolling_sideways(visit: Visit, view: str) -> None:
    page = opened(visit, PHONE, f"?view={view}&m=llama-2&template=ours:training-mask")
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert headline(page)
    if view != "turns":
        assert page.page.locator(".pr-why").is_visible()


WROTE = (
    'Wait.\n<tool_call>\n{"name": "f", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "g", "arguments": {"city": "Rome"}\n</tool_call>'
)


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_no_answer_is_cut_off_beside_its_choices(visit: Visit, language: str) -> None:
    call = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": WROTE}]}
    for view in ("answer", "sent", "engines", "check"):
        page = opened(
            visit, query=f"?view={view}&lang={language}&chat={packed(call)}", size={"width": 1060, "height": 800}
        )
        page.page.locator(".pr-side button:visible, .pr-sent-server:visible").first.wait_for()
        fits = page.page.locator(".pr-say").evaluate(
            "say => say.scrollWidth <= say.clientWidth && say.scrollHeight <= say.clientHeight + 2"
        )
        assert fits, (view, headline(page))


@pytest.mark.parametrize("wide", [True, False])
def test_the_answer_back_names_lost_calls_and_goes_on_without_them(visit: Visit, wide: bool) -> None:
    messages = [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": WROTE}]
    query = "?view=answer&parser=sglang&chat=" + packed({"messages": messages})
    page = opened(visit, MOCK if wide else PHONE, query)
    assert page.comes_to(lambda: "0 of 2 calls kept" in card(page, "Answer"))
    assert count(page) == "1"
    assert page.page.locator(".pr-answer-tokens .pr-kind-broken").count() > 5
    assert page.page.locator(".pr-sent td.lost.mine").count() == 1
    # a line of what the model wrote, with its ids; keys go from token to token
    assert page.page.locator(".pr-answer-line").count() == 7
    ids = page.page.locator(".pr-answer-line-tokens small")
    first = ids.all_inner_texts()
    page.page.locator(".pr-answer-line .pr-token[tabindex='0']").press("ArrowUp")
    assert page.comes_to(lambda: ids.all_inner_texts() not in ([], first))
    if wide:  # all of it on one screen; a heading chooses the parser
        foot = page.page.locator(".pr-foot").bounding_box()
        for part in (".pr-answer-pair", ".pr-answer-cut", ".pr-answer .pr-engine-words", ".pr-answer-line-tokens"):
            box = page.page.locator(part).bounding_box()
            assert box is not None
            assert foot is not None
            assert box["y"] + box["height"] <= foot["y"], part
        page.page.locator(".pr-sent-server", has_text="llama.cpp").click()
        assert page.page.locator(".pr-sent td.lost.mine").count() == 2
        assert "parser=llama" in page.page.url
        page.page.locator(".pr-sent-server", has_text="SGLangqwen25").click()
    # the response template: the field that the line in focus stops, and the one that reads the line above
    here = page.page.locator(".pr-answer-template .here")
    page.page.locator(".pr-answer-line.pr-kind-broken .pr-token").nth(4).click()
    assert set(here.evaluate_all("lines => lines.map((each) => each.dataset.key)")) == {"tool_calls"}
    assert '"content": "json"' in here.all_inner_texts()[3]
    assert here.first.evaluate("line => line.classList.contains('pr-kind-broken')")
    page.page.locator(".pr-answer-line .pr-token").first.click()
    assert set(here.evaluate_all("lines => lines.map((each) => each.dataset.key)")) == {"content"}
    slider = page.page.locator(".pr-answer-cut input")
    slider.press("Home")
    assert page.page.locator(".pr-answer-tokens .gone").count() > 20
    page.page.locator(".pr-engine-words .link").first.click()
    assert page.comes_to(lambda: "2 of 2 calls kept" in card(page, "Answer"))
    if wide:  # the field of the template and what it gave are marked together
        page.page.locator(".pr-sent-server", has_text="transformers").click()
        page.page.locator(".pr-answer-line.pr-kind-call .pr-token").first.click()
        made = page.page.locator(".pr-answer-pair .pr-answer-message").first.locator(".here")
        assert set(made.evaluate_all("lines => lines.map((each) => each.dataset.key)")) == {"tool_calls"}
        assert here.first.evaluate("line => line.classList.contains('pr-kind-call')")
        page.page.locator(".pr-sent-server", has_text="SGLangqwen25").click()
    assert page.page.locator(".pr-foot .btn", has_text="Copy as a test").is_visible() or not wide
    page.page.locator(".pr-foot .pr-go-on").click()
    assert page.comes_to(
        lambda: [call["function"]["name"] for call in asked(page)[1].get("tool_calls", ())] == ["f", "g"]
    )


def test_ids_that_were_sampled_are_pasted_beside_the_next_turn(visit: Visit) -> None:
    call = {"messages": [
        {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello there"},
        {"role": "user", "content": "Thanks"},
    ]}  # fmt: skip
    page = opened(visit, query=f"?view=turns&template=ours:chatml&chat={packed(call)}")
    field = page.page.locator(".pr-sampled-ids")
    field.fill("39 68 75 x")
    field.press("Enter")
    assert page.page.locator(".pr-sampled .pr-problem").inner_text()
    # H, e, l, l, o and so on: other tokens of the same text
    field.fill("39, 68 75 75 78 1052")
    field.press("Enter")
    assert page.comes_to(lambda: asked(page)[1].get("token_ids") == [39, 68, 75, 75, 78, 1052])
    page.page.locator(".pr-preserving").wait_for()
    assert page.comes_to(lambda: page.page.locator(".pr-bar-row").count() == 3)
    field.fill("")
    field.press("Enter")
    assert page.comes_to(lambda: "token_ids" not in asked(page)[1])


def test_boxes_around_markers_leave_the_ids_above_them_free(visit: Visit) -> None:
    call = {"messages": [{"role": "user", "content": "What is it? " * 12}]}
    page = opened(visit, PHONE, query=f"?m=llama-3&template=ours:chatml&chat={packed(call)}")
    page.page.locator(".pr-marker").first.wait_for()
    above, level = page.page.locator(".pr-tokens:has(.pr-marker)").evaluate_all(
        """rows => {
          const boxes = rows.flatMap((row) => [...row.children].map((each) => [each, each.getBoundingClientRect()]));
          const markers = boxes.filter(([each]) => each.matches(".pr-marker"));
          const over = (one, other) => one.left < other.right && other.left < one.right && one.top > other.top;
          return [
            markers.flatMap(([, box]) =>
              boxes.filter(([, other]) => over(box, other)).map(([, { bottom }]) => box.top - bottom)),
            markers.map(([each, box]) => each.querySelector(".pr-token").getBoundingClientRect().top - box.top),
          ];
        }"""
    )
    assert above
    assert min(above) >= 0
    assert max(level) < 4  # the tokens in a box are level with those beside it


def test_markers_that_are_no_tokens_are_added_on_the_page_vocabulary(visit: Visit) -> None:
    page = opened(visit, query="?m=llama-3&template=ours:chatml")
    page.page.locator(".pr-offer", has_text="Add 2 tokens").click()
    page.page.wait_for_url("**/vocabulary?**", wait_until="commit")
    asks = parse_qs(urlsplit(page.page.url).query)
    assert (asks["m"], asks["edit"], asks["add"]) == (["llama-3"], ["true"], ["<|im_start|>", "<|im_end|>"])

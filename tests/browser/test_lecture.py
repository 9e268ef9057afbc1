"""Lecture mode in a room, Predict, and narrow screens: large enough, whole, and nothing is covered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.conftest import PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]
ROOM = {"width": 1920, "height": 1080}

STAGES = (
    "stage=model&level=story&step=14", "stage=model&level=algorithm&step=14",
    "stage=model&level=implementation&step=14",
    "stage=utf8&level=story", "stage=partition&level=story", "m=gpt-2&stage=pre-tokenize&level=story",
    "m=xlm-r&stage=model&level=story&step=30", "stage=post-process&level=story", "stage=decode&level=story",
    "m=gpt-2&stage=model&level=story&step=9", "stage=utf8&level=algorithm",
    "stage=partition&level=algorithm", "stage=normalize&level=algorithm",
    "m=gpt-2&stage=pre-tokenize&level=algorithm", "m=xlm-r&stage=model&level=algorithm&step=30",
    "m=rwkv-world&stage=model&level=story", "m=bert-uncased&stage=model&level=algorithm&step=5",
    "stage=post-process&level=algorithm", "stage=decode&level=algorithm",
)  # fmt: skip

SMALL = """() => {
  const small = [];
  const look = root => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) look(node.shadowRoot);
      const texts = [...node.childNodes].filter(each => each.nodeType === 3);
      const own = texts.map(each => each.textContent.trim()).join('');
      if (!own || !node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (node.closest('.sr, .pager, .q, [aria-hidden=true].space') || node.getBoundingClientRect().width < 2) continue;
      const size = parseFloat(getComputedStyle(node).fontSize) * node.currentCSSZoom;
      if (size < 23.9) small.push(`${own.slice(0, 20)} ${node.className} ${size.toFixed(1)}`);
    }
  };
  for (const place of document.querySelectorAll('.st-key-overview, .st-key-stage, .st-key-learn')) look(place);
  return small;
}"""
"""Texts on the screen of less than 24 pixels."""

CUT = """() => {
  const deep = [...document.querySelectorAll('.st-key-stage *')].map(node => node.shadowRoot?.querySelector('.say'));
  const cut = node => node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 2;
  return [...deep.find(Boolean).querySelectorAll('.what, .why')]
    .filter(node => node.checkVisibility() && cut(node)).map(node => node.textContent);
}"""
"""The sentences on the headline that are cut off."""
OVERFLOW = "node => node.scrollHeight - node.clientHeight"


def opened(page: Explorer, query: str) -> Explorer:
    page.page.goto(f"{page.address}/?{query}")
    page.page.locator(".st-key-stage .count b:not(:empty)").wait_for()
    page.settle()
    return page


def begin(page: Explorer) -> None:
    page.page.keyboard.press("f")
    page.page.locator("html[data-lecture]").wait_for(state="attached")
    page.page.wait_for_timeout(300)


def none_comes(page: Explorer, script: str) -> bool:
    """Whether a script comes to find nothing: what a lecture shows is laid out in steps."""
    return page.comes_to(lambda: page.page.evaluate(script) == [])


@pytest.mark.parametrize("query", STAGES)
def test_all_that_a_lecture_shows_can_be_read_in_the_last_row(visit: Visit, query: str) -> None:
    page = opened(visit(ROOM), query)
    begin(page)
    assert none_comes(page, SMALL), page.page.evaluate(SMALL)
    box = page.page.locator(".st-key-stage .stepper").bounding_box()
    assert box is not None
    assert box["width"] > 1850, "the stage takes the room there is"
    assert 1040 < box["y"] + box["height"] <= 1080
    assert page.page.evaluate(CUT) == []
    levels = page.page.locator(".st-key-stage .levels").bounding_box()
    stages = page.page.locator(".st-key-overview .stage").last.bounding_box()
    assert levels
    assert stages
    above = levels["y"] + levels["height"] <= stages["y"]
    assert above or levels["y"] >= stages["y"] + stages["height"], "the levels cover no stage"


def test_a_remote_leads_through_all_stages_and_back(visit: Visit) -> None:
    page = opened(visit(ROOM), "stage=normalize&level=story&normalize=99")
    title = page.page.locator(".st-key-stage .count")
    stage = page.page.locator('.st-key-overview .stage[aria-selected="true"] .name')
    names = page.page.locator(".st-key-overview .stage .name").all_inner_texts()

    def press(key: str, name: str, step: str) -> None:
        page.page.keyboard.press(key)
        assert page.comes_to(lambda: stage.inner_text() == name), name
        assert page.comes_to(lambda: title.get_attribute("title") == step), step

    page.page.keyboard.press("PageDown")
    page.settle()
    assert stage.inner_text() == "Normalize", "outside a lecture a stage is left by its row"
    begin(page)
    assert page.page.locator(".st-key-overview .stage").first.is_visible(), "the row of stages stays"
    press("PageDown", "Merge", "Step 0 of 47")
    press("PageDown", "Merge", "Step 14 of 47")
    press("PageUp", "Merge", "Step 0 of 47")
    press("PageUp", "Normalize", "Step 4 of 4")
    for _ in range(4):
        page.page.keyboard.press("PageUp")
    press("PageUp", "Special tokens", "Step 2 of 2")
    press("PageDown", "Normalize", "Step 0 of 4")
    page.page.keyboard.press("End")
    press("PageDown", "Merge", "Step 0 of 47")
    page.page.keyboard.press("End")
    press("PageDown", "Ids", "Step 0 of 3")
    page.page.keyboard.press("End")
    press("PageDown", names[-1], "Step 0 of 13")
    page.page.keyboard.press("End")
    press("PageDown", names[-1], "Step 13 of 13")


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, ROOM, PHONE], ids=["desk", "room", "phone"])
def test_sentences_wrap_and_are_not_cut(visit: Visit, size: dict[str, int]) -> None:
    page = visit(size)
    for query in (
        "stage=partition&level=story",
        "m=bert-uncased&stage=model&level=algorithm",
        "stage=model&level=algorithm",
    ):
        opened(page, query + "&step=0&partition=0")
        page.page.locator(".st-key-stage .stepper").focus()
        for step in range(12):
            page.page.wait_for_timeout(60)
            assert page.page.evaluate(CUT) == [], (query, step)
            page.page.keyboard.press("ArrowRight")


def test_predict_tells_nothing_and_its_letters_are_no_keys(visit: Visit) -> None:
    page = opened(visit({"width": 1280, "height": 720}), "stage=model&level=algorithm&step=13")
    begin(page)
    page.page.keyboard.press("p")
    page.page.keyboard.press("ArrowRight")
    page.page.locator(".st-key-stage .stepper.asking").wait_for()
    letters = page.page.locator(".st-key-stage .pairs .answer-letter:visible").all_inner_texts()
    assert len(letters) > 4
    assert not set("BFNPS") & set(letters)
    for hidden in (".tokens", ".side .count", ".hint"):
        assert not page.page.locator(f".st-key-overview {hidden}").is_visible(), hidden
    # the question beside the code is not over it
    covers = """node => {
      const line = node.parentElement, range = document.createRange();
      range.selectNodeContents(line.firstChild);
      const [code, value] = [range.getBoundingClientRect(), node.getBoundingClientRect()];
      return value.left < code.right && value.top < code.bottom - 2;
    }"""
    assert page.page.locator(".st-key-stage .code .value:visible").evaluate(covers) is False
    page.page.keyboard.press("Space")
    assert page.comes_to(lambda: page.page.locator(".st-key-overview .tokens").is_visible())


def test_on_a_phone_targets_are_large_and_the_transport_covers_no_tab(visit: Visit) -> None:
    page = visit(PHONE)
    for query in ("stage=model&level=algorithm&step=14", "m=gpt-2&stage=model&level=implementation&step=14",
                  "stage=partition&level=story", "m=gpt-2&stage=pre-tokenize&level=algorithm"):  # fmt: skip
        opened(page, query)
        foot = page.page.locator(".st-key-stage .foot").bounding_box()
        levels = page.page.locator(".st-key-stage .levels").bounding_box()
        assert foot is not None
        assert levels is not None
        assert levels["y"] + levels["height"] <= foot["y"], query
        for each in page.page.locator(".st-key-stage button:visible, .st-key-overview .ribbon button:visible").all():
            box = each.bounding_box()
            assert box is not None
            assert box["height"] >= 43.9, (query, each.inner_text())


CARDS = (
    ("pieces", 4),
    ("prompt", 8),
    ("prompt.ja", 3),
    ("prompt.ja", 6),
    ("ways.de", 9),
    ("train-bpe", 2),
    ("fallback", 5),
    ("queue", 4),
    ("unigram", 4),
    ("languages", 3),
    ("own", 1),
)
"""Cards with the longest questions, and one of each kind of panel."""


def wholly_seen(page: Explorer, selector: str) -> bool:
    """Whether every element that fits a selector is on the screen; at least one does."""
    boxes = [each.bounding_box() for each in page.page.locator(selector).all() if each.is_visible()]
    room = page.page.viewport_size
    assert room is not None
    return bool(boxes) and all(
        box is not None and box["y"] >= 0 and box["y"] + box["height"] <= room["height"] + 1 for box in boxes
    )


@pytest.mark.parametrize(("lesson", "card"), CARDS, ids=str)
def test_a_card_is_seen_whole_in_a_lecture_and_its_verdict_too(visit: Visit, lesson: str, card: int) -> None:
    page = visit(ROOM)
    page.page.goto(f"{page.address}/learn?lesson={lesson}&card={card}")
    page.page.locator(".le-card h1").wait_for()
    page.settle()
    begin(page)
    assert none_comes(page, SMALL), page.page.evaluate(SMALL)
    assert page.comes_to(lambda: wholly_seen(page, ".le-words, .le-choice, .le-way"))
    main = page.page.locator('[data-testid="stMain"]')
    assert page.comes_to(lambda: main.evaluate(OVERFLOW) <= 1), "nobody scrolls in a lecture"
    if page.page.locator(".le-choice").count():
        page.page.keyboard.press("PageDown")
        page.page.locator(".le-choice.right").wait_for()
        assert none_comes(page, SMALL), page.page.evaluate(SMALL)
        assert page.comes_to(lambda: wholly_seen(page, ".le-verdict, .le-way"))
    if lesson == "train-bpe":
        words = page.page.locator(".st-key-learn-panel .words .word")
        scroller = page.page.locator(".st-key-learn-panel .rows.words")
        assert page.comes_to(lambda: words.count() >= 12)
        assert page.comes_to(lambda: scroller.evaluate(OVERFLOW) <= 1), "all twelve words are seen"


def test_on_a_phone_a_question_s_panel_is_not_under_its_buttons(visit: Visit) -> None:
    page = visit(PHONE)
    page.page.goto(f"{page.address}/learn?lesson=train-bpe&card=2")
    page.page.locator(".le-choice").first.wait_for(state="attached")
    page.settle()
    foot = page.page.locator(".st-key-learn-panel .foot").bounding_box()
    words = page.page.locator(".st-key-learn-panel .rows.words").bounding_box()
    assert foot is not None
    assert words is not None
    assert foot["y"] >= words["y"] + words["height"]


def test_nothing_of_the_head_lies_over_a_lecture(visit: Visit) -> None:
    page = visit(ROOM)
    page.page.goto(f"{page.address}/learn?lesson=bpe&card=2")
    page.page.locator(".le-card h1").wait_for()
    page.settle()
    search = page.page.locator(".pa-open")
    assert search.is_visible()
    begin(page)
    assert page.comes_to(lambda: not search.is_visible())

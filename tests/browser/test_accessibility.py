"""Accessibility: axe-core finds nothing, text in drawings has contrast, the keyboard reaches the stepper soon, the
system's settings are heeded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import axe_playwright_python
import pytest
from playwright.sync_api import Page

from explorer.prompts.messages import packed
from explorer.ui.compare.tabs import TABS
from explorer.views.prompt.registry import VIEWS
from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]
Visit = Callable[..., Explorer]

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8").partition("*/")[2]
STAGES = (
    "model level=story", "model level=algorithm", "model level=implementation", "utf8", "partition", "normalize",
    "post-process", "decode", "decode stream=One+by+one", "pre-tokenize m=gpt-2", "model m=bert-uncased",
    "model m=xlm-r level=algorithm", "model m=rwkv-world level=algorithm",
)  # fmt: skip
# Streamlit's own markup, which a page cannot change: its upload field is focusable by script and has a role that says
# otherwise; its popovers are drawn at the end of the document, outside the page's landmarks.
STREAMLITS = {"exclude": [['[data-testid="stFileUploaderDropzone"]']]}
RULES = {"resultTypes": ["violations"], "rules": {"region": {"enabled": False}}}
COLORS = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}
"""The rules that a theme can break."""


def violations(page: Page, rules: dict[str, Any] = RULES) -> list[str]:
    """What axe-core finds on a page."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate("([context, options]) => axe.run(context, options)",
                                                [STREAMLITS, rules])["violations"]  # fmt: skip
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("dark", [pytest.param(True, marks=pytest.mark.quick), False], ids=["dark", "light"])
def test_axe_finds_nothing_on_the_first_screen_its_card_its_settings_and_the_lecture(visit: Visit, dark: bool) -> None:
    page = visit({"width": 1280, "height": 800}, dark).open(stage="model", level="algorithm", step="14")
    assert violations(page.page) == []
    page.page.locator(".st-key-overview .ask").click()
    page.page.locator(".st-key-overview .why").wait_for()
    assert violations(page.page) == []
    page.page.keyboard.press("Escape")
    page.open_settings()
    assert violations(page.page) == []
    page.page.keyboard.press("Escape")
    page.focus_stepper()
    page.page.keyboard.press("f")
    page.page.locator("html[data-lecture]").wait_for(state="attached")
    assert violations(page.page) == []


def in_both_themes(page: Explorer) -> list[str]:
    """What axe-core finds on a page that follows the system from light to dark, without another load."""
    found = []
    for theme, is_bright, rules in (("light", True, RULES), ("dark", False, COLORS)):
        page.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        assert page.comes_to(lambda is_bright=is_bright: page.page.evaluate(BRIGHT) == is_bright), theme  # type: ignore[misc]
        page.settle()
        found += [f"{theme}: {each}" for each in (*violations(page.page, rules), *page.page.evaluate(CONTRAST))]
    return found


BRIGHT = """() => {
  const [red, green, blue] = getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/[\\d.]+/g);
  return Number(red) + Number(green) + Number(blue) > 382;
}"""


def test_axe_finds_nothing_on_any_stage(visit: Visit) -> None:
    page = visit(DESK)
    found = {}
    for wanted in STAGES:
        stage, *more = wanted.split()
        query = dict(each.split("=") for each in more) | {"stage": stage, "step": "5"}
        page.page.goto(page.address + "/?" + "&".join(f"{key}={value}" for key, value in query.items()))
        page.page.locator(".st-key-overview .ribbon [role=tab]").first.wait_for()
        page.settle()
        found[wanted] = in_both_themes(page)
    assert {wanted: lines for wanted, lines in found.items() if lines} == {}


PLACES = (
    "?m=gpt-2&text=The%20answer%20is%2042&border=14",
    "compare?with=gpt-2&with=llama-2&text=The%20answer%20is%2042&border=14",
    "?m=llama-3&text=a%3A%0Ab&border=1&between=Ids%20in%20these%20ids&find=a%3A",
    "?m=gpt-2&text=a&border=&between=A%20stop%20string&stop=%5Cn%5CnHuman%3A",
    "?m=gpt-2&text=%20lower&sample=many", "?m=xlm-r&text=%20lower&sample=many&draws=1000000",
    "?m=gpt-2&text=%20lower&sample=one&drawn=3", "?m=xlm-r&text=%20lower&sample=one&drawn=9",
    "compare?text=unbelievable%20A%CC%8A%201234567", *(f"compare?view={quote(tab)}" for tab in TABS),
    f"compare?view={quote('Expected ids')}&expect=1,2,999999",
    "start", "train", "train?algorithm=WordPiece", "train?algorithm=Unigram", "train?algorithm=WordLevel",
    "train?ask=Why&why=the", "train?ask=What%20if", "train?ask=Lint", "train?ask=My%20merges",
    "vocabulary?token=4037", "vocabulary?look=Charts", "vocabulary?edit=true",
    *(f"vocabulary?m=gpt-2&look=Trim%20and%20extend&way={way}" for way in ("Trim", "Extend")),
    "learn", "learn?lesson=queue&card=3", "learn?lesson=trie&card=2", "learn?lesson=unigram&card=3",
    "learn?lesson=languages&card=3", "learn?lesson=own&card=1", "learn?lesson=train-bpe&card=2",
    "learn?lesson=prompt&card=3", "learn?lesson=prompt&print=true", "learn?lesson=bpe&print=true",
    "prompt", "prompt?as_text=1", f"prompt?m=qwen2.5&template=ours:chatml&chat={packed({'messages': []})}",
    *(f"prompt?view={view.name}" for view in VIEWS[1:]), "prompt?view=check",
    f"prompt?chat={packed({'messages': [{'role': 'user', 'content': f'Hi{chr(0xE0068)}{chr(0x200B)}'}]})}",
    "prompt?m=llama-3&template=ours:chatml", "prompt?view=template&step=16&level=algorithm",
    "prompt?view=template&step=16&level=implementation",
    f"prompt?view=template&level=algorithm&chat={packed({'messages': [{'role': 'user', 'content': [{'type': 'x'}]}]})}",
    "prompt?view=engines&m=llama-2&template=ours:chatml", "prompt?view=training&template=ours:training-mask",
    *(f"corpus?part={quote(part)}" for part in
      ("Languages", "Whole text", "Lengths", "Frequent tokens", "All numbers", "A larger corpus",
       "For a paper")),
)  # fmt: skip
"""Every page but Explore, of which the border and other ways, and every tab."""
FEW = {"start": 1280, "learn": 390, "prompt": 1280, "corpus?part=Languages": 1920}
"""What the quick tier visits, at one width each."""
SIZES = {390: PHONE, 1280: {"width": 1280, "height": 800}, 1920: {"width": 1920, "height": 1080}}


@pytest.mark.long
@pytest.mark.parametrize(
    ("place", "width"),
    [
        pytest.param(place, width, marks=[pytest.mark.quick] if FEW.get(place) == width else [])
        for place in PLACES
        for width in SIZES
    ],
)
def test_axe_finds_nothing_on_the_other_pages(visit: Visit, place: str, width: int) -> None:
    page = visit(SIZES[width])
    page.page.goto(f"{page.address}/{place}")
    page.page.locator("h1").first.wait_for(state="attached")
    page.settle()
    page.page.wait_for_timeout(300)  # drawn after the message
    assert in_both_themes(page) == []


FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at?.closest('.stepper') ? 'stepper' : at?.closest('.seam, .term') ? 'a word' : at?.tagName;
}"""


def test_the_stepper_is_few_tab_stops_away(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}).open(stage="model", level="story")
    page.page.evaluate("document.querySelector('[data-testid=stMain]').focus()")
    page.page.mouse.click(3, 300)
    stops = []
    while len(stops) < 30 and (not stops or stops[-1] != "stepper"):
        page.page.keyboard.press("Tab")
        stops.append(page.page.evaluate(FOCUSED))
    assert stops[-1] == "stepper", stops
    assert "a word" not in stops
    # from the first control of the page; the links to other pages come before
    assert len(stops) <= 13, stops


@pytest.mark.parametrize("page_name", ["compare", "train"])
def test_the_link_and_the_number_with_the_focus_are_outlined(visit: Visit, page_name: str) -> None:
    page = visit({"width": 1280, "height": 800})
    page.page.goto(f"{page.address}/train")
    page.page.locator(".st-key-training [data-testid=stNumberInput] input").wait_for()
    page.settle()
    outline = "node => getComputedStyle(node).outlineStyle + ' ' + node.matches(':focus-visible')"
    links = page.page.locator("[data-testid=stTopNavLink]")
    link = links.nth([each.lower() for each in links.all_inner_texts()].index(page_name))
    page.page.keyboard.press("Tab")
    link.focus()
    assert link.evaluate(outline) == "solid true", "also that of the page which is open"
    number = page.page.locator(".st-key-training [data-testid=stNumberInput] input")
    number.focus()
    assert number.evaluate(outline) == "solid true"


def test_forced_colors_reduced_motion_and_large_text_keep_everything_visible(visit: Visit) -> None:
    page = visit({"width": 1280, "height": 800}, forced_colors="active", reduced_motion="reduce")
    page.open(stage="model", level="algorithm", step="14")
    chosen = page.page.locator('.st-key-overview [aria-selected="true"].stage')
    other = page.page.locator('.st-key-overview [aria-selected="false"].stage').first
    border = "node => getComputedStyle(node).borderTopWidth + getComputedStyle(node).borderTopColor"
    assert chosen.evaluate(border) != other.evaluate(border)
    now = page.page.locator(".st-key-stepper .pairs .now")
    assert now.evaluate("node => getComputedStyle(node).outlineStyle") == "solid", "not told by a fill alone"
    assert page.page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    assert page.page.locator(".st-key-stepper .sym").first.evaluate("n => getComputedStyle(n).animationName") == "none"
    # browsers enlarge text by 200 % as they zoom: half the pixels
    small = visit({"width": 640, "height": 400}).open(stage="model", level="algorithm", step="14")
    assert small.sideways() == 0
    settings = small.page.locator(".st-key-bar [data-testid=stPopover] button").first.bounding_box() or {}
    choice = small.page.locator(".st-key-bar .st-key-m").bounding_box() or {}
    assert settings["x"] >= choice["x"] + choice["width"], "the button of the settings lies beside the choices"
    assert settings["height"] <= 46
    phone = visit(PHONE).open(stage="model", level="story", step="14")
    assert phone.sideways() == 0

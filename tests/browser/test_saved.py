"""Saved pages in Chromium: from file://, with the network off, each kind played to its end."""

from __future__ import annotations

import base64
import csv
import json
import zlib
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, ViewportSize, expect

import explorer
from explorer.answers.saved import comparison_page, training_page
from explorer.engine.part import Options
from explorer.learning.checks.cards import sentence_of
from explorer.learning.lessons import library
from explorer.learning.questions import Quiz
from explorer.saved.explore import explore_page
from explorer.saved.lesson import lesson_page, quiz_page
from explorer.saved.page import Page as SavedPage
from explorer.saved.page import html
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections
from tests.browser.conftest import DESK, PHONE, Explorer, Saved, choose_in_menu
from tests.browser.test_accessibility import violations

pytestmark = [pytest.mark.browser, pytest.mark.long]
HOSTILE = (
    "</script><script>document.title='gone'</script>",
    "<!-- <img src=x onerror=document.title='gone'> ]]>",
    "\u202eabc\u2028\u2029\x00 \ufeff",
    "{0:q} {{ }} ${document.title='gone'} `",
)


def text_page(model: str, text: str, **asked: Any) -> str:
    tok = explorer.load(model)
    return html(explore_page(tok, tok.trace(text, **Options()._asdict()), **asked))


@pytest.mark.quick
def test_a_text_is_opened_at_the_step_of_its_address_and_explained(saved: Callable[..., Saved]) -> None:
    page = saved(text_page("llama-2", "What is LoRA?")).open(step="14", level="algorithm")
    page.count("14 of 47")
    assert page.page.locator(".token small").all_inner_texts() == ["1", "1724", "338", "4309", "4717", "29973"]
    page.page.get_by_role("tab", name="Normalize").click()
    page.page.locator(".stepper[aria-label='Normalization']").wait_for()
    assert "stage=normalize" in page.page.url
    page.page.go_back()
    page.count("14 of 47")
    page.page.locator(".token").nth(3).click()
    card = page.page.get_by_role("dialog")
    card.get_by_text("How").first.wait_for()
    assert "RA" not in card.locator("h2").inner_text()
    card.locator("button", has_text="step").first.click()
    assert "step=" in page.page.url
    page.page.get_by_text("What made this page").click()
    assert explorer.load("llama-2").origin.files[0].sha256 in page.page.locator("footer").inner_text()
    link = page.page.get_by_role("link", name="Open in the explorer").get_attribute("href")
    assert link is not None
    assert "m=llama-2" in link


def test_the_page_on_the_screen_is_saved_and_leads_back(
    visit: Callable[..., Explorer], saved: Callable[..., Saved], tmp_path: Path
) -> None:
    app = visit().open(m="gpt-2", text="a <b> 🤗", special="false")
    with app.page.expect_download() as download:
        app.menu("Share", "Save as a page")
    assert download.value.suggested_filename.startswith("gpt-2@huggingface-page")
    made = Path(download.value.path()).read_text("utf-8")
    page = saved(made).open(step="3")
    assert page.sentence
    link = page.page.get_by_role("link", name="Open in the explorer")
    link.focus()
    href = link.get_attribute("href")
    assert href is not None
    assert href.startswith(f"{app.address}/?")
    app.page.goto(href)
    assert app.comes_to(lambda: app.field.count() > 0 and app.field.input_value() == "a <b> 🤗")
    assert app.at_step(3)
    assert "special=false" in app.page.url


PAIR = ["gpt-2@huggingface", "bert-uncased@huggingface"]
OTHER_PAGES = {
    "compare": ({"with": PAIR, "text": "a <b>", "addspecial": "false"}, ".al-card"),
    "train": ({"algorithm": "WordPiece", "corpus": "low lower <b>"}, ".stepper .count"),
    "learn": ({"lesson": "bpe"}, ".le-words"),
    "learn quiz": ({"quiz": "2", "seed": "5", "m": "gpt-2"}, ".le-choice"),
}


@pytest.mark.parametrize("place", OTHER_PAGES)
@pytest.mark.sample(1)
def test_the_other_pages_are_saved_and_lead_back(
    visit: Callable[..., Explorer], saved: Callable[..., Saved], place: str
) -> None:
    query, drawn = OTHER_PAGES[place]
    name = place.split()[0]
    app = visit()
    app.page.goto(f"{app.address}/{name}?{urlencode(query, doseq=True)}")
    button = app.page.get_by_role("button", name="Save as a page")
    with app.page.expect_download() as download:
        button.click()
    app.page.get_by_role("button", name="Saved").wait_for()
    assert download.value.suggested_filename.endswith(".html")
    page = saved(Path(download.value.path()).read_text("utf-8"))
    page.page.goto(page.path.as_uri())
    page.page.locator(drawn).first.wait_for(state="attached")
    link = page.page.get_by_role("link", name="Open in the explorer")
    link.focus()
    href = urlsplit(str(link.get_attribute("href")))
    assert f"{href.scheme}://{href.netloc}{href.path}" == f"{app.address}/{name}"
    back = parse_qs(href.query)
    for key, value in query.items():
        assert back[key] == ([value] if isinstance(value, str) else value), key


@pytest.mark.parametrize("stage", ["model", "pre-tokenize"])
def test_one_stage_alone(saved: Callable[..., Saved], stage: str) -> None:
    page = saved(text_page("gpt-2", "What is LoRA?", only=stage)).open(stage="utf8")
    assert page.page.get_by_role("tablist", name="Stages").count() == 0
    page.play_to_end()
    page.page.locator(".token").nth(2).click()
    page.page.get_by_role("dialog").locator("h2").wait_for()


def test_the_report_shows_every_stage_at_its_last_step(saved: Callable[..., Saved]) -> None:
    page = saved(text_page("llama-2", "<s>a b")).open(level="story")
    choose_in_menu(page.page, "More", "All stages on one page")
    page.page.wait_for_function(
        """() => { const found = [...document.querySelectorAll(".of-stepper")]
          .map(({ shadowRoot }) => shadowRoot.querySelector(".count")?.textContent.match(/\\d+/g) ?? []);
          return found.length === 6 && found.every(([at, last]) => at && at === last); }"""
    )
    assert "stage=all" in page.page.url
    said = page.page.get_by_role("region", name="Special tokens").locator("> .result").inner_text()
    assert "1 special token" in said
    assert page.page.locator('[role="tab"][tabindex="0"]').count() == 1
    choose_in_menu(page.page, "More", "One stage")
    page.page.wait_for_function("document.querySelectorAll('.of-stepper').length === 1")


@pytest.mark.quick
def test_hostile_texts_stay_texts(saved: Callable[..., Saved]) -> None:
    text = "\n".join(HOSTILE)
    page = saved(text_page("gpt-2", text, title=HOSTILE[0])).open(stage="all")
    heading = page.page.locator("h1").inner_text()
    assert HOSTILE[0] in heading
    assert page.page.title().startswith("“</script>")
    assert page.page.locator("script, img").count() == 0
    page.page.locator(".token").nth(2).click()
    page.page.get_by_role("dialog").locator("h2").wait_for()


def test_the_fragment_and_messages_move_it(saved: Callable[..., Saved], tmp_path: Path) -> None:
    made = saved(text_page("llama-2", "What is LoRA?"))
    made.page.goto(f"{made.path.as_uri()}#stage=normalize&step=1&theme=dark")
    made.page.locator(".stepper[aria-label='Normalization']").wait_for()
    assert made.page.locator("html").get_attribute("data-theme") == "dark"
    outer = saved(
        f"""<!doctype html><title>slides</title>
        <iframe id="a" src="{made.path.as_uri()}#level=algorithm" width="900" height="700"></iframe>
        <iframe id="b" sandbox="allow-scripts" width="900" height="700"></iframe>
        <script>
        const heard = [];
        addEventListener("message", (event) => heard.push(event.data));
        </script>"""
    )
    outer.page.goto(outer.path.as_uri())
    outer.page.evaluate("text => { document.getElementById('b').srcdoc = text }", made.path.read_text("utf-8"))
    for name in ("a", "b"):
        frame = outer.page.frame_locator(f"#{name}")
        frame.locator(".stepper .count").wait_for()
        go = "([name, message]) => document.getElementById(name).contentWindow.postMessage(message, '*')"
        outer.page.evaluate(go, [name, {"explorer": 1, "type": "go", "level": "algorithm"}])
        frame.locator(".stepper .count", has_text="of 47").wait_for()
        outer.page.evaluate(go, [name, {"explorer": 1, "type": "go", "step": 20}])
        frame.locator(".stepper .count", has_text="20 of 47").wait_for()
        outer.page.evaluate(go, [name, {"explorer": 1, "type": "go", "stage": "decode", "step": 1}])
        frame.locator(".stepper[aria-label='Back to text']").wait_for()
        outer.page.evaluate(go, [name, {"explorer": 1, "type": "go", "stage": "<b>", "step": -1}])
        outer.page.evaluate(go, [name, "nonsense"])
    heard = outer.page.evaluate("heard")
    assert {"explorer": 1, "type": "step", "stage": "model", "step": 20, "last": 47} in heard
    assert [each["type"] for each in heard].count("ready") == 2


# --- lessons ---


def right_choice(made: SavedPage, number: int) -> int:
    """The right answer of a card's question."""
    data = json.loads(zlib.decompress(base64.b64decode(made.data["packed"])))
    return int(data["cards"][number - 1]["questions"][0]["right"])


def test_a_lesson_is_read_answered_and_remembered(saved: Callable[..., Saved]) -> None:
    made = lesson_page(library()["bpe"])
    whole = html(made)
    page = saved(whole).open()
    asking = next(number for number, card in enumerate(library()["bpe"].cards, 1) if card.question is not None)
    for _ in range(asking - 1):
        page.page.get_by_role("button", name="Next").first.click()
    page.page.get_by_text(f"{asking} / {len(library()['bpe'].cards)}").wait_for()
    tokens = page.page.locator(".st-key-learn_top .tokens")
    tokens.wait_for(state="attached")
    expect(tokens, "they would tell").to_be_hidden()
    block = whole.split('id="page">')[1].split("</script>")[0]
    assert '"right"' not in block, "no answer is read by chance"
    choices, right = page.page.locator(".le-choice"), right_choice(made, asking)
    choices.nth((right + 1) % choices.count()).click()
    page.page.get_by_role("button", name="Check").click()
    page.page.locator(".le-verdict", has_text="Not this one").wait_for()
    choices.nth(right).click()
    page.page.get_by_role("button", name="Check").click()
    page.page.locator(".le-verdict", has_text="Right").wait_for()
    expect(tokens).to_be_visible()
    page.page.get_by_role("button", name="Another question").click()
    page.page.locator(".le-verdict:empty").first.wait_for(state="attached")
    page.page.go_back()
    page.page.reload()
    page.page.get_by_text("0 of 1").wait_for()
    # the last card asks for a text of the reader's own
    page.open(card=str(len(library()["bpe"].cards)))
    page.page.get_by_role("button", name="Show me").click()
    page.page.locator(".le-verdict", has_text="Right").wait_for()
    expect(page.page.get_by_role("textbox")).to_have_count(0)
    link = page.page.get_by_role("link", name="Open in the explorer")
    link.focus()
    assert "lesson=bpe" in str(link.get_attribute("href"))
    assert "card=9" in str(link.get_attribute("href"))


def test_a_quiz_writes_what_was_answered(saved: Callable[..., Saved]) -> None:
    made = quiz_page(explorer.load("llama-2"), Quiz(3, 5, texts=("What is LoRA?", "the theme", 'He\'s, "so"')))
    page = saved(html(made)).open()
    for number in (1, 2, 3):
        page.page.get_by_role("heading", name=f"Question {number}").wait_for()
        if number < 3:
            page.page.locator(".le-choice").nth(right_choice(made, number)).click()
        page.page.get_by_role("button", name="Next").first.click()
    page.page.get_by_text("2 of 3 answers right").wait_for()
    page.page.get_by_label("Your name").fill('=Ann, "B"')
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Result as CSV").click()
    data = Path(download.value.path()).read_bytes()
    rows = csv.DictReader(StringIO(data.decode("utf-8-sig"), newline=""))
    graded = [(row["correct"], row["answer"] != "") for row in rows]
    assert graded == [("True", True), ("True", True), ("False", False)]
    assert "'=Ann" in data.decode()
    page.page.get_by_role("button", name="Again").click()
    page.page.get_by_role("heading", name="Question 1").wait_for()
    assert page.page.locator(".le-choice input:checked").count() == 0


PANELS = ".stepper .count, .al-card, .le-next-tokens, .le-cells, .found li"
"""What a panel of each kind has once it is drawn."""


@pytest.mark.parametrize("key", list(library()))
@pytest.mark.parametrize(("size", "dark"), [(PHONE, False), (DESK, True)], ids=["phone", "desk dark"])
@pytest.mark.long
def test_every_card_of_every_lesson_is_drawn(
    saved: Callable[..., Saved], key: str, size: ViewportSize, dark: bool
) -> None:
    lesson = library()[key]
    whole = html(lesson_page(lesson))
    assert len(whole.encode()) < 1_500_000
    page = saved(whole, size, dark)
    for number, card in enumerate(lesson.cards, 1):
        page.page.goto(f"{page.path.as_uri()}?card={number}")
        page.page.get_by_role("heading", name=card.title).first.wait_for()
        panel = page.page.locator(f".st-key-learn-panel :is({PANELS})")
        panel.first.wait_for(state="attached")
        assert page.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert violations(page.page) == []


# --- comparisons and trainings ---


def play_each(page: Saved) -> None:
    """Every stepper on the page to its end."""
    for number in range(page.page.locator(".stepper").count()):
        stepper = page.page.locator(".stepper").nth(number)
        stepper.focus()
        page.page.keyboard.press("Home")
        page.page.keyboard.press("End")
        count = stepper.locator(".count")
        last = [word for word in count.inner_text().split() if word[0].isdigit()][-1]
        count.filter(has_text=f"{last} of {last}").wait_for()


@pytest.mark.parametrize("size", [pytest.param(PHONE, marks=pytest.mark.long), DESK], ids=["phone", "desk"])
def test_a_comparison_shows_its_rows_and_each_place(saved: Callable[..., Saved], size: ViewportSize) -> None:
    text = "What is LoRA?" if size == PHONE else f"What is LoRA? {HOSTILE[0]}"
    made = comparison_page(["gpt-2", "bert-uncased", "llama-2"], text, Options())
    page = saved(html(made), size)
    page.page.goto(page.path.as_uri())
    page.page.locator(".al-card").wait_for()
    assert violations(page.page) == []
    page.page.get_by_role("link", name="See the step of the first difference").click()
    page.page.locator(".parting-card .stepper .count").first.wait_for()
    assert "view=Where+they+part" in page.page.url
    play_each(page)
    for _ in range(3):
        here = page.page.locator(".pt-mark.here").get_attribute("aria-label")
        page.page.keyboard.press("n")
        page.page.locator(f".pt-mark.here:not([aria-label='{here}'])").wait_for()
        page.page.locator(".stepper .count").first.wait_for()
        play_each(page)
    assert violations(page.page) == []
    page.page.get_by_role("button", name="GPT-2 · Llama 2").click()
    page.page.locator("h2.parts").wait_for()
    page.page.go_back()
    page.page.locator(".pt-mark.here").wait_for()
    assert page.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


TRAINERS = (
    ("bpe", "huggingface"),
    ("wordpiece", "likelihood"),
    ("unigram", "sentencepiece"),
    ("wordlevel", "huggingface"),
)


@pytest.mark.parametrize("trainer", TRAINERS, ids=["-".join(each) for each in TRAINERS])
@pytest.mark.sample(1)
def test_a_training_plays_and_its_file_is_saved(saved: Callable[..., Saved], trainer: tuple[str, str]) -> None:
    made = training_page(*trainer, "", 30, "the theme of the thesis is <b>this</b> theory")
    page = saved(html(made)).open()
    for level in ("Algorithm", "Implementation", "Story"):
        page.page.get_by_role("button", name=level, exact=True).click()
        page.page.locator(f".stepper[data-level={level.lower()}]").wait_for()
        play_each(page)
        assert violations(page.page) == []
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Save the tokenizer").click()
    assert download.value.suggested_filename == made.data["file_name"]
    assert Path(download.value.path()).read_bytes() == base64.b64decode(made.data["file"])


# --- every stage ---


TEXT = "What is Ångström 🤗 LoRA?"


SAID = """async ([parameter, steps]) => {
  const box = [...document.querySelectorAll(".of-stepper")].at(-1).shadowRoot;
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const said = [];
  for (const step of steps) {
    window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter, step } }));
    await drawn();
    said.push([".what", ".why"].map((part) => box.querySelector(`.say ${part}`)?.textContent ?? "").join(" ").trim());
  }
  return said;
}"""


def unquoted(text: str) -> str:
    """A sentence without its quotes, which are an element in the browser."""
    return text.replace("“", "").replace("”", "").strip()


@pytest.mark.parametrize("model", list(explorer.catalog()))
def test_each_step_says_what_the_engine_wrote(saved: Callable[..., Saved], model: str) -> None:
    tok = explorer.load(model)
    trace = tok.trace(TEXT)
    page = saved(html(explore_page(tok, trace)))
    for section in sections(tok, trace, round_trip(tok, trace), window_of(trace), None, False):
        if section.script is None:
            continue
        parameter = "step" if section.key == "model" else section.key
        steps = sorted({*range(0, len(section.script), max(1, len(section.script) // 12)), len(section.script)})
        for level in ("story", "implementation"):
            page.open(stage=section.key, level=level)
            said = [unquoted(each) for each in page.page.evaluate(SAID, [parameter, steps])]
            wanted = [unquoted(sentence_of(section.script, step, level)) for step in steps]
            assert said == wanted, (section.key, level)


@pytest.mark.parametrize("model", ["gpt-2", "bert-uncased"])
@pytest.mark.long
def test_each_stage_is_drawn_as_on_the_page(
    saved: Callable[..., Saved], visit: Callable[..., Explorer], model: str
) -> None:
    tok = explorer.load(model)
    made = explore_page(tok, tok.trace(TEXT))
    page, app = saved(html(made)), visit()

    def shown(each: Page) -> list[str]:
        return [each.locator(f".stepper {part}").first.inner_text() for part in (".say", ".columns", ".count")]

    for stage, section in made.data["sections"].items():
        if section["script"] is None:
            continue
        asked = {"stage": stage, "level": "algorithm", "step" if stage == "model" else stage: "5"}
        page.open(**asked)
        app.page.goto(f"{app.address}/?{urlencode({'m': model, 'text': TEXT, **asked})}")
        app.page.locator(".stepper .count").first.wait_for(state="attached")
        assert app.comes_to(lambda: shown(app.page) == shown(page.page)), asked

"""Every kind of saved page: played to its end from file:// without a network, with hostile texts, printed, and in the
frame of another page as a learning platform shows it."""

from __future__ import annotations

import base64
import csv
import json
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, ViewportSize

import explorer
from explorer.answers.saved import comparison_page, training_page
from explorer.engine.part import Options
from explorer.learning.lessons import Lesson, library, read_lesson
from explorer.learning.questions import Quiz
from explorer.saved.explore import explore_page, prompt_page
from explorer.saved.lesson import lesson_page, quiz_page
from explorer.saved.page import Page as SavedPage
from explorer.saved.page import html
from tests.browser.conftest import DESK, PHONE, WIDE, Saved
from tests.browser.test_accessibility import violations

pytestmark = [pytest.mark.browser, pytest.mark.long]
KINDS = ("stage", "explore", "comparison", "training", "prompt", "lesson", "quiz")
TEXT = "Is 🤗 LoRA?"
HOSTILE = (
    "</script><script>document.title='gone'</script>",
    "<!-- <img src=x onerror=document.title='gone'> ]]>",
    "\u202eabc\u2028\u2029\x00 \ufeff",
    "{0:q} {{ }} ${document.title='gone'} `",
)


@cache
def page_of(kind: str, text: str = TEXT) -> SavedPage:
    """A page of a kind about a text, in which a lesson has its own text."""
    if kind == "comparison":
        return comparison_page(["gpt-2", "bert-uncased"], text, Options())
    if kind == "training":
        return training_page("bpe", "huggingface", "", 24, f"low lower lowest {text}")
    if kind == "prompt":
        return prompt_page(explorer.load("qwen2.5").prompt([{"role": "user", "content": text}]))
    if kind == "lesson":
        return lesson_page(library()["bpe"] if text == TEXT else hostile_lesson(text))
    tok = explorer.load("gpt-2")
    if kind == "quiz":
        return quiz_page(tok, Quiz(3, 5, texts=("the theme", text)))
    return explore_page(tok, tok.trace(text), only="model" if kind == "stage" else "")


def hostile_lesson(text: str) -> Lesson:
    """A lesson of somebody else, all of whose texts are this one."""
    quoted = json.dumps(text, ensure_ascii=False)
    card = f'[[card]]\ntitle = {quoted}\nwords = {quoted}\ntext = {quoted}\ntokenizer = "gpt-2"\nstage = "model"\n'
    return read_lesson(f"title = {quoted}\nabout = {quoted}\nminutes = 1\n{card}", "own.toml")


def screens(kind: str, page: SavedPage) -> list[dict[str, str]]:
    """What there is to see in a page, each by its address."""
    if kind == "explore":
        return [*({"stage": key} for key, each in page.data["sections"].items() if each["script"]), {"stage": "all"}]
    if kind == "comparison":
        places = unpacked(page)["pairs"][0]["places"]
        return [{}, *({"view": "Where they part", "place": str(int(number) + 1)} for number in places)]
    if kind in ("training", "prompt"):
        return [{"level": level} for level in ("story", "algorithm", "implementation")]
    if kind in ("lesson", "quiz"):
        return [{"card": str(number)} for number in range(1, len(unpacked(page)["lesson"]["cards"]) + 1)]
    return [{}]


def unpacked(page: SavedPage) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(page.data["packed"])))


DRAWN = """() => {
  const hosts = [...document.querySelectorAll(".part")];
  const drawn = ({ shadowRoot }) => shadowRoot.querySelector(".tx").childElementCount > 0;
  const counted = ({ shadowRoot }) => /\\d/.test(shadowRoot.querySelector(".count")?.textContent ?? "");
  return hosts.length > 0 && hosts.every(drawn) && hosts.filter((each) => each.matches(".of-stepper")).every(counted);
}"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def show(page: Saved, query: dict[str, str]) -> None:
    """Opens a screen, and answers what it asks."""
    page.page.goto(f"{page.path.as_uri()}?{urlencode({'level': 'algorithm', **query})}")
    page.page.wait_for_function(DRAWN)
    answer = page.page.locator(".le-do button", has_text="Show me")
    if answer.is_visible():
        answer.click()
        page.page.locator(".le-verdict:not(:empty)").first.wait_for(state="attached")
        page.page.wait_for_function(DRAWN)  # a task has another panel then
    choice = page.page.locator(".le-choice").first
    if choice.is_visible():
        choice.click()


def play(page: Saved, stepper: Locator) -> None:
    """Every step from the first on; at a question of a quiz, as far as it lets."""
    stepper.focus()
    page.page.keyboard.press("Home")
    count = stepper.locator(".count")
    last = int(str(count.text_content()).split()[-1].replace(",", ""))
    for _ in range(last):
        page.page.keyboard.press("ArrowRight")
    if not page.page.locator("html[data-covered]").count():
        count.filter(has_text=f"{last:,} of {last:,}").wait_for(state="attached")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK, WIDE], ids=["phone", "desk", "wide"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_plays_to_its_end_and_axe_finds_nothing(
    saved: Callable[..., Saved], kind: str, size: ViewportSize, dark: bool
) -> None:
    made = page_of(kind)
    page = saved(html(made), size, dark)
    for query in screens(kind, made):
        show(page, query)
        for number in range(page.page.locator(".stepper").count()):
            play(page, page.page.locator(".stepper").nth(number))
        assert page.page.evaluate(SIDEWAYS) <= 0, query
        assert violations(page.page) == [], query


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_texts_stay_texts(saved: Callable[..., Saved], kind: str) -> None:
    for text in HOSTILE if kind == "lesson" else ("\n".join(HOSTILE),):
        made = page_of(kind, text)
        page = saved(html(made))
        for query in screens(kind, made):
            show(page, query)
            assert page.page.locator("script, img").count() == 0
            assert page.page.title() != "gone"


def test_rows_that_came_without_room_mark_the_selection_once_they_have_it(saved: Callable[..., Saved]) -> None:
    page = saved(html(page_of("comparison")))
    show(page, {"view": "Where they part"})
    page.page.evaluate(
        """() => {
          document.documentElement.style.display = "none";
          document.querySelector(".saved-tabs button").click(); // the rows, anew
          const url = new URL(location.href);
          url.searchParams.set("sel", "0-2");
          history.replaceState(null, "", url);
          dispatchEvent(new PopStateEvent("popstate"));
        }"""
    )
    page.page.locator(".of-aligned .tx > *").first.wait_for(state="attached")
    page.page.evaluate("dispatchEvent(new CustomEvent('explorer-select', { detail: { start: 0, end: 2 } }))")
    page.page.evaluate("document.documentElement.style.display = ''")
    page.page.locator(".of-aligned .cell.sel").nth(1).wait_for()
    assert page.complaints == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_printed(saved: Callable[..., Saved], kind: str) -> None:
    page = saved(html(page_of(kind)), {"width": 718, "height": 1047})  # A4 between Chromium's margins
    page.page.emulate_media(media="print")
    for query in screens(kind, page_of(kind))[:2]:
        show(page, query)
        assert page.page.evaluate(SIDEWAYS) <= 0, query
        assert not page.page.get_by_role("button", name="Share").is_visible()
        printed = page.page.pdf(format="A4")
        assert 1 <= printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") <= 3, query


# --- in the frame of another page -------------------------------------------------------------------------------------


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[tuple[Path, str, str]]:
    """A folder, and two plain web servers of it: what one serves is another site to the other."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) for _ in range(2)]
    for each in servers:
        Thread(target=each.serve_forever, daemon=True).start()
    first, second = (f"http://127.0.0.1:{each.server_port}" for each in servers)
    yield tmp_path, first, second
    for each in servers:
        each.shutdown()
        each.server_close()


FRAMES = {
    "embedded": "",
    "sandboxed": 'sandbox="allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox"',
    "scripts alone": 'sandbox="allow-scripts"',
}


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same site", "other site"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_course_page_frames_a_lesson_and_a_quiz(
    browser: Browser, folder: tuple[Path, str, str], frame: str, elsewhere: bool
) -> None:
    path, course, other = folder
    files = other if elsewhere else course
    for kind in ("lesson", "quiz"):
        (path / f"{kind}.html").write_text(html(page_of(kind)), "utf-8")
    frames = "".join(
        f'<iframe id="{kind}" src="{files}/{kind}.html?forcedownload=0" title="{kind}" width="1000" height="720" '
        f"{FRAMES[frame]}></iframe>"
        for kind in ("lesson", "quiz")
    )
    head = '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Course</title>'
    (path / "course.html").write_text(head + frames, "utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 1600})
    page = context.new_page()
    page.set_default_timeout(10_000)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{course}/course.html")
    read_lesson_in(page.frame_locator("#lesson"))
    quiz = page.frame_locator("#quiz")
    take_quiz_in(quiz)
    if frame != "scripts alone":
        with page.expect_download() as download:
            quiz.get_by_role("button", name="Result as CSV").click()
        rows = list(csv.DictReader(StringIO(Path(download.value.path()).read_text("utf-8-sig"), newline="")))
        assert [row["number"] for row in rows] == ["1", "2", "3"]
    if frame == "embedded":
        page.reload()
        lesson = page.frame_locator("#lesson")
        turn_to_question(lesson)
        lesson.locator(".le-count", has_text="1 of 1").wait_for()  # what is remembered
    assert complaints == []
    assert {each.partition("?")[0] for each in asked if each.startswith("http")} == {
        f"{course}/course.html", f"{files}/lesson.html", f"{files}/quiz.html"
    }  # fmt: skip
    context.close()


def turn_to_question(frame: FrameLocator) -> int:
    """Goes on to the first question. Returns the number of its card."""
    cards = library()["bpe"].cards
    asking = next(number for number, card in enumerate(cards, 1) if card.question is not None)
    for _ in range(asking - 1):
        frame.get_by_role("button", name="Next").first.click()
    frame.get_by_text(f"{asking} / {len(cards)}").wait_for()
    return asking


def read_lesson_in(frame: FrameLocator) -> None:
    """Answers the first question."""
    asking = turn_to_question(frame)
    right = int(unpacked(page_of("lesson"))["cards"][asking - 1]["questions"][0]["right"])
    frame.locator(".le-choice").nth(right).click()
    frame.get_by_role("button", name="Check").click()
    frame.locator(".le-verdict", has_text="Right").wait_for()


def take_quiz_in(frame: FrameLocator) -> None:
    """Answers the questions of the quiz, each by its first choice."""
    for number in (1, 2, 3):
        frame.get_by_role("heading", name=f"Question {number}").wait_for()
        frame.locator(".le-choice").first.click()
        frame.get_by_role("button", name="Next").first.click()
    frame.get_by_text("of 3 answers right").wait_for()

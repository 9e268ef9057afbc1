"""Every question of every page is refused in turn: the page says so, the rest stands, and the next run is whole."""

from __future__ import annotations

import ast
import gzip
import json
import logging
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

import explorer.answers
from explorer.answers import questions
from explorer.answers.explore import ONE
from explorer.answers.processes import Limits
from explorer.answers.questions import LOCAL, AnyQuestion, Arguments, Question, Store
from explorer.errors import InputError, Unfinished
from explorer.learning.lessons.reading import Task, lessons_in, link_of
from explorer.prompts.messages import packed
from explorer.ui import PAGES, UI
from explorer.ui.serving import faults
from tests.ui.app import APP, context_of, sent_to

LIMITS = Limits()
REFUSALS: Final = (LIMITS.died, LIMITS.crowded_out, LIMITS.out_of_time)
Act = Callable[[AppTest], object]


SAID: Final = ("ended before it answered", "was stopped to make room", "seconds of computing")
"""What each of them says."""
ELSEWHERE: Final = {
    "explorer.answers.explore:download",
    "explorer.answers.explore:stages_before_end",
    "explorer.answers.prompt:check_file",
    "explorer.answers.train:algorithm_of",
    "explorer.answers.trim:files_of",
}
"""Questions that no visit below asks: files that the browser fetches, stages of a tokenizer without ids, and the
algorithm of a tokenizer chosen on another page, which Train does without."""
QUIET: Final = {"explorer.answers.learn:panel_drawing", "explorer.answers.explore:first_tokens"}
"""Questions whose answer the page does without: the drawing of an own lesson in the list, the colors in the head."""


class Visit(NamedTuple):
    """A page that a link opens, and what a visitor does there, one action after the other."""

    page: str
    query: dict[str, Any]
    acts: tuple[Act, ...] = ()
    again: Act = lambda at: at.run()
    """what asks the same again, after a question was refused for its time"""

    def __str__(self) -> str:
        return " ".join([self.page, *map(str, self.query.values())])


def report(key: str, part: str, value: Callable[[AppTest], object]) -> Act:
    """What a component of the browser reports."""

    def act(at: AppTest) -> None:
        at.session_state[key] = {part: value(at)}
        at.run()

    return act


def click(key: str) -> Act:
    return lambda at: at.button(key=key).click().run()


def put(key: str, value: object) -> Act:
    """Sets a widget, or opens an expander."""

    def act(at: AppTest) -> None:
        at.session_state[key] = value
        at.run()

    return act


def own_text(at: AppTest) -> None:
    """Types a text, which goes along to every page."""
    context_of(at).text = "He"
    at.run()


def content(at: AppTest) -> str:
    """The content of a component that says what it draws."""
    return next(str(data["content_id"]) for data in components(at) if "content_id" in data)


def components(at: AppTest) -> Iterator[dict[str, Any]]:
    for element in at.get("bidi_component"):
        yield sent_to(element)


def page_id(at: AppTest) -> str:
    """What the button that saves a lesson names."""
    return next(str(data["content_id"]) for data in components(at) if data.keys() >= {"content_id", "done"})


def cards() -> list[tuple[str, int]]:
    """A card of each kind of panel and of question, in English and in German."""
    found: dict[object, tuple[str, int]] = {}
    for language in ("en", "de"):
        for lesson in lessons_in(language).values():
            for number, card in enumerate(lesson.cards, 1):
                found.setdefault((language, type(card.panel), type(card.question)), (lesson.key, number))
    return list(found.values())


TASK = next((lesson.key, number) for lesson in lessons_in("en").values()
            for number, card in enumerate(lesson.cards, 1) if isinstance(card.question, Task))  # fmt: skip
OWN_LESSON = link_of(lessons_in("en")["own"].source)
SAMPLE = Path(explorer.__file__).with_name("corpus") / "sample" / "result.json.gz"
TWO = ["gpt-2@huggingface", "gpt-2@llama.cpp"]
ASK = {"q": "the", "token": 5, "others": 5, "number": 1}
CHAT = packed({"messages": [{"role": "user", "content": "Hi"}]})
VISITS: Final = (
    Visit("explore", {"text": "He is", "stage": "model"}, (
        report("overview", "question", lambda at: f"token 0 {content(at)}"),
        report("overview", "page", lambda at: f"{content(at)} 1"),
        report("overview", "question", lambda at: f"others 1 {content(at)}"),
        put("about", True), put("section-take-away", True),
    )),
    Visit("explore", {"text": "He is", "stage": "pre-tokenize", "m": "gpt-2"}, (put("difference", True),)),
    Visit("explore", {"text": "He is", "bytes": "C3 85", "stage": "utf8"}),
    Visit("explore", {"text": "He is", "stage": "decode", "stream": "One by one"}),
    Visit("explore", {"text": "He is", "border": "2"}),
    Visit("explore", {"text": "He is", "border": "2", "between": "Ids in these ids", "find": "is"}),
    Visit("explore", {"text": "He is", "border": "2", "between": "A stop string", "stop": "is"}),
    Visit("explore", {"text": "He is", "sample": "many"}, (report("ways", "asked", lambda at: f"{ONE}     "),)),
    Visit("explore", {"text": "He is", "m": "gpt-2", "pattern": "."}, again=own_text),
    Visit("explore", {"ids": "1 306 626"}, (
        report("overview", "stage", lambda at: "again 1"), report("overview", "stage", lambda at: "ids 2"),
    )),
    Visit("explore", {"ids": "1 306 626", "stream": "One by one"}),
    Visit("explore", {"ids": "1 306 9999999"}),
    Visit("compare", {"with": TWO}, (report("comparison_page", "page", lambda at: f"{content(at)} 1"),)),
    Visit("compare", {"with": TWO, "border": "2"}),
    Visit("compare", {"with": TWO, "view": "Where they part", "text": "abc"}, (click("try_text"),)),
    Visit("compare", {"with": ["gpt-2", "llama-3"], "view": "Where they part", "text": "He's 1234567"}),
    Visit("compare", {"with": TWO[:1], "view": "Where they part"}),
    Visit("compare", {"with": TWO, "view": "Expected ids"}, (
        report("expected-rows", "use", lambda at: "0 1"),
    )),
    Visit("compare", {"with": TWO, "view": "What if"}),
    Visit("compare", {"with": TWO, "view": "While typing"}),
    Visit("compare", {"with": TWO, "view": "Languages"}),
    Visit("vocabulary", {"m": "gpt-2"}, (
        report("vocabulary", "ask", lambda at: json.dumps(ASK)), put("look", "Charts"), click("check"),
    )),
    Visit("vocabulary", {"m": "gpt-2", "q": "the"}, (own_text,)),
    Visit("vocabulary", {"m": "gpt-2", "look": "Differences", "beside": "llama-3"}),
    Visit("vocabulary", {"m": "gpt-2", "look": "Trim and extend"}),
    Visit("vocabulary", {"m": "gpt-2", "edit": "true"}, (
        lambda at: (at.text_input(key="edit 0 add-token text").set_value("xyz"), click("add edit")(at)),
    )),
    Visit("prompt", {"m": "gpt-2", "as": "huggingface"}),
    Visit("prompt", {"m": "qwen2.5", "chat": CHAT, "template": "ours:chatml", "view": "template"}),
    Visit("prompt", {"m": "qwen2.5", "chat": CHAT, "view": "check"}),
    Visit("train", {}, (report("training_page", "page", lambda at: f"{content(at)} 1"),)),
    Visit("train", {"ask": "Why", "why": "th"}),
    Visit("train", {"ask": "What if"}, (put("more", "the quick dog"),)),
    Visit("train", {"ask": "Word"}, (put("algorithm", "unigram"),)),
    Visit("train", {"ask": "Lint"}),
    Visit("train", {"ask": "My merges"}, (put("against", "t h\nh e"),)),
    *(Visit("learn", {"lesson": key, "card": str(card)}) for key, card in cards()),
    Visit("learn", {"lesson": "queue", "card": "1"}, (report("learn_page", "page", lambda at: f"{page_id(at)} 1"),)),
    Visit("learn", {"quiz": "2", "seed": "1"}, (report("learn_page", "page", lambda at: f"{page_id(at)} 1"),)),
    Visit("learn", {"quiz": "2", "seed": "1", "card": "3"}),
    Visit("learn", {"lesson": "queue", "print": "true"}),
    Visit("learn", {"lesson": "queue.de", "print": "true"}),
    Visit("learn", {"own": OWN_LESSON}, (
        report("learn_lessons", "place", lambda at: {"lesson": "", "clock": 1}),
    )),
    Visit("learn", {"lesson": TASK[0], "card": str(TASK[1])}, (
        report("learn_card", "typed", lambda at: {"id": f"{TASK[0]} {TASK[1]}", "text": "abc"}),
    )),
    Visit("corpus", {}, (
        lambda at: at.session_state.__setitem__("corpus_results", {"mine": gzip.decompress(SAMPLE.read_bytes())}),
        lambda at: at.run(), put("result", "mine"),
    )),
)  # fmt: skip


@cache
def registry() -> dict[str, AnyQuestion]:
    """Every question, by its name."""
    found: dict[str, AnyQuestion] = {}
    for module in pkgutil.walk_packages(explorer.answers.__path__, "explorer.answers."):
        for each in vars(import_module(module.name)).values():
            if isinstance(each, Question):
                found[each.name] = each
    return found


class Refusing:
    """Answers what pages ask, and notes it; refuses one question."""

    def __init__(self) -> None:
        self.asked: dict[str, None] = {}
        self.refused, self.error = "", REFUSALS[0]
        self.depth = 0

    def answer(self, question: AnyQuestion, args: Arguments) -> Any:
        if self.depth == 0:
            self.asked[question.name] = None
            if question.name == self.refused:
                raise self.error
        self.depth += 1
        try:
            return LOCAL.answer(question, args)
        finally:
            self.depth -= 1

    compute = answer


@pytest.fixture
def answerer(monkeypatch: pytest.MonkeyPatch) -> Refusing:
    import_module("explorer.ui.frame")  # sets the pages' own
    made = Refusing()
    monkeypatch.setattr(questions, "_answerer", lambda: made)
    return made


def opened(visit: Visit) -> AppTest:
    """The app, before it shows the page."""
    at = AppTest.from_file(APP, default_timeout=120)
    if visit.page != "explore":  # the first page
        at.run()
        at.switch_page(str(PAGES / f"{visit.page}.py"))
    for name, value in visit.query.items():
        at.query_params[name] = value
    return at


def steps(visit: Visit) -> tuple[Act, ...]:
    return (lambda at: at.run(), *visit.acts)


def shown(at: AppTest) -> str:
    """All that a page says."""
    html = unescape("".join(each.proto.body for each in at.get("html")))
    return html + json.dumps(list(components(at)), ensure_ascii=False)


def check(at: AppTest, error: InputError | None, where: str) -> None:
    """The page has no fault; it says why a question is refused, or says of no refusal."""
    assert not at.exception, f"{where}: {at.exception[0].stack_trace}"
    sent = [sent_to(element) for element in at.get("bidi_component")]
    assert sent, where
    assert all(isinstance(each, dict) for each in sent), f"{where}: Streamlit sends as text what JSON doesn't have"
    said = shown(at)
    for refusal, words in zip(REFUSALS, SAID, strict=True):
        assert words in str(refusal)
        assert (words in said) == (refusal is error), f"{where}: {words}"


@pytest.mark.sample(3)
@pytest.mark.parametrize("page", sorted(each.stem for each in PAGES.glob("*.py")))
def test_a_page_says_which_question_is_refused_and_goes_on(page: str, answerer: Refusing) -> None:
    tried: set[str] = set()
    for visit in (each for each in VISITS if each.page == page):
        new: list[tuple[int, str]] = []
        at = opened(visit)
        for number, act in enumerate(steps(visit)):
            answerer.asked.clear()
            act(at)
            check(at, None, f"{visit} {number}")
            new += [(number, name) for name in answerer.asked if name not in tried]
            tried |= set(answerer.asked)
        assert tried
        for number, name in new:
            at = opened(visit)
            for act in steps(visit)[:number]:
                act(at)
            answerer.refused = name
            for error in REFUSALS:
                answerer.error = error
                answerer.asked.clear()
                steps(visit)[number](at) if error is REFUSALS[0] else at.run()
                if name in answerer.asked:
                    check(at, None if name in QUIET else error, f"{visit} {number} {name}")
            answerer.refused = ""
            visit.again(at)
            check(at, None, f"{visit} {number} {name}, afterwards")


@pytest.mark.long
def test_the_visits_ask_every_question(answerer: Refusing) -> None:
    for visit in VISITS:
        at = opened(visit)
        for act in steps(visit):
            act(at)
    pages = {name for name, each in registry().items() if each.store is Store.RESULTS}
    assert answerer.asked
    assert pages <= {*answerer.asked, *ELSEWHERE}


def test_stages_that_end_before_ids_may_be_refused_too(answerer: Refusing, monkeypatch: pytest.MonkeyPatch) -> None:
    def unfinished(*args: object) -> object:
        raise Unfinished("no ids")

    monkeypatch.setattr(registry()["explorer.answers.explore:explore_view"], "function", unfinished)
    at = opened(Visit("explore", {"text": "never seen"}))
    answerer.refused = "explorer.answers.explore:stages_before_end"
    at.run()
    check(at, REFUSALS[0], "unfinished")
    assert "no ids" in shown(at)


def test_every_fragment_has_a_frame() -> None:
    framed = UI / "frame.py"
    for path in UI.rglob("*.py"):
        source = path.read_text("utf-8")
        used = {ast.unparse(each) for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Attribute)}
        assert ("st.fragment" in used) == (path == framed), path
        # refused in a run of the whole page
        assert 'scope="fragment"' not in source, path


def test_a_refusal_in_a_callback_is_said_and_is_no_fault() -> None:
    def script() -> None:
        from explorer.ui.serving.faults import show_fault
        from tests.ui.test_refused_questions import REFUSALS

        show_fault(REFUSALS[0])

    at = AppTest.from_function(script).run()
    assert SAID[0] in shown(at)
    assert "fault" not in shown(at)
    record = logging.LogRecord("", 0, "", 0, "", (), (InputError, REFUSALS[0], None))
    assert not faults.WithoutMessages().filter(record)

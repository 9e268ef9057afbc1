"""What the session keeps belongs to one page, unless it is shared on purpose."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable
from random import Random
from types import FrameType
from typing import Any

import pytest
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from explorer.languages import ENGLISH
from explorer.learning.lessons.reading import TrainPanel, lessons_in
from explorer.ui import PAGES, SCRIPT, UI
from explorer.ui.corpus import OWN, SAMPLE
from tests.ui.app import APP
from tests.ui.test_refused_questions import VISITS, Visit, click, put

SHARED = frozenset(
    {
        *("url", "key_list", "live text session", "spoken language", "linked language"),
        *("m", "as", "offer", "before", "answers", "refused_choices", "about", "header", "head_taken", "head_asked"),
        *("palette_fetch", "palette_file", "palette file", "palette files"),
        *("drop", "absent", "former", "undo removal", "remove"),
        *("reading", "reported_reading", "field", "examples", "at"),
        *("stage", "opened", "typed", "ways_asked", "borders_open", "prompt", "difference"),
        *("train_text", "train_rev", "train_first"),
    }
)
"""The keys that several pages use on purpose: of the tokenizer chosen, of uploads, of the text, and what one page opens
on another. Every other key of the session belongs to one page, or is that of an
object that its module keeps (`kept`)."""
FURTHER = (
    Visit("corpus", {}, (put("result", OWN),)),
    Visit("corpus", {"beside": SAMPLE}, (click("corpus_count"),)),
    Visit("train", {}, (put("ask", "Why"),)),
    Visit("vocabulary", {"look": "Differences", "beside": "llama-3"}),
)


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The keys that a page's code reads, sets, asks for or gives to a widget."""
    keys: set[str] = set()

    def noting(name: str) -> None:
        original: Callable[..., Any] = getattr(SessionState, name)

        def noted(self: SessionState, *args: Any, **more: Any) -> Any:
            key = more.get("user_key", args[-1] if name == "register_widget" else args[0])
            asked = name == "register_widget" or sys._getframe(1).f_code.co_filename.endswith("safe_session_state.py")
            if key is not None and not key.startswith("$$") and asked and of_a_page():
                keys.add(key)
            return original(self, *args, **more)

        monkeypatch.setattr(SessionState, name, noted)

    for name in ("__getitem__", "__setitem__", "__contains__", "__delitem__", "register_widget"):
        noting(name)
    return keys


def of_a_page() -> bool:
    """Whether code of a page asks, itself or by a widget that it draws."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and re.search("/streamlit/|collections", frame.f_code.co_filename):
        # a copy of all of them, and what Streamlit keeps of the page before
        if frame.f_code.co_name in ("filtered_state",):
            return False
        frame = frame.f_back
    return (
        frame is not None and frame.f_code.co_filename.startswith(str(UI)) and frame.f_code.co_filename != str(SCRIPT)
    )


def test_no_key_belongs_to_two_pages(used: set[str]) -> None:
    pages: defaultdict[str, set[str]] = defaultdict(set)
    order = [*VISITS, *FURTHER]
    Random(1).shuffle(order)
    at = AppTest.from_file(APP, default_timeout=120).run()
    for visit in order:
        used.clear()
        at.switch_page(str(PAGES / f"{visit.page}.py"))
        at.query_params.clear()
        # AppTest asks for titles outside of a run, where they are English
        for name, value in {**visit.query, "lang": ENGLISH}.items():
            at.query_params[name] = value
        at.run()
        assert not at.exception, visit
        for act in visit.acts if visit in FURTHER else ():
            act(at)
            assert not at.exception, visit
        for key in used:
            pages[re.sub("__events$| [0-9]+$", "", key)].add(visit.page)
    twice = {key: found for key, found in pages.items() if len(found) > 1 and not key.startswith("explorer.")}
    assert twice.keys() <= SHARED, twice


def test_corpus_and_train_keep_their_own() -> None:
    at = AppTest.from_file(APP, default_timeout=120).run()
    at.switch_page(str(PAGES / "train.py")).run()
    at.switch_page(str(PAGES / "corpus.py")).run()
    at.selectbox(key="result").set_value(OWN).run()
    assert not at.exception
    at.switch_page(str(PAGES / "vocabulary.py"))
    at.query_params["look"] = "Differences"
    at.run()
    at.selectbox(key="beside").set_value("llama-3").run()
    at.switch_page(str(PAGES / "corpus.py"))
    at.query_params["beside"] = SAMPLE
    at.run()
    assert not at.exception
    at.switch_page(str(PAGES / "vocabulary.py")).run()
    assert not at.exception


def test_a_lesson_opens_its_training_before_the_page_was_seen() -> None:
    at = AppTest.from_file(APP, default_timeout=120).run()
    at.switch_page(str(PAGES / "learn.py"))
    at.query_params["lesson"] = "train-bpe"
    at.run()
    at.button(key="learn_leave").click().run()
    assert not at.exception
    panel = lessons_in("en")["train-bpe"].cards[0].panel
    assert isinstance(panel, TrainPanel)
    assert at.session_state["train_text"] == panel.text

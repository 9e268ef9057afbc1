"""The Compare page computes what the current tab needs, and nothing twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.answers import compare
from explorer.engine.tokenizer import Tokenizer
from explorer.script.script import WINDOW
from explorer.ui.compare.tabs import DEFAULTS, TABS
from tests.ui.app import context_of, data_of
from tests.ui.test_compare import page

TITLES = "Llama 2", "GPT-2 · Hugging Face", "Llama 3 · Hugging Face", "o200k_base (GPT-4o)"
"""Of DEFAULTS."""

Asked = Callable[..., AppTest]
COUNTED = ("align", "compare", "flip", "stability", "explain", "measure")
"""Functions of the analysis that the questions call."""


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Counter[object]:
    """Counts calls: of functions by name, and of each tokenizer with the text of the test."""
    count: Counter[object] = Counter()

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            count[name] += 1
            return function(*args, **kwargs)

        return run

    for name in COUNTED:
        monkeypatch.setattr(compare, name, counted(name, getattr(compare, name)))
    whole = Tokenizer.trace_lazily

    def traced(self: Tokenizer, text: str, **options: Any) -> Any:
        # a flipped switch is another trace, which reuses stages of this one
        if options.get("like") is None and "never seen" in text:
            count[self.name, self.implementation] += 1
        return whole(self, text, **options)

    monkeypatch.setattr(Tokenizer, "trace_lazily", traced)
    return count


def on_tab(at: AppTest, name: str) -> AppTest:
    at.session_state["view"] = name
    at.run()
    assert not at.exception
    return at


@pytest.mark.long
def test_every_tab_is_computed_once(done: Counter[object]) -> None:
    at = page(text="A text never seen before, unbelievable A\u030a", expect="1 2 3")
    for name in TABS:
        on_tab(at, name)
    first = Counter(done)
    assert {name: first[name] for name in ("align", "compare", "stability", "explain")} == {
        "align": 1, "compare": 1, "stability": 1, "explain": 1
    }  # fmt: skip
    assert first["measure"] <= 1, "another test may have measured the languages"
    assert first["flip"] > 1
    for name in (*reversed(TABS), *TABS):
        on_tab(at, name)
        at.run()
    assert done == first


@pytest.mark.long
def test_each_tokenizer_tokenizes_a_text_once_for_all_tabs(done: Counter[object]) -> None:
    at = page(text="Another text never seen before", expect="1 2 3")
    for name in ("Side by side", "Expected ids", "Where they part", "What if", "Side by side"):
        on_tab(at, name)
    tokenized = {key: times for key, times in done.items() if isinstance(key, tuple)}
    assert len(tokenized) == len(DEFAULTS)
    assert set(tokenized.values()) == {1}


@pytest.mark.parametrize(("name", "computed"), [("Where they part", {"compare"}), ("Languages", {"measure"}),
                                                ("Expected ids", set()), ("While typing", {"stability"})])  # fmt: skip
def test_nothing_is_computed_for_other_tabs(done: Counter[object], name: str, computed: set[str]) -> None:
    # warnings look at the ends of a text under all of them
    at = page(text=f"{'a ' * 500}Never seen before, but never seen on {name}{' b' * 500}", view=name)
    assert not at.exception
    # another test may have measured the languages
    assert {key for key in done if isinstance(key, str)} - {"measure"} == computed - {"measure"}
    tokenized = [key for key in done if isinstance(key, tuple)]
    # While typing tokenizes each prefix, with one tokenizer; the examples of Expected ids are of one, too
    assert len(tokenized) == {"Where they part": 2, "While typing": 1, "Expected ids": 1}.get(name, 0)


@pytest.mark.long
def test_part_of_a_long_text_is_drawn_and_can_be_changed() -> None:
    at = page()
    context_of(at).text = "a" * 20_000
    at.run()
    assert not at.exception
    counts = [row["tokens"] for row in json.loads(data_of(at, "rows_id")["rows"])["rows"]]
    assert counts == [5_003, 5_000, 2_500, 2_500], "the whole text is counted"
    for start in (0, 10_000, 18_000):
        at.slider(key="at").set_value(start).run()
        assert f"Characters {start + 1:,} to {start + WINDOW:,}" in at.info[0].value
        assert len(str(data_of(at, "rows_id"))) < 100_000, "the rest isn't sent"


def test_a_text_that_is_drawn_whole_has_no_slider() -> None:
    assert not page(text="a" * WINDOW).slider


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    from explorer.ui import frame

    empty = frame.st.empty

    class Recorded:
        def __init__(self) -> None:
            self.element = empty()

        def html(self, body: str) -> None:
            said.append(body)
            self.element.html(body)

    monkeypatch.setattr(frame.st, "empty", Recorded)
    page(text="said <b>")
    steps = [body.partition("<span>")[2].partition("</span>")[0] for body in said]
    assert [step for step in steps if step.startswith("tokenizing")] == [
        f"tokenizing with {title}, {number} of {len(DEFAULTS)}" for number, title in enumerate(TITLES, 1)
    ]
    assert all("Working…" in body for body in said)

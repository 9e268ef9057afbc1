"""The Compare page computes what a tab needs and nothing twice: not for another tab, not when the page is run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.answers.compare import divergence, expected, languages, rows, what_if, while_typing
from explorer.engine.tokenizer import Tokenizer
from explorer.ui.compare.controls import DEFAULTS
from explorer.ui.compare.tabs import TABS
from explorer.views.window import WINDOW
from tests.ui.app import data_of
from tests.ui.test_compare import page

Asked = Callable[..., AppTest]
COUNTED = {
    "align": rows, "compare": divergence, "flip": what_if, "stability": while_typing, "explain": expected,
    "measure": languages,
}  # fmt: skip
"""Functions of the analysis, with the module of questions that calls each."""


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Counter[object]:
    """How often what was done: functions by name, and each tokenizer on each text longer than a probe."""
    count: Counter[object] = Counter()

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            count[name] += 1
            return function(*args, **kwargs)

        return run

    for name, module in COUNTED.items():
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    whole = Tokenizer.trace_lazily

    def traced(self: Tokenizer, text: str, **options: Any) -> Any:
        # a switch that is flipped is another trace, which takes from this one what it can
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


def test_every_tab_is_computed_once_however_often_it_is_seen(done: Counter[object]) -> None:
    at = page(text="A text never seen before, unbelievable A\u030a", expect="1 2 3")
    for name in TABS:
        on_tab(at, name)
    first = Counter(done)
    assert {name: first[name] for name in ("align", "compare", "stability", "explain")} == {
        "align": 1, "compare": 1, "stability": 1, "explain": 1
    }  # fmt: skip
    assert first["measure"] <= 1, "languages may be known from another test"
    assert first["flip"] > 1
    for name in (*reversed(TABS), *TABS):
        on_tab(at, name)
        at.run()
    assert done == first


def test_a_text_is_tokenized_once_by_each_for_all_tabs(done: Counter[object]) -> None:
    at = page(text="Another text never seen before", expect="1 2 3")
    for name in ("Side by side", "Expected ids", "Where they part", "What if", "Side by side"):
        on_tab(at, name)
    tokenized = {key: times for key, times in done.items() if isinstance(key, tuple)}
    assert len(tokenized) == len(DEFAULTS)
    assert set(tokenized.values()) == {1}


@pytest.mark.parametrize(("name", "computed"), [("Where they part", {"compare"}), ("Languages", {"measure"}),
                                                ("Expected ids", set()), ("While typing", {"stability"})])  # fmt: skip
def test_nothing_is_computed_for_a_tab_that_is_not_seen(done: Counter[object], name: str, computed: set[str]) -> None:
    at = page(text=f"Never seen before, but never seen on {name}", view=name)
    assert not at.exception
    # languages may be known from another test
    assert {key for key in done if isinstance(key, str)} - {"measure"} == computed - {"measure"}
    tokenized = [key for key in done if isinstance(key, tuple)]
    # a text that grows is tokenized anew at each length, by the one tokenizer that is asked
    assert len(tokenized) == {"Where they part": 2, "While typing": 1}.get(name, 0)


def test_another_tab_draws_no_body_but_its_own() -> None:
    at = page(text="so")
    for name in TABS:
        on_tab(at, name)
        captions = [caption.value for caption in at.caption]
        assert [each for each, tab in TABS.items() if tab.about in captions] == [name]


@pytest.mark.long
def test_of_a_long_text_a_part_is_drawn_and_another_one_can_be_chosen() -> None:
    at = page()
    at.session_state["text"] = "a" * 100_000
    at.run()
    assert not at.exception
    assert at.dataframe[0].value["tokens"].tolist() == [25_003, 25_000, 12_500, 12_500], "the whole is counted"
    for start in (0, 50_000, 98_000):
        at.slider(key="at").set_value(start).run()
        assert f"Characters {start + 1:,} to {start + WINDOW:,}" in at.info[0].value
        assert len(str(data_of(at, "rows_id"))) < 100_000, "the rest is not sent"


def test_a_text_that_is_drawn_whole_needs_no_choice() -> None:
    assert not page(text="a" * WINDOW).slider


def test_what_is_being_done_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    from explorer.ui import progress

    place = progress.st.empty

    class Place:
        def __init__(self) -> None:
            self.place = place()

        def html(self, body: str) -> None:
            said.append(body)
            self.place.html(body)

    monkeypatch.setattr(progress.st, "empty", Place)
    page(text="said <b>")
    steps = [body.partition("<span>")[2].partition("</span>")[0] for body in said]
    assert [step for step in steps if step.startswith("tokenizing")] == [
        f"tokenizing with {name}, {number} of {len(DEFAULTS)}" for number, name in enumerate(DEFAULTS, 1)
    ]
    assert all("Working…" in body for body in said)

"""The Compare page run in Python: every question it answers, bad input, and what stands in its tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui.compare_parts import QUESTIONS

ROOT = Path(__file__).parent.parent.parent
PAGE = "explorer/ui/pages/compare.py"


def page(**query: str | list[str]) -> AppTest:
    at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    at.switch_page(PAGE).run()
    assert not at.exception
    return at


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_is_answered(question: str) -> None:
    at = page()
    at.session_state["text"] = "A\u030angstrom <s> l'été 1234 吾輩"
    at.session_state["view"] = question
    at.run()
    assert not at.exception


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("text", ["", "a"])
def test_next_to_nothing_is_no_trouble(question: str, text: str) -> None:
    at = page()
    at.session_state["text"] = text
    at.session_state["view"] = question
    at.run()
    assert not at.exception


def test_two_implementations_part_at_a_stage_and_each_place_is_listed() -> None:
    at = page()
    at.session_state["with"] = ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]
    at.session_state["text"] = "A\u030angstrom"
    at.session_state["view"] = "Where they part"
    at.run()
    assert not at.exception
    table = at.dataframe[0].value
    assert table["stage"].tolist() == ["normalize"]
    assert table["kind"].tolist() == ["composition"]


def test_one_tokenizer_is_asked_for_another() -> None:
    at = page()
    at.session_state["with"] = ["llama-2"]
    at.session_state["view"] = "Where they part"
    at.run()
    assert not at.exception
    assert "second tokenizer" in at.info[0].value


@pytest.mark.parametrize(("pasted", "same"), [("[1, 1724, 338, 4309, 4717, 29973]", True), ("1724 338", False)])
def test_ids_from_elsewhere_stand_beside_those_given(pasted: str, same: bool) -> None:
    at = page()
    at.session_state["view"] = "Expected ids"
    at.run()
    at.text_area(key="expect").set_value(pasted).run()
    assert not at.exception
    marks = at.dataframe[0].value["is"].tolist()
    assert (set(marks) == {"same"}) is same


@pytest.mark.parametrize("pasted", ["hello", "-5", "99999999999999999999", "1 2 x", "[" * 500])
def test_what_is_no_list_of_ids_is_said(pasted: str) -> None:
    at = page()
    at.session_state["view"] = "Expected ids"
    at.run()
    at.text_area(key="expect").set_value(pasted).run()
    assert not at.exception

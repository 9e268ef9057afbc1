"""Choices that a file requires: asked on the page, answered, wrong, and changed."""

from __future__ import annotations

from typing import Any

import pytest

import explorer
from explorer.answers import sessions
from explorer.errors import ChoiceNeeded, InputError
from explorer.opening import formats as opening
from tests.meaning import mentions
from tests.ui.app import acknowledged, chosen, drop, html_of, labels, open_button, page, tokens_of
from tests.ui.small_files import OTHER, SMALL


@pytest.fixture
def _asking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format whose files require a letter, and for one letter a number."""

    def opener(source: Any, name: str, choices: opening.Choices) -> explorer.Tokenizer:
        if "letter" not in choices:
            raise ChoiceNeeded(f"{name}: which <letter> is it? choose one", "letter", ("a", "b"), free="a letter")
        if choices["letter"] not in ("a", "b"):
            raise InputError(f"{name}: {choices['letter']!r} is not a known letter; choose a or b")
        if choices["letter"] == "b" and "number" not in choices:
            raise ChoiceNeeded(f"{name}: which number? choose one", "number", ("1", "2"))
        return opening.open_bytes(SMALL if choices["letter"] == "a" else OTHER, name, "huggingface")

    asks = opening.Format("an asking file", "ASK", lambda head: head.startswith(b"ASK"), {"asker": opener})
    monkeypatch.setattr(opening, "FORMATS", (asks, *opening.FORMATS))
    # a worker process would not have this format
    monkeypatch.setenv(sessions.SWITCH, "0")


@pytest.mark.usefixtures("_asking")
def test_an_answer_opens_the_file() -> None:
    at = drop(page(text="abc", m="gpt-2"), ("x.bin", b"ASK 1"))
    assert not at.exception
    assert "which &lt;letter&gt; is it?" in html_of(at)
    answer = at.selectbox(key="chosen letter")
    assert (answer.options, answer.value) == (["a", "b"], None)
    open_button(at).click().run()
    assert "answer doesn&#x27;t work" not in html_of(at), "nothing was answered"
    assert at.text_input(key="typed letter").label == "Or a letter of your own"
    at.text_input(key="typed letter").set_value("zz")
    open_button(at).click().run()
    assert "That answer doesn&#x27;t work." in html_of(at)
    assert "&#x27;zz&#x27; is not a known letter" in html_of(at)
    assert at.text_input(key="typed letter").value == "zz"
    at.text_input(key="typed letter").set_value("")
    at.selectbox(key="chosen letter").set_value("a")
    open_button(at).click().run()
    assert not at.exception
    assert tokens_of(at) == [4]
    assert "You chose letter = a." in html_of(at)


@pytest.mark.long
@pytest.mark.usefixtures("_asking")
def test_questions_may_follow_each_other_and_be_answered_again() -> None:
    at = drop(page(text="abc"), ("x.bin", b"ASK 2"))
    at.selectbox(key="chosen letter").set_value("b")
    open_button(at).click().run()
    at.selectbox(key="chosen number").set_value("2")
    open_button(at).click().run()
    assert not at.exception
    assert mentions(html_of(at), "You chose letter = b, number = 2.")
    next(button for button in at.button if button.label == "Choose again").click().run()
    assert "which &lt;letter&gt; is it?" in html_of(at)
    assert "answer doesn&#x27;t work" not in html_of(at)


@pytest.mark.long
@pytest.mark.usefixtures("_asking")
def test_a_question_may_stay_unanswered() -> None:
    at = drop(page(text="abc", m="gpt-2"), ("x.bin", b"ASK 3"))
    at.selectbox(key="m").set_value("gpt-2").run()
    assert not at.exception
    assert tokens_of(at) == explorer.load("gpt-2").encode("abc").ids
    assert "which &lt;letter&gt;" not in html_of(at)
    at.selectbox(key="m").set_value(labels(at)[-1]).run()
    assert "which &lt;letter&gt;" in html_of(at)
    acknowledged(at.button(key="remove").click().run())
    assert chosen(at) == "gpt-2"

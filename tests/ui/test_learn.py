"""The page Learn in Python: a card and its panel, a quiz, a lesson of one's own, paper."""

from __future__ import annotations

import json
import os
from itertools import count
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from explorer.learning.lessons import library
from explorer.learning.lessons.reading import (
    ComparePanel,
    Exercise,
    ExplorePanel,
    PromptPanel,
    QuestionRef,
    SamplePanel,
    TrainPanel,
    VocabularyPanel,
    lessons_in,
    link_of,
)
from explorer.learning.questions import Quiz
from explorer.ui import PAGES
from explorer.ui.frame import session_key
from explorer.ui.learn import visit
from explorer.ui.learn.page import take_file
from explorer.ui.learn.visit import Place, Visit, lesson_of, read_place
from explorer.ui.parameters import Context
from explorer.ui.tokenizers.server import ServerArguments
from tests.meaning import mentions
from tests.ui.app import data_of, html_of, sent_to, tokens_of

CARDS = [(lesson.key, number) for lesson in library().values() for number in range(1, len(lesson.cards) + 1)]
EACH_PANEL = [
    next((key, number) for key, number in CARDS if isinstance(library()[key].cards[number - 1].panel, panel))
    for panel in (ExplorePanel, TrainPanel, ComparePanel, VocabularyPanel, PromptPanel, SamplePanel)
]


def learn(**query: str) -> AppTest:
    at = AppTest.from_file(PAGES / "learn.py", default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def steppers(at: AppTest) -> list[dict[str, Any]]:
    """What the steppers of the page are told beside their scripts."""
    sent = [element.proto.bytes for element in at.get("bidi_component") if b"\n" in element.proto.bytes]
    return [json.loads(each.partition(b"\n")[0]) for each in sent]


def alerts(at: AppTest) -> list[str]:
    return html_of(at).split('<div role="alert"')[1:]


def test_the_list_has_all_lessons() -> None:
    at = learn()
    assert [each["key"] for each in data_of(at, "lessons")["lessons"]] == list(lessons_in("en"))
    assert alerts(at) == []


def test_a_card_sets_text_stage_step_and_level() -> None:
    at = learn(lesson="queue", card="2")
    assert tokens_of(at) == [1, 1724, 338, 4309, 4717, 29973]
    (stepper,) = steppers(at)
    assert (stepper["start"], stepper["level"], stepper["covered"]) == (14, "story", False)
    card = data_of(at, "question")
    assert (card["card"], card["question"]) == (2, None)
    asking = learn(lesson="queue", card="3", seed="9")
    question = data_of(asking, "question")["question"]
    assert question["seed"] == 9
    (stepper,) = steppers(asking)
    assert stepper["covered"]
    assert 0 < stepper["start"] < question["after"]


def walk(place: tuple[str, int]) -> None:
    key, number = place
    at = learn(lesson=key, card=str(number))
    assert alerts(at) == []
    assert data_of(at, "question")["card"] == number
    panel = library()[key].cards[number - 1].panel
    if isinstance(panel, TrainPanel):
        assert [each["start"] for each in steppers(at)] == [panel.step]
    if isinstance(panel, ExplorePanel) and data_of(at, "question")["question"] is None:
        assert [each["start"] for each in steppers(at)] in ([panel.step], [])


@pytest.mark.parametrize("place", EACH_PANEL, ids=str)
@pytest.mark.long
def test_a_card_of_each_panel_is_drawn(place: tuple[str, int]) -> None:
    walk(place)


def test_back_to_another_quiz_takes_all_of_it() -> None:
    state = Visit(quiz=Quiz(5, 1, "gpt-2"))
    first = Quiz(3, 7, "llama-2", ("how-many",), ("a b", "c"))
    state.go(read_place({"lesson": "quiz", "card": 2, "seed": 7, "quiz": first.query}) or Place())
    state.follow_quiz()
    assert (state.quiz, state.place.card) == (first, 2)


@pytest.mark.long
def test_a_quiz_is_the_same_for_the_same_link() -> None:
    link = {"quiz": "2", "seed": "7", "m": "llama-2", "kinds": "next-merge", "texts": "What is LoRA?"}
    one, other = (data_of(learn(**link), "question") for _ in range(2))
    assert one["question"] == other["question"]
    assert one["question"]["kind"] == "next-merge"
    assert [each["title"] for each in one["lesson"]["cards"]] == ["Question 1", "Question 2", "Result"]
    assert alerts(learn(**link | {"kinds": "best-path"})) != [], "Llama 2 has no best path"


def test_a_linked_lesson_is_read_and_its_claims_are_checked() -> None:
    source = library()["bytes"].source.replace("bytes = 10", "bytes = 11", 1)
    at = learn(own=str(link_of(source)))
    assert data_of(at, "question")["lesson"]["title"] == "Bytes and characters"
    (said,) = alerts(at)
    assert mentions(said, "card 1, claims, bytes: 11 is claimed, and the engine gives 10")
    (refused,) = alerts(learn(own="damaged"))
    assert "damaged; copy the whole link" in refused
    (unknown,) = alerts(learn(lesson="<b>nothing</b>"))
    assert "there is no lesson &#x27;&lt;b&gt;nothing" in unknown


def test_the_lesson_of_a_file_is_followed_as_it_is_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, source = tmp_path / "mine.toml", library()["bytes"].source

    def write(text: str) -> None:
        file.write_text(text, "utf-8")
        os.utime(file, ns=(0, next(clock)))  # two versions within a tick of the disk's clock

    clock = count()
    write(source)
    monkeypatch.setattr(visit, "app_arguments", lambda: ServerArguments(lesson=str(file)))
    at = learn(lesson=visit.PREVIEW, card="2")
    first = data_of(at, "question")
    assert (first["card"], first["lesson"]["key"], alerts(at)) == (2, "file", [])
    (stepper,) = steppers(at)

    write(source.replace(library()["bytes"].cards[1].title, "Another title"))
    at.run()
    card = data_of(at, "question")
    assert (card["card"], card["lesson"]["cards"][1]["title"]) == (2, "Another title")
    assert steppers(at)[0]["arrival"] == stepper["arrival"], "the reader's step is kept"

    write(source.replace("step = 1", "step = 2", 1))
    at.run()
    (moved,) = steppers(at)
    assert (moved["start"], moved["arrival"]) == (2, stepper["arrival"] + 1), "the card has another step"

    write(source.replace("step = 1", "stpe = 1", 1))
    at.run()
    (said,) = alerts(at)
    line = source[: source.index("step = 1")].count("\n") + 1
    assert mentions(said, f"mine.toml, line {line}: card 2, stpe: unknown key")
    assert data_of(at, "question")["card"] == 2, "the last version that could be read stays"

    monkeypatch.setattr(visit, "LOCAL", frozenset())
    assert visit.preview_path() is None, "not on a server that others reach"


def paper_of(at: AppTest) -> list[dict[str, Any]]:
    """The parts of a lesson on paper, in order."""
    every = [sent_to(element) for element in at.get("bidi_component")]
    return [each for each in every if each.get("view") == "paper"]


@pytest.mark.long
def test_a_lesson_on_paper_has_every_card_at_its_step() -> None:
    at = learn(lesson="wordpiece", print="true")
    lesson = library()["wordpiece"]
    cards = [each for each in paper_of(at) if "card" in each]
    assert [each["card"]["title"].partition(" · ")[2] for each in cards] == [card.title for card in lesson.cards]
    assert cards[0]["shown"]["pieces"]
    asking = [number for number, card in enumerate(lesson.cards) if isinstance(card.question, QuestionRef | Exercise)]
    assert len([each for each in paper_of(at) if each.get("question")]) == len(asking) > 0
    assert all(not cards[number]["shown"]["pieces"] for number in asking), "they would tell the answer"
    starts = [each["start"] for each in steppers(at)]
    plain = [card.panel.step for card in lesson.cards if card.question is None and isinstance(card.panel, ExplorePanel)]
    assert set(plain) <= set(starts)
    assert [each["asks"] for each in steppers(at)].count(True) <= len(asking)
    assert alerts(at) == []


@pytest.mark.long
def test_a_draw_on_paper_stands_at_its_step() -> None:
    at = learn(lesson="ways", print="true")
    draws = [card for card in library()["ways"].cards if isinstance(card.panel, SamplePanel)]
    shown = [(each["start"], each["asks"]) for each in steppers(at)]
    assert shown[: len(draws)] == [(card.panel.step, card.question is not None) for card in draws]
    assert alerts(at) == []


def test_an_own_lesson_has_paper_and_what_has_no_stepper_has_rows() -> None:
    link = str(link_of(library()["token"].source))
    at = learn(own=link)
    (way,) = [element.proto.url for element in at.get("link_button") if "print" in element.proto.url]
    assert parse_qs(urlsplit(way).query) == {"own": [link], "print": ["true"]}
    cards = [each for each in paper_of(learn(own=link, print="true")) if "card" in each]
    assert len(cards) == len(library()["token"].cards)
    assert [row[0] for row in cards[2]["shown"]["rows"]][:2] == ["·house", "·malt"]
    assert ["41236", "·strawberry"] in cards[1]["shown"]["rows"]
    state, source = Visit(), library()["bytes"].source
    noise = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=20_000))
    take_file(state, "long.toml", f"{source}\n# {noise}".encode())
    long = learn_with(state)
    (button,) = [each for each in long.button if each.key == "learn_handout"]
    button.click().run()
    assert paper_of(long), "a file that no link can hold is printed in its session"


def learn_with(state: Visit) -> AppTest:
    """The page in a session that has been there."""
    at = AppTest.from_file(PAGES / "learn.py", default_timeout=120)
    at.session_state[session_key(Visit)] = state
    at.session_state[session_key(Context)] = Context(page="learn")
    at.run()
    assert not at.exception
    return at


def test_a_dropped_file_opens_or_says_what_is_wrong() -> None:
    state, source = Visit(), library()["bytes"].source
    take_file(state, "../mine.toml", source.encode())
    (lesson,) = state.own.values()
    assert lesson.key.startswith("own-")
    assert state.place == Place(lesson.key, link=str(link_of(source)))
    take_file(state, "<b>.toml", source.replace("step = 1", "stpe = 1").encode())
    assert state.problem == "<b>.toml, card 2, stpe: unknown key; did you mean step?"
    assert list(state.own.values()) == [lesson]
    noise = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=20_000))
    take_file(state, "long.toml", f"{source}\n# {noise}".encode())
    assert state.place.link == "", "too long for a link"
    assert lesson_of(state) == state.own[state.place.lesson]

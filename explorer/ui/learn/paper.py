"""A lesson on paper: its cards one below the other, each with the state of its panel at its step."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from explorer.answers.explore import Request, content_id, section_view
from explorer.answers.learn import asked_of, draw_in, handout_of, section_in, training_in
from explorer.answers.learn import spec_of as bundled_spec
from explorer.answers.train import train_view
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.learning.checks.asked import Asked
from explorer.learning.checks.engine import train_request
from explorer.learning.languages import ENGLISH
from explorer.learning.lessons import Lesson
from explorer.learning.lessons.lesson import (
    Card,
    Exercise,
    ExplorePanel,
    Panel,
    QuestionRef,
    SamplePanel,
    Task,
    TrainPanel,
    paragraphs,
)
from explorer.ui.components.stepper import stepper
from explorer.ui.frame import show_error
from explorer.ui.learn.visit import lesson_part

TELLING: Final = ("all", "queue")
"""What a question covers where the panel would tell its answer even at the step before it."""


def draw_paper(lesson: Lesson) -> None:
    """All cards with what their panels show at the step, for print."""
    language = {"view": "paper", "language": lesson.language}
    with st.container(key="paper"):
        lesson_part({**language, "head": {"title": lesson.title, "about": lesson.about}}, key="paper_head")
        for number, card in enumerate(lesson.cards, 1):
            with st.container(key=f"section-card-{number}"):
                draw_card(card, number, lesson, language)


def draw_card(card: Card, number: int, lesson: Lesson, language: dict[str, Any]) -> None:
    """One card: its words, its panel, its question."""
    title = {"title": f"{number} · {card.title}", "words": paragraphs(card.words)}
    wanted, question = card.question, None
    panel: Panel = card.panel
    try:
        if isinstance(wanted, QuestionRef | Exercise):
            question = asked_of(panel, wanted, lesson.language)
        if question is not None and isinstance(panel, ExplorePanel):
            panel = panel._replace(text=question.text, stage=question.stage, step=question.step)
        shown = dict(handout_of(panel, lesson.language)._asdict())
        if question is not None:
            shown |= {"pieces": (), "ribbon": (), "sentence": ""}  # they would tell the answer
        if isinstance(panel, ExplorePanel | TrainPanel | SamplePanel):
            shown["sentence"] = ""  # the stepper says it
        lesson_part({**language, "card": title, "shown": shown}, key=f"paper_{number}")
        draw_state(panel, number, question, lesson.language)
    except InputError as error:
        lesson_part({**language, "card": title, "shown": None}, key=f"paper_{number}")
        show_error(error, f"Card {number} can't be shown.")
    if wanted is not None:
        task = wanted.ask if isinstance(wanted, Task) else ""
        asks = {"question": question and question.data(), "task": task}
        lesson_part({**language, **asks}, key=f"paper_asks_{number}")


def draw_state(panel: Panel, number: int, question: Asked | None, language: str) -> None:
    """The stepper of a panel at its step, unless it would tell the answer of the card's question."""
    if question is not None and question.covers in TELLING:
        return
    if isinstance(panel, ExplorePanel):
        request = Request(bundled_spec(panel.tokenizer, panel.implementation), panel.text, Options(panel.special))
        id = content_id(*request)
        english = language == ENGLISH
        section = (
            section_view(request, 0, panel.stage, False) if english else section_in(request, 0, panel.stage, language)
        )
        script = section.script
    elif isinstance(panel, TrainPanel):
        view = train_view(train_request(panel))
        script, id = view.script if language == ENGLISH else training_in(panel, language), view.id
    elif isinstance(panel, SamplePanel):
        script, id = draw_in(panel, language), repr(panel)
    else:
        return
    if script is not None:
        name = f"{'asks' if question is not None else 'state'}-{number}"
        with st.container(key=f"stepper-{name}"):
            stepper(
                script, script_id=f"{name} {id}", key=f"paper_{name}", start=panel.step, level=panel.level or "story",
                covered=question is not None and question.pairs, asks=question is not None,
            )  # fmt: skip

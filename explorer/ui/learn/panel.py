"""What a card shows beside it: the panels of Explore, Train, Compare and Vocabulary, live, or what follows a token."""

from __future__ import annotations

import streamlit as st

from explorer.analysis.vocabulary.query import By, Query
from explorer.answers.compare import rows_view
from explorer.answers.explore import ALL, Request, explore_view, section_view
from explorer.answers.learn import compare_request, draw_in, followers, prompt_rows, section_in, training_in
from explorer.answers.train import train_view
from explorer.engine.part import Options
from explorer.learning.checks.asked import Asked
from explorer.learning.checks.engine import train_request
from explorer.learning.languages import ENGLISH, phrases
from explorer.learning.lessons.lesson import (
    ComparePanel,
    ExplorePanel,
    NextPanel,
    Panel,
    PromptPanel,
    SamplePanel,
    TrainPanel,
    VocabularyPanel,
)
from explorer.ui.components import tokens
from explorer.ui.components.comparison import aligned_rows
from explorer.ui.components.stepper import stepper
from explorer.ui.components.vocabulary import Asked as Search
from explorer.ui.components.vocabulary import asked as searched
from explorer.ui.components.vocabulary import vocabulary
from explorer.ui.explore.stages import draw_top
from explorer.ui.learn.leave import explore_query
from explorer.ui.learn.visit import Visit, lesson_part
from explorer.ui.links import step_parameter
from explorer.ui.tokenizers.chooser import spec_of
from explorer.ui.vocabulary.page import answer as found
from explorer.views.compare.aligned import aligned_in
from explorer.views.vocabulary import dossier_in

TOP = "learn_top"
SEARCH = "learn_vocabulary"


def draw_panel(
    panel: Panel, question: Asked | None, state: Visit, language: str = ENGLISH, *, opens: bool = True
) -> None:
    """Draws the panel of a card. question: the card's, which decides stage and step. Raises InputError.

    language: of what it says, as far as it is translated. opens: at the card's step; a typed text has other steps.
    """
    if isinstance(panel, ExplorePanel):
        draw_explore(panel, question, state, language, opens)
    elif isinstance(panel, TrainPanel):
        draw_training(panel, question, state, language, opens)
    elif isinstance(panel, SamplePanel):
        draw_sample(panel, question, state, language)
    elif isinstance(panel, ComparePanel):
        draw_comparison(panel, language)
    elif isinstance(panel, NextPanel):
        draw_next(panel, language)
    elif isinstance(panel, PromptPanel):
        draw_prompt(panel, question, language)
    else:
        draw_vocabulary(panel, state, language)


def draw_explore(panel: ExplorePanel, question: Asked | None, state: Visit, language: str, opens: bool) -> None:
    """The text in its tokens, the stages, and the stage in focus: the card's, until another one is chosen by hand."""
    stage, step = panel.stage, panel.step
    if question is not None:
        stage, step, panel = question.stage, question.step, panel._replace(text=question.text)
    spec = spec_of(panel.tokenizer, panel.implementation)
    chosen = tokens.chosen_stage(TOP)
    if state.seen_stage is None:
        state.seen_stage = chosen or tokens.StageChoice("", "")
    by_hand = chosen is not None and chosen != state.seen_stage and chosen.key != ALL
    linked = state.place.stage if state.place.stage != ALL else ""
    focus = chosen.key if by_hand and chosen is not None else linked or stage
    view = explore_view(Request(spec, panel.text, Options(panel.special)), 0, focus)
    if language != ENGLISH:
        to = phrases(language)
        nodes = [
            each._replace(name=to.caption(each.name), result=to.value(to.caption(each.result))) for each in view.nodes
        ]
        view = view._replace(nodes=nodes)
    draw_top(view, TOP, opens=f"{state.arrival} {panel.why}" if panel.why else "", name=spec.title,
             leaves=explore_query(panel), language=language)  # fmt: skip
    place = view.request, view.window.start, view.focus
    section = section_view(*place, view.stored) if language == ENGLISH else section_in(*place, language)
    with st.container(key="stage"):
        if section.script is not None:
            stands = view.focus == stage
            stepper(
                section.script, script_id=f"{section.key} {said_id(view.id, language)}",
                key=f"learn_{section.key}", parameter=step_parameter(section.key),
                start=step if stands and opens else None, arrival=state.arrival, spot=panel.select, level=panel.level,
                covered=stands and question is not None and question.pairs, beside=True,
                asks=stands and question is not None,
            )  # fmt: skip
        else:
            st.caption(section.what)


def draw_training(panel: TrainPanel, question: Asked | None, state: Visit, language: str, opens: bool) -> None:
    """A training, step by step."""
    view = train_view(train_request(panel))
    with st.container(key="stage"):
        script = view.script if language == ENGLISH else training_in(panel, language)
        stepper(script, script_id=said_id(view.id, language), key="learn_training",
                start=panel.step if opens else None, arrival=state.arrival, level=panel.level, beside=True,
                asks=question is not None)  # fmt: skip


def draw_sample(panel: SamplePanel, question: Asked | None, state: Visit, language: str) -> None:
    """One draw, step by step."""
    with st.container(key="stage"):
        stepper(draw_in(panel, language), script_id=said_id(repr(panel), language), key="learn_draw",
                start=panel.step, arrival=state.arrival, level=panel.level, beside=True,
                asks=question is not None)  # fmt: skip


def draw_comparison(panel: ComparePanel, language: str) -> None:
    """The rows of several tokenizers, and how many tokens each one needs."""
    view, to = rows_view(compare_request(panel), 0, False), phrases(language)
    with st.container(key="learn-rows"):
        aligned_rows(aligned_in(view.drawn, to), to.say(view.say), key="learn_rows")


def said_id(id: str, language: str) -> str:
    """The id of a script in a language, which isn't that of the English one."""
    return id if language == ENGLISH else f"{id} {language}"


def draw_next(panel: NextPanel, language: str) -> None:
    """The tokens that follow one, each with its share."""
    found = followers(panel)
    data = {"text": panel.text, "after": found.after, "total": found.total, "rows": found.rows,
            "phrases": phrases(language).page}  # fmt: skip
    lesson_part({"view": "next", **data}, key="learn_next")


def draw_prompt(panel: PromptPanel, question: Asked | None, language: str) -> None:
    """What a model reads of messages: a row for each, in the color of who wrote each token.

    What was found is left out beside a question, whose answer it may be.
    """
    shown = prompt_rows(panel)
    to = phrases(language)
    findings = [] if question is not None else [to.say(each) for each in shown.findings]
    data = {"rows": shown.rows, "count": shown.size, "findings": findings, "chosen": panel.chosen,
            "labels": {label: to.caption(label) for label, _ in shown.rows}, "phrases": to.page}  # fmt: skip
    lesson_part({"view": "prompt", **data}, key="learn_prompt")


def draw_vocabulary(panel: VocabularyPanel, state: Visit, language: str) -> None:
    """The tokens that the card's search finds, until another one is typed."""
    spec = spec_of(panel.tokenizer, panel.implementation)
    reported = (st.session_state.get(SEARCH) or {}).get("ask")
    if state.seen_search is None:
        state.seen_search = reported or ""
    given = Search(Query(panel.search, By(panel.by)), panel.token)
    now = searched(SEARCH) if reported and reported != state.seen_search else given
    answer = found(spec, now, False)
    if answer["dossier"] is not None:
        answer["dossier"] = dossier_in(answer["dossier"], phrases(language))
    vocabulary({**answer, "checked": False, "given": [panel.search, panel.by, state.arrival]}, key=SEARCH)

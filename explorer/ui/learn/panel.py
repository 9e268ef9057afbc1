"""What a card shows beside it: the panels of Explore, Train, Compare and Vocabulary, live, or what follows a token.

On paper the cards stand one below the other, each with the state of its panel at its step. A button leaves a lesson
for the page its panel belongs to, with the same text and settings.
"""

import json

import streamlit as st
from msgspec.structs import replace

from explorer.analysis.vocabulary.query import By, Query
from explorer.answers.compare import rows_view
from explorer.answers.explore import WAYS, Request, content_id, explore_view, section_view
from explorer.answers.learn import (
    asked_of,
    compare_request,
    draw_in,
    followers,
    handout_of,
    prompt_rows,
)
from explorer.answers.learn import spec_of as bundled_spec
from explorer.answers.train import train_view
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.languages import ENGLISH, phrases
from explorer.learning.checks.exercises import Asked
from explorer.learning.checks.panels import train_request
from explorer.learning.lessons import Lesson
from explorer.learning.lessons.reading import (
    Card,
    ComparePanel,
    Exercise,
    ExplorePanel,
    NextPanel,
    Panel,
    PromptPanel,
    QuestionRef,
    SamplePanel,
    Task,
    TrainPanel,
    VocabularyPanel,
    paragraphs,
)
from explorer.prompts.messages import packed
from explorer.tables import Record
from explorer.training.trainers import query_of as training_query
from explorer.ui.components import tokens
from explorer.ui.components.every_page import reported
from explorer.ui.components.tokens import Play, aligned_rows, stepper
from explorer.ui.explore import draw_top
from explorer.ui.frame import show_error
from explorer.ui.language import said_id, words
from explorer.ui.learn.visit import Visit, lesson_part
from explorer.ui.parameters import open_page, pattern_state, step_parameter, to_explore
from explorer.ui.prompt import Asked as PromptAsked
from explorer.ui.tokenizers.chooser import bring, spec_of
from explorer.ui.train import open_corpus
from explorer.ui.vocabulary.page import Asked as Search
from explorer.ui.vocabulary.page import answer as found
from explorer.ui.vocabulary.page import asked as searched
from explorer.ui.vocabulary.page import vocabulary


def draw_leaving(panel: Panel, label: str) -> None:
    """Draws the button. label: with {0} for the page. The browser's Back comes back to the card."""
    name = words(name_of(panel))
    if not st.button(label.replace("{0}", name), key="learn_leave", icon=":material/open_in_new:", type="tertiary"):
        return
    query = query_of(panel)
    state = st.session_state
    if isinstance(panel, ExplorePanel | ComparePanel | NextPanel | SamplePanel):
        bring(panel.text)
    if isinstance(panel, ExplorePanel):
        pattern_state().fill(None)
        state.stage, state.opened = panel.stage, None
    if isinstance(panel, SamplePanel):
        state.stage, state.opened, state.ways_asked = WAYS, None, None
    if isinstance(panel, PromptPanel) and "prompt" in state:
        given = PromptAsked(json.dumps(call_of(panel)), panel.template, None, panel.as_text)
        state.prompt.asked, state.prompt.rev = given, state.prompt.rev + 1
    if isinstance(panel, TrainPanel):
        open_corpus(panel.text)
    open_page(name_of(panel).lower(), query)


def name_of(panel: Panel) -> str:
    """The page that a panel belongs to."""
    names = {TrainPanel: "Train", ComparePanel: "Compare", PromptPanel: "Prompt", VocabularyPanel: "Vocabulary"}
    return names.get(type(panel), "Explore")


def query_of(panel: Panel) -> dict[str, str | list[str]]:
    """The parameters that open a panel on its page.

    >>> query_of(ComparePanel("a", ("llama-2", "gpt-2")))
    {'text': 'a', 'with': ['llama-2', 'gpt-2@huggingface']}
    """
    if isinstance(panel, ExplorePanel):
        selected = {} if panel.select is None else {"sel": "{}-{}".format(*panel.select)}
        step = {step_parameter(panel.stage): str(panel.step)}
        return {**explore_query(panel), **selected, **step}
    if isinstance(panel, ComparePanel):
        return {"text": panel.text, "with": [spec_of(each).name for each in panel.tokenizers]}
    if isinstance(panel, TrainPanel):
        return {**training_query(train_request(panel)), **({"step": str(panel.step)} if panel.step else {})}
    if isinstance(panel, NextPanel):
        return dict(explore_query(ExplorePanel(panel.text, panel.tokenizer, panel.implementation)))
    if isinstance(panel, SamplePanel):
        opens = explore_query(ExplorePanel(panel.text, panel.tokenizer, panel.implementation))
        drawn = {"sample": "one", "alpha": f"{panel.alpha:g}", "seed": str(panel.seed), "draw": str(panel.draw)}
        return {**opens, **drawn, "drawn": str(panel.step), **({"rule": panel.rule} if panel.rule else {})}
    if isinstance(panel, PromptPanel):
        asked = {"m": panel.tokenizer, "as": panel.implementation, "template": panel.template}
        asked |= {"chat": packed(call_of(panel)) or "", "as_text": "1" if panel.as_text else ""}
        return {key: value for key, value in asked.items() if value}
    query = {"m": panel.tokenizer, "as": panel.implementation, "q": panel.search, "by": panel.by}
    return {**query, **({} if panel.token is None else {"token": str(panel.token)})}


def call_of(panel: PromptPanel) -> Record:
    """The call of a panel, as Prompt takes it."""
    call: Record = {"messages": [{"role": role, "content": text} for role, text in panel.messages]}
    return call | ({} if panel.asks else {"add_generation_prompt": False})


def explore_query(panel: ExplorePanel) -> dict[str, str]:
    """The parameters that open a panel's text on Explore, with no step: another text has others.

    >>> explore_query(ExplorePanel("a", "gpt-2", "huggingface"))
    {'text': 'a', 'm': 'gpt-2', 'as': 'huggingface', 'stage': 'model'}
    """
    spec = spec_of(panel.tokenizer, panel.implementation)
    query = to_explore(spec, panel.text, escapes=False, add_special=panel.special, parse_special=True)
    return query | {"stage": panel.stage} | ({"level": panel.level} if panel.level else {})


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
    elif isinstance(panel, TrainPanel | SamplePanel):
        draw_script(panel, question, state, language, opens)
    elif isinstance(panel, ComparePanel):
        draw_comparison(panel, language)
    elif isinstance(panel, NextPanel):
        lesson_part(followers(panel).data(panel.text, language), key="learn_next")
    elif isinstance(panel, PromptPanel):
        shown = prompt_rows(panel).data(panel.chosen, question is not None, language)
        lesson_part(shown, key="learn_prompt")
    else:
        draw_vocabulary(panel, state, language)


def draw_explore(panel: ExplorePanel, question: Asked | None, state: Visit, language: str, opens: bool) -> None:
    """The text in its tokens, the stages, and the stage in focus: the card's, until another one is chosen by hand."""
    stage, step = panel.stage, panel.step
    if question is not None:
        stage, step, panel = question.stage, question.step, replace(panel, text=question.text)
    spec = spec_of(panel.tokenizer, panel.implementation)
    chosen = tokens.chosen_stage(TOP)
    if state.seen_stage is None:
        state.seen_stage = chosen or tokens.StageChoice("", "")
    by_hand = chosen if chosen != state.seen_stage else None
    focus = by_hand.key if by_hand is not None else state.place.stage or stage
    view = explore_view(Request(spec, panel.text, Options(panel.special)), 0, focus)
    asks = f"{state.arrival} {panel.why}" if panel.why else ""
    draw_top(view, TOP, tokens.Around(opens=asks, leaves=explore_query(panel), name=spec.title))
    place = view.request, view.window.start, view.focus
    section = section_view(*place, view.stored, language)
    with st.container(key="stage"):
        if section.script is not None:
            stands = view.focus == stage
            play = Play(
                f"{section.key} {said_id(view.id, language)}", step_parameter(section.key),
                start=step if stands and opens else None, arrival=state.arrival, spot=panel.select, level=panel.level,
                covered=stands and question is not None and question.pairs, beside=True,
                asks=stands and question is not None,
            )  # fmt: skip
            stepper(section.script, play, key=f"learn_{section.key}")
        else:
            st.caption(words(section.what))


def script_of(panel: TrainPanel | SamplePanel, language: str) -> tuple[bytes, str]:
    """The script of a training or of one draw, and its id."""
    if isinstance(panel, SamplePanel):
        return draw_in(panel, language), repr(panel)
    view = train_view(train_request(panel), language)
    return view.script, view.id


def draw_script(
    panel: TrainPanel | SamplePanel, question: Asked | None, state: Visit, language: str, opens: bool
) -> None:
    """A training or one draw, step by step."""
    script, id = script_of(panel, language)
    play = Play(
        said_id(id, language), start=panel.step if opens else None, arrival=state.arrival, level=panel.level,
        beside=True, asks=question is not None,
    )  # fmt: skip
    with st.container(key="stage"):
        stepper(script, play, key="learn_training" if isinstance(panel, TrainPanel) else "learn_draw")


def draw_comparison(panel: ComparePanel, language: str) -> None:
    """The rows of several tokenizers, and how many tokens each one needs."""
    view, to = rows_view(compare_request(panel), 0, False, language), phrases(language)
    with st.container(key="learn-rows"):
        aligned_rows(view.drawn, to.say(view.say), key="learn_rows")


def draw_vocabulary(panel: VocabularyPanel, state: Visit, language: str) -> None:
    """The tokens that the card's search finds, until another one is typed."""
    spec = spec_of(panel.tokenizer, panel.implementation)
    typed = reported(SEARCH, "ask")
    if state.seen_search is None:
        state.seen_search = typed or ""
    given = Search(Query(panel.search, By(panel.by)), panel.token)
    now = searched(SEARCH) if typed and typed != state.seen_search else given
    answer = found(spec, now, False)
    if answer["dossier"] is not None:
        answer["dossier"] = phrases(language).data(answer["dossier"])
    vocabulary({**answer, "checked": False, "given": [panel.search, panel.by, state.arrival]}, key=SEARCH)


TELLING = ("all", "queue")
"""What a question covers where the panel would tell its answer even at the step before it."""


def draw_paper(lesson: Lesson) -> None:
    """All cards with what their panels show at the step, for print."""
    language = {"view": "paper", "language": lesson.language}
    with st.container(key="paper"):
        lesson_part({**language, "head": {"title": lesson.title, "about": lesson.about}}, key="paper_head")
        for number, card in enumerate(lesson.cards, 1):
            with st.container(key=f"section-card-{number}"):
                draw_card(card, number, lesson, language)


def draw_card(card: Card, number: int, lesson: Lesson, language: Record) -> None:
    """One card: its words, its panel, its question."""
    title = {"title": f"{number} · {card.title}", "words": paragraphs(card.words)}
    wanted, question = card.question, None
    panel: Panel = card.panel
    try:
        if isinstance(wanted, QuestionRef | Exercise):
            question = asked_of(panel, wanted, lesson.language)
        if question is not None and isinstance(panel, ExplorePanel):
            panel = replace(panel, text=question.text, stage=question.stage, step=question.step)
        shown = dict(handout_of(panel, lesson.language)._asdict())
        if question is not None:
            shown |= {"pieces": (), "ribbon": (), "sentence": ""}  # they would tell the answer
        if isinstance(panel, ExplorePanel | TrainPanel | SamplePanel):
            shown["sentence"] = ""  # the stepper says it
        lesson_part({**language, "card": title, "shown": shown}, key=f"paper_{number}")
        draw_state(panel, number, question, lesson.language)
    except InputError as error:
        lesson_part({**language, "card": title, "shown": None}, key=f"paper_{number}")
        show_error(error, words("Card {0} can't be shown.", number))
    if wanted is not None:
        task = wanted.ask if isinstance(wanted, Task) else ""
        asks = {"question": question and question.data(), "task": task}
        lesson_part({**language, **asks}, key=f"paper_asks_{number}")


def draw_state(panel: Panel, number: int, question: Asked | None, language: str) -> None:
    """The stepper of a panel at its step, unless it would tell the answer of the card's question."""
    if question is not None and question.covers in TELLING:
        return
    if isinstance(panel, TrainPanel | SamplePanel):
        script, id = script_of(panel, language)
    elif isinstance(panel, ExplorePanel):
        request = Request(bundled_spec(panel.tokenizer, panel.implementation), panel.text, Options(panel.special))
        place, id = (request, 0, panel.stage), content_id(*request)
        section = section_view(*place, False, language)
        if section.script is None:
            return
        script = section.script
    else:
        return
    name = f"{'asks' if question is not None else 'state'}-{number}"
    play = Play(
        f"{name} {id}", start=panel.step, level=panel.level or "story",
        covered=question is not None and question.pairs, asks=question is not None,
    )  # fmt: skip
    with st.container(key=f"stepper-{name}"):
        stepper(script, play, key=f"paper_{name}")

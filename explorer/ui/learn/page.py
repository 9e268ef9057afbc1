"""The Learn page: the list of lessons, a card beside its panel, a lesson on paper, a lesson of one's own, a quiz.

A card shows a panel of Explore, Train, Compare or Vocabulary beside it, live, or what follows a token. On paper the
cards stand one below the other, each with the state of its panel at its step. A button leaves a lesson for the page
its panel belongs to, with the same text and settings.

A lesson of one's own is a TOML file that is dropped on the page. It is read and checked, and nothing in it is
run. Its claims are held against the engine, and what fails is listed for its author. It lives in the session; a
small lesson fits into a link.

A quiz is a lesson whose cards are questions about texts of one's choice, with the result at the end. Its seed
is in the URL, so that a class gets the same questions. The answers and the name come to the server for the
result's file alone, and are stored nowhere.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from itertools import zip_longest
from urllib.parse import urlencode

import streamlit as st
from msgspec.structs import replace

from explorer.analysis.vocabulary.index import By, Query
from explorer.answers.compare import rows_view
from explorer.answers.explore import WAYS, Request, content_id, explore_view, section_view
from explorer.answers.learn import (
    asked_of,
    compare_request,
    draw_in,
    drawing_of,
    faults_of,
    followers,
    handout_of,
    judged,
    lesson_file,
    prompt_rows,
    quiz_file,
    quiz_of,
    quiz_result,
)
from explorer.answers.learn import spec_of as bundled_spec
from explorer.answers.offers import TokenizerSpec, short_name
from explorer.answers.train import train_view
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.languages import ENGLISH, phrases
from explorer.learning.checks.cards import Asked, Judged, call_of, train_request, with_text
from explorer.learning.lessons import Lesson
from explorer.learning.lessons.reading import (
    DEEPER,
    HEAD,
    LIST,
    MOST_BYTES,
    ROW,
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
    lesson_named,
    lessons_in,
    link_of,
    page_words,
    paragraphs,
    words_of,
)
from explorer.learning.questions import KINDS, Quiz, right_of
from explorer.prompts.messages import packed
from explorer.tables import Json, Record
from explorer.text.say import Say
from explorer.training.trainers import query_of as training_query
from explorer.ui import STYLES
from explorer.ui.components import tokens
from explorer.ui.components.every_page import Made, page_button, reported
from explorer.ui.components.tokens import Play, aligned_rows, stepper
from explorer.ui.explore import draw_top
from explorer.ui.frame import fragment, show_error, show_notice, side_by_side
from explorer.ui.language import language, said_id, words
from explorer.ui.learn.visit import (
    MOST,
    MOST_TEXT,
    QUIZ,
    Place,
    Visit,
    draw_classroom,
    lesson_of,
    lesson_part,
    lines_of,
    own_lesson,
    reported_answers,
    reported_text,
    visit,
)
from explorer.ui.parameters import app_url, open_page, pattern_state, step_parameter, to_explore
from explorer.ui.prompt import Asked as PromptAsked
from explorer.ui.tokenizers.chooser import bring, fresh_uploader, offers, spec_of
from explorer.ui.train import open_corpus
from explorer.ui.vocabulary.page import Asked as Search
from explorer.ui.vocabulary.page import answer as found
from explorer.ui.vocabulary.page import asked as searched
from explorer.ui.vocabulary.page import vocabulary
from explorer.views.examples import PRESETS


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
        given = PromptAsked(json.dumps(call_of(panel).to_json()), panel.template, None, panel.as_text)
        state.prompt.asked, state.prompt.rev = given, state.prompt.rev + 1
    if isinstance(panel, TrainPanel):
        open_corpus(panel.text)
    open_page(name_of(panel).lower(), query)


def name_of(panel: Panel) -> str:
    """The page that a panel belongs to."""
    names = {TrainPanel: "Train", ComparePanel: "Compare", PromptPanel: "Prompt", VocabularyPanel: "Vocabulary"}
    return names.get(type(panel), "Explore")


def own_text(panel: Panel) -> Record:
    """Where the end of a lesson leads with a text of one's own: the page, the parameters, and what reads the text."""
    page = words(name_of(panel))
    title = offers()[panel.tokenizer].title if isinstance(panel, ExplorePanel) else page
    return {"page": name_of(panel).lower(), "query": query_of(panel), "title": title}


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
        asked |= {
            "chat": packed(call_of(panel).to_json()) or "", "server": panel.server,
            "as_text": "1" if panel.as_text else "",
        }  # fmt: skip
        return {key: value for key, value in asked.items() if value}
    query = {"m": panel.tokenizer, "as": panel.implementation, "q": panel.search, "by": panel.by}
    return {**query, **({} if panel.token is None else {"token": str(panel.token)})}


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
    vocabulary(data={**answer, "checked": False, "given": [panel.search, panel.by, state.arrival]}, key=SEARCH)


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


TEXTS = tuple(each.text for each in PRESETS[:11] if each.text)


def draw_form(state: Visit) -> None:
    """Draws what a quiz needs; its button opens the first question."""
    with st.popover(words("Take a quiz"), icon=":material/quiz:", key="learn-quiz", width="content"):
        with side_by_side("bottom"):
            known = offers()
            model = st.selectbox(words("Tokenizer"), list(known), key="quiz_model", width=220,
                                 format_func=lambda label: known[label].title or label)  # fmt: skip
            count = int(st.number_input(words("Questions"), 1, MOST, 5, key="quiz_count", width=120))
            about = words("A number that draws the questions. The same seed gives everybody the same "
                          "questions, another one other questions.")  # fmt: skip
            seed = int(st.number_input(words("Seed"), 0, 999_999_999, 1, key="quiz_seed", width=140, help=about))
            kinds = st.multiselect(words("About"), list(KINDS), key="quiz_kinds",
                                   placeholder=words("all that the tokenizer allows"),
                                   format_func=lambda kind: words(KINDS[kind].title), width=420)  # fmt: skip
        typed = st.text_area(words("Texts, one a line"), key="quiz_texts", max_chars=MOST_TEXT, height=90,
                             placeholder=words("Empty: the explorer's own examples"))  # fmt: skip
        if st.button(words("Start the quiz"), key="quiz_start", type="primary"):
            start(state, Quiz(count, seed, model, tuple(kinds), lines_of(typed), language()))
            st.rerun()


def start(state: Visit, quiz: Quiz) -> None:
    """Opens the first question."""
    state.quiz = quiz
    state.started += 1
    state.go(Place(QUIZ))


def with_texts(quiz: Quiz) -> tuple[TokenizerSpec, Quiz]:
    """A quiz with the usual texts if it has none, and its tokenizer."""
    return spec_of(quiz.model), quiz._replace(texts=quiz.texts or TEXTS)


def lesson_of_quiz(quiz: Quiz, questions: tuple[Asked, ...]) -> Lesson:
    """The quiz as a lesson. Its last card is the result."""
    to = phrases(quiz.language)
    implementation = spec_of(quiz.model).implementation
    cards = [
        Card(
            to.plain(Say("Question {0}", number)),
            "",
            ExplorePanel(each.text, quiz.model, implementation, each.stage),
        )
        for number, each in enumerate(questions, 1)
    ]
    cards.append(Card(to.words("Result"), "", cards[-1].panel))
    return Lesson(QUIZ, "Quiz", "Quiz", "", 5, quiz.language, tuple(cards), repr(quiz))


def draw_result(quiz: Quiz, questions: tuple[Asked, ...], state: Visit) -> None:
    """Draws how many were right, each question with its answer, the file, and the way to other questions."""
    given = reported_answers()[: len(questions)]
    rows = [each.answered(number, chosen) for number, (each, chosen) in enumerate(zip_longest(questions, given), 1)]
    say = words(right_of(sum(each.correct for each in rows), len(rows)))
    shown = [
        {"cells": [str(each.number), each.question, each.answer or "–", "✓" if each.correct else each.right_answer],
         "isRight": each.correct}
        for each in rows
    ]  # fmt: skip
    heads = ["", *map(words, ("Question", "Your answer", "Right"))]
    lesson_part({"view": "result", "say": say, "heads": heads, "rows": shown}, key="result")
    with side_by_side("bottom"):
        name = st.text_input(words("Your name"), key="quiz_name", max_chars=80, width=240,
                             placeholder=words("optional, in the file only"))  # fmt: skip
        csv, file_name = quiz_result(spec_of(quiz.model), quiz.seed, tuple(rows), name.strip())
        st.download_button(words("Result as CSV"), lambda: csv, file_name, "text/csv",
                           on_click="ignore", icon=":material/download:")  # fmt: skip
        st.button(
            words("Other questions"),
            on_click=start,
            args=(state, quiz._replace(seed=quiz.seed + 1)),
            key="quiz_again",
        )


MOST_SAID = 8
"""Claims that fail, in the list."""


def draw_field(state: Visit) -> None:
    """Draws the field for a lesson file."""
    with st.container(key="drop-lesson", width="content"):
        about = words(
            "A TOML file of up to {0} bytes; docs/LESSONS.md says how to write one. It lives in this "
            "session, and nobody else sees it.", MOST_BYTES)  # fmt: skip
        fresh_uploader(
            words("Your own lesson"), "lesson file", width=190, type="toml", help=about,
            take=lambda files: take_file(state, files[0].name, files[0].getvalue()),
        )  # fmt: skip


def take_file(state: Visit, name: str, data: bytes) -> None:
    """Reads a dropped lesson and opens it; one that can't be read leaves the problem."""
    try:
        lesson = own_lesson(data, short_name(name))
    except InputError as error:
        state.problem = str(error)
        return
    link = link_of(lesson.source)
    state.own[link or lesson.key] = lesson
    state.go(Place(lesson.key, link=link or ""))


def draw_claims(lesson: Lesson) -> None:
    """Lists what of an own lesson the engine does not confirm."""
    wrong = faults_of(lesson.source, lesson.key)
    for fault in wrong[:MOST_SAID]:
        show_error(fault.shown, "Not confirmed.")
    if len(wrong) > MOST_SAID:
        show_notice("{0} more are not confirmed.", len(wrong) - MOST_SAID)


@fragment
def follow() -> None:
    """Draws the page; a card that is turned runs this alone."""
    st.html(STYLES / "learn.css")
    state = visit()
    try:
        if state.place.lesson == QUIZ and state.quiz is not None:
            questions = quiz_of(*with_texts(state.quiz))
            draw_lesson(lesson_of_quiz(state.quiz, questions), state, questions)
            return
    except InputError as error:
        state.problem = str(error)
    lesson = lesson_of(state)
    if state.preview.problem and (lesson is None or lesson is state.preview.lesson):
        show_error(state.preview.problem, "The file can't be read as it is.")
    if lesson is None:
        draw_list(state)
    elif state.paper:
        draw_row(lesson, state)
        draw_paper(lesson)
    else:
        draw_lesson(lesson, state)


def summaries(state: Visit) -> list[Record]:
    """All lessons as the list has them: the program's, then those that were dropped or linked."""
    links = {link: link if link != lesson.key else "" for link, lesson in state.own.items()}
    taught = lessons_in(language())
    every = [*((each, "") for each in taught.values()), *((each, links[link]) for link, each in state.own.items())]
    if state.preview.lesson is not None:
        every.append((state.preview.lesson, ""))
    return [
        {"key": each.key, "title": each.title, "name": each.name, "about": each.about, "link": link,
         "own": each.key not in taught,
         "minutes": each.minutes, "language": each.language, "cards": len(each.cards),
         "asks": [number for number, card in enumerate(each.cards, 1) if card.question is not None]}
        for each, link in every
    ]  # fmt: skip


def drawing_for(lesson: Lesson) -> Json | None:
    """The small drawing of a lesson of one's own; None where its panel can't be shown."""
    try:
        return drawing_of(lesson)
    except InputError:
        return None


def draw_list(state: Visit) -> None:
    """All lessons, a quiz, and the field for a lesson of one's own."""
    lessons = summaries(state)
    own = {each.key: each for each in (*state.own.values(), state.preview.lesson) if each is not None}
    said = {"language": language(), "phrases": page_words(language(), LIST)}
    with st.container(key="learn-list"):
        if state.problem:
            show_error(state.problem, "This can't be shown.")
        with side_by_side(key="learn-head"):
            lesson_part(
                {
                    "view": "head",
                    "lessons": lessons,
                    "language": language(),
                    "deeper": 1 + [each["key"].partition(".")[0] for each in lessons].index(DEEPER),
                    "phrases": page_words(language(), HEAD),
                },
                key="learn_head",
            )
            draw_form(state)
            every = [{name: each[name] for name in ("key", "title", "minutes")} for each in lessons if not each["own"]]
            draw_classroom(data={"lessons": every}, key="learn_classes", width="content")
        taught = [each for each in lessons if not each["own"]]
        lesson_part({"view": "list", "lessons": taught, **said}, key="learn_lessons")
        with side_by_side(key="learn-others"):
            others = [each | {"drawing": drawing_for(own[each["key"]])} for each in lessons if each["own"]]
            lesson_part({"view": "list", "lessons": others, "others": True, **said}, key="learn_others")
            draw_field(state)


def draw_row(lesson: Lesson, state: Visit) -> None:
    """All lessons in a row above the one that is open."""
    row = {
        "view": "row",
        "lessons": [
            each
            for each in summaries(state)
            if not each["own"] or each["key"] == lesson.key or each["language"] == lesson.language
        ],
        "lesson": lesson.key,
        "language": lesson.language,
        "phrases": page_words(lesson.language, ROW),
    }
    with st.container(key="learn-row"):
        lesson_part(row, key="learn_lessons")


def draw_lesson(lesson: Lesson, state: Visit, quiz: tuple[Asked, ...] = ()) -> None:
    """One card and its panel. quiz: the questions, if the lesson is one."""
    number = min(state.place.card, len(lesson.cards))
    card = lesson.cards[number - 1]
    said = page_words(lesson.language)
    with st.container(key="learn-class"):
        draw_classroom(data={}, key="learn_class")
    draw_row(lesson, state)
    with side_by_side("top", key="learn"):
        left, right = st.container(key="learn-card"), st.container(key="learn-panel")
    question, problem = None, ""
    try:
        question = dict(enumerate(quiz, 1)).get(number) if quiz else question_of(card, state, lesson.language)
    except InputError as error:
        problem = str(error)
    with left:
        panel, task = attempt(lesson, number, card)
        about = {"link": state.place.link, "quiz": lesson.key == QUIZ, "own": lesson in state.own.values(),
                 "tries": own_text(lesson.cards[-1].panel)}  # fmt: skip
        data = {"lesson": words_of(lesson) | about, "card": number, "question": question and question.data(),
                "task": task}  # fmt: skip
        if quiz and state.quiz is not None:
            data |= {"more": state.quiz.query, "seed": state.quiz.seed, "started": state.started}
        lesson_part({"view": "card", **data}, key="learn_card")
        if not quiz:
            with side_by_side("top", key="learn-end"):
                draw_leaving(card.panel, said["open"])
                draw_handout(lesson, state, said["handout"])
                own = "" if lesson_named(lesson.key) is not None else lesson.source
                draw_saving(lambda: lesson_file(lesson.key, own, app_url()), f"{lesson.key} {lesson.source}", said)
            stale = lesson is state.preview.lesson and state.preview.problem
            if lesson_named(lesson.key) is None and not stale:
                draw_claims(lesson)
        elif state.quiz is not None:
            draw_saving(partial(quiz_file, *with_texts(state.quiz), app_url()), repr(state.quiz), said)
    with right:
        try:
            if problem:
                raise InputError(problem)
            if quiz and state.quiz is not None and number > len(quiz):
                draw_result(state.quiz, quiz, state)
            else:
                draw_panel(panel, question, state, language(), opens=panel is card.panel)
        except InputError as error:
            show_error(error, words("Card {0} can't be shown.", number))


def draw_handout(lesson: Lesson, state: Visit, label: str) -> None:
    """The way to a lesson on paper: a link, or for a file that no link can hold, a switch within this session."""
    icon, help = ":material/print:", words("All cards on paper, each with the state of its step")
    link = state.place.link
    if not link and lesson in state.own.values():
        on_paper = state, "paper", True
        st.button(label, key="learn_handout", type="tertiary", icon=icon, help=help, on_click=setattr, args=on_paper)
        return
    place = {"own": link} if link else {"lesson": lesson.key}
    st.link_button(label, f"learn?{urlencode(place)}&print=true", type="tertiary", icon=icon, help=help)


def draw_saving(make: Callable[[], Made], content: str, said: Mapping[str, str]) -> None:
    """The button that saves a lesson or a quiz as a page. content: what it is made of. said: the words of the page."""
    id = sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    page_button(make, content_id=id, key="learn_page", label=said["savePage"], done=said["saved"])


def attempt(lesson: Lesson, number: int, card: Card) -> tuple[Panel, Record | None]:
    """The panel with the text that was typed for the card's task, and the task with its verdict; None without one."""
    task = card.question
    if not isinstance(task, Task):
        return card.panel, None
    id = f"{lesson.key} {number}"
    text = reported_text(id)
    verdict = None
    if text:
        try:
            verdict = judged(card.panel, task.check, text)
        except InputError as error:
            verdict = Judged(False, Say("{0:t}", str(error)))
    said = verdict and {"done": verdict.done, "say": verdict.say._asdict()}
    shown = with_text(card.panel, text) if text else card.panel
    return shown, {"id": id, "ask": task.ask, "answer": task.answer, "text": text, "verdict": said}


def question_of(card: Card, state: Visit, language: str) -> Asked | None:
    """The question of a card, or another of its kind. Raises InputError where its text allows none."""
    question = card.question
    if isinstance(question, QuestionRef) and state.place.seed is not None:
        question = replace(question, seed=state.place.seed)
    return asked_of(card.panel, question, language) if isinstance(question, QuestionRef | Exercise) else None

"""A quiz: several questions about texts of one's choice, answered one after the other, with the result at the end.

It is a lesson whose cards are the questions. Its seed is in the URL, so that a class gets the same questions. The
answers and the name come to the server for the result's file alone, and are stored nowhere. A teacher drops the files
of a class and sees which question was hard.
"""

from __future__ import annotations

from typing import Any, Final

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.tokenizer_exports import Answered
from explorer.answers.learn import quiz_file, quiz_of, quiz_result
from explorer.errors import InputError
from explorer.languages import phrases
from explorer.learning.checks.exercises import Asked
from explorer.learning.class_results import MOST_FILES, QuestionResult, count_answers, right_of, say_results
from explorer.learning.lessons import Lesson
from explorer.learning.lessons.lesson import Card, ExplorePanel
from explorer.learning.questions import KINDS
from explorer.text.say import Say, plain
from explorer.ui.components.every_page import Made
from explorer.ui.frame import show_error, side_by_side
from explorer.ui.language import language, words
from explorer.ui.learn.visit import MOST, MOST_TEXT, QUIZ, Place, Quiz, Visit, lesson_part, lines_of, reported_answers
from explorer.ui.parameters import app_url
from explorer.ui.tokenizers.chooser import offers, spec_of
from explorer.ui.tokenizers.uploads import fresh_uploader
from explorer.views.examples import PRESETS

TEXTS: Final = tuple(each.text for each in PRESETS[:11] if each.text)


def draw_form(state: Visit) -> None:
    """Draws what a quiz needs; its button opens the first question."""
    with st.popover(words("Take a quiz"), icon=":material/quiz:", key="learn-quiz", width="content"):
        with side_by_side("bottom"):
            known = offers()
            model = st.selectbox(words("Tokenizer"), list(known), key="quiz_model", width=220,
                                 format_func=lambda label: known[label].title or label)  # fmt: skip
            count = int(st.number_input(words("Questions"), 1, MOST, 5, key="quiz_count", width=120))
            seed = int(st.number_input(words("Seed"), 0, 999_999_999, 1, key="quiz_seed", width=140,
                                       help=words("The same seed gives everybody the same questions.")))  # fmt: skip
            kinds = st.multiselect(words("About"), list(KINDS), key="quiz_kinds",
                                   placeholder=words("all that the tokenizer allows"),
                                   format_func=lambda kind: words(KINDS[kind].title), width=420)  # fmt: skip
        typed = st.text_area(words("Texts, one a line"), key="quiz_texts", max_chars=MOST_TEXT, height=90,
                             placeholder=words("Empty: the explorer's own examples"))  # fmt: skip
        if st.button(words("Start the quiz"), key="quiz_start", type="primary"):
            start(state, Quiz(count, seed, model, tuple(kinds), lines_of(typed), language()))
            st.rerun()
    with st.popover(words("Results of a class"), icon=":material/groups:", key="learn-class", width="content"):
        draw_class()


def draw_class() -> None:
    """Draws the field for the result files of a class, and what they say question by question."""
    state = st.session_state

    def take(files: list[UploadedFile]) -> None:
        try:
            if len(files) > MOST_FILES:
                raise InputError(f"{len(files)} files are too many at once; drop at most {MOST_FILES}")
            state.class_results = len(files), count_answers((file.name, file.getvalue()) for file in files)
        except InputError as error:
            state.class_results = error

    with st.container(width=720):
        about = words("Up to {0} CSV files of one quiz. They stay in this session.", MOST_FILES)
        fresh_uploader(words("Result files of your students"), "class file", take, type="csv",
                       accept_multiple_files=True, help=about)  # fmt: skip
        taken = state.get("class_results")
        if isinstance(taken, InputError):
            show_error(taken)
        elif taken is not None:
            draw_results(*taken)


def draw_results(students: int, results: list[QuestionResult]) -> None:
    """Draws the hardest question as a sentence, and all of them as a table."""
    rows = [
        {
            "cells": [
                str(each.number),
                each.question,
                wrong_of(each),
                words("{0} of {1}", each.right, each.asked),
            ],
            "isRight": each.right == each.asked,
        }
        for each in results
    ]
    heads = ["", *map(words, ("Question", "Wrong answers", "Right"))]
    say = words(say_results(results, students))
    lesson_part({"view": "result", "say": say, "heads": heads, "rows": rows}, key="class")


def wrong_of(result: QuestionResult) -> str:
    """The wrong answers to a question, each with how many gave it."""
    left_out = [(words("left out"), result.left_out)] if result.left_out else []
    return " · ".join(f"{answer} ({count})" for answer, count in [*result.wrong, *left_out])


def start(state: Visit, quiz: Quiz) -> None:
    """Opens the first question."""
    state.quiz = quiz
    state.started += 1
    state.go(Place(QUIZ))


def asked_in(quiz: Quiz) -> tuple[Asked, ...]:
    """Its questions. Raises InputError if there are none."""
    return quiz_of(spec_of(quiz.model), quiz.texts or TEXTS, quiz.size, quiz.seed, quiz.kinds, quiz.language)


def file_of(quiz: Quiz) -> Made:
    """The quiz as a saved page."""
    spec, texts = spec_of(quiz.model), quiz.texts or TEXTS
    return quiz_file(spec, texts, quiz.size, quiz.seed, quiz.kinds, quiz.language, app_url())


def lesson_of_quiz(quiz: Quiz, questions: tuple[Asked, ...]) -> Lesson:
    """The quiz as a lesson. Its last card is the result."""
    to = phrases(quiz.language)
    implementation = spec_of(quiz.model).implementation
    cards = [
        Card(
            to.plain(Say.of("Question {0}", number)),
            "",
            ExplorePanel(each.text, quiz.model, implementation, each.stage),
        )
        for number, each in enumerate(questions, 1)
    ]
    cards.append(Card(to.words("Result"), "", cards[-1].panel))
    return Lesson(QUIZ, "Quiz", "Quiz", "", 5, quiz.language, tuple(cards), repr(quiz))


def answered(questions: tuple[Asked, ...]) -> list[Answered]:
    """The questions with the answers that the browser has reported."""
    given = reported_answers("learn_card")
    rows = []
    for number, each in enumerate(questions, 1):
        chosen = given[number - 1] if number <= len(given) else None
        taken = None if chosen is None or chosen >= len(each.choices) else shown(each, chosen)
        right = shown(each, each.right)
        rows.append(Answered(number, each.kind, each.seed, each.text, plain(each.prompt), taken, right, taken == right,
                             tuple(shown(each, index) for index in range(len(each.choices)))))  # fmt: skip
    return rows


def shown(question: Asked, index: int) -> str:
    """A choice as one text."""
    say, note, _ = question.choices[index]
    return f"{plain(say)} ({note})" if note else plain(say)


def draw_result(quiz: Quiz, questions: tuple[Asked, ...], state: Visit) -> None:
    """Draws how many were right, each question with its answer, the file, and the way to other questions."""
    rows = answered(questions)
    right = sum(each.correct for each in rows)
    table: list[dict[str, Any]] = [
        {
            "cells": [str(each.number), each.question, each.answer or "–", "✓" if each.correct else each.right_answer],
            "isRight": each.correct,
        }
        for each in rows
    ]
    say = words(right_of(right, len(rows)))
    heads = ["", *map(words, ("Question", "Your answer", "Right"))]
    lesson_part({"view": "result", "say": say, "heads": heads, "rows": table}, key="result")
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

"""A lesson as a saved page, and a quiz, for whoever asks on the page."""

from __future__ import annotations

from explorer.answers.explore import tokenizer
from explorer.answers.learn import ENGINE, OneTokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.learning.languages import ENGLISH
from explorer.learning.lessons import read_lesson
from explorer.learning.lessons.translated import lesson_named
from explorer.saved.lesson import lesson_page, quiz_page
from explorer.saved.page import html


@question
def lesson_file(key: str, source: str, app: str) -> tuple[str, str]:
    """A lesson: the name of the file, and the file. source: of a lesson that the program does not have.

    app: the URL that its links lead to.
    """
    lesson = lesson_named(key) or read_lesson(source, key)._replace(key=key)
    page = lesson_page(lesson, ENGINE)
    return page.file_name, html(page, app)


@question
def quiz_file(
    spec: TokenizerSpec,
    texts: tuple[str, ...],
    count: int,
    seed: int,
    kinds: tuple[str, ...],
    language: str = ENGLISH,
    app: str = "",
) -> tuple[str, str]:
    """A quiz: the name of the file, and the file."""
    page = quiz_page(tokenizer(spec), texts, count, seed, kinds, language=language, engine=OneTokenizer(spec))
    return page.file_name, html(page, app)

"""A lesson as the browser has it."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256
from typing import Any, Final

from explorer.learning.languages import kept_together, phrases
from explorer.learning.lessons.lesson import Lesson, paragraphs
from explorer.learning.lessons.translated import lessons_in

HEAD: Final = (
    "asks", "lessonsBeside", "lessonsDone", "answerRight", "answersRight", "engine", "deeper", "kept", "forget",
    "begin", "continue", "language",
)  # fmt: skip
LIST: Final = ("done", "cardsRead", "openQuestion", "openQuestions", "minutes")
ROW: Final = ("lessons", "all", "done")
"""What the parts of the list say (`ui/components/lesson/list.js`); a card says the rest."""


def page_words(language: str, names: Collection[str]) -> dict[str, str]:
    """Some of the page's words."""
    return {name: text for name, text in phrases(language).page.items() if name in names}


def words_of(lesson: Lesson) -> dict[str, Any]:
    """A lesson with the words of all its cards, so that the next one is drawn at once.

    >>> words_of(lessons_in("en")["bytes"])["next"]
    {'key': 'normalization', 'name': 'Normalize'}
    """
    alike = list(lessons_in(lesson.language).values())
    keys = [each.key for each in alike]
    after = alike[keys.index(lesson.key) + 1 :][:1] if lesson.key in keys else []
    return {
        "key": lesson.key, "title": lesson.title, "language": lesson.language,
        "phrases": page_words(lesson.language, phrases(lesson.language).page.keys() - {*HEAD, *LIST} | {*ROW}),
        "digest": sha256(lesson.source.encode()).hexdigest()[:16],
        "next": {"key": after[0].key, "name": after[0].name} if after else None,
        "cards": [
            {"title": each.title, "words": paragraphs(kept_together(each.words)), "asks": each.question is not None}
            for each in lesson.cards
        ],
    }  # fmt: skip

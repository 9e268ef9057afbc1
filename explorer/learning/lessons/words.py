"""A lesson as the browser has it."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256
from typing import Any, Final

from explorer.languages import kept_together, phrases
from explorer.learning.lessons.lesson import Lesson, paragraphs
from explorer.learning.lessons.translated import lessons_in

PAGE: Final = {
    "next": "Next ▶",
    "back": "◀ Back",
    "nextLesson": "Next lesson",
    "all": "All lessons",
    "check": "Check",
    "show": "Show me",
    "another": "Another question",
    "right": "Right.",
    "wrong": "Not this one.",
    "notYet": "Not yet.",
    "again": "Look at the panel and try again.",
    "hinted": "One more step of the panel is open now: look at it, and try again.",
    "hint": "The panel hides what would give the answer away.",
    "covered": "covered until you answer",
    "pick": "Choose one, then check.",
    "quiz": "Your answer counts when you go on.",
    "score": "{0} of {1} right first time",
    "open": "Open in {0}",
    "handout": "Handout",
    "savePage": "Save as a page",
    "saved": "Saved",
    "lessons": "Lessons",
    "language": "Language",
    "asks": "How does text become tokens?",
    "lessonsBeside": "{0} lessons that run the real engine.",
    "lessonsDone": "{0} of {1} lessons done.",
    "answerRight": "{0} of {1} answer right the first time.",
    "answersRight": "{0} of {1} answers right the first time.",
    "engine": "Each card sets the text, the tokenizer and the step beside it, and the engine grades your answers.",
    "deeper": "Lessons from {0} on go deeper.",
    "kept": "Progress stays in this browser.",
    "forget": "Forget my progress",
    "begin": "Begin",
    "continue": "Continue: {0}, card {1}",
    "done": "done",
    "cardsRead": "{0} of {1} cards",
    "openQuestion": "the question on card {0} is open",
    "openQuestions": "questions on cards {0} and {1} are open",
    "minutes": "{0} min",
    "question": "Question",
    "choices": "Choices",
    "task": "Task",
    "fold": "Fold the card",
    "follows": "{0} occurs {1} times, followed by",
    "share": "{0} of {1}",
    "tokens": "{0} tokens",
}
"""What the page says, by the names its components know."""
HEAD: Final = (
    "asks", "lessonsBeside", "lessonsDone", "answerRight", "answersRight", "engine", "deeper", "kept", "forget",
    "begin", "continue", "language",
)  # fmt: skip
LIST: Final = ("done", "cardsRead", "openQuestion", "openQuestions", "minutes")
ROW: Final = ("lessons", "all", "done")
"""What the parts of the list say (`ui/components/lesson/list.js`); a card says the rest."""


def page_words(language: str, names: Collection[str] = PAGE) -> dict[str, str]:
    """Some of the page's words."""
    to = phrases(language)
    return {name: to.words(PAGE[name], "page") for name in names}


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
        "phrases": page_words(lesson.language, PAGE.keys() - {*HEAD, *LIST} | {*ROW}),
        "digest": sha256(lesson.source.encode()).hexdigest()[:16],
        "next": {"key": after[0].key, "name": after[0].name} if after else None,
        "cards": [
            {"title": each.title, "words": paragraphs(kept_together(each.words)), "asks": each.question is not None}
            for each in lesson.cards
        ],
    }  # fmt: skip

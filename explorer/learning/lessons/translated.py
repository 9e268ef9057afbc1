"""A lesson in a language: the same cards and panels with the words of a catalog, and what the browser has of it.

A lesson in another language has the key of the English one with the language after it: `bpe.de`. A file of that name is
a lesson of its own, with texts of its own, and takes the place of the translation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Final

from msgspec.structs import replace

from explorer.languages import ENGLISH, Phrases, kept_together, known_language, languages, phrases
from explorer.learning.lessons.lesson import Card, Exercise, Lesson, Task, paragraphs
from explorer.learning.lessons.reading import library


def lessons_in(language: str) -> Mapping[str, Lesson]:
    """The lessons in a language by key, in order; the English one where there is none.

    >>> [key for key in lessons_in("de")][:3], lessons_in("xx") == lessons_in("en")
    (['token.de', 'train-bpe.de', 'bpe.de'], True)
    """
    return all_in(known_language(language))


@cache
def all_in(language: str) -> Mapping[str, Lesson]:
    """The same for a language that has a table."""
    to, found = phrases(language), {}
    for key, lesson in library().items():
        if lesson.language == ENGLISH:
            own = library().get(f"{key}.{language}")
            shown = own or (translated(lesson, to) if lesson.title in to.forms else lesson)
            found[shown.key] = shown
    return found


def lesson_named(key: str) -> Lesson | None:
    """A lesson by its key, also one that is translated; None if there is none."""
    _, _, language = key.partition(".")
    return library().get(key) or (all_in(language).get(key) if language in languages() else None)


def translated(lesson: Lesson, to: Phrases) -> Lesson:
    """A lesson with its words in another language. Its claims, its answers and its panels stay."""
    title, name, about = (to.words(each) for each in (lesson.title, lesson.name, lesson.about))
    cards = tuple(card_in(card, to) for card in lesson.cards)
    return lesson._replace(
        key=f"{lesson.key}.{to.language}", title=title, name=name, about=about, language=to.language, cards=cards
    )


def card_in(card: Card, to: Phrases) -> Card:
    """One card."""
    asked = card.question
    if isinstance(asked, Task):
        asked = replace(asked, ask=to.words(asked.ask))
    elif isinstance(asked, Exercise):
        reasons = {answer: to.words(why) for answer, why in asked.wrong.items()}
        asked = replace(asked, ask=to.words(asked.ask), because=to.words(asked.because), wrong=reasons)
    words = "\n\n".join(to.words(each) for each in paragraphs_of(card.words))
    return replace(card, title=to.words(card.title), words=words, question=asked)


def paragraphs_of(words: str) -> list[str]:
    """The paragraphs of a card, each in one line: so a table has them.

    >>> paragraphs_of("One,\\ntwo.\\n\\nThree.")
    ['One, two.', 'Three.']
    """
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n", words.strip())]


def sentences_of(lesson: Lesson) -> Iterator[str]:
    """All that a lesson says, as a table has it."""
    yield from (lesson.title, lesson.name, lesson.about)
    for card in lesson.cards:
        yield card.title
        yield from paragraphs_of(card.words)
        match card.question:
            case Task(ask):
                yield ask
            case Exercise(ask, _, wrong, because):
                yield from (ask, *wrong.values(), because)


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

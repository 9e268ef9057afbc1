"""The lessons of the program in other languages: the same cards and panels, with the words of a language's table.

A lesson in another language has the key of the English one with the language after it: `bpe.de`. A file of that name is
a lesson of its own, with texts of its own, and takes the place of the translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from explorer.languages import ENGLISH, Phrases, known_language, languages, phrases
from explorer.learning.lessons.lesson import Card, Exercise, Lesson, Task
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
        asked = asked._replace(ask=to.words(asked.ask))
    elif isinstance(asked, Exercise):
        reasons = {answer: to.words(why) for answer, why in asked.wrong.items()}
        asked = asked._replace(ask=to.words(asked.ask), because=to.words(asked.because), wrong=reasons)
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

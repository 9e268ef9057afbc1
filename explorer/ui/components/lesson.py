"""Lessons in the browser: the list or row of all, and the card of one with its question (`lesson/`).

The browser owns where a reader is: it writes the URL, keeps the progress in localStorage, and reports the place, which
is checked here, because anything may arrive at the socket. Progress and answers never reach the server, except the
answers of a quiz while its result is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeGuard

import streamlit as st

from explorer.text.input import whole_characters
from explorer.ui.components.assets import mounted
from explorer.views.components import LESSON

_mount = mounted("explorer_lesson", LESSON)

MOST_ANSWERS: Final = 50
MOST_TYPED: Final = 200
"""Code points of a text for a task."""
QUIZ_PARAMETERS: Final = ("quiz", "m", "kinds", "texts", "lang")


class Place(NamedTuple):
    """Where a reader is. lesson: its key, empty for the list. card: from 1. seed: of another question than the card's.

    link: a lesson in the URL itself. quiz: the parameters of a quiz in the URL, but for its seed. stage: the one in the
    URL, in place of the card's. language: of the list; empty for English. paper: whether the lesson is on paper.
    """

    lesson: str = ""
    card: int = 1
    seed: int | None = None
    link: str = ""
    quiz: tuple[tuple[str, str], ...] = ()
    stage: str = ""
    language: str = ""
    paper: bool = False


def lesson_part(data: Mapping[str, Any], *, key: str) -> None:
    """Draws a part of the page. data: `view` names it, such as "list" or "card"; see `lesson/lesson.js`.

    >>> lesson_part({"view": "list", "lessons": []}, key="lessons")   # doctest: +SKIP
    """
    _mount(key=key, data=dict(data), on_place_change=lambda: None, on_answers_change=lambda: None,
           on_typed_change=lambda: None)  # fmt: skip


def reported_place(key: str) -> tuple[Place, object] | None:
    """Where the browser went last, and a mark that differs each time; None before it went anywhere."""
    reported = (st.session_state.get(key) or {}).get("place")
    place = read_place(reported)
    return None if place is None or reported is None else (place, reported.get("clock"))


def read_place(reported: Any) -> Place | None:
    """The place in what the browser reports, which may be anything.

    >>> read_place({"lesson": "bytes", "card": 2})
    Place(lesson='bytes', card=2, seed=None, link='', quiz=(), stage='', language='', paper=False)
    >>> read_place({"lesson": "quiz", "card": "2", "quiz": {"m": "gpt-2", "quiz": 5}}), read_place([])
    (Place(lesson='quiz', card=1, seed=None, link='', quiz=(('m', 'gpt-2'),), stage='', language='', paper=False), None)
    """
    if not isinstance(reported, dict):
        return None
    lesson, card, seed, link, quiz, stage, language = (
        reported.get(name) for name in ("lesson", "card", "seed", "link", "quiz", "stage", "lang")
    )
    asked = quiz if isinstance(quiz, dict) else {}
    return Place(
        lesson[:80] if isinstance(lesson, str) else "",
        card if is_number(card, 1) else 1,
        seed if is_number(seed, 0) else None,
        link[:10_000] if isinstance(link, str) else "",
        tuple((name, asked[name][:2_000]) for name in QUIZ_PARAMETERS if isinstance(asked.get(name), str)),
        stage[:40] if isinstance(stage, str) else "",
        language[:20] if isinstance(language, str) else "",
        reported.get("paper") is True,
    )


def reported_text(key: str, task: str) -> str:
    """The text that was typed for a task; empty if none was, or one for another task. task: its id."""
    return read_typed((st.session_state.get(key) or {}).get("typed"), task)


def read_typed(reported: Any, task: str) -> str:
    """The text in what the browser reports, which may be anything.

    >>> read_typed({"id": "bytes 7", "text": "a"}, "bytes 7"), read_typed({"id": "bytes 7"}, "bytes 7")
    ('a', '')
    """
    if not isinstance(reported, dict) or reported.get("id") != task:
        return ""
    text = reported.get("text")
    return whole_characters(text[:MOST_TYPED]) if isinstance(text, str) else ""


def reported_answers(key: str) -> tuple[int | None, ...]:
    """The choices taken in a quiz, None where a question was left out."""
    return read_answers((st.session_state.get(key) or {}).get("answers"))


def read_answers(reported: Any) -> tuple[int | None, ...]:
    """The answers in what the browser reports, which may be anything.

    >>> read_answers([0, None, 2, "x", True]), read_answers("0")
    ((0, None, 2, None, None), ())
    """
    every = reported if isinstance(reported, list) else []
    return tuple(each if is_number(each, 0) else None for each in every[:MOST_ANSWERS])


def is_number(given: object, least: int) -> TypeGuard[int]:
    """Whether something is a whole number that a card or a seed can be."""
    return isinstance(given, int) and not isinstance(given, bool) and least <= given < 1 << 53

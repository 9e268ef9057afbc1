"""Where a reader is on the Learn page: the lesson and the card, from the URL at first, later from the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, NamedTuple

import streamlit as st

from explorer.errors import InputError
from explorer.learning.languages import ENGLISH, known_language
from explorer.learning.lessons import Lesson, read_lesson
from explorer.learning.lessons.reading import source_of
from explorer.learning.lessons.translated import lesson_named
from explorer.learning.questions import KINDS
from explorer.ui.components.lesson import Place, read_place, reported_place
from explorer.ui.components.tokens import StageChoice
from explorer.ui.learn.preview import PREVIEW, Preview, preview_path
from explorer.ui.tokenizers.chooser import offers
from explorer.ui.widget_values import linked_choices

PARTS = ("learn_head", "learn_lessons", "learn_others", "learn_card")
"""The keys of the components that report a place."""
OWN = "own"
"""The key of a lesson that a link or a file brought."""
QUIZ = "quiz"


@dataclass
class Visit:
    """A session's place on the page.

    arrival: another number for each card that was opened. marks: the last report of each component. own: lessons that
    were dropped or linked, by their link, or else their key. quiz: what the open one asks. started: quizzes that were
    started here. paper: whether the lesson is shown for print. preview: the lesson of a file on this machine. problem:
    why something can't be shown. seen_stage, seen_search: what was chosen by hand before the card was opened.
    """

    place: Place = field(default_factory=Place)
    arrival: int = 0
    marks: dict[str, object] = field(default_factory=dict)
    own: dict[str, Lesson] = field(default_factory=dict)
    problem: str = ""
    quiz: Quiz | None = None
    started: int = 0
    paper: bool = False
    preview: Preview = field(default_factory=Preview)
    seen_stage: StageChoice | None = None
    seen_search: object = None

    def go(self, place: Place) -> None:
        """Opens a card."""
        self.place = place
        self.arrival += 1
        self.seen_stage = self.seen_search = None
        self.problem, self.paper = "", place.paper

    @property
    def language(self) -> str:
        """The language of the list."""
        return known_language(self.place.language)

    def follow_quiz(self) -> None:
        """Takes the quiz of a place that the browser has reported: of a link, or by Back and Forward."""
        if self.place.lesson == QUIZ:
            seed = {} if self.place.seed is None else {"seed": str(self.place.seed)}
            self.quiz = quiz_of_link({**dict(self.place.quiz), **seed})


def visit() -> Visit:
    """This session's place, after what the browser has reported."""
    state: Visit = st.session_state.setdefault("learn visit", Visit())
    choices = linked_choices()
    left, choices.page = choices.page, "learn"
    if left != "learn":
        state.marks = {key: found[1] for key in PARTS if (found := reported_place(key))}
        state.go(place_in_url())
        state.follow_quiz()
        follow_file(state)
        return state
    for key in PARTS:
        found = reported_place(key)
        if found is not None and state.marks.get(key) != found[1]:
            state.marks[key] = found[1]
            state.go(found[0])
            state.follow_quiz()
    follow_file(state)
    return state


def follow_file(state: Visit) -> None:
    """Reads the file on this machine, if it has changed. A card whose panel is another one now is opened again."""
    path = preview_path()
    if path is None:
        return
    before = state.preview.lesson
    state.preview.follow(path)
    now = state.preview.lesson
    if state.place.lesson == PREVIEW and before is not None and now is not None and before is not now:
        panels = [lesson.cards[state.place.card - 1 :][:1] for lesson in (before, now)]
        if [card.panel for card in panels[0]] != [card.panel for card in panels[1]]:
            state.go(state.place)


def place_in_url() -> Place:
    """The place that a link names."""
    given = st.query_params
    number = {
        name: int(text) for name in ("card", "seed") if (text := given.get(name, "")).isdecimal() and len(text) < 16
    }
    lesson = QUIZ if "quiz" in given else OWN if "own" in given else given.get("lesson", "")
    quiz = given.to_dict() if lesson == QUIZ else {}
    return (
        read_place(
            {
                "lesson": lesson,
                "link": given.get("own", ""),
                "quiz": quiz,
                "stage": given.get("stage", ""),
                "lang": given.get("lang", ""),
                "paper": given.get("print") == "true",
                **number,
            }
        )
        or Place()
    )


def own_lesson(data: bytes | str, name: str) -> Lesson:
    """A lesson that isn't the program's. Its key never equals one of those. Raises InputError."""
    lesson = read_lesson(data, name)
    return lesson._replace(key=f"{OWN}-{sha256(lesson.source.encode()).hexdigest()[:12]}")


def lesson_of(state: Visit) -> Lesson | None:
    """The lesson at the place, None for the list. A lesson that can't be found or read leaves a problem."""
    key, link = state.place.lesson, state.place.link
    known = {each.key: each for each in state.own.values()}
    if state.preview.lesson is not None:
        known[PREVIEW] = state.preview.lesson
    try:
        if link:
            if link not in state.own:
                state.own[link] = own_lesson(source_of(link), f"{OWN}.toml")
            return state.own[link]
        if not key or key == QUIZ:
            return None
        if key == PREVIEW and state.preview.problem:
            return state.preview.lesson  # the last version that could be read
        found = known.get(key) or lesson_named(key)
        if found is not None:
            return found
        raise InputError(f"there is no lesson {key[:40]!r} here; choose one of the list, or drop its file")
    except InputError as error:
        state.problem = str(error)
        return None


MOST: Final = 30
MOST_TEXT: Final = 1_000
"""Characters of all texts of a quiz, so that they fit into its link."""


class Quiz(NamedTuple):
    """What a quiz asks. kinds: none are all. texts: none are the usual ones. language: of its questions."""

    size: int = 5
    seed: int = 1
    model: str = "llama-2"
    kinds: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    language: str = ENGLISH

    @property
    def query(self) -> dict[str, str]:
        """Its parameters in the URL, but for the seed."""
        query = {"quiz": str(self.size), "m": self.model}
        query |= {"kinds": ",".join(self.kinds)} if self.kinds else {}
        query |= {"lang": self.language} if self.language != ENGLISH else {}
        return query | ({"texts": "\n".join(self.texts)} if self.texts else {})


def quiz_of_link(given: Mapping[str, str]) -> Quiz:
    """The quiz that the parameters of a link ask for; what it can't have is the usual.

    >>> quiz_of_link({"quiz": "3", "seed": "7", "m": "gpt-2", "kinds": "how-many,x"})
    Quiz(size=3, seed=7, model='gpt-2', kinds=('how-many',), texts=(), language='en')
    """
    usual = Quiz()
    count, seed, model = given.get("quiz", ""), given.get("seed", ""), given.get("m", "")
    return Quiz(
        min(MOST, max(1, int(count))) if count.isdecimal() and len(count) < 4 else usual.size,
        int(seed) if seed.isdecimal() and len(seed) < 10 else usual.seed,
        model if model in offers() else usual.model,
        tuple(each for each in given.get("kinds", "").split(",") if each in KINDS),
        lines_of(given.get("texts", "")[:MOST_TEXT]),
        known_language(given.get("lang", "")),
    )


def lines_of(typed: str) -> tuple[str, ...]:
    """The texts in a field, one a line."""
    return tuple(dict.fromkeys(line for line in typed.split("\n") if line.strip()))

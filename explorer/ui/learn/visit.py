"""Where a reader is on the Learn page: the lesson and the card, from the URL at first, later from the browser.

The browser owns the place: it writes the URL, keeps the progress in localStorage, and reports the place, which is
checked here, because anything may arrive at the socket. Progress and answers never reach the server, except the
answers of a quiz while its result is written.

An author follows the lesson in a file on this machine: `python -m explorer app --lesson FILE`. Only a server that
nobody else reaches shows one: what an author has on disk is not for visitors. The file is looked at once a second; a
new version keeps the card, and the step unless the card has another one now.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from explorer.answers.offers import short_name
from explorer.errors import InputError
from explorer.languages import ENGLISH, known_language
from explorer.learning.checks.claims import without_name
from explorer.learning.lessons import Lesson, read_lesson
from explorer.learning.lessons.lines import line_of
from explorer.learning.lessons.reading import lesson_named, read_file, source_of, text_of
from explorer.learning.questions import KINDS, Quiz
from explorer.opening.sources import LOCAL
from explorer.text.input import whole_characters
from explorer.ui.components.every_page import list_in, number_in, register, reported, table_in, text_in, whole
from explorer.ui.components.tokens import StageChoice
from explorer.ui.frame import fragment, kept
from explorer.ui.language import language
from explorer.ui.parameters import context
from explorer.ui.tokenizers.chooser import offers
from explorer.ui.tokenizers.server import app_arguments

PREVIEW = "file"
"""The key of the lesson, in its address."""
EVERY = 1.0
"""Seconds between two looks at the file."""


class Stamp(NamedTuple):
    """What tells one version of a file from another."""

    changed: int
    size: int


@dataclass
class Preview:
    """A session's preview. stamp: of the version read last. lesson: the last one that could be read. problem: what is
    wrong with the version read last, with its line.
    """

    stamp: Stamp | None = None
    lesson: Lesson | None = None
    problem: str = ""

    def follow(self, path: Path) -> None:
        """Reads the file if it has changed."""
        now = stamp_of(path)
        if now == self.stamp and now is not None:
            return
        self.stamp, name = now, short_name(path.name)
        try:
            data = read_file(path, name)
            self.lesson, self.problem = read_lesson(data, name)._replace(key=PREVIEW), ""
        except InputError as error:
            self.problem = with_line(error, path, name)


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None for one that isn't there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stamp(found.st_mtime_ns, found.st_size)


def with_line(error: InputError, path: Path, name: str) -> str:
    """A message with the line that it is about, if the file can be read at all."""
    try:
        source = text_of(read_file(path, name), name)
    except InputError:
        return str(error)
    said = without_name(error, name)
    return f"{name}, line {line_of(source, said)}: {said}"


def preview_path() -> Path | None:
    """The file to follow; None without one, and on a server that others reach."""
    given = app_arguments().lesson
    return Path(given) if given and st.get_option("server.address") in LOCAL else None


@partial(fragment, seconds=EVERY)
def watch(path: Path, drawn: Stamp | None) -> None:
    """Draws the page again once the file is another than the version drawn."""
    if stamp_of(path) != drawn:
        st.rerun()


_draw_part = register("lesson")
draw_classroom = register("classroom")

MOST_ANSWERS = 50
MOST_TYPED = 200
"""Code points of a text for a task."""
QUIZ_PARAMETERS = ("quiz", "m", "kinds", "texts", "lang")


class Place(NamedTuple):
    """Where a reader is. lesson: its key, empty for the list. card: from 1. seed: of another question than the card's.

    link: a lesson in the URL itself. quiz: the parameters of a quiz in the URL, but for its seed. stage: the one in the
    URL, in place of the card's. paper: whether the lesson is on paper.
    """

    lesson: str = ""
    card: int = 1
    seed: int | None = None
    link: str = ""
    quiz: tuple[tuple[str, str], ...] = ()
    stage: str = ""
    paper: bool = False


def lesson_part(data: Mapping[str, Any], *, key: str) -> None:
    """Draws a part of the page. data: `view` names it, such as "list" or "card"; see `lesson/lesson.js`.

    >>> lesson_part({"view": "list", "lessons": []}, key="lessons")   # doctest: +SKIP
    """
    _draw_part(key=key, data=dict(data))


def reported_place(key: str) -> tuple[Place, object] | None:
    """Where the browser went last, and a mark that differs each time; None before it went anywhere."""
    given = reported(key, "place")
    place = read_place(given)
    return None if place is None else (place, given.get("clock"))


def read_place(given: object) -> Place | None:
    """The place in what the browser reports, which may be anything.

    >>> read_place({"lesson": "bytes", "card": 2})
    Place(lesson='bytes', card=2, seed=None, link='', quiz=(), stage='', paper=False)
    >>> read_place({"lesson": "quiz", "card": "2", "quiz": {"m": "gpt-2", "quiz": 5}}), read_place([])
    (Place(lesson='quiz', card=1, seed=None, link='', quiz=(('m', 'gpt-2'),), stage='', paper=False), None)
    """
    if not isinstance(given, dict):
        return None
    quiz = table_in(given.get("quiz"))
    return Place(
        text_in(given.get("lesson"), 80),
        number_in(given.get("card"), 1) or 1,
        number_in(given.get("seed"), most=1 << 53),
        text_in(given.get("link"), 10_000),
        tuple((name, quiz[name][:2_000]) for name in QUIZ_PARAMETERS if isinstance(quiz.get(name), str)),
        text_in(given.get("stage"), 40),
        given.get("paper") is True,
    )


def reported_text(task: str) -> str:
    """The text that was typed for a task; empty if none was, or one for another task. task: its id."""
    given = table_in(reported("learn_card", "typed"))
    return whole_characters(text_in(given.get("text"), MOST_TYPED)) if given.get("id") == task else ""


def reported_answers() -> tuple[int | None, ...]:
    """The choices taken in a quiz, None where a question was left out."""
    return tuple(map(number_in, list_in(reported("learn_card", "answers"))[:MOST_ANSWERS]))


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

    def follow_quiz(self) -> None:
        """Takes the quiz of a place that the browser has reported: of a link, or by Back and Forward."""
        if self.place.lesson == QUIZ:
            seed = {} if self.place.seed is None else {"seed": str(self.place.seed)}
            self.quiz = quiz_of_link({**dict(self.place.quiz), **seed})


def visit() -> Visit:
    """This session's place, after what the browser has reported."""
    state, choices = kept(Visit), context()
    left, choices.page = choices.page, "learn"
    reports = {key: report for key in PARTS if (report := reported_place(key))}
    places = [place for key, (place, mark) in reports.items() if state.marks.get(key) != mark]
    state.marks |= {key: mark for key, (_, mark) in reports.items()}
    for place in places if left == "learn" else [place_in_url()]:
        state.go(place)
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
    lesson = QUIZ if "quiz" in given else OWN if "own" in given else given.get("lesson", "")
    numbers = {name: whole(given.get(name, ""), 15) for name in ("card", "seed")}
    place = {
        **given.to_dict(),
        **numbers,
        "lesson": lesson,
        "link": given.get("own"),
        "paper": given.get("print") == "true",
    }
    return read_place(place | {"quiz": given.to_dict() if lesson == QUIZ else {}}) or Place()


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
        # of the program's lessons the one in the visitor's language
        said = key.partition(".")[0] + ("" if language() == ENGLISH else f".{language()}")
        found = known.get(key) or lesson_named(said) or lesson_named(key)
        if found is not None:
            return found
        raise InputError(f"there is no lesson {key[:40]!r} here; choose one of the list, or drop its file")
    except InputError as error:
        state.problem = str(error)
        return None


MOST = 30
MOST_TEXT = 1_000
"""Characters of all texts of a quiz, so that they fit into its link."""


def quiz_of_link(given: Mapping[str, str]) -> Quiz:
    """The quiz that the parameters of a link ask for; what it can't have is the usual.

    >>> quiz_of_link({"quiz": "3", "seed": "7", "m": "gpt-2", "kinds": "how-many,x"})
    Quiz(size=3, seed=7, model='gpt-2', kinds=('how-many',), texts=(), language='en')
    """
    usual = Quiz()
    count, seed, model = whole(given.get("quiz", "")), whole(given.get("seed", "")), given.get("m", "")
    return Quiz(
        usual.size if count is None else min(MOST, max(1, count)),
        usual.seed if seed is None else seed,
        model if model in offers() else usual.model,
        tuple(each for each in given.get("kinds", "").split(",") if each in KINDS),
        lines_of(given.get("texts", "")[:MOST_TEXT]),
        known_language(given.get("lang", "")),
    )


def lines_of(typed: str) -> tuple[str, ...]:
    """The texts in a field, one a line."""
    return tuple(dict.fromkeys(line for line in typed.split("\n") if line.strip()))

"""The Learn page's questions: what a card asks, at which steps, what its panel shows, and whether its claims hold.

`learning.checks` answers them; here are the caches of the pages, the small drawing of each lesson in the list, and
lessons and quizzes as saved pages. The drawings of the program's own lessons are kept in a file
(`learning.lessons.drawings`), because making them opens most bundled vocabularies: `python -m tests.drawings` writes
it, and a test compares it with what is made here.
"""

from typing import NamedTuple

from explorer.analysis.tokenizer_exports import Answered, quiz_export
from explorer.analysis.vocabulary.index import By, Query
from explorer.answers.compare import CompareRequest
from explorer.answers.explore import Request, tokenizer, trace_of
from explorer.answers.offers import TokenizerSpec, bundled
from explorer.answers.questions import question
from explorer.answers.train import trained
from explorer.answers.vocabulary import vocabulary_view
from explorer.engine.part import Options
from explorer.engine.tokenizer import Trace
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH
from explorer.learning.checks import cards, claims
from explorer.learning.checks.cards import Asked, Followers, Handout, Judged, PromptRows, train_request
from explorer.learning.checks.claims import Fault
from explorer.learning.lessons import read_lesson
from explorer.learning.lessons.reading import (
    ComparePanel,
    Exercise,
    ExplorePanel,
    Lesson,
    NextPanel,
    Panel,
    PromptPanel,
    QuestionRef,
    SamplePanel,
    TrainPanel,
    VocabularyPanel,
    lesson_named,
)
from explorer.learning.questions import Quiz
from explorer.saved.lesson import lesson_page, quiz_page
from explorer.script.script import pack
from explorer.stages.stage import Drawing
from explorer.training.trainers import Trained
from explorer.views.lesson_drawings import list_drawing, prompt_drawing, rows_drawing, stage_drawing, training_drawing


class CachedEngine(NamedTuple):
    """The engine with the caches of the pages. only: the tokenizer of a quiz, also a visitor's, in place of any other
    whatever its name.
    """

    only: TokenizerSpec | None = None

    def open(self, name: str, implementation: str) -> Opened:
        """A bundled tokenizer."""
        return tokenizer(self.only or spec_of(name, implementation))

    def trace(self, panel: ExplorePanel) -> Trace:
        """The trace of a panel's text."""
        spec = self.only or spec_of(panel.tokenizer, panel.implementation)
        return trace_of(Request(spec, panel.text, Options(panel.special)))

    def train(self, panel: TrainPanel) -> Trained:
        """The training of a panel."""
        return trained(train_request(panel))


ENGINE = CachedEngine()
ON_PAPER = 20
"""Rows of a search in a vocabulary that are printed."""


def spec_of(label: str, implementation: str = "") -> TokenizerSpec:
    """A bundled tokenizer by its name. implementation: the default one if empty."""
    return bundled()[label].spec(implementation)


@question
def asked_of(panel: Panel, wanted: QuestionRef | Exercise, language: str = ENGLISH) -> Asked | None:
    """The question of a card. Raises InputError where its text allows none."""
    if isinstance(wanted, Exercise):
        return cards.exercise_of(ENGINE, panel, wanted, language)
    return cards.engine_question(ENGINE, panel, wanted, language) if isinstance(panel, ExplorePanel) else None


@question
def quiz_of(spec: TokenizerSpec, quiz: Quiz) -> tuple[Asked, ...]:
    """The questions of a quiz; fewer where the texts allow no more. Raises InputError if there are none."""
    return cards.quiz_of(CachedEngine(spec), tokenizer(spec), quiz)


@question
def quiz_result(spec: TokenizerSpec, seed: int, rows: tuple[Answered, ...], name: str) -> tuple[str, str]:
    """What was answered as a file, and its name. seed: of the quiz. name: of who answered."""
    export = quiz_export(tokenizer(spec), seed, rows, name)
    return export.csv(), export.file_names["csv"]


@question
def judged(panel: Panel, check: str, text: str) -> Judged:
    """A text that was typed for a task, judged. Raises InputError for an unknown check."""
    return cards.judged(ENGINE, panel, check, text)


@question
def faults_of(source: str, name: str) -> tuple[Fault, ...]:
    """All that is wrong with the file of a lesson."""
    return tuple(claims.faults_of(ENGINE, source, name))


@question
def handout_of(panel: Panel, language: str = ENGLISH) -> Handout:
    """What a printed card shows of its panel. Raises InputError for a stage or step that isn't there."""
    shown = cards.handout_of(ENGINE, panel, language)
    if not isinstance(panel, VocabularyPanel):
        return shown
    spec = spec_of(panel.tokenizer, panel.implementation)
    found = vocabulary_view(spec, Query(panel.search, By(panel.by)), False, ON_PAPER)
    return shown._replace(rows=tuple((str(row[0]), str(row[1])) for row in found.rows))


@question
def draw_in(panel: SamplePanel, language: str) -> bytes:
    """The packed script of one draw. Raises InputError for a draw that can't be made."""
    return pack(cards.played(ENGINE, panel), language)


@question
def prompt_rows(panel: PromptPanel) -> PromptRows:
    """The rows of a prompt: one for each message, and what asks for an answer. Raises InputError."""
    return cards.prompt_rows(ENGINE, panel)


@question
def followers(panel: NextPanel) -> Followers:
    """What follows a token in a text. Raises InputError where it is no single token.

    >>> followers(NextPanel("It is the cat, the dog, the cat", "gpt-2", "huggingface", " the")).rows
    ((3797, '·cat', 2), (3290, '·dog', 1))
    """
    return cards.followers(ENGINE, panel)


def compare_request(panel: ComparePanel) -> CompareRequest:
    """A comparison as the Compare page asks for it."""
    specs = {label: spec_of(label) for label in panel.tokenizers}
    return CompareRequest(specs, panel.text, Options(False), panel.text, False, panel.tokenizers[0])


def drawing_of(lesson: Lesson) -> Drawing:
    """The drawing of a lesson. Raises InputError where its panel can't be shown."""
    return panel_drawing(lesson.cards[min(lesson.drawn, len(lesson.cards)) - 1].panel)


@question
def panel_drawing(panel: Panel) -> Drawing:
    """The drawing of a panel. Raises InputError."""
    if isinstance(panel, ExplorePanel):
        return stage_drawing(ENGINE.trace(panel), panel.stage)
    if isinstance(panel, TrainPanel):
        return training_drawing(ENGINE.train(panel).training)
    if isinstance(panel, NextPanel):
        return list_drawing((text, id) for id, text, _ in followers(panel).rows)
    if isinstance(panel, PromptPanel):
        prompts = prompt_rows(panel)
        if prompts.counts == "prompts":
            return list_drawing((servers, len(cells)) for servers, cells in prompts.rows)
        return prompt_drawing(cell for _, row in prompts.rows for cell in row)
    if isinstance(panel, SamplePanel):
        spelling = cards.spelling_of(cards.opened(ENGINE, panel))
        return list_drawing((spelling(id), id) for id in cards.drawn_ids(ENGINE, panel))
    if isinstance(panel, ComparePanel):
        plain = Options(False)
        return rows_drawing(trace_of(Request(spec_of(label), panel.text, plain)) for label in panel.tokenizers)
    spec = spec_of(panel.tokenizer, panel.implementation)
    found = vocabulary_view(spec, Query(panel.search, By(panel.by)), False, 20)
    return list_drawing((str(row[1]), int(str(row[0]))) for row in found.rows)


@question
def lesson_file(key: str, source: str, app: str) -> tuple[str, str]:
    """A lesson: the name of the file, and the file. source: of a lesson that the program does not have.

    app: the URL that its links lead to.
    """
    lesson = lesson_named(key) or read_lesson(source, key)._replace(key=key)
    return lesson_page(lesson, ENGINE).file(app)


@question
def quiz_file(spec: TokenizerSpec, quiz: Quiz, app: str) -> tuple[str, str]:
    """A quiz: the name of the file, and the file."""
    return quiz_page(tokenizer(spec), quiz, CachedEngine(spec)).file(app)

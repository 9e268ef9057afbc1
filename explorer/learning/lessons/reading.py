"""Reads a lesson from TOML and checks it against the schema. docs/LESSONS.md describes the keys.

What a card leaves out comes from the lesson's `[panel]`. Only names are checked here (tokenizers, kinds of questions,
levels); whether a stage has a step, and whether claims hold, needs the engine (`explorer.learning.checks`).
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from explorer.analysis.sampling import LARGEST_ALPHA
from explorer.engine.cpp_library import LARGEST_SEED
from explorer.engine.sampling.dropout import DropoutRule
from explorer.errors import FORMER, InputError, nearest, no_longer_offered
from explorer.formats import strict_toml
from explorer.formats.files import regular_size
from explorer.learning.lessons.lesson import (
    Card,
    ComparePanel,
    Exercise,
    ExplorePanel,
    Lesson,
    NextPanel,
    Panel,
    PromptPanel,
    QuestionRef,
    SamplePanel,
    Task,
    TrainPanel,
    VocabularyPanel,
)
from explorer.learning.questions import KINDS
from explorer.opening.catalog import catalog
from explorer.prompts.templates import MARK, own_templates
from explorer.training.trainers import TRAINERS
from explorer.training.words import CUTTINGS

MOST_BYTES: Final = 60_000
MOST_CARDS: Final = 40
MOST_WORDS: Final = 60
MOST_TEXT: Final = 2_000
MOST_WRONG: Final = 5
MOST_STEP: Final = 1_000_000
MOST_ROWS: Final = 8
LEVELS: Final = ("story", "algorithm", "implementation")
SEARCHES: Final = ("text", "regex", "bytes", "ids")
STAGES: Final = (
    "utf8", "partition", "normalize", "partition-normalized", "pre-tokenize", "model", "post-process", "decode",
)  # fmt: skip
PANEL_KEYS: Final = frozenset({"text", "tokenizer", "implementation", "stage", "level", "special"})
"""What the lesson's `[panel]` may hold."""
ASKS: Final = re.compile(r"(token|cut) \d{1,4}")


def read_lesson(data: bytes | str, name: str) -> Lesson:
    """The lesson in a TOML file. name: of the file, which without its ending is the lesson's key. Raises InputError.

    >>> read_lesson("title = 3", "bpe.toml")
    Traceback (most recent call last):
    explorer.errors.InputError: bpe.toml, title: not a text; put it in quotes
    """
    found = read_cards(text_of(data, name), name)
    if found.problems:
        raise found.problems[0]
    return found.lesson


class Reading(NamedTuple):
    """A lesson as far as it can be read.

    lesson: with the cards that can be read. numbers: theirs in the file, from 1. problems: of the others, one each.
    former: what names something that is no longer offered, each place with a sentence.
    """

    lesson: Lesson
    numbers: tuple[int, ...]
    problems: tuple[InputError, ...]
    former: tuple[InputError, ...]


def read_cards(source: str, name: str) -> Reading:
    """Reads every card that can be read. Raises InputError for a file whose cards can't be found."""
    top = Table(strict_toml.read(source, name), name)
    head: dict[str, Any] = {
        "title": top.text("title", most=80),
        "name": top.text("name", most=24, default=""),
        "about": top.text("about", most=200),
        "minutes": top.whole("minutes", most=60, least=1),
        "language": top.text("language", most=20, default="en"),
        "drawn": top.whole("drawn", most=MOST_CARDS, least=1, default=1),
    }
    usual = top.table("panel")
    shared = dict(usual.values) if usual is not None else {}
    for key in shared.keys() - PANEL_KEYS:
        raise Table(shared, f"{name}, panel").error(key, f"unknown key; use {', '.join(sorted(PANEL_KEYS))}")
    cards = top.take("card")
    if not isinstance(cards, list) or not cards or not all(isinstance(each, dict) for each in cards):
        raise InputError(f"{name}, card: no cards; begin each one with [[card]]")
    if len(cards) > MOST_CARDS:
        raise InputError(f"{name}, card: {len(cards)} cards; at most {MOST_CARDS} are allowed")
    top.end()
    read: dict[int, Card] = {}
    problems, former = [], []
    for number, each in enumerate(cards, 1):
        table = Table(each, f"{name}, card {number}")
        try:
            read[number] = card_of(table, shared)
            former += table.former
        except InputError as error:
            problems.append(error)
    key = name.rpartition("/")[2].removesuffix(".toml")
    head |= {"name": head["name"] or head["title"]}
    lesson = Lesson(key=key, cards=tuple(read.values()), source=source, **head)
    return Reading(lesson, tuple(read), tuple(problems), tuple(former))


def text_of(data: bytes | str, name: str) -> str:
    """A file's text, within the limits."""
    if len(data) > MOST_BYTES:
        raise InputError(f"{name}: {len(data):,} bytes; at most {MOST_BYTES:,} are read. Make two lessons of it.")
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start:,} is not UTF-8; save the file as UTF-8") from None


def read_file(path: Path, name: str) -> bytes:
    """The bytes of a lesson's file on disk. Raises InputError for what is no file, and for a longer one."""
    if regular_size(path, name, "the lesson's TOML file") > MOST_BYTES:
        raise InputError(f"{name}: more than {MOST_BYTES:,} bytes. Make two lessons of it.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{name}: can't be read ({error.strerror}); check its permissions") from None


def card_of(table: Table, shared: dict[str, Any]) -> Card:
    """One card."""
    title = table.text("title", most=80)
    words = table.text("words", most=1_000).strip()
    count = count_words(words)
    if count > MOST_WORDS:
        raise table.error("words", f"{count} words; a card has at most {MOST_WORDS}. Make two cards of it.")
    claims = table.table("claims")
    panel = panel_of(table, shared)
    asked = table.table("question")
    task = table.table("task")
    question: QuestionRef | Exercise | Task | None = None
    if task is not None:
        if asked is not None or isinstance(panel, VocabularyPanel | NextPanel | SamplePanel):
            raise table.error("task", "not beside a question or a search; give it a card with a text of its own")
        question = Task(task.text("ask", most=300), task.text("check", most=100), task.text("answer", most=200))
        task.end()
    elif asked is not None and "ask" in asked.values:
        question = exercise_of(asked)
    elif asked is not None:
        if not isinstance(panel, ExplorePanel):
            raise table.error("question", "only a card with a text under one tokenizer can ask")
        kind, seed = asked.one_of("kind", KINDS), asked.whole("seed", most=999_999, default=0)
        question = QuestionRef(kind, seed, asked.texts("texts", count=20, most=200))
        asked.end()
    table.end()
    return Card(title, words, panel, question, claims.values if claims is not None else {})


def exercise_of(table: Table) -> Exercise:
    """A question in the lesson's own words."""
    wrong = table.table("wrong")
    if wrong is None or not 1 <= len(wrong.values) <= MOST_WRONG:
        raise table.error("wrong", f'not a table of 1 to {MOST_WRONG} wrong answers; write {{ "4" = "why not" }}')
    reasons = {name: wrong.text(name, most=200, default="") for name in list(wrong.values)}
    shows = table.whole("shows", most=MOST_STEP) if "shows" in table.values else None
    found = Exercise(
        table.text("ask", most=300), table.text("find", most=100), reasons, table.text("because", most=300), shows
    )
    table.end()
    return found


def panel_of(table: Table, shared: dict[str, Any]) -> Panel:
    """What a card shows: one of the panels."""
    for name, read in OTHER_PANELS.items():
        given = table.table(name)
        if given is not None:
            panel = read(given, shared)
            given.end()
            return panel
    table.values = {**{key: value for key, value in shared.items() if key not in table.values}, **table.values}
    text = table.text("text", most=MOST_TEXT, default="")
    tokenizer, implementation = tokenizer_of(table)
    select, why = table.take("select"), table.text("why", most=20, default="")
    if why and not ASKS.fullmatch(why):
        raise table.error("why", f'{why!r} is not a question; write "token 3" or "cut 3"')
    return ExplorePanel(
        text,
        tokenizer,
        implementation,
        stage=table.one_of("stage", STAGES, default="model"),
        step=table.whole("step", most=MOST_STEP, default=0),
        level=table.one_of("level", LEVELS, default=""),
        select=span_of(table, select, len(text)),
        why=why,
        special=table.switch("special", True),
    )


def tokenizer_of(table: Table) -> tuple[str, str]:
    """A bundled tokenizer and its implementation, by default the first."""
    model = catalog()[table.one_of("tokenizer", catalog())]
    return model.name, table.one_of("implementation", model.implementations, default=model.implementations[0])


def span_of(table: Table, value: Any, size: int) -> tuple[int, int] | None:
    """A span of the text."""
    match value:
        case None:
            return None
        case [int(start), int(end)] if 0 <= start < end <= size:
            return start, end
    raise table.error("select", f"not a span; write [start, end] with 0 ≤ start < end ≤ {size:,}")


def train_panel(table: Table, shared: dict[str, Any]) -> TrainPanel:
    """A training."""
    algorithm = table.one_of("algorithm", list(dict.fromkeys(each for each, _ in TRAINERS)))
    trainers = [trainer_id for each, trainer_id in TRAINERS if each == algorithm]
    return TrainPanel(
        table.text("text", most=MOST_TEXT),
        algorithm,
        trainer=table.one_of("trainer", trainers, default=trainers[0]),
        cutting=table.one_of("cutting", CUTTINGS, default="none"),
        size=table.whole("size", most=1_000, least=1),
        step=table.whole("step", most=MOST_STEP, default=0),
        level=table.one_of("level", LEVELS, default=""),
    )


def compare_panel(table: Table, shared: dict[str, Any]) -> ComparePanel:
    """A comparison."""
    text = table.text("text", most=MOST_TEXT, default=str(shared.get("text", "")))
    return ComparePanel(text, table.names("tokenizers", catalog(), most=MOST_ROWS))


def vocabulary_panel(table: Table, shared: dict[str, Any]) -> VocabularyPanel:
    """A search in a vocabulary."""
    tokenizer, implementation = tokenizer_of(table)
    token = table.take("token")
    if token is not None:
        token = Table({"token": token}, table.place).whole("token", most=10_000_000)
    return VocabularyPanel(
        tokenizer,
        implementation,
        table.text("search", most=200, default=""),
        table.one_of("by", SEARCHES, default="text"),
        token,
    )


def next_panel(table: Table, shared: dict[str, Any]) -> NextPanel:
    """What follows a token."""
    tokenizer, implementation = tokenizer_of(table)
    return NextPanel(table.text("text", most=MOST_TEXT), tokenizer, implementation, table.text("after", most=40))


def prompt_panel(table: Table, shared: dict[str, Any]) -> PromptPanel:
    """What a model reads of messages."""
    tokenizer, implementation = tokenizer_of(table)
    given = table.take("messages")
    rows = given if isinstance(given, list) and 0 < len(given) <= MOST_ROWS else ()
    messages = []
    for row in rows:
        match row:
            case [str(role), str(text)] if len(role) <= 40 and len(text) <= MOST_TEXT:
                messages.append((role, text))
    if not messages or len(messages) != len(rows):
        raise table.error("messages", f'not 1 to {MOST_ROWS} messages; write [["user", "Hi"]]')
    template = table.text("template", most=80, default="")
    if template and template.removeprefix(MARK) not in own_templates():
        raise table.error("template", f"unknown; use {', '.join(MARK + name for name in own_templates())}")
    chosen = table.whole("chosen", most=10_000, least=1) if "chosen" in table.values else None
    asks, as_text = table.switch("asks", True), table.switch("as_text", False)
    return PromptPanel(tokenizer, implementation, tuple(messages), template, asks, as_text, chosen)


def sample_panel(table: Table, shared: dict[str, Any]) -> SamplePanel:
    """One draw."""
    tokenizer, implementation = tokenizer_of(table)
    alpha = table.take("alpha")
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 <= alpha <= LARGEST_ALPHA:
        raise table.error("alpha", f"not a number from 0 to {LARGEST_ALPHA:g}")
    return SamplePanel(
        table.text("text", most=MOST_TEXT),
        tokenizer,
        implementation,
        float(alpha),
        seed=table.whole("seed", most=LARGEST_SEED, default=0),
        rule=table.one_of("rule", ("", *DropoutRule), default=""),
        draw=table.whole("draw", most=1_000, least=1, default=1),
        step=table.whole("step", most=MOST_STEP, default=0),
        level=table.one_of("level", LEVELS, default=""),
    )


OTHER_PANELS: Final[Mapping[str, Callable[[Table, dict[str, Any]], Panel]]] = {
    "train": train_panel,
    "compare": compare_panel,
    "vocabulary": vocabulary_panel,
    "next": next_panel,
    "prompt": prompt_panel,
    "sample": sample_panel,
}
"""The panels that are a table of their own, by its name."""

WITHOUT_SPACES: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def count_words(words: str) -> int:
    """How many words a reader reads. Of a script without spaces two characters count as one word.

    >>> count_words("three short words"), count_words("猫である")
    (3, 2)
    """
    return len(WITHOUT_SPACES.sub(" ", words).split()) + (len(WITHOUT_SPACES.findall(words)) + 1) // 2


# The lessons that come with the program, in the order in which they are taught.

FILES: Final = Path(__file__).parent / "files"
EMPTY: Final = Path(__file__).with_name("empty.toml")
"""A lesson to start from."""

ORDER: Final = (
    "token", "train-bpe", "bpe", "pieces", "bytes", "normalization", "special", "wordpiece", "unigram", "fallback",
    "prompt", "languages", "programs", "queue", "trie", "ways", "train-wordpiece", "own", "bytes.de", "trie.ja",
)  # fmt: skip
"""The keys of the lessons: the names of their files."""

DEEPER: Final = "queue"
"""From this lesson on they go deeper."""


@cache
def library() -> Mapping[str, Lesson]:
    """All lessons by key, in order.

    >>> next(iter(library().values())).cards[0].title
    'A model reads numbers'
    """
    read = (read_lesson((FILES / f"{key}.toml").read_bytes(), f"{key}.toml") for key in ORDER)
    return {lesson.key: lesson for lesson in read}


@cache
def drawings() -> Mapping[str, Mapping[str, Any]]:
    """The small drawings of these lessons by key, as `explorer.answers.learn` makes them.

    >>> drawings()["bytes"]["groups"][0]
    ['Å', ['C3', '85']]
    """
    found: Mapping[str, Mapping[str, Any]] = json.loads(FILES.with_name("drawings.json").read_text("utf-8"))
    return found


# A lesson in a URL: compressed, and in the letters that a URL may have. What a link brings is an untrusted file.

LONGEST_LINK: Final = 6_000
"""Characters of a lesson in a link; browsers and servers take about 8,000 for the whole URL."""


def link_of(source: str) -> str | None:
    """The text of a lesson as a URL holds it; None if it is too long for one.

    >>> source_of(link_of('title = "Bytes"'))
    'title = "Bytes"'
    """
    packed = base64.urlsafe_b64encode(zlib.compress(source.encode(), 9)).decode().rstrip("=")
    return packed if len(packed) <= LONGEST_LINK else None


def source_of(link: str) -> str:
    """The text of the lesson in a URL. Raises InputError."""
    if len(link) > LONGEST_LINK:
        raise InputError(
            f"the lesson in this link has {len(link):,} characters; at most {LONGEST_LINK:,} are read. "
            "Ask for the file."
        )
    try:
        packed = base64.b64decode(link.encode() + b"=" * (-len(link) % 4), b"-_", validate=True)
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(packed, MOST_BYTES + 1)
        if not unpacking.eof or len(data) > MOST_BYTES:
            raise ValueError
        return data.decode()
    except (binascii.Error, zlib.error, ValueError):
        raise InputError("the lesson in this link is damaged; copy the whole link, or ask for the file") from None


class Table:
    """A table of a file. place: where it is, for messages, such as "bpe.toml, card 3".

    >>> table = Table({"step": 3, "stepp": 4}, "bpe.toml, card 3")
    >>> table.whole("step", most=9)
    3
    >>> table.end()
    Traceback (most recent call last):
    explorer.errors.InputError: bpe.toml, card 3, stepp: unknown key; did you mean step?
    """

    def __init__(self, values: Mapping[str, Any], place: str, former: list[InputError] | None = None) -> None:
        self.values, self.place = dict(values), place
        self.former = [] if former is None else former
        """what was named that is no longer offered, here and in the tables within"""
        self.asked: list[str] = []

    def error(self, key: str, problem: str) -> InputError:
        """An error about one key."""
        return InputError(f"{self.place}, {key}: {problem}")

    def take(self, key: str) -> Any:
        """A value of any type, or None."""
        self.asked.append(key)
        return self.values.pop(key, None)

    def text(self, key: str, *, most: int, default: str | None = None) -> str:
        """A text of at most `most` characters. Without a default, it must be given and not be empty."""
        value = self.take(key)
        if value is None:
            if default is None:
                raise self.error(key, "missing; add it")
            return default
        if not isinstance(value, str):
            raise self.error(key, "not a text; put it in quotes")
        if default is None and not value.strip():
            raise self.error(key, "empty; write something")
        if len(value) > most:
            raise self.error(key, f"{len(value):,} characters; at most {most:,} are allowed")
        return value

    def one_of(self, key: str, known: Collection[str], *, default: str | None = None) -> str:
        """One of these names, or the one nearest to a former name."""
        value = self.text(key, most=200, default=default)
        if key in FORMER and (said := no_longer_offered(key, value)):
            self.former.append(self.error(key, said))
            value = nearest(key, value)
        if value in known or (value == default and default == ""):
            return value
        near = get_close_matches(value, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}"
        raise self.error(key, f"unknown: {value[:40]!r}; {hint}")

    def whole(self, key: str, *, most: int, least: int = 0, default: int | None = None) -> int:
        """A whole number within limits."""
        value = self.take(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(key, "not a whole number; write digits without quotes")
        if not least <= value <= most:
            raise self.error(key, f"{value:,} is not between {least:,} and {most:,}")
        return value

    def switch(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, "neither true nor false")
        return value

    def names(self, key: str, known: Collection[str], *, most: int) -> tuple[str, ...]:
        """A list of one or more of these names."""
        value = self.take(key)
        if not isinstance(value, list) or not value or len(value) > most:
            raise self.error(key, f"not a list of 1 to {most} names")
        for each in value:
            if each not in known:
                Table({key: each}, self.place).one_of(key, known)
        return tuple(dict.fromkeys(value))

    def texts(self, key: str, *, count: int, most: int) -> tuple[str, ...]:
        """A list of texts, each of at most `most` characters; none by default."""
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or len(value) > count:
            raise self.error(key, f"not a list of at most {count} texts")
        return tuple(Table({key: each}, self.place).text(key, most=most) for each in value)

    def table(self, key: str) -> Table | None:
        """A table within this one, or None."""
        value = self.take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.error(key, f"not a table; write [card.{key}]")
        return Table(value, f"{self.place}, {key}", self.former)

    def end(self) -> None:
        """Refuses unknown keys."""
        for key in self.values:
            near = get_close_matches(key, self.asked, 1)
            raise self.error(key, f"unknown key; {f'did you mean {near[0]}?' if near else 'remove it'}")

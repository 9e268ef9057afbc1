"""What a lesson is, and how one is read: cards in order, each with a few words and what the panel beside them shows.

All of it is plain data without any tokenizer opened, so a lesson can be read, sent and compared cheaply.

A lesson is read from TOML and checked against the schema; the program's own lessons, in each language.

docs/LESSONS.md describes the keys. What a card leaves out comes from the lesson's `[panel]`. Only names are
checked here (tokenizers, kinds of questions, levels); whether a stage has a step, and whether claims hold,
needs the engine (`explorer.learning.checks`).

A lesson in another language has the same cards and panels with the words of a catalog, and the key of the
English one with the language after it: `bpe.de`. A file of that name is a lesson of its own, with texts of its
own, and takes the place of the translation.
"""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from explorer.analysis.sampling import LARGEST_ALPHA
from explorer.engine.cpp_library import LARGEST_SEED
from explorer.engine.sampling.dropout import DropoutRule
from explorer.errors import FORMER, InputError, nearest, no_longer_offered
from explorer.formats import strict_toml
from explorer.formats.files import regular_size
from explorer.formats.structs import ANY_TEXT, fault_of
from explorer.languages import ENGLISH, Phrases, kept_together, known_language, languages, phrases
from explorer.learning.questions import KINDS
from explorer.opening.catalog import catalog
from explorer.prompts.servers import SERVERS
from explorer.prompts.templates import MARK, own_templates
from explorer.tables import Json, Record, read_toml
from explorer.text.links import packed, unpacked
from explorer.training.trainers import TRAINERS
from explorer.training.words import CUTTINGS

TEXT = 2_000
"""The most code points of a panel's text."""
STEP = 1_000_000
ROWS = 8

# What a file may hold: each is checked when a lesson is read (`reading`), not when a panel is made in code.
Step = Annotated[int, Meta(ge=0, le=STEP)]
PanelText = Annotated[str, Meta(max_length=TEXT)]
GivenText = Annotated[str, Meta(max_length=TEXT, pattern=ANY_TEXT.pattern)]
Title = Annotated[str, Meta(max_length=80, pattern=ANY_TEXT.pattern)]
Name = Annotated[str, Meta(max_length=100, pattern=ANY_TEXT.pattern)]
Line = Annotated[str, Meta(max_length=200, pattern=ANY_TEXT.pattern)]
Sentences = Annotated[str, Meta(max_length=300, pattern=ANY_TEXT.pattern)]


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a lesson's file."""


class ExplorePanel(Part, frozen=True):
    """A text under one tokenizer, as Explore draws it.

    stage: the key of a stage. step: of its stepper, 0 for a stage without one. level: of detail; empty leaves the
    reader's. select: a span of the text in code points, [start, end). why: "token 3" or "cut 3", which asks how token 3
    came about or why there is a cut after it; empty asks nothing. special: whether tokens are added around the text.
    """

    text: PanelText
    tokenizer: str
    implementation: str
    stage: str = "model"
    step: Step = 0
    level: str = ""
    select: tuple[int, int] | None = None
    why: Annotated[str, Meta(pattern=r"^((token|cut) [0-9]{1,4})?$")] = ""
    special: bool = True


class TrainPanel(Part, frozen=True):
    """A training on a small text, as Train draws it. algorithm, trainer, cutting: as the Train page names them."""

    text: GivenText
    algorithm: str
    trainer: str
    cutting: str
    size: Annotated[int, Meta(ge=1, le=1_000)]
    step: Step = 0
    level: str = ""


class ComparePanel(Part, frozen=True):
    """A text under several tokenizers, their rows above each other as on Compare. The first is the baseline."""

    text: PanelText
    tokenizers: Annotated[tuple[str, ...], Meta(min_length=1, max_length=ROWS)]


class VocabularyPanel(Part, frozen=True):
    """The tokens of one tokenizer that a search finds, as on Vocabulary. by: "text", "regex", "bytes" or "ids"."""

    tokenizer: str
    implementation: str
    search: Annotated[str, Meta(max_length=200)] = ""
    by: str = "text"
    token: Annotated[int, Meta(ge=0, le=10_000_000)] | None = None


class NextPanel(Part, frozen=True):
    """Which tokens follow a token in a text, counted: the smallest language model. after: the text of that token."""

    text: GivenText
    tokenizer: str
    implementation: str
    after: Annotated[str, Meta(max_length=40, pattern=ANY_TEXT.pattern)]


class PromptPanel(Part, frozen=True):
    """What a model reads of messages, as on Prompt.

    messages: a role and a text each. template: of the model, or `ours:NAME`. asks: whether an answer is asked for.
    as_text: whether control tokens in messages are read as text. chosen: the number of a token, from 1; None for none.
    request: one in JSON instead of messages. server: whose prompt of the request; empty for those of all servers.
    The template of messages is rendered as transformers does, whatever the implementation of the tokenizer.
    """

    tokenizer: str
    implementation: str
    messages: Annotated[
        tuple[tuple[Annotated[str, Meta(max_length=40)], PanelText], ...], Meta(min_length=1, max_length=ROWS)
    ] = ()
    template: str = ""
    asks: bool = True
    as_text: bool = False
    chosen: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    request: GivenText = ""
    server: str = ""


class SamplePanel(Part, frozen=True):
    """One draw of a text's tokens, step by step, as on Explore under Other possible cuts.

    alpha: the probability to drop a pair, or the exponent. rule: whose way; empty for the tokenizer's own. draw: which
    of those drawn from the seed. step, level: as in ExplorePanel.
    """

    text: GivenText
    tokenizer: str
    implementation: str
    alpha: Annotated[float, Meta(ge=0, le=LARGEST_ALPHA)]
    seed: Annotated[int, Meta(ge=0, le=LARGEST_SEED)] = 0
    rule: str = ""
    draw: Annotated[int, Meta(ge=1, le=1_000)] = 1
    step: Step = 0
    level: str = ""


Panel = ExplorePanel | TrainPanel | ComparePanel | VocabularyPanel | NextPanel | PromptPanel | SamplePanel


class QuestionRef(Part, frozen=True):
    """A question that the engine writes about the card's text.

    kind: a key of `questions.KINDS`. texts: others that it may compare with, or take instead.
    """

    kind: str
    seed: Annotated[int, Meta(ge=0, le=999_999)] = 0
    texts: Annotated[tuple[Line, ...], Meta(max_length=20)] = ()


class Exercise(Part, frozen=True):
    """A question in the lesson's words, whose right answer the engine finds (`MEASURES` of `learning.checks`).

    ask: the question. find: what the engine looks for, a name and what it needs. wrong: the wrong answers, each with
    the reason why it is wrong. because: why the right one is right. shows: the step that shows it, None for the card's.
    """

    ask: Sentences
    find: Name
    wrong: Annotated[Mapping[str, Annotated[str, Meta(max_length=200)]], Meta(min_length=1, max_length=5)]
    because: Sentences
    shows: Step | None = None


class Task(Part, frozen=True):
    """A text that the reader has to find; the panel shows what is typed.

    ask: what it has to do. check: what the engine judges, a name and what it needs (`TASKS` of `learning.checks`).
    answer: a text that does it, for the tests and for whoever gives up.
    """

    ask: Sentences
    check: Name
    answer: Line


class Card(Struct, frozen=True):
    """One card. words: at most 60, with `**bold**`, `` `tokens` `` and empty lines between paragraphs.

    claims: what the card says, as values that the engine can check (`explorer.learning.checks.claims`).
    """

    title: str
    words: str
    panel: Panel
    question: QuestionRef | Exercise | Task | None = None
    claims: Mapping[str, Any] = field(default_factory=dict)


class Lesson(NamedTuple):
    """A lesson. key: short and unique, for links. name: a word or two for the row of lessons. minutes: about how long.

    language: of its words, as in HTML. source: the TOML it was read from. drawn: the number of the card whose panel the
    list of lessons draws. keep: sentences to remember, said at the end; the titles of the cards where there are none.
    """

    key: str
    title: str
    name: str
    about: str
    minutes: int
    language: str
    cards: tuple[Card, ...]
    source: str
    drawn: int = 1
    keep: tuple[str, ...] = ()


# --- the few marks in a card's words: the page gets runs of text, never HTML ---

MARKS = re.compile(r"\*\*(?P<b>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`")

Run = tuple[str, str]
"""A kind of text ("", "b", "code"), and the text."""


def paragraphs(words: str) -> list[list[Run]]:
    """The paragraphs of a text, each as runs. A line break within one is a space.

    >>> paragraphs("A **pair**.\\n\\nIt is `is`.")
    [[('', 'A '), ('b', 'pair'), ('', '.')], [('', 'It is '), ('code', 'is'), ('', '.')]]
    """
    return [runs(each) for each in paragraphs_of(words)]


def runs(text: str) -> list[Run]:
    """One paragraph as runs."""
    pieces: list[Run] = []
    at = 0
    for match in MARKS.finditer(text):
        pieces.append(("", text[at : match.start()]))
        kind = match.lastgroup or ""
        pieces.append((kind, match[kind]))
        at = match.end()
    pieces.append(("", text[at:]))
    return [run for run in pieces if run[1]]


MOST_BYTES = 60_000
MOST_CARDS = 40
MOST_WORDS = 60

PANELS: Mapping[str, type[Panel]] = {
    "train": TrainPanel,
    "compare": ComparePanel,
    "vocabulary": VocabularyPanel,
    "next": NextPanel,
    "prompt": PromptPanel,
    "sample": SamplePanel,
}
"""The panels that are a table of their own, by its name."""

NAMES: Mapping[str, Collection[str]] = {
    "kind": KINDS,
    "stage": "utf8 partition normalize partition-normalized pre-tokenize model post-process decode".split(),
    "level": ("story", "algorithm", "implementation"),
    "by": ("text", "regex", "bytes", "ids"),
    "cutting": CUTTINGS,
    "rule": tuple(DropoutRule),
    "algorithm": tuple(dict.fromkeys(algorithm for algorithm, _ in TRAINERS)),
    "server": SERVERS,
}  # fmt: skip
"""What each key may name."""

FORMS = {
    "card": f"give 1 to {MOST_CARDS} cards; begin each one with [[card]]",
    "select": "not a span; write [start, end] with 0 ≤ start < end ≤ the length of the text",
    "why": 'not a question; write "token 3" or "cut 3"',
    "messages": f'not 1 to {ROWS} messages; write [["user", "Hi"]]',
    "wrong": 'not a table of 1 to 5 wrong answers with short reasons; write { "4" = "why not" }',
    "tokenizers": f"not a list of 1 to {ROWS} names",
}
"""What to give, for values whose types don't say it."""

Piece = TypeVar("Piece")


class Head(Part, frozen=True):
    """The file of a lesson."""

    title: Title
    about: Line
    minutes: Annotated[int, Meta(ge=1, le=60)]
    card: Annotated[list[Record], Meta(min_length=1, max_length=MOST_CARDS)]
    name: Annotated[str, Meta(max_length=24)] = ""
    language: Annotated[str, Meta(max_length=20, pattern=ANY_TEXT.pattern)] = "en"
    drawn: Annotated[int, Meta(ge=1, le=MOST_CARDS)] = 1
    keep: tuple[Line, ...] = ()
    panel: Record = field(default_factory=dict)


class CardText(Part, frozen=True):
    """What a card has beside its panel."""

    title: Title
    words: Annotated[str, Meta(max_length=1_000, pattern=ANY_TEXT.pattern)]
    claims: Record = field(default_factory=dict)
    question: Record | None = None
    task: Task | None = None


def read_lesson(data: bytes | str, name: str) -> Lesson:
    """The lesson in a TOML file. name: of the file, which without its ending is the lesson's key. Raises InputError.

    >>> read_lesson("title = 3", "bpe.toml")
    Traceback (most recent call last):
    explorer.errors.InputError: bpe.toml, title: 3; give a text
    """
    reading = read_cards(text_of(data, name), name)
    if reading.problems:
        raise reading.problems[0]
    return reading.lesson


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
    head = convert(strict_toml.read(source, name), Head, name)
    for key in head.panel.keys() - PANEL_KEYS:
        raise InputError(f"{name}, panel, {key}: unknown key; use {', '.join(sorted(PANEL_KEYS))}")
    cards: dict[int, Card] = {}
    problems: list[InputError] = []
    former: list[InputError] = []
    for number, values in enumerate(head.card, 1):
        former_here: list[InputError] = []
        try:
            cards[number] = card_of(dict(values), head.panel, f"{name}, card {number}", former_here)
            former += former_here
        except InputError as error:
            problems.append(error)
    key = name.rpartition("/")[2].removesuffix(".toml")
    lesson = Lesson(
        key, head.title, head.name or head.title, head.about, head.minutes, head.language, tuple(cards.values()),
        source, head.drawn, head.keep,
    )  # fmt: skip
    return Reading(lesson, tuple(cards), tuple(problems), tuple(former))


PANEL_KEYS = frozenset({"text", "tokenizer", "implementation", "stage", "level", "special"})
"""What the lesson's `[panel]` may hold."""


def convert(values: Record, kind: type[Piece], place: str, others: Collection[str] = ()) -> Piece:
    """A table as a Struct. place: such as "bpe.toml, card 3". others: keys beside it that can be meant.

    >>> convert({"ask": "?", "check": "x", "anser": "a"}, Task, "bpe.toml, card 3")
    Traceback (most recent call last):
    explorer.errors.InputError: bpe.toml, card 3, anser: unknown key; did you mean answer?
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        fault = fault_of(error, values)
    form = next((FORMS[step] for step in fault.steps if step in FORMS), FORMS.get(fault.lacks or ""))
    keys = [*fault.steps, *filter(None, (fault.lacks, fault.unknown))]
    problem = fault.problem.removeprefix("is ")
    if fault.unknown:
        near = get_close_matches(fault.unknown, (*kind.__struct_fields__, *others), 1)  # type: ignore[attr-defined]
        problem = f"unknown key; {f'did you mean {near[0]}?' if near else 'remove it'}"
    elif fault.lacks:
        problem = "missing; add it"
    raise InputError(f"{', '.join((place, *keys))}: {form or problem}")


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


def card_of(values: Record, shared: Json, place: str, former: list[InputError]) -> Card:
    """One card. former: takes what it names that is no longer offered."""
    own = next((name for name in PANELS if name in values), "")
    within = {own: values.pop(own)} if own else {
        key: values.pop(key) for key in ExplorePanel.__struct_fields__ if key in values
    }  # fmt: skip
    text = convert(values, CardText, place, () if own else (*ExplorePanel.__struct_fields__, *PANELS))
    words = text.words.strip()
    count = count_words(words)
    if count > MOST_WORDS:
        raise InputError(f"{place}, words: {count} words; a card has at most {MOST_WORDS}. Make two cards of it.")
    panel = panel_of(own, within, shared, place, former)
    question: QuestionRef | Exercise | Task | None = text.task
    if text.task is not None:
        if text.question is not None or isinstance(panel, VocabularyPanel | NextPanel | SamplePanel):
            raise InputError(f"{place}, task: not beside a question or a search; give it a card with a text of its own")
    elif text.question is not None:
        if "ask" in text.question:
            question = convert(text.question, Exercise, f"{place}, question")
        elif not isinstance(panel, ExplorePanel):
            raise InputError(f"{place}, question: only a card with a text under one tokenizer can ask")
        else:
            question = convert(
                known_names(text.question, f"{place}, question", former), QuestionRef, f"{place}, question"
            )
    return Card(text.title, words, panel, question, text.claims)


def panel_of(own: str, within: Record, shared: Json, place: str, former: list[InputError]) -> Panel:
    """What a card shows. own: the key of its table, if it has one. shared: what all cards show unless they say so."""
    kind = PANELS.get(own, ExplorePanel)
    values = within[own] if own else {**shared, **within}
    place += f", {own}" if own else ""
    if not isinstance(values, dict):
        raise InputError(f"{place}: not a table; write [card.{own}]")
    if kind in (ExplorePanel, ComparePanel):
        values = {"text": shared.get("text", ""), **values}
    panel = convert(known_names(values, place, former), kind, place)
    if isinstance(panel, ExplorePanel) and panel.select is not None:
        start, end = panel.select
        if not 0 <= start < end <= len(panel.text):
            raise InputError(f"{place}, select: {FORMS['select']}")
    if isinstance(panel, PromptPanel) and not (panel.messages or panel.request):
        raise InputError(f"{place}, messages: {FORMS['messages']}")
    if isinstance(panel, PromptPanel) and panel.template and panel.template.removeprefix(MARK) not in own_templates():
        raise InputError(f"{place}, template: unknown; use {', '.join(MARK + name for name in own_templates())}")
    return panel


def known_names(values: Record, place: str, former: list[InputError]) -> Record:
    """A table whose names are known, with the first implementation or trainer if it names none."""
    values = dict(values)

    def check(key: str, known: Collection[str]) -> None:
        value = values.get(key)
        if isinstance(value, str):
            values[key] = known_name(key, value, known, place, former)

    if isinstance(listed := values.get("tokenizers"), list):
        names = (known_name("tokenizers", each, catalog(), place, former) for each in listed if isinstance(each, str))
        values["tokenizers"] = list(dict.fromkeys(names)) if all(isinstance(each, str) for each in listed) else listed
    for key, known in NAMES.items():
        if values.get(key) or key not in ("level", "rule"):  # empty: the reader's, the tokenizer's own
            check(key, known)
    check("tokenizer", catalog())
    if (model := catalog().get(str(values.get("tokenizer")))) is not None:
        values.setdefault("implementation", model.implementations[0])
        check("implementation", model.implementations)
    if "algorithm" in values:
        trainers = [trainer_id for algorithm, trainer_id in TRAINERS if algorithm == values["algorithm"]]
        if trainers:
            values = {"trainer": trainers[0], "cutting": "none", **values}
            check("trainer", trainers)
    return values


def known_name(key: str, value: str, known: Collection[str], place: str, former: list[InputError]) -> str:
    """One of these names, or the one nearest to a former name."""
    if key in FORMER and (problem := no_longer_offered(key, value)):
        former.append(InputError(f"{place}, {key}: {problem}"))
        value = nearest(key, value)
    if value in known:
        return value
    near = get_close_matches(value, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}"
    raise InputError(f"{place}, {key}: unknown: {value[:40]!r}; {hint}")


WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def count_words(words: str) -> int:
    """How many words a reader reads. Of a script without spaces two characters count as one word.

    >>> count_words("three short words"), count_words("猫である")
    (3, 2)
    """
    return len(WITHOUT_SPACES.sub(" ", words).split()) + (len(WITHOUT_SPACES.findall(words)) + 1) // 2


# The lessons that come with the program, in the order in which they are taught.

FILES = Path(__file__).parent / "files"
EMPTY = Path(__file__).with_name("empty.toml")
"""A lesson to start from."""

ORDER = """
token train-bpe bpe pieces bytes normalization special wordpiece unigram fallback prompt languages programs queue trie
ways train-wordpiece own request bytes.de trie.ja
""".split()
"""The keys of the lessons: the names of their files."""

DEEPER = "queue"
"""From this lesson on they go deeper."""


@cache
def library() -> Mapping[str, Lesson]:
    """All lessons by key, in order.

    >>> next(iter(library().values())).cards[0].title
    'A model reads numbers'
    """
    read = (read_lesson((FILES / f"{key}.toml").read_bytes(), f"{key}.toml") for key in ORDER)
    return {lesson.key: lesson for lesson in read}


LONGEST_LINK = 6_000
"""Characters of a lesson in a link; browsers and servers take about 8,000 for the whole URL."""


def link_of(source: str) -> str | None:
    """The text of a lesson as a URL holds it; None if it is too long for one.

    >>> source_of(link_of('title = "Bytes"'))
    'title = "Bytes"'
    """
    return packed(source, LONGEST_LINK)


def source_of(link: str) -> str:
    """The text of the lesson in a URL. Raises InputError."""
    if len(link) > LONGEST_LINK:
        raise InputError(
            f"the lesson in this link has {len(link):,} characters; at most {LONGEST_LINK:,} are read. "
            "Ask for the file."
        )
    source = unpacked(link, MOST_BYTES)
    if source is None:
        raise InputError("the lesson in this link is damaged; copy the whole link, or ask for the file")
    return source


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
    return lesson._replace(
        key=f"{lesson.key}.{to.language}", language=to.language, title=to.words(lesson.title),
        name=to.words(lesson.name), about=to.words(lesson.about), keep=tuple(map(to.words, lesson.keep)),
        cards=tuple(card_in(card, to) for card in lesson.cards),
    )  # fmt: skip


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
    return [each.replace("\n", " ") for each in re.split(r"\n\s*\n", words.strip())]


WORDS: Mapping[str, Mapping[str, str]] = read_toml(__file__, "words.toml")
PAGE = {name: text for part in WORDS.values() for name, text in part.items()}
"""What the page says, by the names its components know."""
HEAD, LIST, CARD = map(tuple, WORDS.values())
ROW = ("lessons", "all", "done")
"""What the parts of the list say (`ui/components/lesson/list.js`); a card says the rest."""


def page_words(language: str, names: Collection[str] = PAGE) -> dict[str, str]:
    """Some of the page's words."""
    to = phrases(language)
    return {name: to.words(PAGE[name], "page") for name in names}


def words_of(lesson: Lesson) -> Record:
    """A lesson with the words of all its cards, so that the next one is drawn at once.

    >>> words_of(lessons_in("en")["bytes"])["next"]
    {'key': 'normalization', 'name': 'Normalize'}
    """
    alike = list(lessons_in(lesson.language).values())
    keys = [each.key for each in alike]
    after = alike[keys.index(lesson.key) + 1 :][:1] if lesson.key in keys else []
    return {
        "key": lesson.key, "title": lesson.title, "language": lesson.language,
        "phrases": page_words(lesson.language, {*CARD, *ROW}),
        "digest": sha256(lesson.source.encode()).hexdigest()[:16],
        "next": {"key": after[0].key, "name": after[0].name} if after else None,
        "keep": lesson.keep,
        "cards": [
            {"title": each.title, "words": paragraphs(kept_together(each.words)), "asks": each.question is not None}
            for each in lesson.cards
        ],
    }  # fmt: skip

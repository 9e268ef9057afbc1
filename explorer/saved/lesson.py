"""A lesson or a quiz as a saved page: cards, panels, questions that the file grades; and all lessons as a site.

The answers are packed, so that nobody reads them by chance; whoever wants to can. Where a card asks for a text
of the reader's own, only the engine can judge it: the file shows a text that does it, and leads to the card in
the app.

The site has the lessons and the examples as static pages, linked among themselves, for any web host. They are
saved pages, but for their code: a kind's code is a file beside them, which a browser fetches once. So they need
a web server, if only of files; a page that plays from a disk is made by `save`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from msgspec.structs import replace

from explorer.analysis.export import Provenance
from explorer.analysis.ownership import align
from explorer.analysis.tokenizer_exports import quiz_export
from explorer.analysis.vocabulary.index import By, Query, Search, index_of
from explorer.corpus.atomic import write_whole
from explorer.csv_text import write_csv
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH, Phrases, phrases
from explorer.learning.checks.cards import (
    Asked,
    Engine,
    OwnEngine,
    followers,
    judged,
    model_of,
    opened,
    played,
    prompt_rows,
    question_of,
    quiz_of,
    train_request,
    with_text,
)
from explorer.learning.lessons import Card, Lesson, library
from explorer.learning.lessons.reading import (
    ComparePanel,
    ExplorePanel,
    NextPanel,
    Panel,
    PromptPanel,
    QuestionRef,
    SamplePanel,
    Task,
    TrainPanel,
    lesson_named,
    page_words,
    words_of,
)
from explorer.learning.questions import Quiz, right_of
from explorer.opening.catalog import load
from explorer.opening.catalog import title_of as model_title
from explorer.saved.explore import explore_data, explore_page, script_of, title_of
from explorer.saved.live import LIVE, write_live
from explorer.saved.page import FOLDER, POLICY, SERVER, Page, document, html, made_of, packed, script
from explorer.stages.spelling import implementation_title
from explorer.tables import Json, Record
from explorer.text import visible_words
from explorer.text.say import Say, number, plain, plural
from explorer.version import __version__
from explorer.views.compare.aligned import aligned, rows_say
from explorer.views.components import words_in
from explorer.views.examples import PRESETS, QUESTIONS, WALKS, Example, Preset
from explorer.views.vocabulary import rows as vocabulary_rows

QUIZ = "quiz"
VARIANTS = 3
"""Questions of a kind that a card has: the first, and others after it."""
RESULT_WORDS = (
    "Question", "Your answer", "Right", "Your name", "optional, in the file only", "Result as CSV", "Again",
)  # fmt: skip
"""What the page of a result says."""
MOST_FOUND = 40
"""Tokens of a vocabulary that a panel shows."""


class Panels:
    """The panels of a page. language: of what they say. views: texts under tokenizers, each once, by its id."""

    def __init__(self, engine: Engine, language: str = ENGLISH) -> None:
        self.engine = engine
        self.language = language
        self.to = phrases(language)
        self.views: dict[str, Record] = {}
        self.tokenizers: dict[str, Opened] = {}

    def data(self, panel: Panel, question: Asked | None = None, opens: str = "", typed: bool = False) -> Record:
        """A panel. question: the card's, which decides stage and step. opens: a question of the panel, with a number.

        typed: it has another text than the card's, so it opens at no step.
        """
        if isinstance(panel, ExplorePanel):
            return self.explore(panel, question, opens, typed)
        if isinstance(panel, TrainPanel | SamplePanel):
            trains = isinstance(panel, TrainPanel)
            about = {
                "script_id": digest(train_request(panel)) if isinstance(panel, TrainPanel) else repr(panel),
                "start": None if typed and trains else panel.step,
                "level": panel.level,
                "beside": True,
                "asks": question is not None,
            }
            return {"kind": "train", "script": script_of(played(self.engine, panel), self.to), "on": about}
        if isinstance(panel, ComparePanel):
            return {"kind": "compare", "rows": self.rows(panel)}
        if isinstance(panel, NextPanel):
            return {"kind": "part", "data": followers(self.engine, panel).data(panel.text, self.language)}
        if isinstance(panel, PromptPanel):
            rows = prompt_rows(self.engine, panel)
            return {"kind": "part", "data": rows.data(panel.chosen, question is not None, self.language)}
        return self.found(self.open(panel), panel.search, panel.by)

    def open(self, panel: Panel) -> Opened:
        """The tokenizer of a panel, which made the page."""
        return self.kept(opened(self.engine, panel))

    def kept(self, tokenizer: Opened) -> Opened:
        """The same tokenizer, kept as one that made the page."""
        return self.tokenizers.setdefault(f"{tokenizer.name}@{tokenizer.implementation}", tokenizer)

    def explore(self, panel: ExplorePanel, question: Asked | None, opens: str, typed: bool) -> Record:
        """A text under one tokenizer."""
        stage, step = panel.stage, panel.step
        if question is not None:
            stage, step, panel = question.stage, question.step, replace(panel, text=question.text)
        tokenizer = self.open(panel)
        title = title_of(tokenizer)
        link = {"text": panel.text, "m": panel.tokenizer, "as": tokenizer.implementation}
        link |= {} if panel.special else {"special": "false"}
        view = explore_data(tokenizer, self.engine.trace(panel), title, link, language=self.language)
        id: str = view["overview"]["content_id"]
        self.views.setdefault(id, view)
        on = {
            "stage": stage, "step": None if typed else step, "level": panel.level, "spot": panel.select, "name": title,
            "covered": question is not None and question.pairs, "asks": question is not None, "beside": True,
            "opens": f"{opens} {panel.why}" if panel.why else "",
            "leaves": link | {"stage": panel.stage} | ({"level": panel.level} if panel.level else {}),
        }  # fmt: skip
        return {"kind": "explore", "view": id, "on": on}

    def rows(self, panel: ComparePanel) -> Record:
        """Rows of several tokenizers."""
        toks, encodings = [], []
        for name in panel.tokenizers:
            model, implementation = model_of(name)
            tokenizer = self.kept(self.engine.open(model.name, implementation))
            toks.append(tokenizer)
            encodings.append((model.title, tokenizer.encode(panel.text, add_special=False)))
        alignment = align(panel.text, encodings)
        drawn = aligned(alignment, toks, None, False, language=self.language)
        return {"drawn": drawn.json, "id": drawn.id, "say": self.to.say(rows_say(alignment))._asdict()}

    def found(self, tokenizer: Opened, search: str, by: str) -> Record:
        """The tokens that a search finds."""
        index = index_of(tokenizer)
        query = Query(search, By(by))
        searched = Search(index)
        selection = searched.find(query)
        rows = vocabulary_rows(index, searched.ids(selection, query, MOST_FOUND))
        say = Say("{0:t} of {1:t} tokens:", number(selection.total), number(index.all.bit_count()))
        return {"kind": "found", "say": self.to.say(say)._asdict(), "rows": [[row[1], row[0]] for row in rows]}


def lesson_page(lesson: Lesson, engine: Engine | None = None) -> Page:
    """A lesson as a saved page. Raises InputError where a panel can't be shown or a question can't be asked.

    >>> page = lesson_page(lesson_named("bytes"))
    >>> page.heading, page.file_name
    ('Bytes and characters', 'lesson-bytes.html')
    """
    engine = engine or OwnEngine()
    panels = Panels(engine, lesson.language)
    cards = [card_data(panels, lesson, number, card) for number, card in enumerate(lesson.cards, 1)]
    own = {"link": "", "quiz": False, "own": False, "alone": True, "next": None}
    data = {"lesson": words_of(lesson) | own, "cards": cards}
    data |= words_in(panels.to)
    known = lesson_named(lesson.key) is not None
    return page_of(
        panels, lesson.title, data, f"lesson-{lesson.key}.html",
        f"learn?{urlencode({'lesson': lesson.key})}" if known else "", f"A lesson of {plural(len(cards), 'card')}.",
    )  # fmt: skip


def page_of(panels: Panels, heading: str, data: Json, name: str, back: str, line: str) -> Page:
    """A page of cards. data: with the answers, which is packed."""
    made = made_of(Provenance.of(list(panels.tokenizers.values()), labels=list(panels.tokenizers)))
    return Page("lesson", heading, {"packed": packed(data), "views": panels.views}, made, line, name, back)


def card_data(panels: Panels, lesson: Lesson, number: int, card: Card) -> Record:
    """A card: its panel, or its questions with a panel each, and the task with the panel of a text that does it."""
    opens = str(number)
    if isinstance(card.question, Task):
        task = card.question
        verdict = judged(panels.engine, card.panel, task.check, task.answer)
        said = {"done": verdict.done, "say": panels.to.say(verdict.say)._asdict()}
        shared = {"id": f"{lesson.key} {number}", "ask": task.ask, "answer": task.answer, "alone": True}
        return {
            "panel": panels.data(card.panel, None, opens),
            "task": {**shared, "told": said},
            "answered": panels.data(with_text(card.panel, task.answer), None, typed=True),
        }
    asked = [question_of(panels.engine, card, lesson.language)]
    if isinstance(card.question, QuestionRef):
        seeds = range(card.question.seed + 1, card.question.seed + VARIANTS)
        asked += [question_of(panels.engine, card, lesson.language, seed) for seed in seeds]
    questions = [{**each.data(), "panel": panels.data(card.panel, each, opens)} for each in asked if each is not None]
    return {"questions": questions} if questions else {"panel": panels.data(card.panel, None, opens)}


# --- a quiz -----------------------------------------------------------------------------------------------------------


def quiz_page(tokenizer: Opened, quiz: Quiz, engine: Engine | None = None) -> Page:
    """A quiz about a tokenizer as a saved page. Raises InputError if the texts allow no question."""
    engine = engine or OwnEngine()
    asked, language = quiz_of(engine, tokenizer, quiz), quiz.language
    panels, to = Panels(engine, language), phrases(language)
    cards: list[Record] = []
    for each in asked:
        panel = ExplorePanel(each.text, each.tokenizer, tokenizer.implementation, each.stage)
        cards.append({"questions": [{**each.data(), "panel": panels.data(panel, each)}]})
    title, result = f"Quiz: {model_title(tokenizer.name)}", to.words("Result")
    names = [*(to.plain(Say("Question {0}", number)) for number in range(1, len(cards) + 1)), result]
    lesson = {
        "key": QUIZ, "title": title, "language": language, "link": "", "quiz": True, "own": False, "alone": True,
        "phrases": page_words(language), "digest": digest(asked), "next": None,
        "cards": [{"title": name, "words": [], "asks": name != result} for name in names],
    }  # fmt: skip
    data = {"lesson": lesson, "cards": cards, "results": results_of(tokenizer, quiz.seed, asked, to)}
    data |= words_in(to)
    asks = {"quiz": str(quiz.size), "seed": str(quiz.seed), "m": tokenizer.name, "texts": "\n".join(quiz.texts)}
    asks |= {"kinds": ",".join(quiz.kinds)} if quiz.kinds else {}
    asks |= {"lang": language} if language != ENGLISH else {}
    back = f"learn?{urlencode(asks)}"
    runs = f"{model_title(tokenizer.name)}, as {implementation_title(tokenizer.implementation)} runs it"
    line = f"{plural(len(cards), 'question')} about {runs}."
    return page_of(panels, title, data, f"quiz-{tokenizer.name}-{quiz.seed}.html", back, line)


def results_of(tokenizer: Opened, seed: int, asked: Sequence[Asked], to: Phrases) -> Record:
    """What a quiz writes, whatever was answered. to: the language of the page.

    scores: what is said of so many right answers, from none on. words: of the page, by their English. head: the first
    line of its CSV. questions, choices: as texts. lines: of each question its line for each choice, and
    last for none; a line begins after the cell of the name.
    """
    most = max(len(each.choices) for each in asked)
    exports, tables = [], []
    for at in range(most + 1):  # choice `at` is taken everywhere
        given = [each.answered(row, at) for row, each in enumerate(asked, 1)]
        exports.append(quiz_export(tokenizer, seed, given))
        tables.append(exports[at].provenance.columns(exports[at].rows(), exports[at].sides))
    choices = [list(each.choices) for each in given]
    lines = [
        [write_csv([tables[at][row][1:]]) for at in (*range(len(texts)), most)] for row, texts in enumerate(choices, 1)
    ]
    return {
        "scores": [to.text(right_of(right, len(asked))) for right in range(len(asked) + 1)],
        "words": {each: to.words(each) for each in RESULT_WORDS},
        "head": write_csv(tables[0][:1]),
        "questions": [plain(each.prompt) for each in asked],
        "choices": choices,
        "lines": lines,
        "file_name": exports[0].file_names["csv"],
    }


def digest(value: object) -> str:
    """An id of exactly this content."""
    return sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]


INDEX = "index.html"
TITLE = "How does text become tokens?"
MODEL = ("llama-2", "llama.cpp")
"""What reads the ordinary texts."""
BACK = "All lessons and examples"
"""The link from a page to the index."""
HUES = 5
"""Colors of tokens in the index."""


class Entry(NamedTuple):
    """A line of the index. file: with the parameters that open it. about: what to look for. tokens: of its text."""

    file: str
    title: str
    about: str
    tokens: Sequence[str] = ()


class Text(NamedTuple):
    """A text under a tokenizer: its file, and its tokens."""

    file: str
    tokens: Sequence[str]


@dataclass(eq=False)
class Site:
    """A site that is written to a folder.

    app: the first page of the explorer that links lead to; live: its own Explore; "" for none. report: takes the name
    of each file. texts: by tokenizer and text.
    """

    folder: Path
    app: str
    report: Callable[[str], None]
    live: str
    sizes: dict[str, int] = field(default_factory=dict)
    texts: dict[tuple[str, ...], Text] = field(default_factory=dict)

    def write(self, name: str, data: bytes) -> None:
        """A file."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        write_whole(path, data)
        self.sizes[name] = len(data)
        self.report(name)

    def page(self, name: str, page: Page, links: Sequence[tuple[str, str]]) -> None:
        """A saved page, with its code beside it."""
        code = f"{page.kind}.js"
        if code not in self.sizes:
            self.write(code, script(page.kind).encode())
        self.write(name, html(page, self.app, links, code, self.live).encode())

    def lessons(self) -> Iterator[Entry]:
        """All lessons; each leads to the next one of its language."""
        every = list(library().values())
        for at, lesson in enumerate(every):
            later = next((each for each in every[at + 1 :] if each.language == lesson.language), None)
            links = [(BACK, INDEX)]
            links += [] if later is None else [(f"Next: {later.title}", lesson_file(later))]
            self.page(lesson_file(lesson), lesson_page(lesson), links)
            yield Entry(lesson_file(lesson), lesson.title, f"{lesson.minutes} min · {lesson.about}")

    def example(self, example: Example) -> Entry:
        """A question, or a stop of a walk, at its step."""
        model, text = (example.model, example.implementation, *map("=".join, example.choose)), example.text
        file, tokens = self.text(model, text, example.model)
        step = "step" if example.stage == "model" else example.stage
        query = {"stage": example.stage, "level": example.level} | ({step: example.step} if example.step else {})
        return Entry(f"{file}?{urlencode(query)}", example.label, example.shows, tokens)

    def text(self, model: tuple[str, ...], text: str, label: str) -> Text:
        """A text under a tokenizer. model: with its implementation and choices."""
        if (*model, text) not in self.texts:
            tok, file = opened_model(model), f"{label}-{len(self.texts) + 1}.html"
            page = explore_page(tok, tok.trace(text))
            self.page(file, page, [(BACK, INDEX)])
            pieces = [each["bytes"] if "part" in each else each["t"] for each in page.data["overview"]["tokens"]]
            self.texts[*model, text] = Text(file, pieces)
        return self.texts[*model, text]

    def preset(self, preset: Preset) -> Entry:
        """An ordinary text."""
        file, tokens = self.text(MODEL, preset.text, MODEL[0])
        return Entry(file, preset.label, preset.shows, tokens)


def lesson_file(lesson: Lesson) -> str:
    """The name of a lesson's file."""
    return f"lesson-{lesson.key}.html"


@cache
def opened_model(model: tuple[str, ...]) -> Opened:
    """A bundled tokenizer: its name, its implementation, choices as KEY=VALUE."""
    name, implementation, *choices = model
    return load(name, implementation, **dict(each.split("=", 1) for each in choices))


def site(
    folder: Path, app: str = SERVER, report: Callable[[str], None] = lambda name: None, live: bool = False
) -> dict[str, int]:
    """Writes the site to a folder, which is made if need be, and returns the size in bytes of each file.

    live: with a live Explore. Files of other names stay; those of a site that was there are replaced. Raises InputError
    where a file is there, and where what Explore needs can't be fetched.

    >>> site(Path("public"))["index.html"] > 10_000                # doctest: +SKIP
    True
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; give a folder")
    folder.mkdir(parents=True, exist_ok=True)
    pages = Site(folder, app, report, LIVE if live else "")
    if live:
        write_live(pages.write, folder, [(BACK, INDEX)])
    parts: dict[str, list[Entry]] = {
        "Lessons": list(pages.lessons()),
        "Questions": [pages.example(each) for each in QUESTIONS],
        **{walk.title: [pages.example(each) for each in walk.stops] for walk in WALKS},
        f"Texts in {model_title(opened_model(MODEL).name)}": [pages.preset(each) for each in PRESETS],
    }
    pages.write(INDEX, index(parts, app, pages.live).encode())
    return pages.sizes


def index(parts: Mapping[str, Sequence[Entry]], app: str, live: str = "") -> str:
    """The first page, which needs no JavaScript. live: the address of a live Explore, "" for none."""
    styles = (FOLDER / "page.css").read_text("utf-8") + (FOLDER / "site.css").read_text("utf-8")
    body = "".join(
        f"<section><h2>{escape(name)}</h2><ul>{''.join(map(line, entries))}</ul></section>"
        for name, entries in parts.items()
    )
    way = f' <a class="back" href="{escape(app)}">Open the explorer</a>' if app else ""
    yours = (
        f'\n<p><a href="{live}">Explore a text of your own</a>, with the engine in your browser.</p>' if live else ""
    )
    content = f"""<main class="site">
<header><h1>{TITLE}</h1>
<p>Real texts under real tokenizers, stage by stage and step by step, in your browser alone.</p>{yours}</header>
{body}
<footer><p>Made by tokenizer-explorer {__version__}.{way}</p></footer>
</main>"""
    dark = f"@media (prefers-color-scheme: dark) {{ {dark_theme(styles)} }}"
    return document(TITLE, POLICY.replace("{scripts}", "'none'"), styles + dark, content)


def dark_theme(styles: str) -> str:
    """The rule of the dark theme in the styles of saved pages, where JavaScript chooses the theme."""
    _, _, rest = styles.partition("color-scheme: dark;")
    return f":root {{ color-scheme: dark;{rest.partition('}')[0]}}}"


def line(entry: Entry) -> str:
    """An entry as HTML."""
    tokens = "".join(
        f'<span class="h{at % HUES}">{escape(visible_words(each))}</span>' for at, each in enumerate(entry.tokens[:40])
    )
    more = "<i>…</i>" if len(entry.tokens) > 40 else ""
    row = f'<div class="row" aria-hidden="true">{tokens}{more}</div>' if tokens else ""
    link = f'<a href="{escape(entry.file)}">{escape(entry.title)}</a>'
    return f"<li>{link}<p>{escape(entry.about)}</p>{row}</li>"

"""The lessons and the examples as static pages, linked among themselves, for any web host.

The pages are saved ones, but for their code: a kind's code is a file beside them, which a browser fetches once. So they
need a web server, if only of files; a page that plays from a disk is made by `save`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlencode

from explorer.corpus.atomic import write_whole
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.learning.lessons import Lesson, library
from explorer.opening.catalog import load
from explorer.opening.catalog import title_of as model_title
from explorer.saved.explore import explore_page
from explorer.saved.lesson import lesson_page
from explorer.saved.page import FOLDER, POLICY, SERVER, Page, document, html, script
from explorer.text import visible_words
from explorer.version import __version__
from explorer.views.examples import PRESETS, QUESTIONS, WALKS, Example, Preset

INDEX: Final = "index.html"
TITLE: Final = "How does text become tokens?"
MODEL: Final = ("llama-2", "llama.cpp")
"""What reads the ordinary texts."""
BACK: Final = "All lessons and examples"
"""The link from a page to the index."""
HUES: Final = 5
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


class Site:
    """A site that is written to a folder. report: takes the name of each file."""

    def __init__(self, folder: Path, app: str = SERVER, report: Callable[[str], None] = lambda name: None) -> None:
        """An empty one. app: the first page of the explorer that its links lead to, "" for none."""
        self.folder, self.app, self.report = folder, app, report
        self.sizes: dict[str, int] = {}
        self.texts: dict[tuple[str, ...], Text] = {}
        """by tokenizer and text"""

    def write(self, name: str, text: str) -> None:
        """A file."""
        data = text.encode()
        write_whole(self.folder / name, data)
        self.sizes[name] = len(data)
        self.report(name)

    def page(self, name: str, page: Page, links: Sequence[tuple[str, str]]) -> None:
        """A saved page, with its code beside it."""
        code = f"{page.kind}.js"
        if code not in self.sizes:
            self.write(code, script(page.kind))
        self.write(name, html(page, self.app, links, code))

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
            tok, file = opened(model), f"{label}-{len(self.texts) + 1}.html"
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
def opened(model: tuple[str, ...]) -> Opened:
    """A bundled tokenizer: its name, its implementation, choices as KEY=VALUE."""
    name, implementation, *choices = model
    return load(name, implementation, **dict(each.split("=", 1) for each in choices))


def site(folder: Path, app: str = SERVER, report: Callable[[str], None] = lambda name: None) -> dict[str, int]:
    """Writes the site to a folder, which is made if need be, and returns the size in bytes of each file.

    Files of other names stay; those of a site that was there are replaced. Raises InputError where a file is there.

    >>> site(Path("public"))["index.html"] > 10_000                # doctest: +SKIP
    True
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; give a folder")
    folder.mkdir(parents=True, exist_ok=True)
    made = Site(folder, app, report)
    parts: dict[str, list[Entry]] = {
        "Lessons": list(made.lessons()),
        "Questions": [made.example(each) for each in QUESTIONS],
        **{walk.title: [made.example(each) for each in walk.stops] for walk in WALKS},
        f"Texts in {model_title(opened(MODEL).name)}": [made.preset(each) for each in PRESETS],
    }
    made.write(INDEX, index(parts, app))
    return made.sizes


def index(parts: Mapping[str, Sequence[Entry]], app: str) -> str:
    """The first page, which needs no JavaScript."""
    styles = (FOLDER / "page.css").read_text("utf-8") + (FOLDER / "site.css").read_text("utf-8")
    body = "".join(
        f"<section><h2>{escape(name)}</h2><ul>{''.join(map(line, entries))}</ul></section>"
        for name, entries in parts.items()
    )
    way = f' <a class="back" href="{escape(app)}">Open the explorer</a>' if app else ""
    content = f"""<main class="site">
<header><h1>{TITLE}</h1>
<p>Real texts under real tokenizers, stage by stage and step by step, in your browser alone.</p></header>
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

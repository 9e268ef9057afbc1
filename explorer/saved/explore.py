"""Explore as a saved page, a text under one tokenizer; a prompt's page; and pages as outputs of a notebook.

What a visitor of the app may ask Python is in the file: the script of each stage, and a card for each token and
cut that is drawn, up to `MOST_CARDS` and fewer in a long text. Other tokenizers are not asked.

In a notebook, pages play without a server, and when the kernel is gone. An output is a sandboxed frame with the
whole file of `explorer.saved.page` inside, so the saved notebook plays, and so does what nbconvert makes of it.
A program that doesn't trust a notebook leaves frames out: it shows the light display of the same answer, which
the frame hides once it plays. A prompt's page is made here, too: only notebooks show it.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from explorer.analysis.export import Provenance, link_of
from explorer.corpus.atomic import write_whole
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError, shown
from explorer.implementations.opened import Opened
from explorer.languages import ENGLISH, Phrases, phrases
from explorer.opening.catalog import catalog
from explorer.opening.catalog import title_of as model_title
from explorer.prompts.model_input import Prompt
from explorer.saved.page import FIRST_HEIGHT, Page, frame_code, html, in_base64, made_of, packed, sandbox
from explorer.script.script import Script, Window, in_language, pack_dense, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.stages.spelling import Form, implementation_title
from explorer.text import visible, visible_words
from explorer.text.say import number, plural
from explorer.views.overview import Node, Overview, Section, focus_of, ribbon, sections
from explorer.views.prompt.tokens import cells
from explorer.views.steppers.template_script import Play, template_script
from explorer.views.why_card import Card, cards_of

MOST_CARDS = 200
"""The most tokens and cuts that are explained."""
CARDS_WORK = 40_000
"""The same times the characters of the text: each card replays the events of all of it."""
LONGEST_HEADING = 60
"""Characters of the text in the heading."""


def explore_page(
    tokenizer: Opened,
    trace: Trace,
    *,
    title: str = "",
    only: str = "",
    start: int = 0,
    stored: bool = False,
    back: Mapping[str, str] | None = None,
) -> Page:
    """A trace as a saved page. Raises InputError.

    title: of the tokenizer, if not that of the catalog. only: the key of the one stage that is saved. start: of the
    window of a long text. stored: tokens as the vocabulary stores them. back: parameters that open it in the app, if
    not the usual ones.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> page = explore_page(tok, tok.trace("What is LoRA?"))
    >>> page.heading, list(page.data["sections"])
    ('“What is LoRA?” in Llama 2', ['utf8', 'partition', 'normalize', 'model', 'post-process', 'decode'])
    """
    title = title or title_of(tokenizer)
    provenance = Provenance.of([tokenizer], trace.text, trace.options)
    asked = back or link_of(tokenizer.name, tokenizer.implementation, trace.text, trace.options)
    return Page(
        "explore",
        f"{quoted(trace.text)} in {title}",
        explore_data(tokenizer, trace, title, asked, only=only, start=start, stored=stored),
        made_of(provenance),
        f"{model_title(tokenizer.name)}, as {implementation_title(tokenizer.implementation)} runs it.",
        provenance.file_name("page", "html"),
        f"?{urlencode({**asked, **({'stage': only} if only else {})})}",
    )


def explore_data(
    tokenizer: Opened,
    trace: Trace,
    title: str,
    link: Mapping[str, str],
    *,
    only: str = "",
    start: int = 0,
    stored: bool = False,
    language: str = ENGLISH,
    explains: bool = True,
) -> dict[str, Any]:
    """A trace as `panels.js` draws it. link: parameters that open its text in the app. The rest as `explore_page`.

    language: of the stages and their steps. explains: with a card for each token and cut, else they are asked later.
    """
    to = phrases(language)
    window = window_of(trace, start)
    back_again = round_trip(tokenizer, trace)
    nodes = in_words(ribbon(trace, back_again.decoded), to)
    every = {each.key: each for each in sections(tokenizer, trace, back_again, window, None, stored)}
    if only and only not in every:
        raise InputError(f"this tokenizer has no stage {only[:40]!r}; its stages are {', '.join(every)}")
    saved = {only: every[only]} if only else every
    number = sha256(repr((title, trace.text, trace.options, stored)).encode()).hexdigest()[:16]
    top = Overview.of(number, trace, tokenizer, window, [] if only else nodes, stored, title)
    return {
        "overview": {**top.data, "saved": {**link, "text": trace.text}},
        "focus": only or focus_of([node for node in nodes if node.key in saved], ""),
        "sections": {key: section_data(each, to) for key, each in saved.items()},
        "whys": packed(why_cards(tokenizer, trace, window, saved, stored, to)) if explains else None,
        "part": part_of(len(trace.text), window.start, window.end),
    }


def in_words(nodes: Iterable[Node], to: Phrases) -> list[Node]:
    """The stages of the row in a language."""
    return [node._replace(name=to.caption(node.name), result=to.text(to.caption(node.result))) for node in nodes]


def section_data(section: Section, to: Phrases) -> dict[str, Any]:
    """A stage as the page has it."""
    return {
        "title": section.title,
        "what": to.words(section.what),
        "result": None if section.result is None else section.result._asdict(),
        "script": None if section.script is None else script_of(section.script, to),
    }


def script_of(script: Script, to: Phrases) -> str:
    """A script as a file has it."""
    return in_base64(pack_dense(in_language(script, to).data))


def why_cards(
    tokenizer: Opened, trace: Trace, window: Window, saved: Mapping[str, Section], stored: bool, to: Phrases
) -> dict[str, Card]:
    """A card for each token and each cut in the window, by what the browser asks."""
    form = Form.AS_STORED if stored else Form.AS_TEXT
    cards = cards_of(tokenizer, trace, lambda key: saved[key].script if key in saved else None, tokenizer.name, form)
    asked = [(kind, at) for at in range(window.first, window.last) for kind in ("token", "cut")]
    most = min(MOST_CARDS, CARDS_WORK // max(1, len(trace.text)))
    made = {f"{kind} {at}": cards(kind == "cut", at) for kind, at in asked[:most]}
    return {name: to.data(card) for name, card in made.items() if card is not None}


def part_of(size: int, start: int, end: int) -> str:
    """Which part of a long text is drawn, in a sentence; empty for all of it.

    >>> part_of(3000, 0, 2001)
    'Characters 1 to 2,001 of 3,000 are drawn; all of them are tokenized.'
    """
    if end - start >= size:
        return ""
    return f"Characters {number(start + 1)} to {number(end)} of {number(size)} are drawn; all of them are tokenized."


def title_of(tokenizer: Opened) -> str:
    """What people call a tokenizer's model, with the implementation if there are several."""
    known = catalog().get(tokenizer.name)
    several = known is not None and len(known.implementations) > 1
    return model_title(f"{tokenizer.name}@{tokenizer.implementation}" if several else tokenizer.name)


def quoted(text: str) -> str:
    """A text for a heading: on one line, and not too long."""
    shown = visible_words(text[: LONGEST_HEADING + 1])
    return f"“{shown[:LONGEST_HEADING].rstrip()}…”" if len(shown) > LONGEST_HEADING else f"“{shown}”"


def prompt_page(prompt: Prompt) -> Page:
    """A prompt as a saved page.

    >>> import explorer
    >>> chat = [{"role": "user", "content": "Hi"}]
    >>> prompt_page(explorer.load("qwen2.5").prompt(chat, "ours:chatml")).heading
    'A prompt of 1 message in Qwen 2.5 · Hugging Face'
    """
    tokenizer, run = prompt.tokenizer, prompt.rendering
    played = template_script(Play(run, cells(prompt), prompt.call, prompt.engine))
    script = pack_dense(played.data)
    provenance = Provenance.of([tokenizer], prompt.text, None)
    messages, tokens = plural(len(prompt.call.messages), "message"), plural(len(prompt.tokens), "token")
    title = implementation_title(tokenizer.implementation)
    own = run.source in tokenizer.chat.sources.values()
    name = visible(prompt.template) or ("the model's own" if own else "a given one")
    about = f"{name}, {plural(len(run.source), 'character')}, sha256 {sha256(run.source.encode()).hexdigest()}"
    return Page(
        "prompt",
        f"A prompt of {messages} in {title_of(tokenizer)}",
        {
            "script": in_base64(script),
            "on": {"script_id": sha256(script).hexdigest()[:16], "start": len(played)},
            "says": f"{tokens}. Template: {name}.",
        },
        [*made_of(provenance), ("Template", about), ("Engine", prompt.engine)],
        f"{model_title(tokenizer.name)}, as {title} runs it; its template, as {prompt.engine} does.",
        provenance.file_name("prompt", "html"),
    )


LEVELS = ("story", "algorithm", "implementation")
THEMES = ("light", "dark")
UNTRUSTED = "Trust this notebook to see it step by step."


class Shown:
    """A saved page as the output of a notebook's cell.

    page: what it shows. light: HTML for notebooks that aren't trusted. begins: parameters of its address. height: in
    pixels, 0 for that of its content. app: the URL of an explorer, for links to it; "" for none.
    """

    def __init__(
        self, page: Page, light: str, begins: dict[str, str], *, height: int = 0, app: str = "", theme: str = ""
    ) -> None:
        if theme not in ("", *THEMES):
            raise InputError(f"there is no theme {shown(theme)}; use {' or '.join(THEMES)}, or leave it out")
        if app and not app.startswith(("http://", "https://")):
            raise InputError(
                f"app={shown(app)} is not the URL of a page; give one that begins with http:// or https://"
            )
        at = urlencode({**begins, "theme": theme} if theme else begins)
        self.page = page._replace(data={**page.data, "begins": at}) if at else page
        self.light, self.height, self.app = light, height, app

    def __repr__(self) -> str:
        says = "As the last line of a notebook's cell, it plays; save(PATH) writes its file"
        return f"<Page: {self.page.heading}. {says}>"

    @property
    def html(self) -> str:
        """The file, as `explorer save` writes it."""
        return html(self.page, self.app)

    def save(self, path: str | Path) -> None:
        """Writes the file."""
        write_whole(Path(path), self.html.encode())

    def widget(self) -> Any:
        """The page as a Jupyter widget, whose `stage` and `step` Python reads and sets. Raises InputError."""
        try:
            from explorer.saved.widget import widget
        except ImportError:
            raise InputError(
                "widgets need anywidget: pip install anywidget; without it, show the page itself"
            ) from None
        return widget(self.html, self.page.heading, sandbox(bool(self.app)), self.height)

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        style = f"display:block;width:100%;height:{self.height or FIRST_HEIGHT}px;border:0"
        loaded = f"({frame_code()})(this,this.previousElementSibling,{'true' if self.height else 'false'})"
        return (
            f'<div><div>{self.light}<p style="opacity:.75">{UNTRUSTED}</p></div>'
            f'<iframe sandbox="{sandbox(bool(self.app))}" title="{escape(self.page.heading)}" '
            f'style="{style}" onload="{escape(loaded)}" srcdoc="{attribute(self.html)}"></iframe></div>'
        )


def attribute(text: str) -> str:
    """A document for an attribute in double quotes."""
    return text.replace("&", "&amp;").replace('"', "&quot;")


def address(level: str, **given: object) -> dict[str, str]:
    """The parameters of an address that are given. What isn't text is the number of a step. Raises InputError."""
    if level not in ("", *LEVELS):
        raise InputError(f"there is no level {shown(level)}; use one of {', '.join(LEVELS)}")
    for value in given.values():
        if value is not None and not isinstance(value, str) and (type(value) is not int or value < 0):
            raise InputError(f"a step is a number from 0 on, not {shown(value)}")
    return {name: str(value) for name, value in {**given, "level": level}.items() if value not in (None, "")}


def show_trace(trace: Trace, *, stage: str = "", step: int | None = None, level: str = "", **asked: Any) -> Shown:
    """A trace as a page. Raises InputError.

    stage: the one shown first, such as "model"; step: of it, of the model's if none is named; level: story, algorithm
    or implementation. asked: theme, height and app, as in `Shown`.
    """
    if not isinstance(trace.tokenizer, Opened):
        raise InputError("this trace doesn't know its tokenizer; use one that `explorer.load(…).trace(text)` returned")
    page = explore_page(trace.tokenizer, trace)
    stages = page.data["sections"]
    if stage and stage not in stages:
        raise InputError(f"this tokenizer has no stage {stage[:40]!r}; its stages are {', '.join(stages)}")
    if step is not None:
        stage = stage or "model"
    steps = {"step" if stage in ("", "model") else stage: step}
    return Shown(page, trace._repr_html_(), address(level, stage=stage, **steps), **asked)


def show_prompt(prompt: Prompt, *, step: int | None = None, level: str = "", **asked: Any) -> Shown:
    """A prompt as a page. Arguments and errors as in `show_trace`."""
    return Shown(prompt_page(prompt), prompt._repr_html_(), address(level, step=step), **asked)

"""Saved pages in notebooks: outputs that play without a server, and when the kernel is gone.

An output is a sandboxed frame with the whole file of `explorer.saved.page` inside, so the saved notebook plays, and
so does what nbconvert makes of it. A program that doesn't trust a notebook leaves frames out: it shows the light
display of the same answer, which the frame hides once it plays. A prompt's page is made here, too: only notebooks
show it.
"""

from __future__ import annotations

from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from explorer.analysis.export import Provenance
from explorer.corpus.atomic import write_whole
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError, shown
from explorer.implementations.opened import Opened
from explorer.opening.catalog import title_of as model_title
from explorer.prompts.model_input import Prompt
from explorer.saved.explore import explore_page, title_of
from explorer.saved.page import FIRST_HEIGHT, Page, frame_code, html, in_base64, made_of, sandbox
from explorer.script.packing import pack_dense
from explorer.stages.spelling import implementation_title
from explorer.text import visible
from explorer.text.say import plural
from explorer.views.prompt.tokens import cells
from explorer.views.steppers.template_script import Play, template_script


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
    name = visible(prompt.template) or (
        "the model's own" if run.source in tokenizer.chat.sources.values() else "a given one"
    )
    source = sha256(run.source.encode()).hexdigest()
    made = [
        *made_of(provenance),
        (
            "Template",
            f"{name}, {plural(len(run.source), 'character')}, sha256 {source}",
        ),
        ("Engine", prompt.engine),
    ]
    return Page(
        "prompt",
        f"A prompt of {messages} in {title_of(tokenizer)}",
        {
            "script": in_base64(script),
            "on": {"script_id": sha256(script).hexdigest()[:16], "start": len(played)},
            "says": f"{tokens}. Template: {name}.",
        },
        made,
        f"{model_title(tokenizer.name)}, as {title} runs it; its template, as {prompt.engine} does.",
        provenance.file_name("prompt", "html"),
    )


LEVELS: Final = ("story", "algorithm", "implementation")
THEMES: Final = ("light", "dark")
UNTRUSTED: Final = "Trust this notebook to see it step by step."


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

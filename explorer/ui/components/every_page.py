r"""Components: how one is registered, and those of every page: its text field, sentences, buttons that save.

A component is a folder beside this module. `explorer/views/components.py` joins its files, as it does for saved pages;
here they become an ES module. The styles travel in the same module and are shared by all instances of the component
(`adoptStyles` in `base/mounts.js`).

Streamlit sends code that it gets as a string with every message to the component: half a megabyte for each key press.
So the module is written to a file that Streamlit serves like the components of installed packages, and that the browser
fetches once. Its name contains a digest of its content, so browsers don't use an outdated copy. Leaves out minifying,
and watching the files: restart the server after editing them.

Typed text reaches Python at once, or 60 ms after the last of several quick keys.

`st.text_area` reports on blur only and `st.text_input(live=…)` has one line, so this is a browser component
(`live_text/`). The browser owns the text. Python sends one at the first run and whenever `rev` changes, and can't
overwrite anything in between. A server that lost the session (it was restarted, or another process goes on in its
place) gets the text from the browser again; `session` tells the browser so. Leaves out rich text, files, and `\r\n`,
which every browser turns into `\n`.

A sentence stays text, whatever the tokens in it look like: the browser part writes `textContent` only. An answer is
saved as its files, a picture, which the browser draws (`picture/`), or a page (`explorer.saved`). A component that
offers pictures itself has their files before its own and EMBLEM among its constants (`explorer/views/components.toml`).
For a page, the browser asks with a value that differs each time, Python answers once with the file, and the browser
saves it. So a file is made only when it is wanted, by whoever answers the page's other questions.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import msgspec
import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from explorer.analysis.export import LONGEST_LINK, Export
from explorer.answers.explore import download, file_names
from explorer.errors import InputError
from explorer.script.script import plain_text
from explorer.tables import Json, Record
from explorer.text.input import whole_characters
from explorer.text.say import Say
from explorer.ui.language import said, words
from explorer.views.components import BASE_JS, base_styles, component, glossary, join

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


PACKAGE = "explorer"
"""The name under which Streamlit registers the components."""

JAVASCRIPT: dict[str, str] = {}
"""The joined JavaScript of each registered component, by name, for tests."""

FILES: dict[str, str] = {}
"""The name of the file of each component that has been mounted: from then on it is served."""

LOCK = Lock()
"""Held while a component is registered."""


@cache
def served_folder() -> Path:
    """The folder that Streamlit serves the modules from; deleted when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="explorer-components-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def register(name: str, **constants: object) -> ComponentRenderer:
    """Registers a component and returns the function that mounts it. Call it once, at module level.

    name: in components.toml. constants: see `component`. `reported` reads what the browser reports;
    `on_NAME_change` may still be given. What it is sent is said in the visitor's language.

    >>> draw_list = register("list")               # doctest: +SKIP
    >>> draw_list(data={"rows": []}, key="list")   # doctest: +SKIP
    """
    of, name = component(name, **constants), f"explorer_{name}"
    JAVASCRIPT[name] = join("base", BASE_JS) + of.code
    styles = base_styles() + of.styles
    module = f"const STYLES = {json.dumps(styles)};\nconst GLOSSARY = {glossary()};\n{JAVASCRIPT[name]}"
    path = served_folder() / name / f"{sha256(module.encode()).hexdigest()[:16]}.js"
    path.parent.mkdir(exist_ok=True)
    path.write_text(module, "utf-8")
    known = f"{PACKAGE}.{name}"
    renderers: list[ComponentRenderer] = []
    callbacks: Record = {f"on_{each}_change": lambda: None for each in of.reports.split()}

    def mount(**arguments: Any) -> Any:
        manager = get_bidi_component_manager()
        with LOCK:
            # a process has one manager, except in Streamlit's test runner, where each app has its own
            if manager.get_component_asset_root(known) is None:
                manifest = ComponentManifest(PACKAGE, "", [ComponentConfig(name, asset_dir=name)])
                manager.register_from_manifest(manifest, served_folder())
                renderers[:] = [st.components.v2.component(known, html=f"{of.html}\n", js=path.name)]
                FILES[name] = path.name
        return renderers[0](**{**callbacks, **arguments, "data": said(arguments.get("data"))})

    return mount


def as_bytes(data: Json) -> bytes:
    """Data as the bytes of JSON. In anything else Streamlit looks for tables, and writes it twice."""
    return msgspec.json.encode(said(data), enc_hook=plain_text)


def reported(key: str, name: str) -> Any:
    """What the browser reported last under a name, which may be anything; None before. key: of the component."""
    return (st.session_state.get(key) or {}).get(name)


def text_in(given: object, most: int) -> str:
    """The beginning of a text in what the browser reports; "" for anything else."""
    return given[:most] if isinstance(given, str) else ""


def number_in(given: object, least: int = 0, most: int = 1 << 31) -> int | None:
    """A whole number in what the browser reports; None for anything else."""
    return given if isinstance(given, int) and not isinstance(given, bool) and least <= given < most else None


def whole(text: str, most: int = 9) -> int | None:
    """A number in a URL or a report, of at most so many digits; None for another text.

    >>> whole("12"), whole("1e3"), whole("")
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= most else None


def table_in(given: object) -> Record:
    """A table in what the browser reports; an empty one for anything else."""
    return given if isinstance(given, dict) else {}


def json_in(given: object, most: int) -> Record:
    """A table that the browser reports as JSON of up to `most` characters; an empty one for anything else."""
    try:
        return table_in(json.loads(text_in(given, most)))
    except (ValueError, RecursionError):
        return {}


def list_in(given: object) -> list[Any]:
    """A list in what the browser reports; an empty one for anything else."""
    return given if isinstance(given, list) else []


def browser_mark() -> str:
    """Tells browsers this session from another, so that one whose session was lost sends its text again."""
    return str(st.session_state.setdefault("live text session", uuid4().hex[:12]))


_draw_live_text = register("live_text")


class TextField(NamedTuple):
    """A field, as its page describes it.

    max: the most code points. A longer text stays in the field and is not reported; the field says so. parameter: of
    the URL, where the browser keeps the text, unless it is `unlinked`, which the field shows without a URL, or longer
    than `longest_link` code points. Of such a text the URL has a mark, `parameter` + "_kept", and the tab keeps the
    text: a reload finds it again, and another tab says that it is missing. Back and forward restore a text as if typed.
    note: a quiet line below the field. readings: what the field may hold, "text" or "ids", with the `unlinked` of each;
    `parameter` says which it holds. The browser offers the other one where it fits, and reports a choice as `reading`.
    selectable: the page's selection is a span of this text, cleared when it changes. bar: it is in the bar of a page.
    ids: the field is for a list of ids: it counts those, shows its label, and has a button that clears it.
    """

    max: int
    label: str
    parameter: str
    placeholder: str = ""
    note: str = ""
    unlinked: str | None = ""
    readings: Mapping[str, str | None] | None = None
    longest_link: int = LONGEST_LINK
    selectable: bool = True
    bar: bool = False
    ids: bool = False

    def draw(self, text: str, rev: int | str, *, key: str) -> None:
        """Draws the field. `text` fills it at the first run and whenever `rev` changes; else the visitor is typing."""
        texts = {each: words(getattr(self, each)) for each in ("label", "placeholder", "note")}
        data = {**self._asdict(), **texts, "text": text, "rev": rev, "session": browser_mark()}
        _draw_live_text(key=key, data=as_bytes(data))

    def linked(self) -> str:
        """The text in the URL; the one that isn't linked, if there is none, or one longer than the field allows."""
        text, usual = st.query_params.get(self.parameter), self.unlinked or ""
        return usual if text is None or len(text) > self.max else whole_characters(text)

    def kept(self, key: str) -> str:
        """Draws the field and returns its text, at first that of the URL, later typed.

        The session keeps it under its parameter, and how often Python has filled it under the same with `_rev`.
        """
        state, name = st.session_state, self.parameter
        rev = state.get(f"{name}_rev", 0)
        typed = reported_text(key, rev=rev, longest=self.max)
        if typed is not None or name not in state:
            state[name] = self.linked() if typed is None else typed
        self.draw(state[name], rev, key=key)
        return str(state[name])


def reported_text(key: str, *, rev: int | str, longest: int) -> str | None:
    """What the browser reports, None if it has not reported a text for this `rev`. longest: the field's `max`.

    The text has no lone surrogates (each is replaced by U+FFFD, and the field says where), and `\\n` as its only line
    end, except that an unedited text is reported unchanged.
    """
    return current_text(st.session_state.get(key) or {}, rev, longest)


def current_text(state: Mapping[str, object], rev: int | str, longest: int) -> str | None:
    """The text in the component's state; None if it reports a text that has been replaced since.

    Checks everything again, because any text may arrive at the socket: None if it is too long.

    >>> current_text({"text": "a\\ud83d\\ude0a\\ud83d", "rev": 1}, 1, 9), current_text({"text": "ab", "rev": 1}, 1, 1)
    ('a😊\ufffd', None)
    """
    text = state.get("text") if state.get("rev") == rev else None
    return whole_characters(text) if isinstance(text, str) and len(text) <= longest else None


_draw_sentence = register("sentence")


def sentence(
    say: Say, *, key: str, steps: Iterable[tuple[int, Say]] = (), parameter: str = "step", quiet: bool = False
) -> None:
    """Draws a sentence. key: unique on the page. quiet: in dim letters.

    steps: sentences about steps of the stepper whose URL parameter is `parameter`, each with a button that goes there.

    >>> sentence(Say("{0:q} is token {1:i}.", "is", 338), key="found")      # doctest: +SKIP
    """
    lines = [{"say": line._asdict(), "step": step, "parameter": parameter} for step, line in steps]
    _draw_say(say, key, quiet=quiet, steps=lines)


def headline(say: Say, more: Say | None = None, *, key: str) -> None:
    """Draws the answer of a page: one large sentence, announced when it changes, and a dim line about it."""
    _draw_say(say, key, more=None if more is None else more._asdict())


def _draw_say(say: Say, key: str, **data: Any) -> None:
    _draw_sentence(key=key, data={"sentence_id": repr((say, data)), "say": say._asdict(), **data})


def explained(text: str, *, key: str) -> None:
    """Draws a quiet line of our own, with the words of the glossary explained."""
    with st.container(key=f"explained-{key}"):
        sentence(Say(text.replace("{", "{{").replace("}", "}}")), key=f"explained_{key}", quiet=True)


_draw_picture = register("picture")
_draw_page_button = register("page_button")

Made = tuple[str, str]
"""A file: its name, its HTML."""


def picture(card: Json, *, key: str) -> None:
    """Draws a button that saves a picture of a card, which `picture/picture.js` describes.

    >>> picture({"say": "2 tokens", "facts": "", "rows": []}, key="picture")   # doctest: +SKIP
    """
    _draw_picture(key=key, data={"card": dict(card)}, width="content")


def page_button(
    make: Callable[[], Made], *, content_id: str, key: str, label: str = "Save as a page", done: str = "Saved"
) -> None:
    """Draws the button. make: writes the file; may raise InputError. content_id: names what is shown, without spaces.

    >>> page_button(lambda: ("a.html", "<!doctype html>"), content_id="a", key="save")   # doctest: +SKIP
    """
    page = page_for(asked_page(key, content_id), make)
    data = {"content_id": content_id, "label": words(label), "done": words(done), "page": page}
    _draw_page_button(key=key, data=data, width="content")


def asked_page(key: str, content_id: str) -> str:
    """What asks for this content as a saved page; empty if nothing does. It differs each time."""
    asked = text_in(reported(key, "page"), 80)
    return asked if asked.startswith(f"{content_id} ") else ""


def page_for(asked: str, make: Callable[[], Made]) -> dict[str, str] | None:
    """The answer for the browser: the file, or why it can't be made; None if it was not asked for."""
    if not asked:
        return None
    try:
        name, html = make()
    except InputError as error:
        return {"of": asked, "problem": str(error)}
    return {"of": asked, "name": name, "html": html}


MEDIA = {"csv": "text/csv", "json": "application/json", "md": "text/markdown"}


def download_buttons(
    export: Callable[..., Export],
    arguments: tuple[Any, ...],
    labels: Mapping[str, str],
    names: Mapping[str, str] | None = None,
    page: str = "explore",
    **look: Any,
) -> None:
    """Draws a button for each file of what a function exports. The file is written when it is requested.

    export: called with the arguments then, on another thread. labels: by the file's ending. names: of the files, if
    they are known. page: whose the buttons are. look: arguments of the buttons.
    """
    names = file_names(export, arguments) if names is None else names
    for ending, label in labels.items():
        file = download.deferred(export, arguments, ending)
        st.download_button(
            words(label), file, names[ending], MEDIA[ending], on_click="ignore", key=f"{page} {label}", **look
        )

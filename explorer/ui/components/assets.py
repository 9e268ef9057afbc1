"""Joins the files of a browser component and registers it with Streamlit.

A component is a folder beside this module. `explorer/views/components.py` joins its files, as it does for saved pages;
here they become an ES module. The styles travel in the same module and are shared by all instances of the component
(`adoptStyles` in `base/mounts.js`).

Streamlit sends code that it gets as a string with every message to the component: half a megabyte for each key press.
So the module is written to a file that Streamlit serves like the components of installed packages, and that the browser
fetches once. Its name contains a digest of its content, so browsers don't use an outdated copy. Leaves out minifying,
and watching the files: restart the server after editing them.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from explorer.views.components import BASE_JS, Component, base_styles, glossary, join

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

PACKAGE: Final = "explorer"
"""The name under which Streamlit registers the components."""

JAVASCRIPT: dict[str, str] = {}
"""The joined JavaScript of each registered component, by name, for tests."""

FILES: dict[str, str] = {}
"""The name of the file of each component that has been mounted: from then on it is served."""

LOCK: Final = Lock()
"""Held while a component is registered."""


@cache
def served_folder() -> Path:
    """The folder that Streamlit serves the modules from; deleted when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="explorer-components-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def register(component: Component, *reports: str, name: str = "") -> ComponentRenderer:
    """Registers a component and returns the function that mounts it. Call it once, at module level.

    reports: what the browser may report, which `reported` reads; `on_NAME_change` may still be given. name: that of the
    component's folder, if no other component has the same files.

    >>> draw_list = register(Component("list", "list.js", "list.css"), "chosen")   # doctest: +SKIP
    >>> draw_list(data={"rows": []}, key="list")                                       # doctest: +SKIP
    """
    name = f"explorer_{name or component.folder}"
    JAVASCRIPT[name] = join("base", BASE_JS) + component.code
    styles = base_styles() + component.styles
    module = f"const STYLES = {json.dumps(styles)};\nconst GLOSSARY = {glossary()};\n{JAVASCRIPT[name]}"
    path = served_folder() / name / f"{sha256(module.encode()).hexdigest()[:16]}.js"
    path.parent.mkdir(exist_ok=True)
    path.write_text(module, "utf-8")
    known = f"{PACKAGE}.{name}"
    renderers: list[ComponentRenderer] = []
    callbacks: dict[str, Any] = {f"on_{each}_change": lambda: None for each in reports}

    def mount(**arguments: Any) -> Any:
        manager = get_bidi_component_manager()
        with LOCK:
            # a process has one manager, except in Streamlit's test runner, where each app has its own
            if manager.get_component_asset_root(known) is None:
                manifest = ComponentManifest(PACKAGE, "", [ComponentConfig(name, asset_dir=name)])
                manager.register_from_manifest(manifest, served_folder())
                renderers[:] = [st.components.v2.component(known, html=f"{component.html}\n", js=path.name)]
                FILES[name] = path.name
        return renderers[0](**{**callbacks, **arguments})

    return mount


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


def table_in(given: object) -> dict[str, Any]:
    """A table in what the browser reports; an empty one for anything else."""
    return given if isinstance(given, dict) else {}


def json_in(given: object, most: int) -> dict[str, Any]:
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

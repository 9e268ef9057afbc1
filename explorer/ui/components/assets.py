"""Joins a component's front-end files and registers it with Streamlit; the browser fetches its code once.

A browser component is a folder of small `.js` and `.css` files beside this module. `register` joins `base.js` and the
named files, in the given order, into one ES module: no bundler, no import, one `export default` in the last file. The
order is given by the wrapper, because a file may use what stands before it. The styles travel in the same module and
are shared by all instances of the component (`adoptStyles` in `base.js`).

Code that is given to Streamlit as a string travels with every message to the component: half a megabyte for each key
press. So the module is written to a file that Streamlit serves, as it serves the components of installed packages. Its
name holds a digest of its content, so that no browser takes an old one for it. What is left out: minifying, and
watching the files (restart the server after editing them).
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

FOLDER: Final = Path(__file__).parent

PACKAGE: Final = "explorer"
"""What Streamlit takes for the package that the components come from."""

JAVASCRIPT: dict[str, str] = {}
"""The joined module of every component registered so far, by component name. The browser tests check these."""

LOCK: Final = Lock()


@cache
def served() -> Path:
    """The folder that Streamlit serves files from, as long as this process lives."""
    folder = Path(tempfile.mkdtemp(prefix="explorer-components-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def join(folder: str, files: Sequence[str], base: str) -> str:
    """Return `base` and then `files` of the component folder `folder` as one text, each under its own name.

    >>> join("stepper", ["log.js"], "base.js").startswith("/* base.js */")
    True

    A missing file raises `FileNotFoundError` when the component's module is imported, not when it is first shown.
    """
    parts = [(base, FOLDER / base)] + [(f"{folder}/{name}", FOLDER / folder / name) for name in files]
    return "\n".join(f"/* {name} */\n{path.read_text(encoding='utf-8')}" for name, path in parts) + "\n"


def register(
    name: str,
    folder: str,
    *,
    js: Sequence[str],
    css: Sequence[str] = (),
    html: str = '<div class="tx"></div>',
) -> ComponentRenderer:
    """Return the function that mounts the component. Call it once, at module level.

    `folder` is the component's folder below `explorer/ui/components`, `js` and `css` its files in order, without
    the base files. `html` is the fixed markup the component starts from; never put a person's text into it, and hide
    what must not be seen before it is styled.

    >>> mount = register("explorer_board", "board", js=["board.js"], css=["board.css"])   # doctest: +SKIP
    >>> mount(data={"rows": []}, key="board")                                              # doctest: +SKIP
    """
    JAVASCRIPT[name] = join(folder, js, "base.js")
    module = f"const STYLES = {json.dumps(join(folder, css, 'base.css'))};\n{JAVASCRIPT[name]}"
    path = served() / name / f"{sha256(module.encode()).hexdigest()[:16]}.js"
    path.parent.mkdir(exist_ok=True)
    path.write_text(module, "utf-8")
    known = f"{PACKAGE}.{name}"
    renderers: list[ComponentRenderer] = []

    def mount(**given: Any) -> Any:
        manager = get_bidi_component_manager()
        with LOCK:
            # a process has one manager, but in Streamlit's own tests, where each app has one
            if manager.get_component_asset_root(known) is None:
                manifest = ComponentManifest(PACKAGE, "", [ComponentConfig(name, asset_dir=name)])
                manager.register_from_manifest(manifest, served())
                renderers[:] = [st.components.v2.component(known, html=f"{html}\n", js=path.name)]
        return renderers[0](**given)

    return mount

"""Joins a component's front-end files and registers it with Streamlit, once.

A browser component is a folder of small `.js` and `.css` files beside this module. Streamlit wants one string of
each, so `register` joins `base.js` and the named files, in the given order, into one ES module: no bundler, no
import, one `export default` in the last file. The order is given by the wrapper, because a file may use what
stands before it. What is left out: minifying, and watching the files (restart the server after editing them).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

FOLDER = Path(__file__).parent

JAVASCRIPT: dict[str, str] = {}
"""The joined module of every component registered so far, by component name. The browser tests check these."""


def join(folder: str, files: Sequence[str], base: str) -> str:
    """Return `base` and then `files` of the component folder `folder` as one text, each under its own name.

    >>> join("stepper", ["log.js"], "base.js").startswith("/* base.js */")
    True

    A missing file raises `FileNotFoundError` when the component's module is imported, not when it is first shown.
    """
    parts = [(base, FOLDER / base)] + [(f"{folder}/{name}", FOLDER / folder / name) for name in files]
    # The text ends with a newline inside: Streamlit takes a one-line string for the path of a file.
    return "\n".join(f"/* {name} */\n{path.read_text(encoding='utf-8')}" for name, path in parts) + "\n"


def register(
    name: str,
    folder: str,
    *,
    js: Sequence[str],
    css: Sequence[str] = (),
    html: str = '<div class="tx"></div>',
) -> ComponentRenderer:
    """Register the component and return the function that mounts it. Call it once, at module level.

    `folder` is the component's folder below `explorer/ui/components`, `js` and `css` its files in order, without
    the base files. `html` is the fixed markup the component starts from; never put a person's text into it.

    >>> mount = register("explorer_board", "board", js=["board.js"], css=["board.css"])   # doctest: +SKIP
    >>> mount(data={"rows": []}, key="board")                                              # doctest: +SKIP
    """
    JAVASCRIPT[name] = join(folder, js, "base.js")
    return st.components.v2.component(name, html=f"{html}\n", css=join(folder, css, "base.css"), js=JAVASCRIPT[name])

"""What a browser does before it knows the page: it connects, and fetches what the page begins with.

The files that the first page needs and its HTML does not name are fetched at once, not one round after another.

A browser that knows only Streamlit's HTML fetches three rounds of files: what the HTML names; when the first element
arrives, the code of its kind; when that runs, the code of the page's components. Links in the HTML make it one round.
Streamlit's chunks and what each needs are read from its main script; where that has another form, there are no links,
and the page is only slower. Leaves out the kinds of elements that no page begins with, and caching, which the files'
own headers ask for.

Streamlit's page asks two questions before it opens its connection: whether the server answers, and which sites may
frame the app (`_stcore/health`, `_stcore/host-config`). A script in the HTML answers both, in the form that Streamlit
has for hosts (`window.__streamlit`): the server is where the page came from, also behind a proxy that adds a path, and
the rest is what the server would say. Streamlit compares that with the server's own answer, which comes later. The same
script watches until the page is whole (`arrival.js`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import streamlit
from streamlit import config

from explorer.ui.components import assets

STATIC: Final = Path(streamlit.__file__).with_name("static")
ARRIVAL: Final = Path(__file__).with_name("arrival.js")
ELEMENTS: Final = ("BidiComponent", "Html", "Selectbox")
"""The kinds of elements that every page begins with, as Streamlit names their chunks."""
COMPONENTS: Final = {
    "/": (
        "explorer_live_text",
        "explorer_examples",
        "explorer_url_values",
        "explorer_overview",
        "explorer_stepper",
    )
}
"""The components a page begins with, by its path."""

NEEDED: Final = re.compile(r"__vite__mapDeps=.{0,80}?(\[.*?\])")
"""The list of all chunks in the main script, which other lists point into."""
SCRIPT: Final = re.compile(r"\./[\w.-]+\.js")
"""Of that list, what is a script beside the main one."""
CHUNK: Final = re.compile(r"import\(`\./(\w+)\.([\w-]+)\.js`\),__vite__mapDeps\(\[([\d,]*)\]\)")
"""A chunk that is fetched when an element of its kind arrives: its name, its digest, what it needs."""


def links(path: str) -> bytes:
    """The HTML of links to what a page needs early. path: of the page, as requested.

    >>> links("/").count(b"modulepreload") >= len(links("/compare").split(b"<link")) - 1
    True
    """
    files = [*chunks(), *component_files(path)]
    return "".join(f'<link rel="modulepreload" crossorigin href="./{file}">' for file in files).encode()


@cache
def chunks() -> tuple[str, ...]:
    """Streamlit's files for `ELEMENTS`, relative to the page, without those that its HTML names."""
    page = STATIC / "index.html"
    html = page.read_text("utf-8") if page.is_file() else ""
    main = re.search(r'src="\./(static/js/index\.[\w-]+\.js)"', html)
    script = (STATIC / main[1]).read_text("utf-8") if main else ""
    everything = NEEDED.search(script)
    files = re.findall(r'"([^"]+)"', everything[1]) if everything else []
    found: dict[str, None] = {}
    for name, digest, numbers in CHUNK.findall(script):
        if name in ELEMENTS:
            needed = (files[int(number)] for number in numbers.split(",") if number)
            found |= dict.fromkeys([f"./{name}.{digest}.js", *(each for each in needed if SCRIPT.fullmatch(each))])
    return tuple(f"static/js/{each[2:]}" for each in found if each[2:] not in html)


def component_files(path: str) -> Iterator[str]:
    """The page's components as the browser asks for them, once they are registered."""
    for name in COMPONENTS.get(path, ()):
        if (file := assets.FILES.get(name)) is not None:
            yield f"_stcore/bidi-components/{assets.PACKAGE}.{name}/{file}"


TEMPLATE: Final = "window.__streamlit = {{BACKEND_BASE_URL: new URL('.', location.href).href, HOST_CONFIG: {answer}}}"


@cache
def script() -> bytes:
    """The content of the script, for the HTML and for the hash in the content security policy.

    >>> b"BACKEND_BASE_URL" in script(), b"<" in script()
    (True, False)
    """
    answer = {"allowedOrigins": list(config.get_option("client.allowedOrigins")), "useExternalAuthToken": False}
    # no origin ends the script
    backend = TEMPLATE.format(answer=json.dumps(answer).replace("<", r"\u003c"))
    return f"{backend};\n{ARRIVAL.read_text('utf-8')}".encode()

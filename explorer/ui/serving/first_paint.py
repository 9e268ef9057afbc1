"""The HTML that a browser gets first: with the styles of the pages, an early connection, links to the first files.

Streamlit draws its frame before the first element of a page, in a narrow column and with margins of its own. Styles
that come as an element (`st.html`) come after that, and the page jumps. At the end of the body they win over
Streamlit's as that element does.

A browser that knows only Streamlit's HTML fetches three rounds of files: what the HTML names; when the first element
arrives, the code of its kind; when that runs, the code of the page's components. Links in the HTML make it one round.
Streamlit's chunks and what each needs are read from its main script; where that has another form, there are no links,
and the page is only slower. Leaves out the kinds of elements that no page begins with, and caching, which the files'
own headers ask for.

Streamlit's page asks two questions before it opens its connection: whether the server answers, and which sites may
frame the app (`_stcore/health`, `_stcore/host-config`). A script in the HTML answers both, in the form that Streamlit
has for hosts (`window.__streamlit`): the server is where the page came from, also behind a proxy that adds a path,
and the rest is what the server would say. Streamlit compares that with the server's own answer, which comes later.
The same script watches until the page is whole (`arrival.js`).

Streamlit is asked for a page's HTML once: reading, changing and sending it costs as much as a tenth of the visit.
"""

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

from explorer.ui import STYLES
from explorer.ui.components import every_page

STATIC = Path(streamlit.__file__).with_name("static")
ARRIVAL = Path(__file__).with_name("arrival.js")
ELEMENTS = ("BidiComponent", "Html", "Selectbox")
"""The kinds of elements that every page begins with, as Streamlit names their chunks."""
COMPONENTS = {
    "/": (
        "explorer_live_text",
        "explorer_url_values",
        "explorer_overview",
        "explorer_stepper",
    )
}
"""The components a page begins with, by its path."""

NEEDED = re.compile(r"__vite__mapDeps=.{0,80}?(\[.*?\])")
"""The list of all chunks in the main script, which other lists point into."""
SCRIPT = re.compile(r"\./[\w.-]+\.js")
"""Of that list, what is a script beside the main one."""
CHUNK = re.compile(r"import\(`\./(\w+)\.([\w-]+)\.js`\),__vite__mapDeps\(\[([\d,]*)\]\)")
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
        if (file := every_page.FILES.get(name)) is not None:
            yield f"_stcore/bidi-components/{every_page.PACKAGE}.{name}/{file}"


TEMPLATE = "window.__streamlit = {{BACKEND_BASE_URL: new URL('.', location.href).href, HOST_CONFIG: {answer}}}"


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


HEAD = b"</head>"
END = b"</body>"
NOT_ASKED = frozenset({b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"})
"""Request headers without which a file arrives whole and as it is."""
NOT_TRUE = frozenset({b"content-length", b"etag", b"last-modified"})
"""Response headers about the file as it was."""
MOST_PAGES = 32
"""Pages that are kept, of 40 kB each. A path that is none of a page has the same HTML."""


class FirstPaint:
    """ASGI middleware that adds to every HTML page the styles, an early connection and links to its first files."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.script = b"<script>" + script() + b"</script>"
        self.style = b"<style>" + (STYLES / "pages.css").read_bytes() + b"</style>"
        self.pages: dict[tuple[str, bytes], list[Message]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request."""
        if scope["type"] != "http" or scope["method"] != "GET" or not is_page(scope["path"]):
            await self.app(scope, receive, send)
            return
        key = scope["path"], links(scope["path"])
        page = self.pages.get(key)
        if page is None:
            page, whole = await answered(self.app, scope, receive, NOT_ASKED)
            headers = dict(page[0]["headers"])
            if headers.get(b"content-type", b"").startswith(b"text/html"):
                whole = whole.replace(HEAD, self.script + key[1] + HEAD, 1).replace(END, self.style + END, 1)
                true = [each for each in page[0]["headers"] if each[0] not in NOT_TRUE]
                true.append((b"content-length", str(len(whole)).encode()))
                page = [{**page[0], "headers": true}, {"type": "http.response.body", "body": whole}]
                if page[0]["status"] == 200 and b"set-cookie" not in headers and len(self.pages) < MOST_PAGES:
                    self.pages[key] = page
        for each in page:
            await send({**each})


async def answered(
    app: ASGIApp, scope: Scope, receive: Receive, without: Collection[bytes]
) -> tuple[list[Message], bytes]:
    """The messages that answer a request without some of its headers, and their whole body."""
    messages: list[Message] = []

    async def keep(message: Message) -> None:
        messages.append(message)

    asked = [each for each in scope["headers"] if each[0] not in without]
    await app({**scope, "headers": asked}, receive, keep)
    return messages, b"".join(each.get("body", b"") for each in messages)


def is_page(path: str) -> bool:
    """Whether a path may be a page's: neither a file nor one of Streamlit's own.

    >>> is_page("/"), is_page("/compare"), is_page("/_stcore/health"), is_page("/static/js/index.js")
    (True, True, False, False)
    """
    return "/_stcore/" not in path and "." not in path.rpartition("/")[2]

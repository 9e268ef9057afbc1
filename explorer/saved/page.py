"""Joins a saved page: one HTML file with its code, its styles and its data, which asks nobody for anything.

The code is that of the app's browser components (`views/components.py`), each in a scope of its own, and a file of
this folder for each kind of page. It is packed, a third of its size, and `start.js` unpacks it. A
Content-Security-Policy in the file's head forbids all connections and every script but these two. Texts are data:
JSON in a block that no browser runs, and large parts of it packed.

A notebook shows such a page in a frame: what the frame allows, and what the page around it does for it (`frame.js`),
are here, too.
"""

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from explorer.analysis.export import Provenance
from explorer.script.script import pack_dense, unpack
from explorer.text import visible
from explorer.text.say import number, plural, size
from explorer.version import __version__
from explorer.views.components import EMBLEM, SHARED_JS, UI, base_styles, component, glossary, join

FOLDER = Path(__file__).parent
SERVER = "http://localhost:8501/"
"""Where `explorer app` serves the explorer."""
EXPORT = "export default function ("
POLICY = "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"  # noqa: E501


class Kind(NamedTuple):
    """A kind of page: its components in components.toml, and its own JavaScript and styles, in order.

    css: below `explorer/ui`.
    """

    components: str
    js: str
    css: str = ""


KINDS = {
    "explore": Kind("overview stepper", "panels.js explore.js"),
    "lesson": Kind("overview stepper lesson aligned", "panels.js lesson.js", "styles/learn.css"),
    "comparison": Kind("aligned parting stepper", "panels.js comparison.js"),
    "training": Kind("stepper", "panels.js training.js"),
    "prompt": Kind("stepper", "panels.js prompt.js"),
    "live": Kind("live_text overview stepper aligned parting", "panels.js comparison.js live.js", "../saved/live.css"),
}


class Page(NamedTuple):
    """What a file shows.

    kind: a key of `KINDS`. heading: what it is about. data: what its JavaScript reads, by name. made: what made it, in
    names and values. line: the same in a line. file_name: to save it under. back: what opens it in the app, relative to
    its root.
    """

    kind: str
    heading: str
    data: Mapping[str, Any]
    made: Sequence[tuple[str, str]]
    line: str
    file_name: str
    back: str = ""

    def file(self, app: str) -> tuple[str, str]:
        """The name of the file, and the file. app: the URL that its links lead to."""
        return self.file_name, html(self, app)


def html(page: Page, app: str = SERVER, links: Sequence[tuple[str, str]] = (), beside: str = "", live: str = "") -> str:
    """The file. app: the URL of an explorer's first page, "" for no links to it. links: others, in its last line.

    beside: the name of a file with the page's code, which is then not in this one: only for pages on a server. live:
    the address of a live Explore, "" for none.

    >>> made = html(Page("explore", "<b>", {"text": "</script><script>"}, [], "", ""))
    >>> "<title>&lt;b&gt;</title>" in made, made.count("<script")
    (True, 3)
    """
    # a slash at the end: the pages of the app are relative to it
    root = app if not app or app.endswith("/") else f"{app}/"
    shown = {"app": root, "back": page.back, "heading": page.heading, "line": page.line, "made": list(page.made),
             "links": list(links), "explore": live, **page.data}  # fmt: skip
    source, block = ("'self'", f'<script src="{escape(beside)}"></script>') if beside else code_inside(page.kind)
    data = json.dumps(shown, ensure_ascii=False).replace("<", "\\u003c")
    sheets = [FOLDER / "page.css", *(UI / each for each in KINDS[page.kind].css.split())]
    styles = without_css_comments("".join(each.read_text("utf-8") for each in sheets))
    body = f"""<noscript>This page needs JavaScript. It runs in this file alone and connects to nothing.</noscript>
<script type="application/json" id="page">{data}</script>
{block}"""
    return document(page.heading, POLICY.replace("{scripts}", source), styles, body)


def document(title: str, policy: str, styles: str, body: str) -> str:
    """An HTML document of ours. policy: its Content-Security-Policy. body: HTML, where all else is text."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:image/svg+xml;base64,{in_base64(EMBLEM.encode())}">
<meta name="generator" content="tokenizer-explorer {__version__}">
<title>{escape(title)}</title>
<style>
{styles}
</style>
</head>
<body>
{body}
</body>
</html>
"""


@cache
def code_inside(kind: str) -> tuple[str, str]:
    """What a policy allows for a kind's code in the file, and that code, packed, as HTML."""
    code, start = script(kind), without_comments((FOLDER / "start.js").read_text("utf-8"))
    allowed = " ".join(f"'sha256-{in_base64(sha256(each.encode()).digest())}'" for each in (start, code))
    packed = in_base64(zlib.compress(code.encode(), 9))
    return allowed, f'<script type="application/octet-stream" id="code">{packed}</script>\n<script>{start}</script>'


@cache
def script(kind: str) -> str:
    """The JavaScript of a kind of page, the same for all its files."""
    components, own, _ = KINDS[kind]
    code = [
        '"use strict";',
        "(() => {",
        f"const GLOSSARY = {glossary()};",
        f"const BASE_STYLES = {json.dumps(without_css_comments(base_styles()))};",
        join("base", SHARED_JS),
        "const COMPONENTS = {};",
        *map(scope, components.split()),
        *((FOLDER / name).read_text("utf-8") for name in f"page.js {own}".split()),
        "begin();",
        "})();",
    ]
    return without_comments("\n".join(code))


def scope(name: str) -> str:
    """A component in a scope of its own, as `COMPONENTS.name`: the function it exports, and its first markup."""
    of = component(name)
    code = of.code
    assert code.count(EXPORT) == 1, name
    return "\n".join(
        [
            f"COMPONENTS.{name} = {{ html: {json.dumps(of.html.strip())}, draw: (() => {{",
            f"const STYLES = BASE_STYLES + {json.dumps(without_css_comments(of.styles))};",
            join("base", "mounts.js"),
            code.replace(EXPORT, "return function ("),
            "})() };",
        ]
    )


def without_comments(code: str) -> str:
    """Code without the comments that begin a line, and without indents: no string of it runs over several lines."""
    return re.sub(r"(?m)^(?:[ \t]*(?:/\*[\s\S]*?\*/[ \t]*|//[^\n]*)?\n)*[ \t]*", "", code)


def without_css_comments(styles: str) -> str:
    """The same for styles."""
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"/\*[\s\S]*?\*/", "", styles)).strip()


def packed(value: Any) -> str:
    """A value for `packedJson` in `page.js`: JSON, zlib, base64."""
    return in_base64(zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), 9))


def in_base64(data: bytes) -> str:
    """Bytes as text."""
    return b64encode(data).decode()


def repacked(script: bytes) -> str:
    """A script that is packed for the app, as a file has it."""
    return in_base64(pack_dense(unpack(script)))


def made_of(provenance: Provenance) -> list[tuple[str, str]]:
    """What made a page: the program, each tokenizer with its files, the options, the text."""
    facts = [("Program", f"tokenizer-explorer {provenance.version}")]
    for each in provenance.tokenizers:
        facts.append(("Tokenizer", f"{each.model}, as {each.implementation} runs it ({each.family})"))
        facts += [("File", f"{file.name}, {size(file.size)}, sha256 {file.digest}") for file in each.files]
        facts += [("Choice", f"{key}: {visible(value)}") for key, value in each.choices]
        facts += [("Pattern typed", visible(pattern.regex)) for pattern in each.patterns if pattern.typed]
    facts += [("Option", f"{name}: {'yes' if on else 'no'}") for name, on in provenance.options.items()]
    if provenance.text is not None:
        digest = sha256(provenance.text.encode("utf-8", "surrogatepass")).hexdigest()
        count = f"{plural(len(provenance.text), 'character')}, {number(len(provenance.text.encode()))} bytes"
        facts.append(("Text", f"{count}, sha256 {digest}"))
    return facts


FIRST_HEIGHT = 640
"""Pixels, until the page has said how high it is."""
ALLOWED = "allow-scripts allow-downloads"
LINKS = " allow-popups allow-popups-to-escape-sandbox"


def sandbox(links: bool) -> str:
    """What the frame allows. links: to an explorer."""
    return ALLOWED + (LINKS if links else "")


@cache
def frame_code() -> str:
    """The function of `frame.js`."""
    return without_comments((FOLDER / "frame.js").read_text("utf-8")).strip()

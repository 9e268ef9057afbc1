"""A live Explore for a web host, whose engine runs in the visitor's own browser: the files that `site` writes for it.

Its page (`live.js`) has the components of the app. Its worker (`live_worker.js`) runs Pyodide, CPython in WebAssembly,
with the engine inside, and asks it what a component would ask Python on a page of the app (`answers/live.py`). The
`regex` module has no build for that Python; `engine/regexes/in_python.py` stands in for its C. Where Node.js is
installed, it starts that Python once and writes down its memory, so that a browser need not import the engine. A
vocabulary is fetched when it is chosen, a visitor's own file stays in the browser, and `live_offline.js` keeps what was
fetched for the next visit.

Pyodide is from npm and one wheel from PyPI, each by its hash (`live.toml`), fetched once; all else is installed where
this runs. Leaves out: Vocabulary, Train, Corpus, Prompt and Learn, and compiled encoding.
"""

import gzip
import io
import json
import tarfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from subprocess import CalledProcessError, check_output
from typing import Any
from urllib.request import urlopen
from zipfile import ZipFile

import regex

from explorer.compiled import kept
from explorer.corpus.atomic import write_whole
from explorer.errors import InputError
from explorer.languages import languages, phrases
from explorer.opening.catalog import catalog, load
from explorer.opening.sources import PACKAGE, VOCABS
from explorer.saved import page
from explorer.saved.explore import explore_page
from explorer.stages.spelling import implementation_title
from explorer.views.components import words_in
from explorer.views.examples import PRESETS

LIVE = "explore.html"
PARTS = tomllib.loads((page.FOLDER / "live.toml").read_text("utf-8"))
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
AT = f"{PARTS['pyodide']['file'].removesuffix('.tgz')}/"
"""Where these are on the site: another version has another address."""
POLICY = "'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'"
"""What the page may do besides what any saved page may: compile WebAssembly, and ask its own host for files."""
ABSENT = ("ui", "cli", "editing", "learning", "training", "bundle", "tests")
"""Folders of packages that a live page has no use for."""
UNUSED = (".js", ".css", ".pyc", ".so", ".pyd")
"""Endings of files that are none of its."""
PROPERTIES = "GENERALCATEGORY SCRIPT GRAPHEMECLUSTERBREAK INDICCONJUNCTBREAK".split()
"""Properties of many values that patterns may name; of those with two values, all."""


def folder() -> Path:
    """Where parts are kept that were fetched."""
    return kept.root() / "live"


def part(name: str) -> bytes:
    """A part, fetched where it isn't kept. Raises InputError."""
    known: dict[str, str] = PARTS[name]
    path, address = folder() / known["file"], known["from"]
    try:
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            with urlopen(address, timeout=120) as response:
                write_whole(path, response.read())
        data: bytes = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{address} can't be fetched ({error}). It is needed once: try again with a network, or copy it to {path}"
        ) from None
    if sha256(data).hexdigest() != known["sha256"]:
        raise InputError(f"{path}: its sha256 isn't {known['sha256']}; delete it, and try again")
    return data


def properties() -> dict[str, Any]:
    """The table of `in_python.py`, asked of the module's C."""
    known = import_module("regex._regex").get_properties()
    every, edges = "".join(map(chr, range(0x110000))), dict[int, list[int]]()
    for name, (number, values) in known.items():
        if name in PROPERTIES or len(set(values.values())) == 2:
            for value, at in values.items():
                if number << 16 | at not in edges:
                    spans = (each.span() for each in regex.finditer(rf"\p{{{name}={value}}}+", every))
                    edges[number << 16 | at] = [end - start for start, end in pairwise(chain([0], *spans))]
    return {"properties": known, "edges": edges}


def packages() -> Iterator[tuple[str, bytes]]:
    """What Python imports, by its path: the engine, what it needs, and the small files beside the vocabularies."""
    needed = {name: Path(import_module(name).__file__ or "").parent for name in ("regex", "jinja2", "markupsafe")}
    for name, top in {"explorer": PACKAGE, "vocabs": VOCABS, **needed}.items():
        for file in sorted(filter(Path.is_file, top.rglob("*"))):
            inside = file.relative_to(top)
            unused = inside.parts[0] in ABSENT and file.suffix != ".svg"
            if not (unused or file.suffix in UNUSED or file.name in vocabularies()):
                yield f"{name}/{inside.as_posix()}", file.read_bytes()
    yield "regex/_regex.py", (PACKAGE / "engine/regexes/in_python.py").read_bytes()
    yield "regex/properties.json", json.dumps(properties(), separators=(",", ":")).encode()
    with ZipFile(io.BytesIO(part("msgspec"))) as wheel:
        yield from ((name, wheel.read(name)) for name in wheel.namelist())


def packed() -> bytes:
    """Those files for `live_python.mjs`: the length of an object of paths and sizes, the object, all bytes."""
    whole = dict(packages())
    head = json.dumps({name: len(data) for name, data in whole.items()}).encode()
    return gzip.compress(b"".join([len(head).to_bytes(4, "little"), head, *whole.values()]), 9, mtime=0)


@cache
def vocabularies() -> frozenset[str]:
    """The files of vocabularies, each of which is fetched when it is chosen."""
    return frozenset(model.file for model in catalog().values())


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files that the page fetches. folder: where each is written before the next is asked for."""
    with tarfile.open(fileobj=io.BytesIO(part("pyodide"))) as pyodide:
        for name in PYODIDE:
            yield f"{AT}{name}", pyodide.extractfile(f"package/{name}").read()  # type: ignore[union-attr]  # a file
    yield "python.bin", packed()
    for name in ("live_python.mjs", "live_worker.js", "live_offline.js"):
        yield name, page.without_comments((page.FOLDER / name).read_text("utf-8")).encode()
    yield "live.js", page.script("live").encode()
    with suppress(OSError, CalledProcessError):  # there is no Node.js, or an old one, which says what it lacks
        yield "memory.bin", check_output(["node", page.FOLDER / "live_memory.mjs", folder / AT])
    for name in vocabularies():
        yield f"{name}.gz", gzip.compress((VOCABS / name).read_bytes(), 9, mtime=0)
    for to in map(phrases, languages()):
        if said := words_in(to):
            said["words"] = said["words"] | {each.label: to.words(each.label) for each in PRESETS}
            yield f"words-{to.language}.json", json.dumps(said, ensure_ascii=False).encode()


def html(addresses: dict[str, str], links: Sequence[tuple[str, str]]) -> str:
    """The page, with its first text drawn. addresses: of the files, each with a hash. links: in its last line."""
    tok = load("llama-2")
    first = explore_page(tok, tok.trace(PRESETS[0].text))
    models = [
        [each.name, each.title, each.file, [(run, implementation_title(run)) for run in each.implementations]]
        for each in catalog().values()
    ]
    live = {"models": models, "examples": [[each.label, each.text] for each in PRESETS], "addresses": addresses}
    shown = first._replace(kind="live", heading="Tokenizer explorer", data={**first.data, "live": live})
    whole = page.html(shown, "", links, addresses["live.js"])
    return whole.replace("script-src 'self'", f"script-src {POLICY}", 1)


def write_live(write: Callable[[str, bytes], None], folder: Path, links: Sequence[tuple[str, str]]) -> None:
    """Writes the page and its files, to a folder. links: to others, in its last line. Raises InputError."""
    addresses = {}
    for name, data in files(folder):
        write(name, data)
        # Pyodide asks for its own files by their names
        addresses[name] = f"./{name}" if "/" in name else f"./{name}?{sha256(data).hexdigest()[:16]}"
    write(LIVE, html(addresses, links).encode())

"""A live Explore that needs no server: `python deploy/live/build.py FOLDER` writes it.

The folder goes to any static host. Its page (`page.js`) has the components of the app. Its worker (`worker.js`) runs
Pyodide, CPython in WebAssembly, with the engine inside, and answers what a component would ask Python on a page of the
app (`answers.py`). The `regex` module has no build for that Python; `regex_in_python.py` stands in for its C. A
vocabulary is fetched when it is chosen, a visitor's own file stays in the browser, and `offline.js` keeps what was
fetched for the next visit.

Pyodide is from npm and one wheel from PyPI, by name and hash (`parts.toml`); all else is installed where this runs.
Leaves out: Vocabulary, Train, Corpus, Prompt and Learn, the first difference of two tokenizers, compiled encoding.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen
from zipfile import ZIP_DEFLATED, ZipFile

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from explorer.corpus.atomic import write_whole  # noqa: E402
from explorer.languages import languages, phrases  # noqa: E402
from explorer.opening.catalog import catalog, load, title_of  # noqa: E402
from explorer.opening.sources import VOCABS  # noqa: E402
from explorer.saved import page  # noqa: E402
from explorer.saved.explore import explore_page  # noqa: E402
from explorer.stages.spelling import implementation_title  # noqa: E402
from explorer.views.components import ALIGNED, LIVE_TEXT, OVERVIEW, STEPPER, words_in  # noqa: E402
from explorer.views.examples import PRESETS  # noqa: E402

HERE: Final = Path(__file__).parent
PARTS: Final = ROOT / ".live"
"""Where parts are kept that were fetched."""
PAGE: Final = "index.html"
PYODIDE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
POLICY: Final = "'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'"
"""What the page may do besides what any saved page may: compile WebAssembly, and ask its own host for files."""
ABSENT: Final = ("ui", "cli", "answers", "editing", "learning", "training")
"""Folders of the package whose code a live page has no use for."""
PROPERTIES: Final = "GENERALCATEGORY SCRIPT GRAPHEMECLUSTERBREAK INDICCONJUNCTBREAK".split()
"""Properties of many values that patterns may name; of those with two values, all."""

page.KINDS["live"] = page.Kind(
    {"live_text": LIVE_TEXT, "overview": OVERVIEW, "stepper": STEPPER, "aligned": ALIGNED},
    f"panels.js {HERE / 'page.js'}",
    str(HERE / "page.css"),
)


def part(name: str, folder: Path = PARTS) -> bytes:
    """A part, fetched where the folder doesn't have it. Raises SystemExit for one that is not the file we know."""
    wanted = tomllib.loads((HERE / "parts.toml").read_text("utf-8"))[name]
    path = folder / wanted["file"]
    if not path.is_file():
        folder.mkdir(exist_ok=True)
        if wanted["from"].startswith("https://"):
            with urlopen(wanted["from"], timeout=120) as response:
                write_whole(path, response.read())
        else:
            _, _, python, abi, platform = path.stem.split("-")
            asks = f"--no-deps --only-binary=:all: --implementation cp --python-version {python[2:]} --abi {abi}"
            command = [sys.executable, "-m", "pip", "download", "-q", "-d", str(folder), "--platform", platform]
            subprocess.run([*command, *asks.split(), wanted["from"]], check=True)
    data: bytes = path.read_bytes()
    if sha256(data).hexdigest() != wanted["sha256"]:
        raise SystemExit(f"{path}: is not the file whose sha256 parts.toml has; remove it, and build again")
    return data


@cache
def pyodide_folder() -> str:
    """Where Pyodide's files are on the site: another version has another address."""
    file: str = tomllib.loads((HERE / "parts.toml").read_text("utf-8"))["pyodide"]["file"]
    return f"{file.removesuffix('.tgz')}/"


def properties() -> dict[str, Any]:
    """The table of `regex_in_python.py`, asked of the module's C."""
    regex: Any = __import__("regex")
    every = "".join(map(chr, range(0x110000)))
    known = regex._regex.get_properties()
    many = {known[each][0] for each in PROPERTIES}
    edges: dict[int, list[int]] = {}
    for name, (number, values) in known.items():
        for value, at in values.items():
            if (number << 16 | at) not in edges and (number in many or len(set(values.values())) == 2):
                ends = [0, *(end for match in regex.finditer(rf"\p{{{name}={value}}}+", every) for end in match.span())]
                edges[number << 16 | at] = [b - a for a, b in pairwise(ends)]
    return {"properties": known, "edges": edges}


def packages() -> Iterator[tuple[str, bytes]]:
    """What Python imports, by its path: the engine, what it needs, and the small files beside the vocabularies."""
    for file in sorted((ROOT / "explorer").rglob("*")):
        name = file.relative_to(ROOT).as_posix()
        unused = file.suffix in (".js", ".css", ".pyc") or (file.suffix == ".py" and name.split("/")[1] in ABSENT)
        if file.is_file() and not unused:
            yield name, file.read_bytes()
    for file in sorted(VOCABS.rglob("*")):
        if file.is_file() and file.name not in vocabularies():
            yield f"vocabs/{file.relative_to(VOCABS).as_posix()}", file.read_bytes()
    for package in ("regex", "jinja2", "markupsafe"):
        spec = find_spec(package)
        assert spec is not None, package
        for file in sorted(Path(spec.origin or "").parent.glob("*.py")):
            yield f"{package}/{file.name}", file.read_bytes()
    yield "regex/_regex.py", (HERE / "regex_in_python.py").read_bytes()
    yield "regex/properties.json", json.dumps(properties(), separators=(",", ":")).encode()
    yield "answers.py", (HERE / "answers.py").read_bytes()
    with ZipFile(io.BytesIO(part("msgspec"))) as wheel:
        for name in wheel.namelist():
            yield name, wheel.read(name)


def words_of(language: str) -> dict[str, Any]:
    """What the page says in a language; nothing for English."""
    to = phrases(language)
    said = words_in(to)
    return {**said, "words": said["words"] | {each.label: to.words(each.label) for each in PRESETS}} if said else {}


@cache
def vocabularies() -> frozenset[str]:
    """The files of vocabularies, each of which is fetched when it is chosen."""
    return frozenset(model.file for model in catalog().values())


def files() -> Iterator[tuple[str, bytes]]:
    """The files that the page fetches."""
    with tarfile.open(fileobj=io.BytesIO(part("pyodide"))) as pyodide:
        for name in PYODIDE:
            file = pyodide.extractfile(f"package/{name}")
            assert file is not None, name
            yield f"{pyodide_folder()}{name}", file.read()
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED, compresslevel=9) as whole:
        for name, data in packages():
            whole.writestr(name, data)
    yield "python.zip", packed.getvalue()
    for name in sorted(vocabularies()):
        yield f"{name}.gz", gzip.compress((VOCABS / name).read_bytes(), 9, mtime=0)
    for language in languages():
        yield f"words-{language}.json", json.dumps(words_of(language), ensure_ascii=False).encode()
    for name in ("worker.js", "offline.js"):
        yield name, page.without_comments((HERE / name).read_text("utf-8")).encode()
    yield "live.js", page.script("live").encode()


def html(addresses: dict[str, str]) -> str:
    """The page, with its first text drawn. addresses: of the files, each with a hash."""
    tok = load("llama-2")
    first = explore_page(tok, tok.trace(PRESETS[0].text))
    models = [
        {
            "name": name,
            "title": title_of(name),
            "file": model.file,
            "implementations": [[each, implementation_title(each)] for each in model.implementations],
        }
        for name, model in catalog().items()
    ]
    build = sha256(repr(addresses).encode()).hexdigest()[:16]
    site = {"pyodide": f"./{pyodide_folder()}", "addresses": addresses, "build": build}
    live = {"models": models, "examples": [[each.label, each.text] for each in PRESETS], "site": site}
    made = [*first.made[:1], ("Python", pyodide_folder().strip("/"))]
    shown = first._replace(kind="live", heading="Tokenizer explorer", data={**first.data, "live": live}, made=made)
    return page.html(shown, "", beside=addresses["live.js"]).replace("script-src 'self'", f"script-src {POLICY}", 1)


def build(folder: Path) -> dict[str, int]:
    """Writes the folder, and returns the size in bytes of each file."""
    (folder / pyodide_folder()).mkdir(parents=True, exist_ok=True)
    sizes, addresses = {}, {}
    for name, data in files():
        write_whole(folder / name, data)
        sizes[name] = len(data)
        # Pyodide asks for its own files by their names
        addresses[name] = f"./{name}" if "/" in name else f"./{name}?{sha256(data).hexdigest()[:16]}"
    write_whole(folder / PAGE, html(addresses).encode())
    return sizes | {PAGE: (folder / PAGE).stat().st_size}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="where to; without it, parts are fetched, and that is all")
    target = parser.parse_args().folder
    if target is None:
        for each in ("pyodide", "msgspec"):
            part(each)
    else:
        for path, size in build(target).items():
            print(f"{size:>12,} {path}")

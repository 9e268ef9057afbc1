"""The texts that are measured: found on the machine, or named by the user.

Prose: documentation on the machine (text, Markdown and reStructuredText of packages, copyright notices) and the
docstrings of Python's modules. Code: Python's modules. Multilingual: the translations in gettext's catalogs, of all
languages mixed. Each is cut at 5 MB and reported with how it was made.

`documents` are for one pass over much text (`benchmarks.speed`): each distinct one once, in a fixed random order.
"""

from __future__ import annotations

import ast
import gettext
import os
import random
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from explorer.analysis.languages import languages

SIZE = 5_000_000
"""Bytes of a corpus."""

STDLIB = Path(sysconfig.get_path("stdlib"))
PACKAGES = Path(sysconfig.get_path("purelib"))
LOCALE = Path("/usr/share/locale")
DOC = Path("/usr/share/doc")


class Corpus(NamedTuple):
    """A text to measure. made: how it was made."""

    name: str
    text: str
    made: str

    @property
    def megabytes(self) -> float:
        return len(self.text.encode()) / 1e6


def found(name: str, own: Path | None = None) -> Corpus:
    """A corpus by name, or from a user's file. Raises SystemExit if the machine has too little text."""
    if own is not None:
        return Corpus(name, own.read_text("utf-8")[: 10 * SIZE], str(own))
    parts, made = SOURCES[name]
    text: list[str] = []
    size = 0
    for part in parts():
        text.append(part)
        size += len(part.encode())
        if size >= SIZE:
            return Corpus(name, "\n".join(text), made)
    sys.exit(f"{name}: only {size / 1e6:.1f} MB found on this machine ({made}); name a file with --{name} PATH")


def readable(paths: Iterator[Path]) -> Iterator[str]:
    """The files that are UTF-8, in the order of their names."""
    for path in sorted(paths):
        try:
            yield path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue


def prose() -> Iterator[str]:
    for pattern in ("*/METADATA", "**/*.md", "**/*.rst"):
        yield from readable(PACKAGES.glob(pattern))
    for code in readable(path for root in (STDLIB, PACKAGES) for path in root.glob("**/*.py")):
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError):
            continue
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        for node in ast.walk(tree):
            text = ast.get_docstring(node) if isinstance(node, kinds) else None
            if text and len(text) > 200:
                yield text
    yield from readable(DOC.glob("*/copyright"))


def code() -> Iterator[str]:
    yield from readable(STDLIB.glob("**/*.py"))


def multilingual() -> Iterator[str]:
    paths = sorted(LOCALE.glob("*/LC_MESSAGES/*.mo"))
    random.Random(1).shuffle(paths)
    for path in paths:
        try:
            with path.open("rb") as file:
                catalog = gettext.GNUTranslations(file)
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        messages = catalog._catalog.values()  # type: ignore[attr-defined]  # it has no other way to all of them
        yield "\n".join(message for message in messages if isinstance(message, str))


def modules() -> Iterator[str]:
    """Every Python module of the standard library and of the installed packages."""
    folders = {STDLIB, *(Path(each) for each in sys.path if each.endswith("-packages"))}
    yield from in_any_order(path for folder in folders for path in folder.glob("**/*.py"))


CATALOGS = {"zh-Hans": "zh_CN", "zh-Hant": "zh_TW"}
"""The names of gettext's catalogs, where they are not the codes of the Corpus page."""


def messages() -> Iterator[str]:
    """What programs say in the languages of the Corpus page, a catalog at a time, each message once."""
    said: set[str] = set()
    paths = {path for code in languages() for path in LOCALE.glob(f"{CATALOGS.get(code, code)}/LC_MESSAGES/*.mo")}
    for path in shuffled(paths):
        try:
            with path.open("rb") as file:
                catalog = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]  # as above
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        new = [each for each in dict.fromkeys(catalog.values()) if isinstance(each, str) and each not in said]
        said.update(new)
        yield "\n".join(new)


SUFFIXES = frozenset(
    ".py .pyi .txt .md .rst .h .hpp .c .js .css .html .json .xml .pl .pm .rs .po .tex .sh .svg .toml .yaml".split()
)


def files() -> Iterator[str]:
    """Sources, documentation and data of the machine."""
    roots = (Path("/usr/share"), Path("/usr/include"), Path("/usr/lib"), STDLIB)
    yield from in_any_order(
        path for root in roots for folder, _, names in os.walk(root) for name in names
        if (path := Path(folder, name)).suffix in SUFFIXES or name == "copyright"
    )  # fmt: skip


def in_any_order(paths: Iterable[Path], most: int = 2_000_000) -> Iterator[str]:
    """The files that are UTF-8 and at most this long, in a fixed random order."""
    for path in shuffled(paths):
        try:
            if path.stat().st_size <= most:
                yield path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue


def shuffled(paths: Iterable[Path]) -> list[Path]:
    order = sorted(paths)
    random.Random(1).shuffle(order)
    return order


DOCUMENTS: dict[str, Callable[[], Iterator[str]]] = {"code": modules, "prose": messages, "files": files}
"""Corpora of one pass."""


def documents(name: str, wanted: int) -> list[str]:
    """Distinct texts of a corpus, up to this many bytes."""
    seen: dict[str, None] = {}
    total = 0
    for text in DOCUMENTS[name]():
        if text and text not in seen:
            seen[text] = None
            total += len(text.encode())
            if total >= wanted:
                return [*seen]
    print(f"{name}: only {total / 1e6:.0f} MB found on this machine", file=sys.stderr)
    return [*seen]


SOURCES: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
    "prose": (prose, "documentation files of the installed Python packages, then docstrings, then copyright notices"),
    "code": (code, "modules of Python's standard library"),
    "multilingual": (multilingual, "gettext catalogs of /usr/share/locale, shuffled, with all their languages"),
}

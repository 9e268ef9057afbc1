"""The texts that are measured: found on the machine, or named by the user.

Prose: documentation on the machine (text, Markdown and reStructuredText of packages, copyright notices) and the
docstrings of Python's modules. Code: Python's modules. Multilingual: the translations in gettext's catalogs, of all
languages mixed. Each is cut at 5 MB and reported with how it was made.
"""

from __future__ import annotations

import ast
import gettext
import random
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

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


SOURCES: dict[str, tuple[Callable[[], Iterator[str]], str]] = {
    "prose": (prose, "documentation files of the installed Python packages, then docstrings, then copyright notices"),
    "code": (code, "modules of Python's standard library"),
    "multilingual": (multilingual, "gettext catalogs of /usr/share/locale, shuffled, with all their languages"),
}

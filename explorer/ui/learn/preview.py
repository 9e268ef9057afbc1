"""The lesson in a file on this machine, followed as its author edits it: `python -m explorer app --lesson FILE`.

Only a server that nobody else reaches shows one: what an author has on disk is not for visitors. The file is looked at
once a second; a new version keeps the card, and the step unless the card has another one now.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import streamlit as st

from explorer.answers.offers import short_name
from explorer.errors import InputError
from explorer.learning.checks.faults import without_name
from explorer.learning.lessons import Lesson, read_lesson
from explorer.learning.lessons.lines import line_of
from explorer.learning.lessons.reading import read_file, text_of
from explorer.opening.paths import LOCAL
from explorer.ui.frame import repeated
from explorer.ui.tokenizers.server import app_arguments, parse_arguments

PREVIEW: Final = "file"
"""The key of the lesson, in its address."""
EVERY: Final = 1.0
"""Seconds between two looks at the file."""


class Stamp(NamedTuple):
    """What tells one version of a file from another."""

    changed: int
    size: int


@dataclass
class Preview:
    """A session's preview. stamp: of the version read last. lesson: the last one that could be read. problem: what is
    wrong with the version read last, with its line.
    """

    stamp: Stamp | None = None
    lesson: Lesson | None = None
    problem: str = ""

    def follow(self, path: Path) -> None:
        """Reads the file if it has changed."""
        now = stamp_of(path)
        if now == self.stamp and now is not None:
            return
        self.stamp, name = now, short_name(path.name)
        try:
            data = read_file(path, name)
            self.lesson, self.problem = read_lesson(data, name)._replace(key=PREVIEW), ""
        except InputError as error:
            self.problem = with_line(error, path, name)


def stamp_of(path: Path) -> Stamp | None:
    """The stamp of a file; None for one that isn't there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Stamp(found.st_mtime_ns, found.st_size)


def with_line(error: InputError, path: Path, name: str) -> str:
    """A message with the line that it is about, if the file can be read at all."""
    try:
        source = text_of(read_file(path, name), name)
    except InputError:
        return str(error)
    said = without_name(error, name)
    return f"{name}, line {line_of(source, said)}: {said}"


def preview_path() -> Path | None:
    """The file to follow; None without one, and on a server that others reach."""
    given = parse_arguments(app_arguments()).lesson
    return Path(given) if given and st.get_option("server.address") in LOCAL else None


@repeated(EVERY)
def watch(path: Path, drawn: Stamp | None) -> None:
    """Draws the page again once the file is another than the version drawn."""
    if stamp_of(path) != drawn:
        st.rerun()

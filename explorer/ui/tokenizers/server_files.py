"""The files that whoever started the app offers to everybody.

`streamlit run app.py -- --tokenizer PATH`, as often as there are files, and `EXPLORER_TOKENIZERS=DIR` for a folder and
the folders within. They are looked through again every minute. Visitors choose them by their names in the list; what
an address says is never taken for a path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from explorer.answers.dropped_files import short_name
from explorer.answers.offers import Offer, bundled
from explorer.answers.server_offer import called, offer_of
from explorer.errors import InputError
from explorer.formats.model_files import COMPANIONS, TOKENIZER_CONFIG
from explorer.opening.folders import SUFFIXES, known
from explorer.opening.formats import files_at, format_at
from explorer.ui.tokenizers.server_arguments import arguments, asked

FOLDER = "EXPLORER_TOKENIZERS"
MOST = 200
"""Files of a folder that are offered."""
MOST_SEEN = 50_000
"""Names of a folder that are looked at."""


class Listed(NamedTuple):
    """offers: by label. problems: a line for each file that is offered to nobody."""

    offers: dict[str, Offer]
    problems: tuple[str, ...]


def server_files() -> Listed:
    """What the server offers now."""
    return listed(arguments(), os.environ.get(FOLDER, ""))


@st.cache_resource(ttl=60, max_entries=4, show_spinner=False)
def listed(given_arguments: Sequence[str], folder: str) -> Listed:
    """What these arguments and this folder offer."""
    given = asked(given_arguments)
    problems = [given.problem] if given.problem else []
    paths = [(path, path.name) for path in map(Path, given.tokenizers)]
    if folder:
        try:
            inside = list(islice(within(Path(folder)), MOST + 1))
        except OSError as error:
            problems.append(f"{FOLDER}: the folder cannot be read ({error.strerror}); give another one")
        else:
            paths += [(path, path.relative_to(folder).as_posix()) for path in inside[:MOST]]
            if len(inside) > MOST:
                problems.append(f"{FOLDER}: the folder holds more than {MOST} files; the others are left out")
    offers: dict[str, Offer] = {}
    refused: dict[Path, str] = {}
    beside: set[Path] = set()
    for path, name in paths:
        label = free_label(name, offers)
        try:
            with called(path, label):
                files = files_at(path)
                offers[label] = offer_of(path, label, files)
        except InputError as error:
            refused[path] = str(error)
        except OSError as error:
            refused[path] = f"{label}: cannot be read ({error.strerror}); check its permissions"
        else:
            beside |= {files[0].with_name(name) for name in format_at(files[0]).beside(files[0].name)}
    problems += [line for path, line in refused.items() if path not in beside]
    return Listed(offers, tuple(problems))


def within(folder: Path) -> Iterator[Path]:
    """The files of a folder that are called like vocabularies, in order, and the folders of whole models in it.

    What a link leads out of it to is none of them.
    """
    root = folder.resolve(strict=True)
    seen = 0
    for at, folders, names in os.walk(folder, onerror=reraise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if TOKENIZER_CONFIG in names and known(names) and Path(at) != folder:
            if stays_within(Path(at), root):
                yield Path(at)
            names = [name for name in names if Path(name).suffix.lower() == ".gguf"]
        for name in sorted(names):
            path = Path(at, name)
            if name.startswith(".") or name in COMPANIONS or path.suffix.lower() not in SUFFIXES:
                continue
            if path.resolve().is_relative_to(root):
                yield path
        seen += len(names)
        if seen > MOST_SEEN:
            return


def stays_within(folder: Path, root: Path) -> bool:
    """Whether all files of a model's folder lie where nobody was let out by a link."""
    try:
        return all(path.resolve().is_relative_to(root) for path in files_at(folder))
    except InputError:  # what is wrong is said where it is opened
        return True


def reraise(error: OSError) -> None:
    raise error


def free_label(name: str, taken: dict[str, Offer]) -> str:
    """A name for the list that nothing else has.

    >>> free_label("a/tokenizer.json", {}), free_label("gpt-2", {})
    ('a/tokenizer.json', 'gpt-2 #2')
    """
    wanted = label = "/".join(short_name(part) for part in name.split("/"))
    number = 1
    while label in taken or label in bundled():
        number += 1
        label = f"{wanted} #{number}"
    return label

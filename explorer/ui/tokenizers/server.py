"""What the operator gives: the arguments after `streamlit run app.py --`, and the tokenizers offered to every visitor.

`--tokenizer PATH`, once for each file, and `EXPLORER_TOKENIZERS=DIR` for a folder and its subfolders, which are
searched again every minute. Visitors choose by label; a URL is never read as a path. `--open-first` opens the bundled
tokenizers before the server answers, for a server that many visitors open at once; otherwise the first visitor who
chooses one opens it, and whoever comes meanwhile waits for it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from explorer.answers.explore import Request, explore_view, section_view
from explorer.answers.offers import Offer, bundled, path_hidden, server_offer, short_name
from explorer.errors import InputError
from explorer.formats.files import COMPANIONS, TOKENIZER_CONFIG
from explorer.opening.folders import SUFFIXES, is_model
from explorer.opening.formats import files_at, format_at, repository_of
from explorer.opening.hub.names import HubName
from explorer.views.examples import PRESETS


class ServerArguments(NamedTuple):
    """tokenizers, results: paths. problem: what could not be parsed, or "". open_first: see `open_first`.

    hosts: names of this server. lesson: the path of one to follow, see `ui/learn/visit.py`. hub, hub_allow,
    hub_token, hub_search: see `ui/tokenizers/hub.py`.
    """

    tokenizers: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    problem: str = ""
    open_first: bool = False
    hosts: tuple[str, ...] = ()
    lesson: str = ""
    hub: str = "off"
    hub_allow: tuple[str, ...] = ()
    hub_token: str = ""
    hub_search: bool = False


def app_arguments() -> tuple[str, ...]:
    """The app's own arguments; none if another program, such as a test runner, imports it."""
    return tuple(sys.argv[1:]) if Path(sys.argv[0]).name == "app.py" else ()


def parse_arguments(arguments: Sequence[str]) -> ServerArguments:
    """Parses the arguments.

    >>> found = parse_arguments(["--tokenizer", "a.gguf", "--corpus", "b.json"])
    >>> found.tokenizers, found.results, found.problem, found.hub
    (('a.gguf',), ('b.json',), '', 'off')
    """
    parser = argparse.ArgumentParser(prog="app.py", exit_on_error=False, add_help=False, allow_abbrev=False)
    parser.add_argument("--tokenizer", action="append", default=[])
    parser.add_argument("--corpus", action="append", default=[])
    parser.add_argument("--open-first", action="store_true")
    parser.add_argument("--host", action="append", default=[])
    parser.add_argument("--lesson", default="")
    parser.add_argument("--hub", choices=("on", "off", "here"), default="off")
    parser.add_argument("--hub-allow", action="append", default=[])
    parser.add_argument("--hub-token-of-operator", choices=("yes", "no"), default="")
    parser.add_argument("--hub-search", action="store_true")
    try:
        found, unknown = parser.parse_known_args(arguments)
    except argparse.ArgumentError as error:
        return ServerArguments(problem=f"the command line: {error}; write: streamlit run app.py -- --tokenizer PATH")
    problem = f"the command line: {unknown[0]!r} is not known; write --tokenizer PATH" if unknown else ""
    return ServerArguments(
        tuple(found.tokenizer), tuple(found.corpus), problem, found.open_first, tuple(found.host), found.lesson,
        found.hub, tuple(found.hub_allow), found.hub_token_of_operator, found.hub_search,
    )  # fmt: skip


FOLDER = "EXPLORER_TOKENIZERS"
MAX_OFFERED = 200
"""Files of the folder that are offered."""
MAX_SEARCHED = 50_000
"""Names of the folder that are searched."""


class ServerFiles(NamedTuple):
    """offers: by label. problems: a line for each file that can't be offered."""

    offers: dict[str, Offer]
    problems: tuple[str, ...]


def server_files() -> ServerFiles:
    """What the server offers now."""
    return find_server_files(app_arguments(), os.environ.get(FOLDER, ""))


@st.cache_resource(ttl=60, max_entries=4, show_spinner=False)
def find_server_files(arguments: Sequence[str], folder: str) -> ServerFiles:
    """What these arguments and this folder offer."""
    parsed = parse_arguments(arguments)
    paths = [(path, name_of(path)) for path in map(Path, parsed.tokenizers)]
    in_folder, problems = paths_in(folder) if folder else ([], [])
    made = make_offers([*paths, *in_folder])
    return ServerFiles(made.offers, tuple(filter(None, (parsed.problem, *problems, *made.problems))))


def name_of(path: Path) -> str:
    """The name of a path; of a model in the cache of the Hub its own, with the beginning of its commit.

    >>> name_of(Path("a/b.json")), name_of(Path(f"/c/models--org--name/snapshots/{40 * 'a'}/sub/q4.gguf"))
    ('b.json', 'org/name@aaaaaaa:sub/q4.gguf')
    """
    repository, at, commit = repository_of(path).partition("@")
    if not at:
        return path.name
    # the beginning of a GGUF is not in a snapshot, but has the file's name
    parts = path.absolute().parts
    file = "/".join(parts[parts.index(commit) + 1 :]) if commit in parts else path.name
    return HubName(repository, commit[:7], file).text


def paths_in(folder: str) -> tuple[list[tuple[Path, str]], list[str]]:
    """The paths that a folder offers, with their names, and problems with the folder."""
    try:
        found = list(islice(vocabularies_in(Path(folder)), MAX_OFFERED + 1))
    except OSError as error:
        return [], [f"{FOLDER}: the folder cannot be read ({error.strerror}); give another one"]
    paths = [(path, path.relative_to(folder).as_posix()) for path in found[:MAX_OFFERED]]
    if len(found) > MAX_OFFERED:
        return paths, [f"{FOLDER}: the folder holds more than {MAX_OFFERED} files; the others are ignored"]
    return paths, []


def make_offers(paths: Sequence[tuple[Path, str]]) -> ServerFiles:
    """Offers of these paths. A file that fails is a problem, unless it is the partner of another."""
    offers: dict[str, Offer] = {}
    refused: dict[Path, str] = {}
    partners: set[Path] = set()
    for path, name in paths:
        label = unique_label(name, offers)
        try:
            with path_hidden(path, label):
                files = files_at(path)
                offers[label] = server_offer(path, label, files)
        except InputError as error:
            refused[path] = str(error)
        except OSError as error:
            refused[path] = f"{label}: cannot be read ({error.strerror}); check its permissions"
        else:
            partners |= {files[0].with_name(name) for name in format_at(files[0]).beside(files[0].name)}
    return ServerFiles(offers, tuple(line for path, line in refused.items() if path not in partners))


def vocabularies_in(folder: Path) -> Iterator[Path]:
    """Files of a folder with names of vocabularies, in order, and subfolders that hold a model.

    Links that lead out of the folder are skipped.
    """
    root = folder.resolve(strict=True)
    seen = 0
    for at, folders, names in os.walk(folder, onerror=raise_error):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if TOKENIZER_CONFIG in names and Path(at) != folder and is_model(Path(at), names):
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
        if seen > MAX_SEARCHED:
            return


def stays_within(folder: Path, root: Path) -> bool:
    """Whether no file of a model's folder is a link that leads out of `root`."""
    try:
        return all(path.resolve().is_relative_to(root) for path in files_at(folder))
    except InputError:  # reported when the folder is opened
        return True


def raise_error(error: OSError) -> None:
    """Makes `os.walk` report errors."""
    raise error


def unique_label(name: str, taken: dict[str, Offer]) -> str:
    """A label that no other offer has.

    >>> unique_label("a/tokenizer.json", {}), unique_label("gpt-2", {})
    ('a/tokenizer.json', 'gpt-2 #2')
    """
    wanted = "/".join(short_name(part) for part in name.split("/"))
    return unused(wanted, {*taken, *bundled()}, "{} #{}")


def unused(name: str, taken: Collection[str], numbered: str = "{} ({})", after: str = "") -> str:
    """A name with what comes after it, numbered if others have it.

    >>> unused("a", {"a.txt", "a (2).txt"}, after=".txt")
    'a (3).txt'
    """
    names = chain([name], (numbered.format(name, number) for number in count(2)))
    return next(each + after for each in names if each + after not in taken)


def open_first() -> None:
    """Opens them if the operator asks for it, and draws a text with each, which fills what is filled on first use."""
    if not parse_arguments(app_arguments()).open_first:
        return
    for offer in bundled().values():
        spec = offer.spec()
        view = explore_view(Request(spec, PRESETS[0].text), 0, "model")
        section_view(view.request, view.window.start, view.focus, view.stored)

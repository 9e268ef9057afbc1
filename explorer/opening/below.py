"""Every tokenizer below a folder: the Hub's cache, LM Studio's or Ollama's models, or any other folder.

A folder with settings and a vocabulary is one model, and so is each other file that is a vocabulary by its content. Of
a store of Ollama the manifests are read, of the Hub's cache the snapshots. Folders are walked without following links,
so that no walk leaves the folder or runs in a circle; what can't be read is noted, and the walk goes on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from explorer.errors import InputError
from explorer.formats.files import COMPANIONS, CONFIG, PARTNERS, TEMPLATES, TOKENIZER_CONFIG, on_one_line
from explorer.opening.folders import SUFFIXES, is_model, is_model_file
from explorer.opening.formats import HEAD, files_at, is_vocabulary, repository_of
from explorer.opening.sources import Source, contents, first_bytes

MOST_NAMES: Final = 200_000
"""Names of files and folders that a walk looks at."""
MOST: Final = 5_000
"""Tokenizers of a walk."""
BLOBS: Final = "blobs"
"""The folder of files by their hashes, in the Hub's cache and in Ollama's store."""


class Place(NamedTuple):
    """A tokenizer below a folder. path: of its file or folder. name: for `-m` if it has one, else below the folder."""

    path: Path
    name: str


def tokenizers_below(folder: Path, problems: list[str]) -> Iterator[Place]:
    """The tokenizers in order of their paths. problems: a line is added for each place that can't be looked at.

    Raises InputError if the folder itself can't be read.
    """
    left, found = MOST_NAMES, 0
    for at, folders, files in walk(folder, problems):
        left -= len(folders) + len(files)
        for place in places_in(at, folders, files, folder, problems):
            found += 1
            if found > MOST:
                problems.append(f"there are more than {MOST} tokenizers; the others are not listed")
                return
            yield place
        if left < 0:
            problems.append(f"there are more than {MOST_NAMES} names; those after {shown(at, folder)} were not read")
            return


def walk(folder: Path, problems: list[str]) -> Iterator[tuple[Path, list[str], list[str]]]:
    """The folders below one, each with the names of its folders and files. The caller may remove folders."""
    try:
        os.scandir(folder).close()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{on_one_line(str(folder))}: cannot be read ({why}); give a folder") from None

    def note(error: OSError) -> None:
        problems.append(f"{shown(Path(error.filename), folder)}: cannot be read ({error.strerror})")

    for at, folders, files in os.walk(folder, onerror=note):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        problems += [f"{shown(Path(at, name), folder)}: a link to a folder, which isn't followed" for name in links]
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in links)
        yield Path(at), folders, sorted(files)


def places_in(at: Path, folders: list[str], files: list[str], root: Path, problems: list[str]) -> Iterator[Place]:
    """The tokenizers in one folder. Removes the folders that aren't to be walked."""
    if BLOBS in folders and "manifests" in folders:
        folders[:] = [name for name in folders if name not in (BLOBS, "manifests")]
        yield from in_ollama(at, problems)
    if BLOBS in folders and "snapshots" in folders:
        folders[:] = ["snapshots"]
    if TOKENIZER_CONFIG in files and is_model(at, files):
        yield Place(at, repository_of(at) or shown(at, root))
        files = [name for name in files if name.lower().endswith(".gguf")]
    for name in files:
        path = at / name
        try:
            if is_tokenizer(path):
                yield Place(path, shown(path, root))
        except InputError as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(f"{shown(path, root)}: cannot be read ({error.strerror})")


def is_tokenizer(path: Path) -> bool:
    """Whether a file is a vocabulary of its own, by name and content. Raises InputError if it can't be read."""
    suffix = path.suffix.lower()
    if path.name.startswith(".") or suffix not in SUFFIXES or path.name in (*COMPANIONS, *PARTNERS):
        return False
    if not path.is_file() or (suffix == ".gguf" and not is_model_file(path)):
        return False  # a link to a file that is gone, a pipe, a part of a model
    return is_vocabulary(first_bytes(path, HEAD), path.name)


def in_ollama(store: Path, problems: list[str]) -> Iterator[Place]:
    """The models in a store of Ollama, by their manifests."""
    from explorer.opening import model_names

    for name, path in sorted(model_names.ollama_manifests(store)):
        try:
            yield Place(
                model_names.ollama_blob(store, model_names.manifest(path, store / "manifests", name), name), name
            )
        except InputError as error:
            problems.append(str(error))


def shown(path: Path, root: Path) -> str:
    """A path as it is below the folder."""
    return on_one_line(os.path.relpath(path, root)) if path != root else on_one_line(path.name or str(path))


def fingerprint(path: Path) -> str:
    """What two tokenizers with the same content share. Raises InputError.

    Of a GGUF its keys about the tokenizer, so that all quantizations of a model have the same; of a folder the files of
    the tokenizer and its template, but not config.json, which has the sizes of the model's layers.
    """
    hashed = sha256()
    files = files_at(path)
    data = Source(files[0], name=files[0].name).deciding()
    if data.startswith(b"GGUF"):
        from explorer.formats import gguf

        for pair in sorted(gguf.pairs(data).pairs):
            if pair.key.startswith("tokenizer."):
                hashed.update(f"{pair.key} {pair.kind} {len(pair.data)} ".encode() + pair.data)
        return hashed.hexdigest()
    others = [*files[1:], *(path / name for name in TEMPLATES if path.is_dir() and (path / name).is_file())]
    hashed.update(f"{len(data)} ".encode() + data)
    for other in sorted(others):
        if other.name != CONFIG:
            beside = contents(other)
            hashed.update(f"{other.name} {len(beside)} ".encode("utf-8", "surrogateescape") + beside)
    return hashed.hexdigest()

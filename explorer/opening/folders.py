"""Finds the file with the vocabulary in a model's folder, or among files given together.

The names that `transformers` knows come first, in its order. If none of them exists, the content decides, and exactly
one file must be a vocabulary. The links of a Hugging Face cache are followed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from explorer.errors import InputError
from explorer.formats.files import COMPANIONS, TOKENIZER_CONFIG, VOCABULARIES

SUFFIXES: Final = frozenset(".json .gguf .model .tiktoken .txt .spm .vocab".split())
"""Suffixes of vocabulary files; the content decides the format."""

SHARD: Final = re.compile(r"-(\d{5})-of-\d{5}(?=\.gguf\Z)", re.IGNORECASE)
"""The part of a name that numbers the files of one model; the first has the vocabulary."""
MOST: Final = 10_000
"""The most names of a folder that are read."""
MOST_LOOKED_AT: Final = 200
"""The most files of a folder without a vocabulary that are looked at to say what it is."""


def vocabulary_in(folder: Path, is_one: Callable[[Path], bool]) -> Path:
    """The path of the vocabulary in a model's folder. is_one: whether a file is a vocabulary, by its content.

    Raises InputError if there is none, or several and none with a known name.
    """
    try:
        names = sorted(path.name for path in islice(folder.iterdir(), MOST) if path.is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); check the path and its permissions") from None
    name = standard_name(names)
    if name:
        return folder / name
    # of a GGUF in parts the first has the tokenizer, and a projector has none
    vocabularies = [
        name for name in candidates(names)
        if (is_model_file(folder / name) or not name.endswith(".gguf")) and is_one(folder / name)
    ]  # fmt: skip
    if len(vocabularies) == 1:
        return folder / vocabularies[0]
    if vocabularies:
        from explorer.facts import listed

        raise InputError(
            f"{folder}: {len(vocabularies)} of its files are vocabularies: {listed(vocabularies)}; give one of them"
        )
    if TOKENIZER_CONFIG in names and needs_no_vocabulary(folder):
        return folder / TOKENIZER_CONFIG
    from explorer.formats.not_vocabularies import OWN

    many = "(the app takes a folder of many as EXPLORER_TOKENIZERS)"
    known = known_file(folder, names)
    advice = known or "give the folder of one model, with its tokenizer.json, tokenizer.model or vocab.txt"
    # what a file of another kind is says nothing about the folder
    also = f" {many}" if not known or known.endswith(OWN) else ""
    raise InputError(f"{folder}: no file in this folder is a vocabulary; {advice}{also}")


def is_model_file(path: Path) -> bool:
    """Whether a name is that of a model's file, or of the first of several; projectors have no vocabulary."""
    shard = SHARD.search(path.name)
    is_first = shard is None or int(shard[1]) == 1
    return path.suffix == ".gguf" and is_first and "mmproj" not in path.name.lower() and path.is_file()


def known_file(folder: Path, names: Iterable[str]) -> str:
    """What the file is that says most about a folder without a vocabulary; empty if none is known."""
    from explorer.formats.not_vocabularies import ranked
    from explorer.opening.sources import HEAD, first_bytes

    files = []
    for name in islice((each for each in names if not each.startswith(".")), MOST_LOOKED_AT):
        try:
            rank, says = ranked(first_bytes(folder / name, HEAD))
        except InputError:
            continue
        files += [(rank, f"{name}: {says}")] if says else []
    return min(files, default=(0, ""))[1]


def needs_no_vocabulary(folder: Path) -> bool:
    """Whether a folder without a vocabulary asks for a class that has none.

    The answer is that of version 5, and of version 4 where that differs.
    """
    from explorer.formats import model_folder
    from explorer.formats.files import CLASSES
    from explorer.implementations.transformers.class_lookup import class_for
    from explorer.opening.sources import contents

    def beside(name: str) -> bytes | None:
        path = folder / name
        return contents(path) if path.is_file() else None

    for version in (5, 4):
        try:
            kind = class_for(version, model_folder.read(beside))
        except InputError:
            continue
        if kind in CLASSES:
            return True
    return False


def is_model(folder: Path, names: Collection[str]) -> bool:
    """Whether a folder with settings has a vocabulary under a known name, or needs none. names: of its files."""
    if standard_name(names):
        return True
    try:
        return not candidates(names) and needs_no_vocabulary(folder)
    except InputError:
        return False


def standard_name(names: Collection[str]) -> str:
    """The first of the names that `transformers` knows for a vocabulary; empty if none of them is there.

    >>> standard_name(["config.json", "vocab.json", "merges.txt", "tokenizer.json"]), standard_name(["x.gguf"])
    ('tokenizer.json', '')
    """
    return next((name for name in VOCABULARIES if name in names), "")


def candidates(names: Iterable[str]) -> list[str]:
    """The names that may be a vocabulary's.

    >>> candidates(["config.json", "model.safetensors", "own.gguf", ".hidden.json"])
    ['own.gguf']
    """
    return [
        name
        for name in names
        if name not in COMPANIONS and not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES
    ]

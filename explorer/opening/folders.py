"""A model's folder, or files given together: which of them holds the vocabulary, the others being beside it.

The file is found by the names `transformers` knows, in its order; where none is there, by its content, and then there
must be one alone. The links of a Hugging Face cache are followed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from explorer.errors import InputError
from explorer.formats.model_files import COMPANIONS, VOCABULARIES

SUFFIXES: Final = frozenset(".json .gguf .model .tiktoken .txt .spm .vocab".split())
"""What a vocabulary file is called; the content decides what it is."""

MOST: Final = 10_000
"""Names of a folder that are looked at."""


def vocabulary_in(folder: Path, is_one: Callable[[Path], bool]) -> Path:
    """The path of the vocabulary in a model's folder. is_one: whether a file is a vocabulary, by its content.

    Raises InputError where there is none, or nothing says which of several it is.
    """
    try:
        names = sorted(path.name for path in islice(folder.iterdir(), MOST) if path.is_file())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); check the path and its permissions") from None
    name = known(names)
    if name:
        return folder / name
    found = [name for name in candidates(names) if is_one(folder / name)]
    if len(found) == 1:
        return folder / found[0]
    if found:
        from explorer.facts import listed

        raise InputError(f"{folder}: {len(found)} of its files are vocabularies: {listed(found)}; name one of them")
    raise InputError(
        f"{folder}: no file in this folder is a vocabulary; give the folder of one model, with its tokenizer.json, "
        "tokenizer.model or vocab.txt (the app takes a folder of many as EXPLORER_TOKENIZERS)"
    )


def known(names: Collection[str]) -> str:
    """The vocabulary among these names, by the names that `transformers` knows; empty where none of them is.

    >>> known(["config.json", "vocab.json", "merges.txt", "tokenizer.json"]), known(["x.gguf"])
    ('tokenizer.json', '')
    """
    return next((name for name in VOCABULARIES if name in names), "")


def candidates(names: Iterable[str]) -> list[str]:
    """The names that a vocabulary may have.

    >>> candidates(["config.json", "model.safetensors", "own.gguf", ".hidden.json"])
    ['own.gguf']
    """
    return [
        name for name in names
        if name not in COMPANIONS and not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES
    ]  # fmt: skip

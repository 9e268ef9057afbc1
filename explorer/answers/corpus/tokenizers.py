"""The tokenizers of a job on their way from the session to the job's process: as plain data, and files of its folder.

A visitor's files are copied, so the job doesn't depend on the session's. They get names of the job's own, because a
visitor's may be any text; the process opens them as bytes, with the names that the reader looks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from explorer.answers.offers import PathOpener, TokenizerSpec, UploadOpener
from explorer.corpus.models import Chosen, absolute, digest
from explorer.errors import InputError

FOLDER: Final = "tokenizers"
"""Holds the copies, in the folder of a job."""


def copies(specs: Sequence[TokenizerSpec]) -> dict[str, bytes]:
    """The files that a job needs a copy of, by their names in its folder. Raises InputError for a released upload."""
    return {kept: each.data for number, spec in enumerate(specs) for kept, _, each in uploaded(number, spec)}


def uploaded(number: int, spec: TokenizerSpec) -> Iterator[tuple[str, str, Any]]:
    """The files of an upload: the name of the copy, the name that the reader looks for, the file."""
    opener = spec.offer.open
    if isinstance(opener, UploadOpener):
        files = ((opener.file, opener.main), *opener.others)
        yield from ((f"{number}-{index}", name, file) for index, (name, file) in enumerate(files))


def as_data(number: int, spec: TokenizerSpec) -> dict[str, Any]:
    """A tokenizer as plain data for the process.

    >>> from explorer.answers.offers import bundled
    >>> as_data(0, TokenizerSpec(bundled()["gpt-2"], "llama.cpp"))["spec"]
    'gpt-2@llama.cpp'
    """
    opener, offer = spec.offer.open, spec.offer
    kept = [(name, copy) for copy, name, _ in uploaded(number, spec)]
    own = bool(kept) or isinstance(opener, PathOpener)
    where = opener.path if isinstance(opener, PathOpener) else offer.label
    return {
        "spec": f"{where}@{spec.implementation}" if own else spec.name,
        "choices": sorted(spec.choices),
        "name": offer.label if own else "",
        "title": offer.title if own else "",
        "kept": kept,
    }


def as_chosen(given: Iterable[Mapping[str, Any]], folder: Path) -> tuple[Chosen, ...]:
    """The tokenizers of a job, in its process. folder: of the job. Raises InputError."""
    made = []
    for each in given:
        kept = tuple((name, str(folder / FOLDER / copy)) for name, copy in each["kept"])
        choices = tuple((key, value) for key, value in each["choices"])
        spec = each["spec"] if kept else absolute(each["spec"])
        made.append(Chosen(spec, choices, digest(spec, kept), each["name"], each["title"], kept))
    return tuple(made)


def without_paths(error: InputError, models: Iterable[Chosen]) -> str:
    """The message of an error, with names in place of paths of the server."""
    message = str(error)
    for model in models:
        if model.name and not model.kept:
            message = message.replace(model.spec.rpartition("@")[0], model.name)
    return message

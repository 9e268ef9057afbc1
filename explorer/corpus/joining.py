"""Concatenates the ids of all tasks into one folder per tokenizer.

Until the parts are deleted, the ids are on disk twice. A folder gets its name when it is complete. A marker among the
parts, written just before, tells a resumed job that the folder is its own.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from explorer.corpus.atomic import unwritable, write, written
from explorer.corpus.ids_file import FORMAT, folder_name, part_names, type_of
from explorer.corpus.measures import ratio, text_numbers, token_numbers
from explorer.corpus.models import tokenizers
from explorer.corpus.record import made_by
from explorer.corpus.run import Plan
from explorer.corpus.tally import Tally
from explorer.errors import InputError

BLOCK: Final = 1 << 17
"""The number of documents whose offsets are computed at once."""


class IdsOutput:
    """The folders that a job writes ids to. into: the requested folder. parts: the folder of the finished parts."""

    def __init__(self, into: Path, parts: Path, plan: Plan) -> None:
        self.into, self.parts, self.plan = into, parts, plan
        self.opened = tokenizers(plan.work.models)
        names = [folder_name(label) for label in self.opened]
        # two different labels may give the same folder name
        self.folders = [
            into / (name if names.count(name) == 1 else f"{name}-{number}") for number, name in enumerate(names, 1)
        ]
        self.keys = [plan.work.key(task) for task in plan.tasks]
        self.job = sha256(" ".join(self.keys).encode()).hexdigest()[:32]

    def marker(self, tokenizer: int) -> Path:
        """The file that marks a tokenizer's folder as written by this job."""
        return self.parts / f"{self.job}-{tokenizer}.joined"

    def check(self) -> None:
        """Before the work: raises InputError if a folder has other ids, Unwritable if none can be written."""
        for index, folder in enumerate(self.folders):
            if folder.exists() and not self.marker(index).exists():
                raise InputError(f"{folder}: already exists; delete it, or give --write another folder")
        try:
            self.into.mkdir(exist_ok=True)
            if not os.access(self.into, os.W_OK):
                raise PermissionError(13, "no permission to write in the folder")
        except OSError as error:
            raise unwritable(self.into, error) from None

    def join(self, tally: Tally) -> list[str]:
        """Writes the folder of each tokenizer; returns a line about each. Raises Unwritable."""
        said = []
        for index, folder in enumerate(self.folders):
            about = self.manifest(index, tally)
            if not (folder.exists() and self.marker(index).exists()):
                join(self.parts, self.keys, index, folder, about, self.marker(index))
            said.append(
                f"{folder}: {about['ids']:,} ids of {about['bits']} bits, {about['ids_bytes']:,} bytes for "
                f"{about['text_bytes']:,} of text{saving(about['saving'])}"
            )
        return said

    def manifest(self, index: int, tally: Tally) -> dict[str, Any]:
        """The manifest of one tokenizer's ids."""
        tokenizer = list(self.opened.values())[index]
        stored = np.dtype(type_of(len(tokenizer.vocabulary)))
        text, ids = text_numbers(tally.total), token_numbers(tally.total, index)["tokens"]
        share = ratio(ids * stored.itemsize, text["bytes"])
        return {
            "format": FORMAT,
            "tokenizer": tokenizer.name,
            "implementation": tokenizer.implementation,
            "sha256": " ".join(file.digest for file in tokenizer.origin.files),
            "provenance": made_by(self.plan).record(),
            "vocabulary": len(tokenizer.vocabulary),
            "type": stored.str,
            "bits": 8 * stored.itemsize,
            "ids": ids,
            "documents": text["documents"],
            "text_bytes": text["bytes"],
            "ids_bytes": ids * stored.itemsize,
            "saving": None if share is None else 1 - share,
            "add_special": self.plan.work.add_special,
            "parse_special": self.plan.work.parse_special,
            "files": [
                {"name": file.shown, "documents": text_numbers(tally.files[file.shown])["documents"]}
                for file in self.plan.files
                if file.shown in tally.files
            ],
        }


def saving(share: float | None) -> str:
    """How much smaller the ids are than the text, in words.

    >>> saving(0.52), saving(-0.1)
    (': 52.0% less', ': 10.0% more')
    """
    return "" if share is None else f": {abs(share):.1%} {'less' if share >= 0 else 'more'}"


def join(parts: Path, keys: list[str], tokenizer: int, into: Path, about: dict[str, Any], marker: Path) -> None:
    """Concatenates the ids of all tasks. about: the manifest. Raises Unwritable."""
    made = into.with_name(f".{into.name}.unfinished")
    try:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        total = documents = 0
        with written(made / "ids.bin") as ids, written(made / "offsets.bin") as offsets:
            offsets.write(np.zeros(1, "<u8").tobytes())
            for each in keys:
                of_ids, of_sizes = part_names(parts, each, tokenizer)
                with of_ids.open("rb") as source:
                    shutil.copyfileobj(source, ids, 1 << 20)
                for sizes in blocks(of_sizes):
                    ends = np.cumsum(sizes, dtype=np.uint64) + np.uint64(total)
                    offsets.write(ends.astype("<u8").tobytes())
                    total, documents = int(ends[-1]), documents + len(sizes)
        if (total, documents) != (about["ids"], about["documents"]):
            raise InputError(f"{parts}: these are not the ids that were counted; delete the folder and start again")
        write(made / "manifest.json", (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode())
        write(marker, b"")
        os.rename(made, into)
    except OSError as error:
        raise unwritable(into, error) from None


def blocks(path: Path) -> Iterator[NDArray[np.uint64]]:
    """The numbers of a file, `BLOCK` at a time."""
    with path.open("rb") as file:
        while data := file.read(8 * BLOCK):
            yield np.frombuffer(data, "<u8")

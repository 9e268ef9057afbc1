"""The ids of all tasks, put one behind the other into the folder of a tokenizer.

Until the parts are deleted the ids take their place on the disk twice. A folder takes its name when all of it is
there; a note among the parts, made just before, tells a job that goes on that the folder is its own.
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
from explorer.corpus.work import key
from explorer.errors import InputError

BLOCK: Final = 1 << 17
"""Documents whose offsets are made at once."""


class Place:
    """Where a job writes its ids. into: the folder that was asked for. parts: that of the job's finished parts."""

    def __init__(self, into: Path, parts: Path, plan: Plan) -> None:
        self.into, self.parts, self.plan = into, parts, plan
        self.opened = tokenizers(plan.work.models)
        names = [folder_name(label) for label in self.opened]
        # labels differ, but two may be written alike
        self.folders = [
            into / (name if names.count(name) == 1 else f"{name}-{place}") for place, name in enumerate(names, 1)
        ]

        self.keys = [key(plan.work, task) for task in plan.tasks]
        self.job = sha256(" ".join(self.keys).encode()).hexdigest()[:32]

    def note(self, place: int) -> Path:
        """What says that the folder of a tokenizer was made by this very job."""
        return self.parts / f"{self.job}-{place}.joined"

    def check(self) -> None:
        """Raises InputError where there are other ids, and Unwritable where none can be written: before the work."""
        for place, folder in enumerate(self.folders):
            if folder.exists() and not self.note(place).exists():
                raise InputError(f"{folder}: is there already; delete it, or give another folder to --write")
        try:
            self.into.mkdir(exist_ok=True)
            if not os.access(self.into, os.W_OK):
                raise PermissionError(13, "no permission to write in the folder")
        except OSError as error:
            raise unwritable(self.into, error) from None

    def join(self, tally: Tally) -> list[str]:
        """Makes the folder of each tokenizer; gives a line about each. Raises Unwritable."""
        said = []
        for place, folder in enumerate(self.folders):
            about = self.about(place, tally)
            if not (folder.exists() and self.note(place).exists()):
                join(self.parts, self.keys, place, folder, about, self.note(place))
            said.append(
                f"{folder}: {about['ids']:,} ids of {about['bits']} bits, {about['ids_bytes']:,} bytes for "
                f"{about['text_bytes']:,} of text{saving(about['saving'])}"
            )
        return said

    def about(self, place: int, tally: Tally) -> dict[str, Any]:
        """What the manifest says."""
        tokenizer = list(self.opened.values())[place]
        stored = np.dtype(type_of(len(tokenizer.vocabulary)))
        text, ids = text_numbers(tally.total), token_numbers(tally.total, place)["tokens"]
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
    """What the ids save against the text, in words.

    >>> saving(0.52), saving(-0.1)
    (': 52.0% less', ': 10.0% more')
    """
    return "" if share is None else f": {abs(share):.1%} {'less' if share >= 0 else 'more'}"


def join(parts: Path, keys: list[str], tokenizer: int, into: Path, about: dict[str, Any], note: Path) -> None:
    """Puts the ids of all tasks one behind the other. about: the manifest. Raises Unwritable."""
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
            raise InputError(f"{parts}: these are not the ids that were counted; delete the folder and start anew")
        write(made / "manifest.json", (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode())
        write(note, b"")
        os.rename(made, into)
    except OSError as error:
        raise unwritable(into, error) from None


def blocks(path: Path) -> Iterator[NDArray[np.uint64]]:
    """The numbers of a file, so many at a time."""
    with path.open("rb") as file:
        while data := file.read(8 * BLOCK):
            yield np.frombuffer(data, "<u8")

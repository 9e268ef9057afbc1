"""Concatenates the ids of all tasks into one folder per tokenizer, while later tasks are still being encoded.

The folders grow among the parts, in the order of the tasks, written by one thread. So until the parts are deleted, the
ids are on disk twice, and a resumed job joins them again. A folder gets its name when it is complete. A marker, written
just before, tells a resumed job that the folder is its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.corpus.atomic import unwritable, write
from explorer.corpus.counter import Tally, tokenizers
from explorer.corpus.ids_file import FORMAT, folder_name, part_names, type_of
from explorer.corpus.record import made_by, ratio, text_numbers, token_numbers
from explorer.corpus.run import Plan
from explorer.errors import InputError
from explorer.tables import Record

BLOCK = 1 << 17
"""The number of documents whose offsets are computed at once."""
COPIED = 1 << 18
"""Bytes of ids copied at once."""


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
        self.growing: dict[int, GrowingIds] = {}
        """by tokenizer, those that are not complete"""
        self.thread = ThreadPoolExecutor(1, "joining")
        self.done: set[int] = set()
        """finished tasks whose turn has not come"""
        self.submitted = 0
        self.appending: deque[Future[None]] = deque()

    def __enter__(self) -> IdsOutput:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.thread.shutdown(cancel_futures=True)
        for growing in self.growing.values():
            growing.close()

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

    def finished(self, number: int) -> None:
        """Appends the ids of a finished task, once those of all tasks before it are. Raises Unwritable."""
        self.done.add(number)
        while self.submitted in self.done:
            self.done.remove(self.submitted)
            self.appending.append(self.thread.submit(self.append, self.keys[self.submitted]))
            self.submitted += 1
        while self.appending and self.appending[0].done():
            self.appending.popleft().result()

    def append(self, key: str) -> None:
        """Appends the ids of one task. Raises Unwritable."""
        self.begin()
        for index, growing in self.growing.items():
            try:
                growing.append(*part_names(self.parts, key, index))
            except OSError as error:
                raise unwritable(self.folders[index], error) from None

    def begin(self) -> None:
        """Creates the folders that grow, unless they are there. Raises Unwritable."""
        if self.growing:
            return
        for index, folder in enumerate(self.folders):
            if not (folder.exists() and self.marker(index).exists()):
                try:
                    self.growing[index] = GrowingIds(self.parts / f"joined-{index}")
                except OSError as error:
                    raise unwritable(folder, error) from None

    def join(self, tally: Tally) -> list[str]:
        """Completes the folder of each tokenizer; returns a line about each. Raises Unwritable."""
        while self.appending:
            self.appending.popleft().result()
        self.begin()
        lines = []
        for index, folder in enumerate(self.folders):
            about = self.manifest(index, tally)
            if index in self.growing:
                self.complete(self.growing[index], folder, about, self.marker(index))
            lines.append(
                f"{folder}: {about['ids']:,} ids of {about['bits']} bits, {about['ids_bytes']:,} bytes for "
                f"{about['text_bytes']:,} of text{saving(about['saving'])}"
            )
        return lines

    def complete(self, growing: GrowingIds, into: Path, about: Record, marker: Path) -> None:
        """Gives a folder its name. about: its manifest. Raises Unwritable."""
        counted = about["ids"], about["documents"], about["ids_bytes"]
        if (growing.ids, growing.documents, growing.of_ids.tell()) != counted:
            raise InputError(
                f"{self.parts}: these are not the ids that were counted; delete the folder and start again"
            )
        try:
            growing.end()
            write(growing.folder / "manifest.json", (json.dumps(about, ensure_ascii=False, indent=1) + "\n").encode())
            write(marker, b"")
            os.rename(growing.folder, into)
        except OSError as error:
            raise unwritable(into, error) from None

    def manifest(self, index: int, tally: Tally) -> Record:
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


class GrowingIds:
    """A folder of ids, to which those of one task after the other are appended. ids, documents: how many it has."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        self.folder, self.ids, self.documents = folder, 0, 0
        self.of_ids, self.offsets = ((folder / name).open("wb") for name in ("ids.bin", "offsets.bin"))
        self.offsets.write(np.zeros(1, "<u8").data)

    def append(self, of_ids: Path, of_sizes: Path) -> None:
        """Appends the files of a task."""
        with of_ids.open("rb") as source:
            shutil.copyfileobj(source, self.of_ids, COPIED)
        for sizes in blocks(of_sizes):
            ends = np.cumsum(sizes, dtype=np.uint64) + np.uint64(self.ids)
            self.offsets.write(ends.astype("<u8", copy=False).data)
            self.ids, self.documents = int(ends[-1]), self.documents + len(sizes)
        # bit by bit, so that the end of the job doesn't wait for all of it
        os.fsync(self.of_ids.fileno())

    def end(self) -> None:
        """Flushes the files to disk and closes them."""
        for file in (self.of_ids, self.offsets):
            file.flush()
            os.fsync(file.fileno())
        self.close()

    def close(self) -> None:
        """Closes the files, whether they are complete or not."""
        for file in (self.of_ids, self.offsets):
            with contextlib.suppress(OSError):
                file.close()


def blocks(path: Path) -> Iterator[NDArray[np.uint64]]:
    """The numbers of a file, `BLOCK` at a time."""
    with path.open("rb") as file:
        while data := file.read(8 * BLOCK):
            yield np.frombuffer(data, "<u8")

"""The finished parts of a job, kept on disk until the job is done, so that it can be resumed.

They are in the folder `RESULT.parts` next to the result: the result of each finished task, and its ids if they are
written. A part is named by everything its numbers depend on (`Job.key`), so a part of other files, options or
tokenizers is never mistaken for it. A file that is being written has a temporary name.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, Generic

from explorer.corpus.atomic import UNFINISHED, Damaged, unwritable, write
from explorer.corpus.job import Job, Result
from explorer.corpus.sources import Task
from explorer.errors import InputError

LOCK: Final = ".lock"
COMPLETE: Final = ".complete"
"""Marks parts that are all there, of a job that failed with what it made of them."""


class Parts(Generic[Result]):
    """The folder of a job's finished parts."""

    def __init__(self, folder: Path, job: Job[Result]) -> None:
        self.folder, self.job = folder, job
        self.lock: IO[bytes] | None = None

    def begin(self, resume: bool) -> None:
        """Creates the folder, or resumes in it.

        Raises InputError if another job works in it, or if it has parts that were interrupted and `resume` is false.
        """
        try:
            self.folder.mkdir(exist_ok=True)
            self.lock_folder()
            complete = self.folder / COMPLETE
            if not resume and not complete.exists() and any(self.folder.glob("*.tally")):
                raise InputError(
                    f"{self.folder}: it has parts of an interrupted job; resume it with --resume, or delete the folder"
                )
            for path in self.folder.glob(f".*{UNFINISHED}"):
                path.unlink(missing_ok=True)
            complete.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None

    def lock_folder(self) -> None:
        """Keeps other jobs out while this process lives; without effect on file systems that have no locks."""
        self.lock = (self.folder / LOCK).open("ab")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise InputError(
                f"{self.folder}: another job works here; wait until it ends, or give another path"
            ) from None
        except OSError:
            self.release()

    def release(self) -> None:
        """Releases the lock."""
        if self.lock is not None:
            self.lock.close()
            self.lock = None

    def path(self, task: Task) -> Path:
        """The file of a task's tally."""
        return self.folder / f"{self.job.key(task)}.tally"

    def finished(self, tasks: tuple[Task, ...]) -> Iterator[tuple[Task, Result]]:
        """The tasks that are done, with their tallies. Removes those that are damaged, so that they are done again."""
        for task in tasks:
            path = self.path(task)
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise InputError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
            try:
                found = self.job.read(data, str(path))
            except Damaged:
                path.unlink(missing_ok=True)
                continue
            yield task, found

    def keep(self, task: Task, tally: bytes) -> None:
        """Writes the tally of a finished task. Raises Unwritable."""
        write(self.path(task), tally)

    def leave(self) -> None:
        """Leaves the parts, all finished, to the next job here, which takes those that it would make itself."""
        (self.folder / COMPLETE).touch()
        self.release()

    def end(self) -> None:
        """Deletes the parts, once the result is written."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.release()


def remove_empty(folder: Path) -> None:
    """Removes the folder of a job that finished no part."""
    with contextlib.suppress(OSError):
        (folder / LOCK).unlink()
        folder.rmdir()

"""The finished parts of a job, kept on the disk until the whole is done, so that it can be gone on with.

They lie in a folder beside the result, `RESULT.parts`: for each task that is done its tally, with its ids where they
are wanted. A part is named by all that its numbers depend on (`work.key`), so one of other files, options or
tokenizers is not taken for it. What is being written has another name until it is whole.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from explorer.corpus.atomic import UNFINISHED, unwritable, write
from explorer.corpus.tally import Tally
from explorer.corpus.tasks import Task
from explorer.corpus.work import Work, key
from explorer.errors import InputError

LOCK: Final = ".lock"


class Parts:
    """The folder of a job's finished parts."""

    def __init__(self, folder: Path, work: Work) -> None:
        self.folder, self.work = folder, work
        self.lock: IO[bytes] | None = None

    def begin(self, resume: bool) -> None:
        """Makes the folder, or goes on in it.

        Raises InputError where another job is at work in it, and where it holds parts and nobody asked to go on.
        """
        try:
            self.folder.mkdir(exist_ok=True)
            self.take()
            if not resume and any(self.folder.glob("*.tally")):
                raise InputError(
                    f"{self.folder}: there are parts of a job that was interrupted; go on with it with --resume, or "
                    "delete the folder"
                )
            for path in self.folder.glob(f".*{UNFINISHED}"):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None

    def take(self) -> None:
        """Keeps others out for as long as this process lives; where a disk knows no locks there is none."""
        self.lock = (self.folder / LOCK).open("ab")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.leave()
            raise InputError(
                f"{self.folder}: another job is at work there; wait for its end, or give another place"
            ) from None
        except OSError:
            self.leave()

    def leave(self) -> None:
        """Lets others in again."""
        if self.lock is not None:
            self.lock.close()
            self.lock = None

    def path(self, task: Task) -> Path:
        return self.folder / f"{key(self.work, task)}.tally"

    def finished(self, tasks: tuple[Task, ...]) -> Iterator[tuple[Task, Tally]]:
        """Those of the tasks that are done, with their tallies."""
        for task in tasks:
            path = self.path(task)
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise InputError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
            yield task, Tally.from_bytes(data, str(path))

    def keep(self, task: Task, tally: bytes) -> None:
        """Notes that a task is done. Raises Unwritable."""
        write(self.path(task), tally)

    def end(self) -> None:
        """The result is there: the parts are no longer needed."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.leave()

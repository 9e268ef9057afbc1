"""The finished parts of a job, kept on the disk until the whole is done, so that it can be gone on with.

They lie in a folder beside the result, `RESULT.parts`: `job.json` with the fingerprint of the job (files with sizes
and times, tokenizers by their contents, everything that changes a number) and for each task that is done its tally,
with its ids where they are wanted. What is being written has another name until it is whole.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from explorer.corpus.atomic import UNFINISHED, unwritable, write
from explorer.corpus.tally import Tally
from explorer.corpus.tasks import Task
from explorer.corpus.work import Work
from explorer.errors import InputError

FORMAT: Final = "tokenizer-explorer parts 1"


def fingerprint(work: Work, tasks: tuple[Task, ...]) -> str:
    """Names a job by all that its numbers depend on, and by how it is cut."""
    said = work._replace(parts="ids" if work.parts else "")
    hashed = hashlib.sha256(FORMAT.encode())
    hashed.update(json.dumps([said, tasks]).encode("utf-8", "surrogateescape"))
    return hashed.hexdigest()


class Parts:
    """The folder of a job's finished parts."""

    def __init__(self, folder: Path, tasks: int, job: str) -> None:
        self.folder, self.tasks, self.job = folder, tasks, job

    def begin(self, resume: bool) -> None:
        """Makes the folder, or goes on in it. Raises InputError where it holds another job's parts, or any unasked."""
        about = self.folder / "job.json"
        try:
            if self.folder.exists():
                if not resume and any(self.folder.iterdir()):
                    raise InputError(
                        f"{self.folder}: there are parts of a job that was interrupted; go on with it with --resume, "
                        "or delete the folder"
                    )
                if about.exists() and json.loads(about.read_bytes()).get("job") != self.job:
                    raise InputError(
                        f"{self.folder}: these are parts of another job: its files, tokenizers or options are not the "
                        "same; delete the folder to start anew"
                    )
            self.folder.mkdir(exist_ok=True)
            for name in self.folder.glob(f".*{UNFINISHED}"):
                name.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None
        except (ValueError, AttributeError):
            raise InputError(f"{about}: this is no description of a job; delete the folder to start anew") from None
        write(about, json.dumps({"format": FORMAT, "job": self.job, "tasks": self.tasks}).encode())

    def path(self, task: int) -> Path:
        return self.folder / f"{task:08}.tally"

    def finished(self) -> Iterator[tuple[int, Tally]]:
        """The tasks that are done, with their tallies."""
        for task in range(self.tasks):
            path = self.path(task)
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise InputError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
            yield task, Tally.from_bytes(data, str(path))

    def keep(self, task: int, tally: bytes) -> None:
        """Notes that a task is done. Raises Unwritable."""
        write(self.path(task), tally)

    def end(self) -> None:
        """The result is there: the parts are no longer needed."""
        shutil.rmtree(self.folder, ignore_errors=True)


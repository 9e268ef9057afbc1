"""Plans and runs a corpus job: one task after the other, several at once in threads, or many at once with workers.

Finished parts are kept on disk until the job is done, so that it can be resumed. They are in the folder `RESULT.parts`
next to the result: the result of each finished task, and its ids if they are written. A part is named by everything its
numbers depend on (`Job.key`), so a part of other files, options or tokenizers is never mistaken for it. A file that is
being written has a temporary name.
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from pathlib import Path
from threading import BoundedSemaphore
from typing import IO, Final, Generic, NamedTuple

from explorer.corpus.atomic import UNFINISHED, Damaged, unwritable, write
from explorer.corpus.job import Job, Result, Work, ignore
from explorer.corpus.models import Chosen
from explorer.corpus.over_dask import over_dask
from explorer.corpus.parquet import row_groups
from explorer.corpus.reading import Reading, opened
from explorer.corpus.sources import SIZE, CorpusFile, FileKind, Task, find
from explorer.corpus.sources import tasks as cut
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


class Plan(NamedTuple):
    """A job: its files, its tasks, and what is done with each. passed_over: the number of files of unknown format."""

    files: tuple[CorpusFile, ...]
    tasks: tuple[Task, ...]
    work: Work
    passed_over: int

    @property
    def size(self) -> int:
        """The bytes of all tasks."""
        return sum(task.size for task in self.tasks)


def plan(
    paths: Iterable[str],
    models: tuple[Chosen, ...],
    reading: Reading | None = None,
    *,
    add_special: bool = False,
    parse_special: bool = False,
    size: int = SIZE,
    own: Iterable[Path] = (),
    names: Mapping[str, str] = {},
) -> Plan:
    """A job over all files at these paths, in tasks of about `size` bytes.

    own: files and folders that the job writes, which are left out. names: a path's name in results, if not itself.
    Raises InputError.
    """
    reading = reading or Reading()
    files = find(paths, own, names)
    if reading.label:
        plain = next((file for file in files.files if file.kind == FileKind.TEXT), None)
        if plain is not None:
            raise InputError(f"{plain.shown}: plain text has no columns; --label needs .jsonl, .csv or .parquet files")
    tasks = tasks_of(files.files, reading, size)
    work = Work(models, reading, add_special, parse_special, text=sum(task.size for task in tasks))
    return Plan(files.files, tasks, work, files.passed_over)


def tasks_of(files: Sequence[CorpusFile], reading: Reading, size: int) -> tuple[Task, ...]:
    """The tasks for these files, of about `size` bytes."""
    return cut(files, size, reading.whole, groups)


def groups(file: CorpusFile) -> list[int]:
    """The sizes of a Parquet file's row groups."""
    with opened(file) as stream:
        return row_groups(stream, file.shown)


class Progress(NamedTuple):
    """The progress of a job. done, of: bytes of the files, about. text: bytes of text encoded by this run."""

    done: int
    of: int
    text: int
    tasks: int
    all_tasks: int


OnProgress = Callable[[Progress], None]


def run(
    tasks: tuple[Task, ...],
    job: Job[Result],
    on_progress: OnProgress = lambda progress: None,
    *,
    folder: Path | None = None,
    resume: bool = False,
    workers: int = 0,
    scheduler: str = "",
    threads: int = 1,
    on_finished: Callable[[int], None] = lambda number: None,
) -> tuple[Result, Parts[Result] | None]:
    """The result of all tasks, and the finished parts.

    folder: for the finished parts; None keeps none. workers: the size of a cluster started for the job, 0 for this
    process alone. scheduler: the address of an existing cluster. threads: tasks at once, without workers. on_finished:
    receives the number of each task whose part is in the folder. Raises InputError; KeyboardInterrupt keeps the parts.
    """
    total, size = job.nothing(), sum(task.size for task in tasks)
    by_number = {task.number: task for task in tasks}
    with contextlib.ExitStack() as stack:
        parts = None
        done: set[int] = set()
        if folder is not None:
            parts = Parts(folder, job)
            stack.callback(parts.release)
            parts.begin(resume)
            for task, tally in parts.finished(tasks):
                done.add(task.number)
                total.take(tally, task.number)
                on_finished(task.number)
        bytes_done = sum(by_number[number].size for number in done)
        text = ahead = 0

        def progress(task: Task | None = None, more: int = 0) -> None:
            """Reports progress. task: the current one; a compressed file has more bytes of text than of file."""
            nonlocal text, ahead
            text += more
            ahead = min(ahead + more, task.size) if task else 0
            on_progress(Progress(bytes_done + ahead, size, text, len(done), len(tasks)))

        progress()
        left = [task for task in tasks if task.number not in done]
        apart = bool(workers or scheduler or threads > 1)
        if threads > 1:
            ended = in_threads(job, left, threads)
        else:
            ended = over_dask(job, left, workers, scheduler) if apart and left else here(job, left, progress)
        for number, data in ended:
            counts = job.read(data)
            if parts is not None:
                parts.keep(by_number[number], data)
            total.take(counts, number)
            done.add(number)
            on_finished(number)
            bytes_done += by_number[number].size
            progress(more=counts.text_bytes() if apart else 0)
        stack.pop_all()
        return total, parts


def here(
    job: Job[Result], tasks: Iterable[Task], on_progress: Callable[[Task, int], None]
) -> Iterator[tuple[int, bytes]]:
    """Runs the tasks one after the other in this process. on_progress: receives the task and its new bytes of text."""
    for task in tasks:
        yield task.number, job.do(task, partial(on_progress, task))


def in_threads(job: Job[Result], tasks: Iterable[Task], threads: int) -> Iterator[tuple[int, bytes]]:
    """Runs tasks at once in this process, one per thread. Threads share the tokenizers; compiled code runs in parallel.

    Besides those that compute, as many tasks may wait for the disk.
    """
    turn = Turns(threads)

    def done(task: Task) -> tuple[int, bytes]:
        return task.number, job.do(task, ignore, turn)

    waiting: set[Future[tuple[int, bytes]]] = set()
    left = iter(tasks)
    pool = ThreadPoolExecutor(2 * threads)
    try:
        while True:
            # one more than run, so that no thread waits for this one
            waiting |= {pool.submit(done, task) for task in islice(left, 2 * threads + 1 - len(waiting))}
            if not waiting:
                return
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in ended:
                yield each.result()
    finally:
        turn.ended = True
        pool.shutdown(cancel_futures=True)


class Turns:
    """As many tasks as there are threads hold one at a time. ended: a thread that waits for one gets CancelledError."""

    def __init__(self, threads: int) -> None:
        self.free = BoundedSemaphore(threads)
        self.ended = False

    def __enter__(self) -> None:
        self.free.acquire()
        if self.ended:
            self.free.release()
            raise CancelledError

    def __exit__(self, *raised: object) -> None:
        self.free.release()

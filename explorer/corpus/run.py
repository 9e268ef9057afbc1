"""Plans and runs a corpus job: one task after the other, several at once in threads, or many at once with workers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from pathlib import Path
from threading import BoundedSemaphore
from typing import NamedTuple

from explorer.corpus.job import Job, Result, Work, ignore
from explorer.corpus.models import Chosen
from explorer.corpus.over_dask import over_dask
from explorer.corpus.parquet import row_groups
from explorer.corpus.parts import Parts
from explorer.corpus.reading import Reading, opened
from explorer.corpus.sources import SIZE, CorpusFile, FileKind, Task, find
from explorer.corpus.sources import tasks as cut
from explorer.errors import InputError


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

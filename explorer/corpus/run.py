"""Plans and runs a corpus job: one task after the other, several at once in threads, or many at once with workers.

A `Job` says what is done with each task, whatever it counts; `Work` measures tokenizers. Finished parts are kept on
disk until the job is done, so that it can be resumed. They are in the folder `RESULT.parts` next to the result: the
result of each finished task, and its ids if they are written. A part is named by everything its numbers depend on
(`Job.key`), so a part of other files, options or tokenizers is never mistaken for it. A file that is being written has
a temporary name.

Workers are those of a Dask cluster: one started for the job, or an existing one. They open the corpus under the same
paths, so they need the same storage. If a worker is lost, Dask gives its tasks to another one. Tasks are submitted a
few at a time, so that the queue of a large job stays in this process.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import BoundedSemaphore
from typing import IO, Any, Generic, NamedTuple, Protocol, TypeVar
from uuid import uuid4

from explorer.corpus.atomic import UNFINISHED, Damaged, unwritable, write
from explorer.corpus.counter import Chosen, Counter, Keep, Tally, stats_of, tokenizers
from explorer.corpus.documents import ranges
from explorer.corpus.ids_file import TaskIds, type_of
from explorer.corpus.parquet import row_groups
from explorer.corpus.sources import NEEDED, SIZE, CorpusFile, FileKind, Reading, Task, find, opened
from explorer.corpus.sources import tasks as cut
from explorer.engine.budget import TASK, within
from explorer.errors import InputError

OnBytes = Callable[[int], None]
"""Receives the bytes of text of each batch."""

Turn = AbstractContextManager[object]
"""Held while a task computes, so that others may wait for the disk meanwhile."""

ALWAYS: Turn = nullcontext()
"""A turn that is never waited for."""


class Counts(Protocol):
    """The result of a task, or of several."""

    def take(self, other: Any, number: int) -> None:
        """Adds the result of the task with this number."""

    def text_bytes(self) -> int:
        """How many bytes of text were counted."""


Result = TypeVar("Result", bound=Counts, covariant=True)


class Job(Protocol[Result]):
    """Counts tasks, in any process. The result of a task travels, and is kept, as bytes."""

    def key(self, task: Task) -> str:
        """The name of a task's result, from all it depends on."""

    def do(self, task: Task, on_progress: OnBytes, turn: Turn = ...) -> bytes:
        """The result of a task. Raises InputError."""

    def read(self, data: bytes, name: str = "these bytes") -> Result:
        """The result in these bytes, which errors call `name`."""

    def nothing(self) -> Result:
        """The result of no task."""


def ignore(size: int) -> None:
    """Reports nothing."""


# How fast a job is, and when it will be done, as the command line and the page say it.


class Pace(NamedTuple):
    """How far a job is. done, of: bytes of the files, about. before: of them, what an earlier run had done.

    text: bytes of text that this run has read. seconds: that it took.
    """

    done: int = 0
    of: int = 0
    before: int = 0
    text: int = 0
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return min(1.0, self.done / self.of) if self.of else 0.0

    @property
    def rate(self) -> float:
        """Bytes of text a second; 0 before there is a rate."""
        return self.text / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that are left at this pace; None before it is known.

        >>> Pace(done=30, of=90, before=10, text=20, seconds=2.0).left
        6.0
        """
        by_this_run = self.done - self.before
        return (self.of - self.done) * self.seconds / by_this_run if by_this_run > 0 else None


FORMAT = 3
"""Incremented when the counts change their meaning, or the form they are kept in."""


class Work(NamedTuple):
    """Measures tokenizers. parts: the folder that ids are written to, or empty. text: bytes of all files, about.

    window, unit: of `DocumentRows`; without a window there are none.
    """

    models: tuple[Chosen, ...]
    reading: Reading
    add_special: bool
    parse_special: bool
    parts: str = ""
    text: int = 0
    window: int = 0
    unit: int = 1

    def key(self, task: Task) -> str:
        """The name of a task's result: the files and their times, the options, the tokenizers decide."""
        depends = [FORMAT, self._replace(parts="ids" if self.parts else "", text=0), task.ranges]
        return sha256(json.dumps(depends).encode()).hexdigest()[:32]

    def do(self, task: Task, on_progress: OnBytes = ignore, turn: Turn = ALWAYS) -> bytes:
        """The tally of a task as bytes. Raises InputError."""
        if not self.parts:
            with turn:
                return counted(self, task, None, on_progress).to_bytes()
        types = [type_of(len(each.vocabulary)) for each in tokenizers(self.models).values()]
        with TaskIds(Path(self.parts), self.key(task), types) as ids, turn:
            tally = counted(self, task, ids.keep, on_progress)
        return tally.to_bytes()

    def read(self, data: bytes, name: str = "these bytes") -> Tally:
        """The tally in these bytes."""
        return Tally.from_bytes(data, name)

    def nothing(self) -> Tally:
        """The tally of no text."""
        return Tally.nothing(len(each.vocabulary) for each in tokenizers(self.models).values())


def counted(work: Work, task: Task, keep: Keep | None, on_progress: OnBytes) -> Tally:
    """The tally of a task."""
    all_stats = [stats_of(model) for model in work.models]
    for each in all_stats:
        each.tokenizer.batches.expected = work.text
    rows, times = None, len(all_stats)
    if work.window:
        from explorer.corpus.document_rows import DocumentRows  # pandas takes longer to import than a small job

        rows = DocumentRows(all_stats, work.add_special, work.parse_special, work.window, work.unit)
        times *= rows.ENCODINGS
    counter = Counter(all_stats, work.add_special, work.parse_special, rows.keep if rows else keep)
    # one budget for the task, which grows with the text: many small documents share it
    with within("a task of this corpus", TASK * times) as whole:
        for file_range, batches, policy in ranges(task, work.reading):
            for batch in batches:
                whole.grow(batch.size * times)
                on_progress(counter.count(file_range.file.shown, batch))
                if rows:
                    rows.add(batch.texts, batch.labels or [file_range.file.shown] * len(batch.texts))
            counter.count_invalid(file_range.file.shown, policy)
    tally = counter.tally()
    if rows and rows.frames:
        tally.documents[0] = rows.as_bytes()
    return tally


AHEAD = 2
"""Submitted tasks per worker."""
FAILURES = 5
"""Workers that a task may lose before the task is considered the cause."""
WAIT = 30
"""Seconds to wait for a scheduler, and for its first worker."""


def over_dask(job: Job[Result], tasks: Iterable[Task], workers: int, scheduler: str) -> Iterator[tuple[int, bytes]]:
    """The number and result of each task, as they finish. scheduler: an address; if empty, a cluster is started here.

    Raises InputError if Dask is missing or unreachable, and whatever a task raises.
    """
    try:
        import dask
        from distributed import Client, LocalCluster, as_completed
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise InputError(f"workers need Dask, which is not installed: {NEEDED}") from None
    # errors are reported once, here; Dask's own report of a lost worker has a hundred lines
    for name in ["distributed", *(name for name in logging.root.manager.loggerDict if name.startswith("distributed."))]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": FAILURES}))
        if scheduler:
            client = stack.enter_context(reached(Client, scheduler))
        else:
            cluster = stack.enter_context(
                LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    # no dashboard; its server's port is a free one, as two jobs would ask for the same
                    scheduler_kwargs={"dashboard": False},
                    dashboard_address="127.0.0.1:0",
                    host="127.0.0.1",
                    memory_limit=None,
                    silence_logs=logging.CRITICAL,
                )
            )
            client = stack.enter_context(Client(cluster, set_as_default=False))  # type: ignore[no-untyped-call]
            client.register_worker_callbacks(ignore_interrupts)
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise InputError(f"{scheduler}: it has no workers; start one with: dask worker {scheduler}") from None
        try:
            yield from ended(client, as_completed, KilledWorker, job, iter(tasks))
        except (CancelledError, CommClosedError):
            raise InputError("the scheduler was lost; restart it, then the job") from None


def ignore_interrupts() -> None:
    """Ctrl+C in a terminal reaches all processes; workers ignore it, because the job ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def reached(client: Any, scheduler: str) -> Any:
    """A client of the scheduler at an address."""
    from distributed.comm.addressing import parse_address, parse_host_port

    try:
        scheme, location = parse_address(scheduler)
        if scheme in ("tcp", "tls"):
            # a client that can't connect logs many lines when it is garbage-collected
            socket.create_connection(parse_host_port(location), WAIT).close()
        return client(scheduler, timeout=WAIT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"{scheduler}: no scheduler answers ({error}); give the address that `dask scheduler` prints, such "
            "as tcp://10.0.0.1:8786"
        ) from None


def ended(
    client: Any, as_completed: Any, killed: type[Exception], job: Job[Result], tasks: Iterator[Task]
) -> Iterator[tuple[int, bytes]]:
    """Submits tasks and yields their results."""
    unique = uuid4().hex  # makes the keys unique: a scheduler may serve several jobs
    sent: dict[str, Task] = {}

    def submitted() -> Iterator[Any]:
        for _, task in zip(range(AHEAD * max(1, len(client.nthreads())) - len(sent)), tasks, strict=False):
            future = client.submit(job.do, task, ignore, key=f"corpus-{unique}-{task.number}", pure=False)
            sent[future.key] = task
            yield future

    waiting = as_completed(list(submitted()), loop=client.loop)
    for future in waiting:
        task = sent.pop(future.key)
        try:
            tally = future.result()
        except killed:
            raise InputError(
                f"a part of {task.ranges[0].file.shown} ended {FAILURES} workers, one after the other; give them more "
                "memory, or smaller parts with --part SIZE"
            ) from None
        future.release()
        yield task.number, tally
        for each in submitted():
            waiting.add(each)


LOCK = ".lock"
COMPLETE = ".complete"
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
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(self.lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
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
                result = self.job.read(data, str(path))
            except Damaged:
                path.unlink(missing_ok=True)
                continue
            yield task, result

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
        if sys.platform == "win32":  # deletes no file that is open
            remove_empty(self.folder)


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

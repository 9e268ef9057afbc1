"""Runs tasks on the workers of a Dask cluster: one started for the job, or an existing one.

The workers open the corpus under the same paths, so they need the same storage. If a worker is lost, Dask gives its
tasks to another one. Tasks are submitted a few at a time, so that the queue of a large job stays in this process.
"""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack
from typing import Any, Final
from uuid import uuid4

from explorer.corpus.job import Job, Result, ignore
from explorer.corpus.reading import NEEDED
from explorer.corpus.sources import Task
from explorer.errors import InputError

AHEAD: Final = 2
"""Submitted tasks per worker."""
FAILURES: Final = 5
"""Workers that a task may lose before the task is considered the cause."""
WAIT: Final = 30
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

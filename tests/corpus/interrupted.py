"""Runs the command line in its own process, paused at a given point so that it can be interrupted there.

`python -m tests.corpus.interrupted TASKS ARGUMENTS…` runs `python -m explorer ARGUMENTS…` until that many tasks are
done and another one has begun, prints the ids of its worker processes, and waits until its standard input closes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from explorer.cli import corpus_job
from explorer.cli.main import main
from explorer.corpus.run import Progress

ROOT = Path(__file__).parent.parent.parent


class Halting(corpus_job.JobProgress):
    """Pauses once: in the middle of a task, or between two tasks if workers run them."""

    tasks = 0
    text = -1

    def __call__(self, now: Progress) -> None:
        workers = multiprocessing.active_children()
        # the first report of a task that has begun, after the finished ones
        begun = self.text >= 0 and now.text > self.text
        if now.tasks >= self.tasks and self.text < 0:
            type(self).text = now.text
        if self.tasks and (begun or (workers and now.tasks >= self.tasks)):
            type(self).tasks = 0
            print("there", *(worker.pid for worker in workers), flush=True)
            sys.stdin.read()


@contextmanager
def halted(
    tasks: int, arguments: Sequence[str | os.PathLike[str]]
) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A paused process and the ids of its workers."""
    command = [sys.executable, "-m", "tests.corpus.interrupted", str(tasks), *map(os.fspath, arguments)]
    process = subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # a background job of a shell ignores Ctrl+C, and so do its children
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # no thread holds a lock here
    )  # fmt: skip
    try:
        assert process.stdout is not None
        there, *workers = process.stdout.readline().split() or ["it ended"]
        assert there == "there", process.communicate()
        yield process, [int(worker) for worker in workers]
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    Halting.tasks = int(sys.argv[1])
    corpus_job.JobProgress = Halting  # type: ignore[misc]
    sys.exit(main(sys.argv[2:]))

"""The process of a corpus job: `python -m explorer.answers.corpus.process FOLDER`.

`jobs` writes FOLDER/job.json, FOLDER/texts and FOLDER/tokenizers, and starts it. Each line of its output is one report
in JSON: how far it is, or what is wrong. Its input ends when the server does, and the process with it. The result goes
to FOLDER/result.json, finished parts to FOLDER/parts, where a job that was stopped continues. Leaves out ids on disk
and workers of its own: those are the command line's.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any, Final

from explorer.answers.corpus import tokenizers
from explorer.answers.corpus.limits import MEMORY, NICENESS, PART, SECONDS, TEXT
from explorer.answers.corpus.page_words import in_page_words
from explorer.answers.processes import keep_to
from explorer.corpus.atomic import write
from explorer.corpus.job import Pace
from explorer.corpus.models import Chosen
from explorer.corpus.reading import Invalid, Reading
from explorer.corpus.record import as_json, record
from explorer.corpus.run import Progress, plan, run
from explorer.errors import InputError

EVERY: Final = 0.2
"""Seconds between two reports."""
SOON: Final = 10.0
"""Seconds in which the end of the server has been noticed and the folder is deleted."""


def work(folder: Path) -> int:
    """Runs the job of a folder. Returns the exit status."""
    given = json.loads((folder / "job.json").read_text("utf-8"))
    names = {str(folder / "texts" / kept): name for kept, name in given["names"].items()}
    models: tuple[Chosen, ...] = ()
    try:
        models = tokenizers.as_chosen(given["tokenizers"], folder)
        reading = Reading(given["field"], given["label"], Invalid.REPLACE, unpacked=TEXT)
        job = plan(names, models, reading, size=PART, names=names)
        parts = folder / "parts"
        tally, kept = run(job.tasks, job.work, Reports(), folder=parts, resume=parts.exists())
        write(folder / "result.json", as_json(record(job, tally, given["baseline"])))
        if kept is not None:
            kept.release()
    except InputError as error:
        report(error=without_folder(in_page_words(tokenizers.without_paths(error, models)), folder))
        return 1
    except MemoryError:
        report(
            error=f"this job needs more than {MEMORY // 1_000_000:,} MB of memory, the limit of this page; give "
            "fewer tokenizers or shorter lines, or use the command line"
        )
        return 1
    return 0


def without_folder(said: str, folder: Path) -> str:
    """What a visitor reads if the server can't write into the folder of the job, whose path is the server's own.

    >>> without_folder("/job/parts/1: cannot be written (No space left on device); free some", Path("/job"))[:65]
    "this server can't keep what was counted (No space left on device)"
    """
    if str(folder) not in said:
        return said
    reason = said.partition("(")[2].partition(")")[0] or "it can't be written"
    return f"this server can't keep what was counted ({reason}); try again later, or use the command line"


class Reports:
    """Reports progress, not too often, with the bytes of text and the seconds of this run."""

    def __init__(self) -> None:
        self.since = time.monotonic()
        self.next = 0.0
        self.before: int | None = None

    def __call__(self, now: Progress) -> None:
        """Reports how far the job is. Raises InputError for more text than a page may count."""
        if now.text > TEXT:
            raise InputError(
                f"the files hold more than {TEXT:,} bytes of text, the limit of this page; use the command line"
            )
        if self.before is None:
            self.before = now.done
        at = time.monotonic()
        if at >= self.next or now.done == now.of:
            self.next = at + EVERY
            report(**Pace(now.done, now.of, self.before, now.text, at - self.since)._asdict())


def report(**values: Any) -> None:
    """Writes one line for the server."""
    print(json.dumps(values), flush=True)


def limit() -> None:
    """Keeps this process to its limits, where the system has them."""
    keep_to(NICENESS, MEMORY)
    if os.name == "posix":
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 10))


def main(folder: Path) -> int:
    """Runs the job of a folder for as long as the server is there. Returns the exit status."""
    limit()
    server = follow_server(folder)
    try:
        return work(folder)
    except OSError:
        server.join(SOON)  # if the server is gone, its end is noticed here first, or the folder is
        raise


# How the process notices that its server is gone, however it ended: a pipe that only the server holds open. The process
# then deletes its job's folder, because nobody can go on with it, and ends at once, whatever it computes. If it was
# paused then, the system continues it, after a SIGHUP that would end it before it has deleted the folder.

STATUS: Final = 3
"""Of a process that ends because its server did."""


def follow_server(folder: Path) -> Thread:
    """Ends this process, and deletes the folder, when its standard input ends. Returns the thread that waits for it.

    Call it in the main thread.
    """

    def wait() -> None:
        # not through `sys.stdin`, whose lock a thread that waits would keep when Python ends
        os.read(sys.stdin.fileno(), 1)
        try:
            # under another name, nothing that the job still writes is put into it
            shutil.rmtree(folder.rename(folder.with_name(f"{folder.name}-gone")), ignore_errors=True)
        finally:
            os._exit(STATUS)

    if os.name == "posix":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    waiting = Thread(target=wait, daemon=True)
    waiting.start()
    return waiting


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

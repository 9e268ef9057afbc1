"""The process of a corpus job: `python -m explorer.answers.corpus_process FOLDER`.

`corpus_jobs` writes FOLDER/job.json, FOLDER/texts and FOLDER/tokenizers, and starts it. Each line of its output is one
report in JSON: how far it is, or what is wrong. Its input ends when the server does, and the process with it. The
result goes to FOLDER/result.json, finished parts to FOLDER/parts, where a job that was stopped continues. Leaves out
ids on disk and workers of its own: those are the command line's.

The tokenizers of a job come as plain data, and a visitor's files as copies, so the job doesn't depend on the session's.
They get names of the job's own, because a visitor's may be any text; the process opens them as bytes, with the names
that the reader looks for.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Any, Final

from explorer.answers.offers import PathOpener, TokenizerSpec, UploadOpener
from explorer.answers.processes import keep_to
from explorer.corpus.atomic import write
from explorer.corpus.job import Pace
from explorer.corpus.models import Chosen, absolute, digest
from explorer.corpus.reading import Invalid, Reading
from explorer.corpus.record import as_json, record
from explorer.corpus.run import Progress, plan, run
from explorer.errors import InputError

BYTES: Final = 200_000_000
"""Of all files of a job."""
TEXT: Final = 2_000_000_000
"""Of all text in them, which may be compressed."""
MEMORY: Final = 3_000_000_000
"""Bytes of memory of its process."""
SECONDS: Final = 3600
"""Seconds of processor time."""
AT_ONCE: Final = 2
"""Jobs that compute at the same time; others wait for their turn."""
MOST_JOBS: Final = 12
"""Jobs on this server that compute or wait."""
RESIDENT: Final = 4_000_000_000
"""Bytes of memory of all jobs; beyond it, the largest ends."""
SLICE: Final = 2.0
"""Seconds a job computes before it may have to wait for another."""
PART: Final = 2_000_000
"""Bytes of a part of the work: finished parts survive a stop."""
NICENESS: Final = 10
"""How far its priority on a busy machine is below the server's."""


FIELD, LABEL, BASELINE = "Field with the text", "Field to group by", "Compared with the group"
"""The page's fields."""
WORDS: Final = {
    "--field": f"“{FIELD}”",
    "--label": f"“{LABEL}”",
    "--baseline": f"“{BASELINE}”",
    "--longest SIZE": "--longest SIZE on the command line",
    "--invalid skip": "--invalid skip on the command line",
}


def in_page_words(message: str) -> str:
    """An error of a job as the page says it.

    >>> in_page_words("a.csv: the table has no 'text' (it has 'a'); choose one of its fields with --field")
    "a.csv: the table has no 'text' (it has 'a'); choose one of its fields with “Field with the text”"
    """
    for option, words in WORDS.items():
        message = message.replace(option, words)
    return message


FOLDER: Final = "tokenizers"
"""Holds the copies, in the folder of a job."""


def copies(specs: Sequence[TokenizerSpec]) -> dict[str, bytes]:
    """The files that a job needs a copy of, by their names in its folder. Raises InputError for a released upload."""
    return {kept: each.data for number, spec in enumerate(specs) for kept, _, each in uploaded(number, spec)}


def uploaded(number: int, spec: TokenizerSpec) -> Iterator[tuple[str, str, Any]]:
    """The files of an upload: the name of the copy, the name that the reader looks for, the file."""
    opener = spec.offer.open
    if isinstance(opener, UploadOpener):
        files = ((opener.file, opener.main), *opener.others)
        yield from ((f"{number}-{index}", name, file) for index, (name, file) in enumerate(files))


def as_data(number: int, spec: TokenizerSpec) -> dict[str, Any]:
    """A tokenizer as plain data for the process.

    >>> from explorer.answers.offers import bundled
    >>> as_data(0, TokenizerSpec(bundled()["gpt-2"], "llama.cpp"))["spec"]
    'gpt-2@llama.cpp'
    """
    opener, offer = spec.offer.open, spec.offer
    kept = [(name, copy) for copy, name, _ in uploaded(number, spec)]
    own = bool(kept) or isinstance(opener, PathOpener)
    where = opener.path if isinstance(opener, PathOpener) else offer.label
    return {
        "spec": f"{where}@{spec.implementation}" if own else spec.name,
        "choices": sorted(spec.choices),
        "name": offer.label if own else "",
        "title": offer.title if own else "",
        "kept": kept,
    }


def as_chosen(given: Iterable[Mapping[str, Any]], folder: Path) -> tuple[Chosen, ...]:
    """The tokenizers of a job, in its process. folder: of the job. Raises InputError."""
    made = []
    for each in given:
        kept = tuple((name, str(folder / FOLDER / copy)) for name, copy in each["kept"])
        choices = tuple((key, value) for key, value in each["choices"])
        spec = each["spec"] if kept else absolute(each["spec"])
        made.append(Chosen(spec, choices, digest(spec, kept), each["name"], each["title"], kept))
    return tuple(made)


def without_paths(error: InputError, models: Iterable[Chosen]) -> str:
    """The message of an error, with names in place of paths of the server."""
    message = str(error)
    for model in models:
        if model.name and not model.kept:
            message = message.replace(model.spec.rpartition("@")[0], model.name)
    return message


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
        models = as_chosen(given["tokenizers"], folder)
        reading = Reading(given["field"], given["label"], Invalid.REPLACE, unpacked=TEXT)
        job = plan(names, models, reading, size=PART, names=names)
        parts = folder / "parts"
        tally, kept = run(job.tasks, job.work, Reports(), folder=parts, resume=parts.exists())
        write(folder / "result.json", as_json(record(job, tally, given["baseline"])))
        if kept is not None:
            kept.release()
    except InputError as error:
        report(error=without_folder(in_page_words(without_paths(error, models)), folder))
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

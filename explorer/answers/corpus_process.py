"""The process of a corpus job: `python -m explorer.answers.corpus_process FOLDER`.

`corpus_jobs` writes FOLDER/job.json, FOLDER/texts and FOLDER/tokenizers, and starts it. Each line of its output is one
report in JSON: how far it is, or what is wrong. Its input ends when the server does, and the process with it. The
result goes to FOLDER/result.json, finished parts to FOLDER/parts, where a job that was stopped continues. Leaves out
ids on disk and workers of its own: those are the command line's.

The tokenizers of a job come as plain data, and a visitor's files as copies, so the job doesn't depend on the session's.
They get names of the job's own, because a visitor's may be any text; the process opens them as bytes, with the names
that the reader looks for.
"""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from threading import Thread

from explorer.answers.offers import PathOpener, TokenizerSpec, Upload, UploadOpener
from explorer.answers.processes import keep_to
from explorer.corpus.atomic import write
from explorer.corpus.counter import Chosen, absolute, digest
from explorer.corpus.measures import Settings, measured, measuring
from explorer.corpus.record import as_json, record
from explorer.corpus.run import Pace, Progress, plan, run
from explorer.corpus.sources import Invalid, Reading
from explorer.errors import InputError

BYTES = 200_000_000
"""Of all files of a job."""
TEXT = 2_000_000_000
"""Of all text in them, which may be compressed."""
MEMORY = 3_000_000_000
"""Bytes of memory of its process."""
SECONDS = 3600
"""Seconds of processor time."""
AT_ONCE = 2
"""Jobs that compute at the same time; others wait for their turn."""
MOST_JOBS = 12
"""Jobs on this server that compute or wait."""
RESIDENT = 4_000_000_000
"""Bytes of memory of all jobs; beyond it, the largest ends."""
SLICE = 2.0
"""Seconds a job computes before it may have to wait for another."""
MEASURED = 20_000_000
"""Bytes of text up to which a job also computes the measures for a paper."""
PART = 2_000_000
"""Bytes of a part of the work: finished parts survive a stop."""
NICENESS = 10
"""How far its priority on a busy machine is below the server's."""


FIELD, LABEL, BASELINE = "Field with the text", "Field to group by", "Compared with the group"
"""The page's fields."""
WORDS = {
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


FOLDER = "tokenizers"
"""Holds the copies, in the folder of a job."""


def uploaded(number: int, spec: TokenizerSpec) -> dict[str, tuple[str, Upload]]:
    """The files of an upload, by the name of the copy: the name that the reader looks for, and the file."""
    opener = spec.offer.open
    if not isinstance(opener, UploadOpener):
        return {}
    return {f"{number}-{at}": each for at, each in enumerate(((opener.file, opener.main), *opener.others))}


def chosen(number: int, spec: TokenizerSpec) -> Chosen:
    """A tokenizer as the process reads it, which computes its digest.

    >>> from explorer.answers.offers import bundled
    >>> chosen(0, TokenizerSpec(bundled()["gpt-2"], "llama.cpp")).spec
    'gpt-2@llama.cpp'
    """
    opener, offer = spec.offer.open, spec.offer
    kept = tuple((name, copy) for copy, (name, _) in uploaded(number, spec).items())
    where = opener.path if isinstance(opener, PathOpener) else offer.label
    if not kept and not isinstance(opener, PathOpener):
        return Chosen(spec.name, spec.choices, "")
    return Chosen(f"{where}@{spec.implementation}", spec.choices, "", offer.label, offer.title, kept)


def completed(model: Chosen, folder: Path) -> Chosen:
    """The same with its digest and paths of the copies. folder: of the job. Raises InputError."""
    kept = tuple((name, str(folder / FOLDER / copy)) for name, copy in model.kept)
    spec = model.spec if kept else absolute(model.spec)
    choices = tuple(sorted((key, value) for key, value in model.choices))
    return model._replace(spec=spec, choices=choices, digest=digest(spec, kept), kept=kept)


def without_paths(error: InputError, models: Iterable[Chosen]) -> str:
    """The message of an error, with names in place of paths of the server."""
    message = str(error)
    for model in models:
        if model.name and not model.kept:
            message = message.replace(model.spec.rpartition("@")[0], model.name)
    return message


EVERY = 0.2
"""Seconds between two reports."""
SOON = 10.0
"""Seconds in which the end of the server has been noticed and the folder is deleted."""


def work(folder: Path) -> int:
    """Runs the job of a folder. Returns the exit status."""
    known, field, label, baseline, given = json.loads((folder / "job.json").read_text("utf-8"))
    names = {str(folder / "texts" / kept): name for kept, name in known.items()}
    models: tuple[Chosen, ...] = ()
    try:
        models = tuple(completed(Chosen(*each), folder) for each in given)
        reading = Reading(field, label, Invalid.REPLACE, unpacked=TEXT)
        job = plan(names, models, reading, size=PART, names=names)
        settings = Settings(baseline=baseline)
        job = measuring(job, settings.window) if job.size <= MEASURED else job
        parts = folder / "parts"
        tally, kept = run(job.tasks, job.work, Reports(), folder=parts, resume=parts.exists())
        result = measured(job, tally, settings) if tally.documents else record(job, tally, baseline)
        write(folder / "result.json", as_json(result))
        if kept is not None:
            kept.release()
    except InputError as error:
        report(without_folder(in_page_words(without_paths(error, models)), folder))
        return 1
    except MemoryError:
        report(
            f"this job needs more than {MEMORY // 1_000_000:,} MB of memory, the limit of this page; give "
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
            report(Pace(now.done, now.of, self.before, now.text, at - self.since))


def report(value: Pace | str) -> None:
    """Writes one line for the server: how far it is, or an error."""
    print(json.dumps(value), flush=True)


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

STATUS = 3
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

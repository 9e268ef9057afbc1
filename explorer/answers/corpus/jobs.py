"""A corpus job as the server sees it: started, followed, stopped, continued, released.

The job runs in a process of its own at low priority, so the pages stay quick. Its texts lie in a folder that only the
server's user can read, and that is deleted with the job.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final

import explorer
from explorer.answers.corpus.limits import AT_ONCE, BYTES, SECONDS
from explorer.corpus.sources import KINDS, kind_of
from explorer.errors import InputError, shown

RUNNING: Final[set[int]] = set()
"""The jobs that run on this server, by the id of their process."""
LOCK: Final = Lock()


@dataclass(frozen=True, slots=True)
class JobRequest:
    """What is counted. models: names of the catalogue. field, label: of records. whole: a file is one document."""

    models: tuple[str, ...]
    field: str = "text"
    label: str = ""
    baseline: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class JobState:
    """How far a job is. done, of: bytes of the files, about. text: bytes of text read by this run in so many seconds.

    error: what is wrong, empty if nothing is.
    """

    running: bool
    done: int = 0
    of: int = 0
    before: int = 0
    text: int = 0
    seconds: float = 0.0
    error: str = ""

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
        """Seconds that are left at this rate; None before it can be told.

        >>> JobState(True, done=30, of=90, before=10, text=20, seconds=2.0).left
        6.0
        """
        by_this_run = self.done - self.before
        return (self.of - self.done) * self.seconds / by_this_run if by_this_run > 0 and self.seconds >= 1 else None


class CorpusJob:
    """A job over texts. Thread-safe.

    >>> job = CorpusJob({"a.txt": b"Hello"}, JobRequest(("gpt-2",)))  # doctest: +SKIP
    >>> job.start(); job.state.running  # doctest: +SKIP
    True
    """

    def __init__(self, texts: Mapping[str, bytes], request: JobRequest) -> None:
        """Writes the texts to a folder of the job's own. Raises InputError for what can't be counted."""
        check(texts, request)
        self.folder = Path(tempfile.mkdtemp(prefix="explorer-corpus-"))
        (self.folder / "texts").mkdir()
        for number, (name, data) in enumerate(texts.items()):
            # a name of its own: a visitor's may be any text
            (self.folder / "texts" / f"{number:04}{suffix_of(name)}").write_bytes(data)
        given = {"names": list(texts), "models": request.models, "field": request.field, "label": request.label,
                 "baseline": request.baseline, "whole": request.whole}  # fmt: skip
        (self.folder / "job.json").write_text(json.dumps(given), "utf-8")
        self.request = request
        self._state = JobState(False)
        self._process: subprocess.Popen[str] | None = None
        self._runs = 0
        self._lock = Lock()

    @property
    def state(self) -> JobState:
        """How far the job is."""
        return self._state

    @property
    def result(self) -> bytes | None:
        """The result as JSON, once the job is done."""
        path = self.folder / "result.json"
        return path.read_bytes() if path.is_file() else None

    def start(self) -> None:
        """Starts the job, or continues it after a stop. Raises InputError if too many run."""
        with LOCK, self._lock:
            if self._process is not None:
                return
            if len(RUNNING) >= AT_ONCE:
                raise InputError(
                    f"{AT_ONCE} jobs run on this server already; wait until one is done, or use the command line"
                )
            environment = os.environ | {
                "PYTHONPATH": os.pathsep.join(
                    [str(Path(explorer.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
                )
            }
            process = subprocess.Popen(
                [sys.executable, "-m", "explorer.answers.corpus.process", str(self.folder)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env=environment, process_group=0,
            )  # fmt: skip
            RUNNING.add(process.pid)
            self._process = process
            self._runs += 1
            self._state = replace(self._state, running=True, error="")
            Thread(target=self._follow, args=(process, self._runs), daemon=True).start()

    def _follow(self, process: subprocess.Popen[str], run: int) -> None:
        """Keeps the state up to date until the process ends."""
        assert process.stdout is not None
        last: dict[str, Any] = {}
        with process.stdout as reports:
            for line in reports:
                last |= json.loads(line)
                self._report(run, JobState(True, **last))
        process.wait()
        with LOCK:
            RUNNING.discard(process.pid)
        with self._lock:
            stopped = self._process is not process
            if not stopped:
                self._process = None
        if process.returncode and not stopped and not last.get("error"):
            last["error"] = (
                f"the job ended before it was done: it may take {SECONDS // 60} minutes of computing here; give less "
                "text or fewer tokenizers, or use the command line"
            )
        self._report(run, JobState(False, **last))

    def _report(self, run: int, state: JobState) -> None:
        """Takes over a state, unless a later run has begun."""
        with self._lock:
            if run == self._runs:
                self._state = state

    def stop(self) -> None:
        """Stops the job; `start` continues it from its finished parts."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            with LOCK:
                RUNNING.discard(process.pid)

    def release(self) -> None:
        """Stops the job and deletes its texts and its result."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def suffix_of(name: str) -> str:
    """The suffix under which a file of this name is kept. Raises InputError for a kind that can't be counted.

    >>> suffix_of("My Notes.TXT"), suffix_of("a.ndjson.gz")
    ('.txt', '.jsonl.gz')
    """
    known = kind_of(name)
    if known is None:
        raise InputError(
            f"{shown(name)} is of no known kind; give .txt, .jsonl, .csv, also as .gz or .zst, or .parquet"
        )
    kind, packed = known
    return f"{next(suffix for suffix, each in KINDS.items() if each == kind)}{packed}"


def check(texts: Mapping[str, bytes], request: JobRequest) -> None:
    """Raises InputError for texts or options that can't be counted."""
    if not request.models:
        raise InputError("choose at least one tokenizer to count with")
    if not texts or not any(texts.values()):
        raise InputError("there is no text to count; type one, or drop a file that is not empty")
    size = sum(map(len, texts.values()))
    if size > BYTES:
        raise InputError(
            f"the files have {size:,} bytes together; this page takes {BYTES:,}, the command line takes any number"
        )
    for name in texts:
        suffix_of(name)
    if request.baseline and not request.label:
        raise InputError("a baseline is one of the labels; name the label's field, too")

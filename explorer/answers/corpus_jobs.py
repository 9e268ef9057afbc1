"""A corpus job as the server sees it: started, followed, stopped, continued, released; and an uploaded result, read.

The job runs in a process of its own at low priority, so the pages stay quick. Jobs take turns (`turns`), so a small one
is done soon whatever the others count. Its texts, and copies of the visitor's own tokenizers, lie in a folder that only
the server's user can read, and that is deleted with the job. A folder is locked for as long as its server lives. A
folder that nobody locks is what a server left behind that was killed; the next one deletes it.
"""

import atexit
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock, Thread
from typing import IO, NamedTuple
from weakref import WeakSet

from explorer.answers import corpus_process
from explorer.answers.corpus_process import AT_ONCE, BASELINE, BYTES, LABEL, MOST_JOBS, RESIDENT, SECONDS, SLICE
from explorer.answers.offers import Offer, Origin, Specs, TokenizerSpec, Upload
from explorer.answers.processes import PAUSE, environment, resident
from explorer.answers.questions import question
from explorer.answers.turns import Account, LeftAccounts, Turns
from explorer.corpus.counter import MOST
from explorer.corpus.result import Result, read
from explorer.corpus.run import Pace
from explorer.corpus.sources import KINDS, FileKind, kind_of, unnamed
from explorer.errors import Choices, InputError
from explorer.implementations.opened import Opened

NEW = "explorer-new-corpus-"
"""Folders begin so until they are locked."""
LOCKED = "explorer-corpus-"
LOCK_FILE = ".server"


class JobFolder:
    """A new folder, locked until it is deleted or this process ends."""

    def __init__(self) -> None:
        if os.name != "posix":
            raise InputError("counting on this page needs Linux or macOS, or WSL on Windows; use the command line")
        import fcntl

        folder = Path(tempfile.mkdtemp(prefix=NEW))
        self.lock: IO[bytes] = (folder / LOCK_FILE).open("wb")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.path = folder.rename(folder.with_name(folder.name.replace(NEW, LOCKED)))

    def delete(self) -> None:
        """Deletes it and what is in it. A second call does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.lock.close()


def delete_abandoned() -> None:
    """Deletes the folders of servers that are gone."""
    if os.name != "posix":
        return
    import fcntl

    for path in Path(tempfile.gettempdir()).glob(f"{LOCKED}*"):
        with suppress(OSError):
            if path.is_symlink() or path.stat().st_uid != os.getuid():
                continue
            # without a lock another program made it
            with (path / LOCK_FILE).open("r+b") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)


RUNNING: dict[int, int] = {}
"""The bytes that each job on this server occupies, by the id of its process."""
TURNS = Turns(AT_ONCE, SLICE)
"""Those of the jobs."""
LEFT_ACCOUNTS = LeftAccounts()
"""Those of visitors who left."""
POLL_SECONDS = 0.25
"""Interval at which a job's turn and memory are looked at."""
LOCK = Lock()
JOB = "job.json"
"""Says what is counted, in the folder of a job."""
TEXTS = "texts"
"""Holds the texts."""


class JobRequest(NamedTuple):
    """What is counted. specs: the tokenizers. field, label: of records. baseline: one of the labels."""

    specs: Specs
    field: str = "text"
    label: str = ""
    baseline: str = ""


class JobState(NamedTuple):
    """Whether a job runs, how far it is, what is wrong, if anything, and how many jobs are before it."""

    running: bool = False
    pace: Pace = Pace()
    error: str = ""
    before: int = 0


class CorpusJob:
    """A job over texts. Thread-safe.

    >>> job = CorpusJob({"a.txt": b"Hello"}, JobRequest((spec,)))  # doctest: +SKIP
    >>> job.start(); job.state.running  # doctest: +SKIP
    True
    """

    def __init__(self, texts: Mapping[str, bytes], request: JobRequest, account: Account | None = None) -> None:
        """Writes what it needs to a folder of the job's own. Raises InputError for what can't be counted.

        account: of its visitor, for whom earlier jobs computed; by default, nothing did.
        """
        check(texts, request)
        # names of its own: a visitor's may be any text
        names = {f"{number:04}{suffix_of(name)}": name for number, name in enumerate(texts)}
        self.request, self._names = request, names
        files = {JOB: self._as_json()}
        files |= {f"{TEXTS}/{kept}": texts[name] for kept, name in names.items()}
        for number, spec in enumerate(request.specs):
            copies = corpus_process.uploaded(number, spec).items()
            files |= {f"{corpus_process.FOLDER}/{kept}": file.data for kept, (_, file) in copies}
        self._folder = folder_of(files)
        JOBS.add(self)
        self._state = JobState()
        self._account = account or Account()
        self._process: subprocess.Popen[str] | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    def _as_json(self) -> bytes:
        """What the process reads."""
        specs, *fields = self.request
        models = [corpus_process.chosen(number, spec) for number, spec in enumerate(specs)]
        return json.dumps([self._names, *fields, models]).encode()

    def change(self, field: str, label: str, baseline: str) -> None:
        """Has the next start read other fields of the same texts. Call it while the job doesn't run."""
        self.request = self.request._replace(field=field, label=label, baseline=baseline)
        check_fields(self.request)
        (self.folder / JOB).write_bytes(self._as_json())

    @property
    def has_fields(self) -> bool:
        """Whether some of its texts are records, whose fields can be chosen."""
        return any(found and found[0] != FileKind.TEXT for found in map(kind_of, self._names))

    @property
    def folder(self) -> Path:
        """The folder of the job, until it is released."""
        return self._folder.path

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
            if len(RUNNING) >= MOST_JOBS:
                raise InputError(
                    f"{MOST_JOBS} jobs run on this server already; wait until one is done, or use the command line"
                )
            process = subprocess.Popen(
                [sys.executable, "-m", "explorer.answers.corpus_process", str(self.folder)],
                # its input ends with this server, which it follows (`corpus_process.follow_server`)
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env=environment(), process_group=0,
            )  # fmt: skip
            RUNNING[process.pid] = 0
            self._process = process
            self._state = JobState(True, self._state.pace)
            self._thread = Thread(target=self._follow, args=(process,), daemon=True)
            self._thread.start()

    def _follow(self, process: subprocess.Popen[str]) -> None:
        """Keeps the state up to date, and the process to its turns, until it ends."""
        pace, error, computes, ended = self._state.pace, "", True, ""
        turn, ready = TURNS.enter(self._account), select.poll()
        with process:
            assert process.stdout is not None
            ready.register(process.stdout)
            while not ended:
                if TURNS.runs(turn) != computes:
                    computes = not computes
                    process.send_signal(signal.SIGCONT if computes else PAUSE)
                if ready.poll(POLL_SECONDS * 1000):
                    line = process.stdout.readline()
                    if not line:
                        break
                    said = json.loads(line)
                    if isinstance(said, str):
                        error = said
                    else:
                        pace = Pace(*said)
                self._state = JobState(True, pace, error, 0 if computes else TURNS.before(turn)[0])
                ended = too_large(process.pid)
            if ended:
                process.kill()
        TURNS.leave(turn)
        with LOCK:
            del RUNNING[process.pid]
        with self._lock:
            stopped, self._process = self._process is not process, None
        if process.returncode and not stopped and not error:
            error = ended or why_ended(process.returncode)
        self._state = JobState(False, pace, error)

    def stop(self) -> None:
        """Stops the job; `start` continues it from its finished parts."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and self._thread is not None:
            process.kill()
            self._thread.join()

    def release(self) -> None:
        """Stops the job and deletes its folder, with its result."""
        self.stop()
        self._folder.delete()
        JOBS.discard(self)


JOBS: WeakSet[CorpusJob] = WeakSet()
"""The jobs of this server that have a folder."""


@atexit.register
def release_all() -> None:
    """Releases every job when the server exits."""
    for job in list(JOBS):
        job.release()


def folder_of(files: Mapping[str, bytes]) -> JobFolder:
    """A new folder with these files. Raises InputError if the server has no room for them."""
    folder = None
    try:
        folder = JobFolder()
        for name, data in files.items():
            path = folder.path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        if folder is not None:
            folder.delete()
        raise InputError(
            f"this server can't keep the {sum(map(len, files.values())):,} bytes of this job ({error.strerror}); "
            "give less text, or use the command line"
        ) from None
    return folder


def too_large(pid: int) -> str:
    """Why this job has to end now: all jobs together occupy too much, and it is the largest. Empty if it may go on."""
    with LOCK:
        RUNNING[pid] = resident(pid)
        if sum(RUNNING.values()) <= RESIDENT or RUNNING[pid] < max(RUNNING.values()):
            return ""
    return (
        "the jobs on this server need more memory than it has for them, and this one is the largest; try again later, "
        "give less text or fewer tokenizers, or use the command line"
    )


def why_ended(status: int) -> str:
    """Why the process of a job ended that reported no error. status: negative for the number of a signal."""
    advice = "give less text or fewer tokenizers, or use the command line"
    if status == -signal.SIGXCPU:
        return f"the job took longer than the {SECONDS // 60} minutes of computing that it may take here; {advice}"
    return f"the process of the job ended before it was done (status {status}), as when memory runs out; {advice}"


def suffix_of(name: str) -> str:
    """The suffix under which a file of this name is kept: plain text if its own is unknown. Raises InputError.

    >>> suffix_of("My Notes.TXT"), suffix_of("a.ndjson.gz"), suffix_of("README.md")
    ('.txt', '.jsonl.gz', '.txt')
    """
    kind, packed = kind_of(name) or unnamed(name)
    return f"{next(suffix for suffix, each in KINDS.items() if each == kind)}{packed}"


def check(texts: Mapping[str, bytes], request: JobRequest) -> None:
    """Raises InputError for texts or options that can't be counted."""
    if not request.specs:
        raise InputError("choose at least one tokenizer to count with")
    if len(request.specs) > MOST:
        raise InputError(f"{len(request.specs)} tokenizers are too many for one job; choose up to {MOST}")
    if not texts or not any(texts.values()):
        raise InputError("there is no text to count; type one, or drop a file that is not empty")
    size = sum(map(len, texts.values()))
    if size > BYTES:
        raise InputError(
            f"the files have {size:,} bytes together; this page takes {BYTES:,}, the command line takes any number"
        )
    for name in texts:
        suffix_of(name)
    check_fields(request)


def check_fields(request: JobRequest) -> None:
    """Raises InputError for fields that don't fit together."""
    if request.baseline and not request.label:
        raise InputError(f"“{BASELINE}” is one of the groups; give the field they are in, too, under “{LABEL}”")


class ResultFile(NamedTuple):
    """An uploaded result, which travels to the visitor's process as an upload's files do."""

    file: Upload

    def contents(self) -> bytes:
        """Its bytes."""
        return self.file.data

    def __call__(self, implementation: str, choices: Choices) -> Opened:
        """Raises InputError: a result is no tokenizer."""
        raise InputError(f"{self.file.name}: this is the result of a corpus job, not a tokenizer")


def result_spec(name: str, data: bytes) -> TokenizerSpec:
    """What the question is asked about: an upload, so a stranger's."""
    key = f"result {name} {sha256(data).hexdigest()}"
    file = Upload(name, data)
    return TokenizerSpec(Offer(name, key, Origin.UPLOAD, "result", len(data), (), (), ResultFile(file)), "")


@question
def corpus_result(spec: TokenizerSpec) -> Result:
    """The result. Raises InputError for anything that `explorer corpus` does not write, and beyond the limits."""
    return read(spec.offer.open.contents(), spec.offer.label)

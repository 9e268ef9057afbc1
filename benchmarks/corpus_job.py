"""Runs a corpus job at full size with failures: `python -m benchmarks.corpus_job SIZE [-m MODEL …]`.

Makes a text of that size (20M, 1G) by repeating and shuffling lines found on the machine: the Python sources and
documents of this project, Python's standard library, sentences in 46 languages. Then

    1. one process counts it and writes its ids,
    2. two workers do; one of them is killed in the middle,
    3. two workers do; the whole job is killed in the middle and resumed,

and all three must produce the same bytes, with the totals of wc; with `--ways`, so must one process whose encoder is
not compiled, and one with two threads. Printed: seconds, MB/s and the peak memory of each process, and the cost of a
terabyte at that rate. Exit status 1 if anything differs. `--keep FOLDER` keeps the files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from explorer.analysis.languages import languages
from explorer.cli.corpus import size

ROOT = Path(__file__).parent.parent
PARTS = 24
"""How many parts the text is cut into, so that a text of any size has a middle."""


def own_lines() -> list[str]:
    """Lines of prose, code and many languages, in a fixed order."""
    folders = ((ROOT, "*.md"), (ROOT / "explorer", "**/*.py"), (Path(sysconfig.get_path("stdlib")), "*.py"))
    paths = [path for folder, pattern in folders for path in sorted(folder.glob(pattern))]
    found = [line for path in paths for line in path.read_text("utf-8", "replace").splitlines()]
    # as much text in many languages as in English
    scripts = [language.text for language in languages().values()]
    share = max(1, sum(map(len, found)) // sum(map(len, scripts)))
    return found + scripts * share


def write_text(path: Path, wanted: int) -> None:
    """Writes a text of `wanted` bytes; its last line may be cut between two characters."""
    chosen = random.Random(1)
    lines = [f"{line}\n".encode() for line in own_lines()]
    with path.open("wb") as file:
        while file.tell() < wanted:
            chosen.shuffle(lines)
            block = b"".join(lines)[: wanted - file.tell()]
            file.write(block.decode("utf-8", "ignore").encode())
            if len(block) < 4:
                break


# --- processes --------------------------------------------------------------------------------------------------------


def children(process: int) -> list[int]:
    """The processes that any thread of a process started."""
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for thread in threads for each in read(thread).split()]


def workers(process: int) -> list[int]:
    """The workers of a job."""
    return [each for each in children(process) if b"spawn_main" in read(Path(f"/proc/{each}/cmdline"))]


def read(path: Path) -> bytes:
    """A file of /proc; empty if the process has ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def peak(process: int) -> int:
    """The peak memory of a process, in MB."""
    line = next(
        (line for line in read(Path(f"/proc/{process}/status")).splitlines() if line.startswith(b"VmHWM")), b"0 0"
    )
    return int(line.split()[1]) // 1024


class Job:
    """A job in a process of its own, watched until it ends."""

    def __init__(self, arguments: Sequence[str | Path], **environment: str) -> None:
        command = [sys.executable, "-m", "explorer", "corpus", *map(str, arguments)]
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=os.environ | environment,
        )  # fmt: skip
        self.peaks: dict[int, int] = {}

    def watched(self) -> Iterator[None]:
        """Samples its processes ten times a second while it runs."""
        while self.process.poll() is None:
            for each in (self.process.pid, *workers(self.process.pid)):
                self.peaks[each] = max(self.peaks.get(each, 0), peak(each))
            yield
            time.sleep(0.1)

    def until(self, holds: Callable[[], bool]) -> bool:
        """Waits until `holds`; False if the job ends first."""
        return any(holds() for _ in self.watched())

    def ended(self) -> float:
        """Waits for its end and returns the seconds it took. Exits if it failed."""
        for _ in self.watched():
            pass
        if self.process.returncode:
            said = self.process.stderr.read() if self.process.stderr else ""
            sys.exit(f"the job ended with status {self.process.returncode}: {said}")
        return time.monotonic() - self.begun

    @property
    def memory(self) -> str:
        """The peak of each process in MB, the job itself first."""
        return " + ".join(f"{each:,}" for each in self.peaks.values()) + " MB"


# --- the three runs ---------------------------------------------------------------------------------------------------


def made(folder: Path) -> dict[str, str]:
    """The name and digest of each file a job wrote."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                found[str(path.relative_to(folder))] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def wc(path: Path) -> dict[str, int]:
    said = subprocess.run(["wc", "-lwmc", path], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}).stdout
    return dict(zip(("lines", "words", "characters", "bytes"), map(int, said.split()[:4]), strict=True))


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.corpus_job", description="A corpus job at full size.")
    asked.add_argument("size", type=size, help="of the text, such as 20M or 1G")
    asked.add_argument("-m", "--model", action="append", help="tokenizers (gpt-2)")
    asked.add_argument("--keep", type=Path, metavar="FOLDER", help="work there and keep the files")
    asked.add_argument("--ways", action="store_true", help="not compiled, and with two threads, too")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        sys.exit(job(folder, given.size, given.model or ["gpt-2"], given.ways))


def job(folder: Path, wanted: int, models: list[str], ways: bool) -> int:
    text = folder / "text.txt"
    write_text(text, wanted)
    length = text.stat().st_size
    print(f"{length:,} bytes of text, {', '.join(models)}, {os.cpu_count()} cores", flush=True)

    def arguments(name: str, *more: str) -> list[str | Path]:
        into = folder / name
        into.mkdir(exist_ok=True)
        named = [option for model in models for option in ("-m", model)]
        part = str(-(-length // PARTS))
        return [text, *named, "--part", part, "--output", into / "out.json", "--write", into / "ids", *more]

    def finished(name: str) -> int:
        return len(list((folder / name / "ids.parts").glob("*.tally")))

    def said(what: str, seconds: float, watched: Job) -> None:
        rate = length / seconds
        print(f"{what}: {seconds:.1f} s, {rate / 1e6:.1f} MB/s, peak memory {watched.memory}", flush=True)

    one = Job(arguments("one"))
    seconds = one.ended()
    said("one process", seconds, one)
    hours = 1e12 / (length / seconds) / 3600
    print(f"  a terabyte at this rate: {hours:,.0f} core hours", flush=True)

    two = Job(arguments("two", "--workers", "2"))
    if not two.until(lambda: finished("two") >= PARTS // 4):
        sys.exit("the job ended before a worker could be killed; give a larger SIZE")
    os.kill(workers(two.process.pid)[0], signal.SIGKILL)
    said(f"two workers, one killed after {finished('two')} of {PARTS} parts", two.ended(), two)

    halted = Job(arguments("resumed", "--workers", "2"))
    if not halted.until(lambda: finished("resumed") >= PARTS // 4):
        sys.exit("the job ended before it could be killed; give a larger SIZE")
    halted.process.kill()
    halted.process.wait()
    done = finished("resumed")
    if made(folder / "resumed/ids") or (folder / "resumed/out.json").exists():
        sys.exit("a killed job left files under their final names")
    resumed = Job(arguments("resumed", "--workers", "2", "--resume"))
    said(f"two workers, resumed after {done} of {PARTS} parts", resumed.ended(), resumed)

    names = ["one", "two", "resumed"]
    if ways:
        names += ["plain", "threads"]
        plain = Job(arguments("plain"), EXPLORER_COMPILED="never")
        said("one process, not compiled", plain.ended(), plain)
        threads = Job(arguments("threads", "--threads", "2"))
        said("one process, two threads", threads.ended(), threads)

    results = {name: made(folder / name) for name in names}
    same = all(result == results["one"] for result in results.values())
    total = json.loads((folder / "one/out.json").read_bytes())["total"]
    counted = {key: total[key] for key in ("lines", "words", "characters", "bytes")}
    print(f"all {len(results['one'])} files are the same: {same}")
    print(f"totals: {counted}, those of wc: {counted == wc(text)}")
    return 0 if same and counted == wc(text) else 1


if __name__ == "__main__":
    main()

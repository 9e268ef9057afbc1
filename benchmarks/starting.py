"""Measures how long importing the package and running a short command take, against an earlier commit.

`python -m benchmarks.starting [--against COMMIT] [--rounds N]` alternates both versions, in processes of their own, and
prints the least time of each (user and system time of the process, to which other load adds little) and the ratio. Then
it lists the modules that take longest to import, from `python -X importtime`.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
FIRST: Final = "88a2ab7"
"""The last commit that imported everything at once."""

MODELS: Final = ("llama-2", "mistral-v1", "bert-uncased", "gpt-2", "llama-3", "xlm-r")
TINY: Final = '{"model": {"type": "BPE", "vocab": {"h": 0, "i": 1, "hi": 2}, "merges": ["h i"]}}'
SHOWN: Final = 12
COMPILING: Final = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Modules are compiled once, as for everybody who doesn't forbid it."""


def cases(folder: Path) -> dict[str, list[str]]:
    """The commands, by name."""
    tiny = folder / "tiny.json"
    tiny.write_text(TINY)
    encode = ["-m", "explorer", "encode", "-m"]
    return {
        "python alone": ["-c", "pass"],
        "import explorer": ["-c", "import explorer"],
        "encode, three tokens": [*encode, str(tiny), "hi"],
        **{
            f"encode, {name}": [*encode, name, "hi"]
            for name in ("llama-2", "mistral-v1", "bert-uncased", "gpt-2", "llama-3")
        },
    }


def seconds(arguments: list[str], tree: Path) -> float:
    """User and system time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=tree, env=COMPILING, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def slowest(arguments: list[str]) -> list[tuple[int, str]]:
    """Microseconds that each of the slowest modules takes by itself."""
    done = subprocess.run([sys.executable, "-X", "importtime", *arguments], cwd=ROOT, env=COMPILING, check=True,
                          capture_output=True, text=True)  # fmt: skip
    found = re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", done.stderr, re.MULTILINE)
    return sorted(((int(time), name) for time, name in found), reverse=True)[:SHOWN]


@contextmanager
def earlier(commit: str) -> Iterator[Path]:
    """A folder with `explorer` and `vocabs` of a commit of this repository; removed on leaving."""
    data = subprocess.run(["git", "archive", commit, "explorer", "vocabs"], cwd=ROOT, check=True,
                          capture_output=True).stdout  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, filter="data")
        yield Path(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", default=FIRST, metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=9, metavar="N")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, earlier(asked.against) as other:
        runs = cases(Path(folder))
        for tree in (ROOT, other):
            for arguments in runs.values():
                seconds(arguments, tree)  # compiled modules are written
        print(f"{'':<24}{asked.against:>10}{'now':>10}{'ratio':>8}")
        for what, arguments in runs.items():
            times: dict[Path, list[float]] = {ROOT: [], other: []}
            for _ in range(asked.rounds):
                for tree, taken in times.items():
                    taken.append(seconds(arguments, tree))
            then, now = min(times[other]), min(times[ROOT])
            print(f"{what:<24}{then * 1000:>7.0f} ms{now * 1000:>7.0f} ms{now / then:>8.2f}")
        print("\nslowest imports with llama-2:")
        for time, module in slowest(runs["encode, llama-2"]):
            print(f"{time / 1000:>8.1f} ms  {module}")


if __name__ == "__main__":
    main()

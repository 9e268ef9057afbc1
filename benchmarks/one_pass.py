"""One pass over text that is new: `python -m benchmarks.one_pass [SIZE] [-m SPEC …] [--threads N …]`.

The texts are the files of this machine that are UTF-8 (sources, documentation, data), each distinct file a document,
in a fixed random order, up to SIZE (200M). Each encoder runs in a process of its own: it is loaded, its memory is
empty, then it encodes all documents once, in batches of about 1 MB, as a job does; then the first 20 MB again, warm.
Originals that give lists get the first 20 MB only. Printed: MB a second of the processor on one thread, of the clock on
several; ratios; the memory that encoding added, ids apart; the documents whose ids differ from ours. `--chart FILE`
draws the rates on one thread.

`pip install -r requirements-peers.txt` adds the peers that need it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.speed.chart import Rate, rates_chart
from benchmarks.speed.peers import OURS, Arrays, different, encoder, names
from explorer.cli.corpus import size

ROOTS = (Path("/usr/share"), Path("/usr/include"), Path("/usr/lib"), Path(sysconfig.get_path("stdlib")))
SUFFIXES = frozenset(
    ".py .pyi .txt .md .rst .h .hpp .c .js .css .html .json .xml .pl .pm .rs .po .tex .sh .svg .toml .yaml".split()
)
MOST = 2_000_000
"""Bytes of a file that is taken."""
BATCH = 1_000_000
SLOW = 20_000_000
"""Bytes that originals get which give lists."""
SPECS = ("cl100k_base@tiktoken", "o200k_base@tiktoken", "llama-3@huggingface", "gpt-2@huggingface")
FAST = (OURS, "gigatoken", "fastokens")


def documents(wanted: int) -> list[str]:
    """Distinct texts of this machine, in a fixed order."""
    paths = sorted(
        path for root in ROOTS for folder, _, files in os.walk(root) for file in files
        if (path := Path(folder, file)).suffix in SUFFIXES or file == "copyright"
    )  # fmt: skip
    random.Random(1).shuffle(paths)
    seen: set[int] = set()
    found: list[str] = []
    total = 0
    for path in paths:
        try:
            data = path.read_bytes() if path.stat().st_size <= MOST else b""
            text = data.decode()
        except (OSError, UnicodeDecodeError):
            continue
        if not text or hash(data) in seen:
            continue
        seen.add(hash(data))
        found.append(text)
        total += len(data)
        if total >= wanted:
            return found
    print(f"only {total / 1e6:.0f} MB of text found on this machine", file=sys.stderr)
    return found


def batches(texts: Sequence[str], most: int = sys.maxsize) -> Iterator[list[str]]:
    """Batches of about BATCH bytes, of the first `most` bytes."""
    batch: list[str] = []
    held = total = 0
    for text in texts:
        if total >= most:
            break
        batch.append(text)
        held += len(text.encode())
        if held >= BATCH:
            yield batch
            total += held
            batch, held = [], 0
    if batch:
        yield batch


def child(name: str, spec: str, threads: int, given: Path, ids: Path) -> None:
    """Runs one encoder and prints its figures; its ids go to a file."""
    texts: list[str] = json.loads(given.read_text("utf-8"))
    most = sys.maxsize if name in FAST else SLOW
    parts = list(batches(texts, most))
    megabytes = sum(len(text.encode()) for part in parts for text in part) / 1e6
    encode = encoder(name, spec, threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    pool = ThreadPoolExecutor(threads if name == OURS else 1)
    before = memory()
    began = clock()
    made = list(pool.map(encode, parts))
    taken = clock() - began
    after = memory() - sum(each.nbytes for arrays in made for each in arrays)
    again = list(batches(texts, SLOW))
    warmed = sum(len(text.encode()) for part in again for text in part) / 1e6
    best = 1e9
    for _ in range(3):
        began = clock()
        list(pool.map(encode, again))
        best = min(best, clock() - began)
    lengths = np.concatenate([np.diff(offsets) for _, offsets in made])
    with ids.open("wb") as file:
        np.save(file, np.concatenate([found for found, _ in made]))
        np.save(file, np.concatenate(([0], np.cumsum(lengths))))
    print(json.dumps({"pass": megabytes / taken, "warm": warmed / best, "memory": (after - before) / 1e6,
                      "megabytes": megabytes}))  # fmt: skip


def memory() -> int:
    """Bytes of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def loaded(path: Path) -> Arrays:
    with path.open("rb") as file:
        return np.load(file), np.load(file)


def cut(arrays: Arrays, texts: int) -> Arrays:
    """The first texts of arrays."""
    ids, offsets = arrays
    return ids[: offsets[texts]], offsets[: texts + 1]


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_pass", description=__doc__)
    parser.add_argument("size", nargs="?", default="200M", type=size)
    parser.add_argument("-m", "--model", action="append", metavar="SPEC")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--chart", type=Path, metavar="FILE")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        name, spec, threads, given, ids = asked.child
        child(name, spec, int(threads), Path(given), Path(ids))
        return
    texts = documents(asked.size)
    rows: list[Rate] = []
    total = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{len(texts):,} documents, {total:.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        given, ids = Path(folder, "texts.json"), Path(folder, "ids")
        given.write_text(json.dumps(texts), "utf-8")
        for spec in asked.model or SPECS:
            ours: Arrays | None = None
            rates: dict[str, dict[str, float]] = {}
            for name in names(spec):
                for threads in asked.threads if name in FAST else [1]:
                    row = run(name, spec, threads, given, ids)
                    if isinstance(row, str):
                        print(f"{spec:<22}{name:<14}does not run: {row}", flush=True)
                        break
                    made = loaded(ids)
                    ours = made if ours is None else ours
                    others = different(cut(ours, len(made[1]) - 1), made)
                    if rates.setdefault(name, row) is row:
                        rows.append(Rate(spec, name if name in FAST else "the original", row["pass"], row["warm"]))
                    base = rates[OURS]
                    print(f"{spec:<22}{name:<14}{threads} thread{'s' * (threads > 1):<2}"
                          f"{row['pass']:8.1f} MB/s new {row['warm']:8.1f} warm of {row['megabytes']:.0f} MB, "
                          f"×{row['pass'] / base['pass']:.2f} ×{row['warm'] / base['warm']:.2f} of ours on one "
                          f"thread, {row['memory']:.0f} MB more memory, {others:,} documents with other ids",
                          flush=True)  # fmt: skip
    if asked.chart:
        rates_chart(rows, f"{total:.0f} MB, {date.today()}, {platform.platform()}").save(
            str(asked.chart), scale_factor=2
        )


def run(name: str, spec: str, threads: int, given: Path, ids: Path) -> dict[str, float] | str:
    """The figures of an encoder, or the last line of its error."""
    command = [sys.executable, "-m", "benchmarks.one_pass", "--child", name, spec, str(threads), str(given), str(ids)]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False,
        env=os.environ | {"RAYON_NUM_THREADS": str(threads), "EXPLORER_COMPILED": "always"},
    )  # fmt: skip
    if ended.returncode:
        return (ended.stderr.strip().splitlines() or ["no output"])[-1]
    return dict(json.loads(ended.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Encodes the same texts with this checkout and an earlier commit: `python -m benchmarks.encoding [--against COMMIT]`.

Each version runs in a process of its own, and they take turns on the same text, so that noise of the machine hits both
alike. Special tokens are not added, because their defaults have changed. Printed per tokenizer and corpus is the median
ratio of processor time, this checkout ÷ the earlier one: below 1 is faster. "cold" is the first text of a fresh
tokenizer, "warm" the same text again, "traced" `Tokenizer.trace` of its first 20,000 characters. The last line is the
geometric mean of each column.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import geometric_mean, median
from typing import Final

from benchmarks.speed import corpora
from benchmarks.starting import ROOT, earlier

FIRST: Final = "88a2ab7"
SPECS: Final = ("gpt-2", "llama-3", "o200k_base", "llama-2", "mistral-v1", "bert-uncased", "xlm-r", "rwkv-world")
COLUMNS: Final = ("cold", "warm", "traced")
CHARACTERS: Final = 500_000
TRACED: Final = 20_000

WORKER: Final = """
import gc, json, sys, time
import explorer
tokenizers = {}
for line in sys.stdin:
    what, spec, path = json.loads(line)
    text = open(path, encoding="utf-8").read()
    if what == "cold":
        tokenizers[spec] = explorer.load(spec)
    run = tokenizers[spec].trace if what == "traced" else tokenizers[spec].encode
    gc.collect()
    began = time.process_time()
    done = run(text, add_special=False)
    print(json.dumps([time.process_time() - began, hash(tuple(done.ids))]), flush=True)
"""


class Version:
    """A checkout's process."""

    def __init__(self, tree: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([sys.executable, "-c", WORKER], cwd=tree, stdin=pipe, stdout=pipe, text=True)

    def seconds(self, what: str, spec: str, path: Path) -> tuple[float, int]:
        """Processor seconds of one run, and a hash of the ids."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([what, spec, str(path)]) + "\n")
        self.process.stdin.flush()
        seconds, ids = json.loads(self.process.stdout.readline())
        return seconds, ids


def ratios(here: Version, there: Version, spec: str, texts: Mapping[str, Path], rounds: int) -> dict[str, float]:
    """The median ratio of each column."""
    found: dict[str, list[float]] = {column: [] for column in COLUMNS}
    for turn in range(rounds):
        for column in COLUMNS:
            path = texts["short" if column == "traced" else "long"]
            order = (here, there) if turn % 2 else (there, here)
            taken = {version: version.seconds(column, spec, path) for version in order}
            assert taken[here][1] == taken[there][1], f"{spec}: the ids differ"
            found[column].append(taken[here][0] / taken[there][0])
    return {column: median(values) for column, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", default=FIRST, metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", nargs="*", default=SPECS, metavar="SPEC")
    asked = parser.parse_args()
    columns: dict[str, list[float]] = {column: [] for column in COLUMNS}
    with tempfile.TemporaryDirectory() as folder, earlier(asked.against) as tree:
        here, there = Version(ROOT), Version(tree)
        print(f"{'':28}" + "".join(f"{column:>9}" for column in COLUMNS) + f"   × {asked.against}")
        for name in corpora.SOURCES:
            text = corpora.found(name).text
            texts = {"long": Path(folder, f"{name}-long"), "short": Path(folder, f"{name}-short")}
            texts["long"].write_text(text[:CHARACTERS], "utf-8")
            texts["short"].write_text(text[:TRACED], "utf-8")
            for spec in asked.only:
                row = ratios(here, there, spec, texts, asked.rounds)
                print(f"{spec:16}{name:12}" + "".join(f"{row[column]:9.3f}" for column in COLUMNS), flush=True)
                for column in COLUMNS:
                    columns[column].append(row[column])
        for version in (here, there):
            version.process.kill()
    print(f"{'geometric mean':28}" + "".join(f"{geometric_mean(columns[column]):9.3f}" for column in COLUMNS))


if __name__ == "__main__":
    main()

"""Measures a model opened by its name on the Hub: `python -m benchmarks.hub [--rounds N]`.

The Hub is a server of the tests on this machine, so the network itself costs nothing. Measured are milliseconds of
`explorer.load` in a process of its own: cold (an empty cache, so the client's process is started), warm (the name, in
the cache) and by path (the same folder of the cache). Warm and by path alternate; their difference is what finding the
name in the cache takes (name alone). Processor time excludes the client's process. The last row is what the package
costs without a name.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

import explorer
from explorer.opening.hub import fetching
from tests.browser.conftest import ROOT
from tests.opening.hub_server import serving

ONE: Final = """
import sys, time
import explorer
real, cpu = time.perf_counter(), time.process_time()
explorer.load(sys.argv[1])
print((time.perf_counter() - real) * 1000, (time.process_time() - cpu) * 1000)
"""
FIND: Final = """
import sys, time
import explorer
from explorer.opening.catalog import parse_spec
parse_spec("/nothing")  # reads the catalog
real, cpu = time.perf_counter(), time.process_time()
parse_spec(sys.argv[1])
print((time.perf_counter() - real) * 1000, (time.process_time() - cpu) * 1000)
"""
START: Final = """
import time
real, cpu = time.perf_counter(), time.process_time()
import explorer
print((time.perf_counter() - real) * 1000, (time.process_time() - cpu) * 1000)
"""
MODELS: Final = ("gpt-2", "llama-3", "bert-uncased")


def measured(code: str, *arguments: str, **environment: str) -> tuple[float, float]:
    """Milliseconds by the clock and of the processor."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True, cwd=ROOT,
        env=os.environ | environment,
    )  # fmt: skip
    real, cpu = map(float, done.stdout.split())
    return real, cpu


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds: int = parser.parse_args().rounds
    print(f"{'model':<16}{'MB':>6}{'':>12}{'ms, median':>12}{'least':>8}{'processor, least':>18}")

    def show(model: str, size: str, what: str, found: list[tuple[float, float]]) -> None:
        real, cpu = zip(*found, strict=True)
        print(f"{model:<16}{size:>6}{what:>12}{median(real):>12.1f}{min(real):>8.1f}{min(cpu):>18.1f}", flush=True)

    with tempfile.TemporaryDirectory() as folder, serving() as hub:
        given = {"HF_ENDPOINT": hub.endpoint, fetching.STORAGE: hub.storage, "HF_HOME": folder, "HF_HUB_CACHE": ""}
        cache = Path(folder) / "hub"
        for name in MODELS:
            model = explorer.catalog()[name]
            data = model.path.read_bytes()
            kind = "vocab.txt" if model.file.endswith(".txt") else "tokenizer.json"
            commit = hub.put(f"org/{name}", {kind: data, "config.json": b'{"vocab_size": 1}'})
            cold = []
            for _ in range(max(2, rounds // 2)):
                shutil.rmtree(cache, ignore_errors=True)
                cold.append(measured(ONE, f"org/{name}", **given))
            path = str(cache / f"models--org--{name}" / "snapshots" / commit)
            pairs = [(measured(ONE, f"org/{name}", **given), measured(ONE, path, **given)) for _ in range(rounds)]
            size = f"{len(data) / 1e6:.1f}"
            show(name, size, "cold", cold)
            show(name, size, "warm", [warm for warm, _ in pairs])
            show(name, size, "by path", [by_path for _, by_path in pairs])
            show(name, size, "name alone", [measured(FIND, f"org/{name}", **given) for _ in range(rounds)])
        show("import explorer", "", "", [measured(START) for _ in range(rounds)])


if __name__ == "__main__":
    main()

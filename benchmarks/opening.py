"""Measures how long vocabularies take to open, and their memory: `python -m benchmarks.opening`.

First the bundled ones from their compiled forms, in a process that has opened and run another one: milliseconds of the
processor to open each, and for its first `encode`, which may finish what opening postponed; medians. `--against COMMIT`
measures an earlier commit in turns.

Then every bundled one under each implementation, and a very large tokenizer.json: 262,144 pieces and up to two merges
for each, like Gemma 3. Processor seconds, best of three, each first in a process of its own, and its peak growth in
memory.

Then a GGUF of 40 GB with the vocabulary of Qwen 2.5, on disk and on a server of this machine, the first time and again:
milliseconds until it is open, and the bytes that are read or sent.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from array import array
from contextlib import nullcontext
from pathlib import Path
from statistics import median

import explorer
from benchmarks.starting import COMPILING, ROOT, earlier

ONE = """
import sys, time
import explorer
for other in sys.argv[2:]:
    explorer.load(other).encode("Hi")
peak = lambda: int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1024
before, start = peak(), time.process_time()
tok = explorer.load(sys.argv[1])
opened = time.process_time()
tok.encode("What is LoRA?")
print(opened - start, time.process_time() - opened, peak() - before)
"""

BY_HEAD = """
import sys, time
import explorer
read = lambda: int(next(line for line in open("/proc/self/io") if line.startswith("rchar")).split()[1])
explorer.load("vocabs/ggml-vocab-llama-spm.gguf")  # imports
before, start = read(), time.perf_counter()
explorer.load(sys.argv[1])
print(1000 * (time.perf_counter() - start), read() - before)
"""

FORTY_GB = 40_000_000_000
PIECES = 262_144
MERGES = 514_000


def measured(spec: str, *others: str, tree: Path = ROOT) -> tuple[float, float, float]:
    """Seconds to open, seconds of the first encode, megabytes. Raises ValueError with the last line of an error.

    others: opened and run before. tree: the folder of the package.
    """
    command = [sys.executable, "-c", ONE, spec, *others]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tree, env=COMPILING)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    opened, encoded, memory = map(float, done.stdout.split())
    return opened, encoded, memory


def from_forms(trees: dict[str, Path], rounds: int) -> None:
    """What each bundled vocabulary takes in a process that has run another one. trees: by the name of a column."""
    print(f"{'ms: to open, first encode':<28}" + "".join(f"{name:>18}" for name in trees))
    for name in explorer.catalog():
        other = "gpt-2" if name != "gpt-2" else "bert-uncased"
        times: dict[str, list[tuple[float, float, float]]] = {column: [] for column in trees}
        for _ in range(rounds + 1):
            for column, tree in trees.items():
                times[column].append(measured(name, other, tree=tree))
        # the first round writes forms and compiled modules
        both = [[1000 * median(column) for column in zip(*found[1:], strict=True)][:2] for found in times.values()]
        print(f"{name:<28}" + "".join(f"{opened:>12.0f} + {encoded:>3.0f}" for opened, encoded in both), flush=True)


def large(path: Path) -> None:
    """Writes a tokenizer.json of the size of Gemma 3's: pieces of many scripts, two merges for most of them."""
    choose = random.Random(1)
    letters = [chr(code) for code in (*range(0x61, 0x7B), *range(0x3B1, 0x3CA), *range(0x430, 0x450), 0x2581, 0x1F60A)]
    letters += [chr(code) for code in range(0x4E00, 0x6E00)]
    vocab = {piece: id for id, piece in enumerate(["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters])}
    words = letters[:90]
    merges = []
    while len(vocab) < PIECES:
        left, right = choose.choice(words), choose.choice(words[:2_000])
        if len(left + right) < 12 and left + right not in vocab:
            vocab[left + right] = len(vocab)
            words.append(left + right)
            merges.append([left, right])
    for piece in list(vocab)[len(letters) + 257 :]:
        cut = next((at for at in range(len(piece) - 1, 0, -1) if piece[:at] in vocab and piece[at:] in vocab), 0)
        if cut and len(merges) < MERGES:
            merges.append([piece[:cut], piece[cut:]])
    merges += merges[: MERGES - len(merges)]
    model = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "vocab": vocab}
    with path.open("w", encoding="utf-8") as file:
        json.dump({"version": "1.0", "model": model | {"merges": merges}}, file, ensure_ascii=False, indent=2)


def gguf_of(model: str) -> bytes:
    """The keys of the GGUF that llama.cpp's converter makes of a bundled tokenizer.json."""
    from explorer.formats import gguf, tokenizer_json
    from explorer.formats.gguf import Kind, Pair, Pairs
    from explorer.implementations.llama_cpp.conversion import converted

    pairs: list[Pair] = []
    for key, value in converted(tokenizer_json.read(explorer.catalog()[model].path), model).metadata.items():
        if isinstance(value, str):
            pairs.append(gguf.text(key, value))
        elif isinstance(value, bool):
            pairs.append(gguf.boolean(key, value))
        elif isinstance(value, int):
            pairs.append(gguf.integer(key, value))
        elif isinstance(value, list):
            pairs.append(gguf.strings(key, value))
        elif isinstance(value, array):
            pairs.append(gguf.numbers(key, value, Kind.INT32))
    return gguf.file(Pairs(3, 0, tuple(pairs)))


def by_head(folder: Path) -> None:
    """A GGUF of 40 GB, on disk and on a server."""
    from tests.opening.gguf_server import Behavior, serving

    data = gguf_of("qwen2.5")
    path = folder / "large.gguf"
    with path.open("wb") as file:  # the rest is a hole
        file.write(data)
        file.truncate(FORTY_GB)
    print(f"\na GGUF of 40 GB whose keys take {len(data) / 1e6:.1f} MB{'ms':>12}{'MB':>8}{'requests':>10}")
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "no_proxy": "*"}

    def opened(spec: str) -> tuple[float, float]:
        done = subprocess.run(
            [sys.executable, "-c", BY_HEAD, spec], capture_output=True, text=True, check=True, env=environment
        )
        took, read = map(float, done.stdout.split())
        return took, read

    for number in range(3):
        took, read = opened(str(path))
        print(f"{f'on disk, {number + 1}':<47}{took:>12.0f}{read / 1e6:>8.1f}", flush=True)
    behavior = Behavior(data, FORTY_GB)
    with serving(behavior) as address:
        environment["HF_ENDPOINT"] = address
        for number in range(3):
            behavior.sent, behavior.asked = 0, []
            took, _ = opened(f"{address}/org/name/resolve/main/model.gguf")
            says = f"on a server, {'the first time' if not number else 'again'}"
            print(f"{says:<47}{took:>12.0f}{behavior.sent / 1e6:>8.1f}{len(behavior.asked):>10}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--forms", action="store_true", help="from compiled forms alone")
    parsed = parser.parse_args()
    with earlier(parsed.against) if parsed.against else nullcontext() as other:
        from_forms(({parsed.against: other} if other else {}) | {"now": ROOT}, parsed.rounds)
    if parsed.forms:
        return
    print(f"\n{'vocabulary':<28}{'MB':>6}{'open s':>10}{'first encode s':>16}{'memory MB':>12}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.tokenizer.json"
        large(path)
        specs = {
            f"{model.name}@{implementation}": model.path
            for model in explorer.catalog().values()
            for implementation in model.implementations
        }
        for spec, file in [*specs.items(), (str(path), path)]:
            opened, encoded, memory = min(measured(spec) for _ in range(3))
            size = file.stat().st_size / 1e6
            print(f"{Path(spec).name:<28}{size:>6.1f}{opened:>10.2f}{encoded:>16.3f}{memory:>12.0f}", flush=True)
        by_head(Path(folder))


if __name__ == "__main__":
    main()

"""Measures how long vocabularies take to open, and their memory: `python -m benchmarks.opening`.

Every bundled one, and a very large tokenizer.json: 262,144 pieces and up to two merges for each, like Gemma 3.
Processor seconds, best of three, each in a process of its own, and its peak growth in memory. Next to it the time of
the first `encode`, which may finish what opening postponed.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import explorer

ONE = """
import sys, time
import explorer
peak = lambda: int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1024
before, start = peak(), time.process_time()
tok = explorer.load(sys.argv[1])
opened = time.process_time()
tok.encode("What is LoRA?")
print(opened - start, time.process_time() - opened, peak() - before)
"""

PIECES = 262_144
MERGES = 514_000


def measured(spec: str) -> tuple[float, float, float]:
    """Seconds to open, seconds of the first encode, megabytes. Raises ValueError with the last line of an error."""
    done = subprocess.run([sys.executable, "-c", ONE, spec], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr.strip().splitlines()[-1])
    opened, encoded, memory = map(float, done.stdout.split())
    return opened, encoded, memory


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


def main() -> None:
    print(f"{'vocabulary':<28}{'MB':>6}{'open s':>10}{'first encode s':>16}{'memory MB':>12}")
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


if __name__ == "__main__":
    main()

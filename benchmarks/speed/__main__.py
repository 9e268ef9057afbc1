"""One pass over text that is new: `python -m benchmarks.speed [SIZE] [--corpus NAME …] [-m SPEC …] [--threads N …]`.

The corpora are `code`, the Python modules of the standard library and of all installed packages; `prose`, what programs
say in the languages of the Corpus page, each message once; `files`, sources, documentation and data of this machine.
All are UTF-8, each distinct file or catalog a document, in a fixed random order, up to SIZE (80M). `--lines` makes
each line a text.

Each encoder runs in a process of its own: it is loaded, its memory is empty, then it encodes all documents once, in
batches of about 1 MB, as a job does; then the first 20 MB again, warm. Encoders that give lists get the first 20 MB
only. They take turns, `--rounds` times. Printed are medians: MB a second of the processor on one thread, of the clock
on several; ratios; the memory that encoding added, ids apart; the texts whose ids differ from ours. Then, of ours,
documents with special tokens and in JSON lines, and at the end one short call beside tiktoken's. The first line says
the commit and the load of the machine. `--chart FILE` draws the rates on one thread.

`pip install -r requirements-peers.txt` adds the peers that need it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from statistics import median

import numpy as np

import explorer
from benchmarks.speed.chart import Rate, rates_chart
from benchmarks.speed.compiled import batches_of
from benchmarks.speed.corpora import DOCUMENTS, documents
from benchmarks.speed.measure import options_of
from benchmarks.speed.peers import OURS, Arrays, different, encoder, names
from benchmarks.speed.rivals import rivals
from benchmarks.timing import seconds
from explorer.cli.corpus import size

BATCH = 1_000_000
SLOW = 20_000_000
"""Bytes that originals get which give lists."""
SPECS = ("cl100k_base@tiktoken", "o200k_base@tiktoken", "llama-3@huggingface", "qwen2.5@huggingface")
FAST = (OURS, "gigatoken", "fastokens", "quicktok")
SPECIAL = {"cl100k_base": "<|endoftext|>", "o200k_base": "<|endoftext|>", "llama-3": "<|end_of_text|>",
           "qwen2.5": "<|endoftext|>"}  # fmt: skip
"""A special token of each model."""


def batches(texts: Iterable[str], most: int = sys.maxsize) -> Iterator[list[str]]:
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


def ways(spec: str, texts: Sequence[str], folder: Path) -> Iterator[tuple[str, float]]:
    """MB a second of our encoder on one thread: documents as they are, with a special token at every blank line, as
    JSON lines. Of JSON lines, reading them is included; each starts with an empty memory."""
    model, chosen = spec.partition("@")[0], list(texts)
    special = [text.replace("\n\n", SPECIAL[model]) for text in chosen]
    jsonl = folder / "texts.jsonl"
    jsonl.write_text("".join(json.dumps({"text": text}) + "\n" for text in chosen), "utf-8")
    options = options_of(spec)._replace(parse_special=True)

    def rate(parts: Iterable[list[str]], given: Sequence[str]) -> float:
        encoder = batches_of(spec)
        assert encoder is not None
        encoder.encode(["loads the compiled code"], options)
        began = time.process_time()
        for part in parts:
            encoder.encode(part, options)
        return sum(len(text.encode()) for text in given) / 1e6 / (time.process_time() - began)

    yield "documents", rate(list(batches(chosen)), chosen)
    yield "with special tokens", rate(list(batches(special)), special)
    with jsonl.open(encoding="utf-8") as lines:
        read = (json.loads(line)["text"] for line in lines)
        yield "JSON lines", rate(batches(read), chosen)


def short_calls(spec: str) -> Iterator[tuple[str, float, float]]:
    """Microseconds of one `encode` of 20 characters and of one `decode` of five ids, ours and tiktoken's."""
    ours = explorer.load(spec)
    original = dict(rivals(spec, None))["tiktoken"].__self__  # type: ignore[attr-defined]
    text = "What is LoRA for 20?"
    ids = ours.encode(text * 300).ids[:5]
    yield "encode", micros(lambda: ours.encode(text)), micros(lambda: original.encode(text))
    yield "decode", micros(lambda: ours.decode(ids)), micros(lambda: original.decode(ids))


def micros(call: Callable[[], object], calls: int = 2000) -> float:
    """Microseconds of a call."""
    return seconds(lambda: [call() for _ in range(calls)], 15) / calls * 1e6


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


def machine() -> str:
    """The commit, the machine and how busy it is."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    return f"{date.today()}, {commit.strip()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("size", nargs="?", default="80M", type=size)
    parser.add_argument("--corpus", nargs="+", choices=DOCUMENTS, default=["code", "prose"])
    parser.add_argument("-m", "--model", action="append", metavar="SPEC")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lines", action="store_true", help="single lines instead of documents")
    parser.add_argument("--chart", type=Path, metavar="FILE")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.child:
        name, spec, threads, given, ids = asked.child
        child(name, spec, int(threads), Path(given), Path(ids))
        return
    os.environ["EXPLORER_COMPILED"] = "always"
    print(machine())
    for corpus in asked.corpus:
        texts = documents(corpus, asked.size)
        if asked.lines:
            texts = [line for text in texts for line in text.splitlines() if line]
        total = sum(len(text.encode()) for text in texts) / 1e6
        print(f"\n{corpus}: {len(texts):,} {'lines' if asked.lines else 'documents'}, {total:.0f} MB")
        rates: list[Rate] = []
        with tempfile.TemporaryDirectory() as folder:
            given = Path(folder, "texts.json")
            given.write_text(json.dumps(texts), "utf-8")
            for spec in asked.model or SPECS:
                rates += compared(spec, given, Path(folder, "ids"), asked.threads, asked.rounds)
                if spec.partition("@")[0] in SPECIAL and not asked.lines:
                    measured = ways(spec, texts, Path(folder))
                    print(f"{spec:<22}" + ", ".join(f"{way} {rate:.1f} MB/s" for way, rate in measured), flush=True)
        if asked.chart:
            path = asked.chart.with_stem(f"{asked.chart.stem}-{corpus}") if len(asked.corpus) > 1 else asked.chart
            rates_chart(rates, f"{corpus}, {total:.0f} MB, {machine()}").save(str(path), scale_factor=2)
    print("\none short call, processor microseconds")
    for spec in SPECS[:2]:
        for what, ours, theirs in short_calls(spec):
            print(f"{spec:<22}{what:<10}{ours:6.2f}, tiktoken {theirs:.2f}, ×{ours / theirs:.2f}")


def compared(spec: str, given: Path, ids: Path, thread_counts: Sequence[int], rounds: int) -> Iterator[Rate]:
    """Runs the encoders of a tokenizer in turns and prints a line for each. Yields their rates on one thread."""
    ours: Arrays | None = None
    rows: dict[tuple[str, int], list[dict[str, float]]] = {}
    others: dict[str, int] = {}
    turns = [(name, threads) for name in names(spec) for threads in (thread_counts if name in FAST else [1])]
    for _ in range(rounds):
        for name, threads in list(turns):
            row = run(name, spec, threads, given, ids)
            if isinstance(row, str):
                print(f"{spec:<22}{name:<14}does not run: {row}", flush=True)
                turns.remove((name, threads))
                continue
            rows.setdefault((name, threads), []).append(row)
            if name not in others:
                made = loaded(ids)
                ours = made if ours is None else ours
                others[name] = different(cut(ours, len(made[1]) - 1), made)
    middle = {each: {key: median(row[key] for row in of_one) for key in of_one[0]} for each, of_one in rows.items()}
    base = middle[OURS, thread_counts[0]]
    for (name, threads), row in middle.items():
        print(f"{spec:<22}{name:<14}{threads} thread{'s' * (threads > 1):<2}"
              f"{row['pass']:8.1f} MB/s new {row['warm']:8.1f} warm of {row['megabytes']:.0f} MB, "
              f"×{row['pass'] / base['pass']:.2f} ×{row['warm'] / base['warm']:.2f} of ours, "
              f"{row['memory']:.0f} MB more memory, {others[name]:,} texts with other ids", flush=True)  # fmt: skip
        if threads == 1:
            yield Rate(spec, name if name in FAST else "the original", row["pass"], row["warm"])


def run(name: str, spec: str, threads: int, given: Path, ids: Path) -> dict[str, float] | str:
    """The figures of an encoder, or the last line of its error."""
    command = [sys.executable, "-m", "benchmarks.speed", "--child", name, spec, str(threads), str(given), str(ids)]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"RAYON_NUM_THREADS": str(threads)}
    )
    if ended.returncode:
        return (ended.stderr.strip().splitlines() or ["no output"])[-1]
    return dict(json.loads(ended.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main(sys.argv[1:])

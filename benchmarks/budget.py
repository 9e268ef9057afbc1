"""Measures what the budget of a run costs: `python -m benchmarks.budget [SPEC …]`.

Runs the same texts with and without the budget, alternating, in one process. Without it no run is opened, no check is
made, and loops iterate directly. Printed are the median ratio of adjacent measurements, as the percentage the budget
adds, and the range of the middle half of the ratios. Ratios are of this thread's processor time.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import repeat
from statistics import median, quantiles
from types import ModuleType
from typing import Any, Final
from unittest.mock import patch

import explorer
from benchmarks.speed import corpora
from explorer.engine import budget
from explorer.engine import tokenizer as entry
from explorer.engine.fast.cache import PieceCache
from explorer.engine.tokenizer import Encoding

SPECS: Final = ("gpt-2", "o200k_base", "llama-2", "mistral-v1", "bert-uncased", "xlm-r", "rwkv-world")
ROUNDS: Final = 41
SIZES: Final = (2, 30, 300, 3_000, 100_000)
A_ROUND: Final = 100_000
"""Characters encoded in one round; for texts of 2, as many calls as take about as long."""


def bare(self: explorer.Tokenizer, text: str, *, add_special: bool = True, parse_special: bool = True) -> Encoding:
    """`Tokenizer.encode` without a run."""
    text, options = budget.text(text), entry.checked(add_special, parse_special)
    ids = self.untraced.ids(text, options)
    return Encoding(ids, self.vocabulary, lambda: self._tokens(text, options), self.decoder.alone)


def asked(each: Sequence[Any], stage: str, block: int = 0) -> Sequence[Any]:
    return each


def turned(size: int, stage: str, block: int = 0) -> Iterator[None]:
    return repeat(None)


def unasked(stage: str) -> None: ...


@contextmanager
def without() -> Iterator[None]:
    """`encode` opens no run, and no loop checks the budget."""
    instead: dict[str, Callable[..., Any]] = {"ask": unasked, "asking": asked, "turns": turned}
    patched: list[tuple[ModuleType, str]] = [
        (module, name)
        for module in list(sys.modules.values())
        if module.__name__.startswith("explorer.engine") and module is not budget
        for name in instead
        if getattr(module, name, None) is getattr(budget, name)
    ]
    kept = [(module, name, getattr(module, name)) for module, name in patched]
    try:
        for module, name in patched:
            setattr(module, name, instead[name])
        with patch.object(explorer.Tokenizer, "encode", bare):
            yield
    finally:
        for module, name, was in kept:
            setattr(module, name, was)


def seconds(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def ratios(work: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """The ratios of adjacent measurements, with the budget ÷ without; their order alternates."""
    found = []
    gc.collect()
    gc.disable()
    try:
        for number in range(rounds):
            if number % 2:
                with_it = seconds(work)
            with without():
                bare = seconds(work)
            if not number % 2:
                with_it = seconds(work)
            found.append(with_it / bare)
    finally:
        gc.enable()
    return found


def cases(tokenizer: explorer.Tokenizer, text: str) -> Iterator[tuple[str, Callable[[], object], int]]:
    """The measurements: a name, the work, and the number of rounds."""
    tokenizer.encode(text)
    for size in SIZES:
        pieces = [text[at : at + size] for at in range(0, min(len(text), A_ROUND), size)][:6_000]
        for piece in pieces:
            tokenizer.encode(piece)
        yield f"warm {size:,}", lambda pieces=pieces: [tokenizer.encode(piece) for piece in pieces], ROUNDS  # type: ignore[misc]
    strategy = tokenizer.untraced.strategy
    made = getattr(strategy, "encoder", strategy.cache.solve)
    caches = [each for one in (strategy, made) for each in vars(one).values() if isinstance(each, PieceCache)]

    def cold() -> None:
        for each in caches:
            each.clear()
            each._old.clear()
        tokenizer.encode(text[:30_000])

    yield "cold 30,000", cold, ROUNDS
    yield "trace 3,000", lambda: tokenizer.trace(text[:3_000]), ROUNDS
    ids = tokenizer.encode(text[:30_000]).ids
    yield "decode", lambda: tokenizer.decode(ids), ROUNDS


def main(specs: Sequence[str]) -> None:
    import_module("explorer.engine.fast.strategies")
    text = corpora.found("prose", None).text[:A_ROUND]
    print(f"{'tokenizer':<24}{'what':<14}{'budget adds':>12}   half of all ratios")
    worst = []
    for spec in specs or SPECS:
        tokenizer = explorer.load(spec)
        for name, work, rounds in cases(tokenizer, text):
            found = ratios(work, rounds)
            low, _, high = quantiles(found, n=4)
            worst.append(median(found) - 1)
            print(f"{spec:<24}{name:<14}{median(found) - 1:>11.1%}   {low - 1:+.1%} to {high - 1:+.1%}", flush=True)
    print(f"median of all {median(worst):+.1%}, highest {max(worst):+.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])

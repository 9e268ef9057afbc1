"""Measures how the cost grows with the text: `python -m benchmarks.growth`.

Worst cases for each bundled model and implementation, through the stages with and without a trace, at 1,000, 10,000 and
100,000 characters. The growth is what counts: the factor for ten times the text. Near 10 is linear, 100 would be
quadratic. Seconds are of this process's CPU, so other load matters little.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import explorer
from benchmarks.timing import seconds
from explorer.engine.part import Options, initial_items, run_through

SIZES = (1_000, 10_000, 100_000)


def random_of(first: int, last: int) -> Callable[[int], str]:
    def text(size: int) -> str:
        choose = random.Random(size)
        return "".join(chr(choose.randint(first, last)) for _ in range(size))

    return text


CASES: dict[str, Callable[[int], str]] = {
    "a": lambda size: "a" * size,
    "spaces": lambda size: " " * size,
    "newlines": lambda size: "\n" * size,
    "random CJK": random_of(0x4E00, 0x9FFF),
    "one random word": random_of(ord("a"), ord("z")),
    "special tokens": lambda size: "<s> " * (size // 4),
}


def main() -> None:
    runs = [f"{model.name}@{implementation}" for model in explorer.catalog().values()
            for implementation in model.implementations]  # fmt: skip
    for name in runs:
        tok = explorer.load(name)

        def stages(text: str, tok: explorer.Tokenizer = tok) -> object:
            return run_through(tok.parts, initial_items(text), Options())

        print(f"{name}, seconds at {' · '.join(f'{size:,}' for size in SIZES)} characters, and growth")
        for case, text in CASES.items():
            # the stages themselves: encode would have cached the text in the previous run
            for what, run in (("stages", stages), ("trace", tok.trace)):
                texts = [text(size) for size in SIZES]
                times = [seconds(lambda run=run, sample=sample: run(sample)) for sample in texts]  # type: ignore[misc]
                growth = " ".join(f"×{after / before:.0f}" for before, after in pairwise(times))
                print(f"  {case:<16} {what:<7} {' '.join(f'{t:8.4f}' for t in times)}   {growth}")


if __name__ == "__main__":
    main()

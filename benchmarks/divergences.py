"""Counts where the implementations of one model diverge: `python -m benchmarks.divergences [COUNT]`.

Generated texts (5,000, or COUNT) run through every bundled model with two implementations, with the default options and
with special tokens read as text. Printed are the texts whose ids differ, every divergence in them by stage and kind
with one short example each, and the differences that change no id.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import combinations

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import DifferenceKind, Divergence, runs
from tests.originals.generators import strings

SEED = 1


def main() -> None:
    texts = strings(SEED, int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
    for model in explorer.catalog().values():
        for pair in combinations(model.implementations, 2):
            tokenizers = [explorer.load(model.name, implementation) for implementation in pair]
            for parse_special in (True, False):
                report(tokenizers, texts, parse_special)


def report(tokenizers: list[explorer.Tokenizer], texts: list[str], parse_special: bool) -> None:
    """One pair with one choice of options."""
    counts: Counter[tuple[str, DifferenceKind]] = Counter()
    examples: dict[tuple[str, DifferenceKind], tuple[int, Divergence]] = {}
    harmless: Counter[tuple[str, DifferenceKind]] = Counter()
    differing = 0
    for text in texts:
        found = compare(*runs(tokenizers, text, parse_special=parse_special))
        differing += not found.same
        for apart in found.harmless:
            harmless[apart.stage, apart.kind] += apart.times
        for each in found.divergences:
            key = each.stage, each.kind
            counts[key] += 1
            if key not in examples or len(text) < examples[key][0]:
                examples[key] = len(text), each
    name, sides = tokenizers[0].name, " and ".join(tokenizer.implementation for tokenizer in tokenizers)
    how = "special tokens parsed" if parse_special else "special tokens taken for text"
    print(f"{name}, {sides}, {how}: {differing:,} of {len(texts):,} texts differ, {counts.total():,} divergences")
    for (stage, kind), times in counts.most_common():
        print(f"  {times:6,} {stage:<13}{kind.value:<26}{examples[stage, kind][1].sentence}")
    listed = ", ".join(f"{times:,} {stage} {kind.value}" for (stage, kind), times in harmless.most_common())
    print(f"  without consequence for the ids: {listed or 'nothing'}\n", flush=True)


if __name__ == "__main__":
    main()

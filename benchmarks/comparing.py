"""Measures how fast a comparison answers a change of the text: `python -m benchmarks.comparing`.

Six tokenizers on 2,000 characters: six traces, the alignment of their rows, and for each of five pairs the first
divergence with its cause, for plain prose and for generated texts with rare characters. Then the languages. Processor
seconds, best of three.
"""

from __future__ import annotations

from collections.abc import Callable

import explorer
from benchmarks.timing import seconds
from explorer.analysis.boundary.followers import stability
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import runs
from explorer.analysis.languages import languages, measure
from explorer.analysis.ownership import align
from tests.originals.generators import strings

SIZE = 2_000
NAMES = ("llama-2", "gpt-2", "llama-3", "qwen2.5", "bert-uncased", "o200k_base")
PROSE = "The quick brown fox jumps over the lazy dog, and nobody knows why it did so again. "


def best(run: Callable[[], object]) -> float:
    """Milliseconds of the fastest run."""
    return 1_000 * seconds(run)


def main() -> None:
    tokenizers = [explorer.load(name) for name in NAMES]
    for kind, text in (("prose", (PROSE * 30)[:SIZE]), ("rare", "".join(strings(1, 2_000)[1_000:])[:SIZE])):
        made = runs(tokenizers, text)
        traced = best(lambda text=text: runs(tokenizers, text))  # type: ignore[misc]
        aligned = best(lambda text=text, made=made: align(text, [(run.label, run.encoding) for run in made]))  # type: ignore[misc]
        print(f"{kind}, {SIZE:,} characters: {traced:.0f} ms for six traces, {aligned:.0f} ms to align them")
        for other in made[1:]:
            taken = best(lambda made=made, other=other: compare(made[0], other))  # type: ignore[misc]
            count = len(compare(made[0], other).divergences)
            print(f"  {made[0].label} and {other.label}: {taken:.0f} ms, {count} divergences")
        taken = best(lambda text=text: stability(tokenizers[1], text[:300]))  # type: ignore[misc]
        print(f"  300 prefixes with {tokenizers[1].name}: {taken:.0f} ms")
    texts = list(languages().values())
    print(f"{len(texts)} languages with six tokenizers: {best(lambda: measure(texts, tokenizers)):.0f} ms")


if __name__ == "__main__":
    main()

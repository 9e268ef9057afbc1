"""Measures the checks of a whole vocabulary: `python -m benchmarks.vocabularies [SPEC …]`.

For every bundled tokenizer, the processor seconds of its index, of asking whether text gives each token and whether
merges build it, and the counts. Each runs once: what it computes is kept with the index.
"""

from __future__ import annotations

import sys

import explorer
from benchmarks.timing import timed
from explorer.analysis.vocabulary.checks import find_unbuilt
from explorer.analysis.vocabulary.index import index_of
from explorer.analysis.vocabulary.reach import sweep

SPECS = [f"{model.name}@{one}" for model in explorer.catalog().values() for one in model.implementations]


def main(specs: list[str]) -> None:
    print(f"{'tokenizer':<26}{'tokens':>9}{'index':>8}{'built':>8}{'given':>8} s   never given, not built")
    for spec in specs or SPECS:
        tok = explorer.load(spec)
        opened, index = timed(lambda tok=tok: index_of(tok), times=1)  # type: ignore[misc]
        merging, unbuilt = timed(lambda of=index: list(find_unbuilt(of, lambda done: None, range(len(of)))), times=1)  # type: ignore[misc]
        asking, swept = timed(lambda of=index: sweep(of), times=1)  # type: ignore[misc]
        print(f"{spec:<26}{len(index):9,}{opened:8.2f}{merging:8.2f}{asking:8.2f}     {len(swept.unreached):,}, "
              f"{len(unbuilt):,}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])

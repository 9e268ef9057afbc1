"""Other structures that can hold a trie, as measured by `python -m benchmarks.tries` and kept in tries.tsv."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("tries.tsv")


class TrieStructures(NamedTuple):
    """The table, one row a structure, and what was measured when and where."""

    rows: tuple[dict[str, str], ...]
    measured: str


@cache
def trie_structures() -> TrieStructures:
    """The figures of the file.

    >>> [row["Structure"] for row in trie_structures().rows][:2]
    ['sorted list, text erased from the front', 'dict of prefixes']
    """
    head, _, *lines = FILE.read_text("utf-8").splitlines()
    rows = []
    for name, nodes, size, speed in (line.split("\t") for line in lines):
        count = f"{int(nodes):,}" if int(nodes) else "–"
        rows.append(
            {"Structure": name, "Nodes": count, "MB": f"{int(size) / 1e6:.1f}", "Matches a second": f"× {speed}"}
        )
    return TrieStructures(tuple(rows), head.removeprefix("# "))

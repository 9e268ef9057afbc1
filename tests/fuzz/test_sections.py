"""A short run of the fuzzing of tokenizer.json; `python -m tests.fuzz.sections` is the long one."""

from __future__ import annotations

from collections import Counter

from explorer.compiled import build
from tests.fuzz.sections import NAMED, differences
from tests.tiers import amount


def test_random_files_of_all_sections_run_as_in_the_original() -> None:
    seen: Counter[str] = Counter()
    count = amount(800)
    assert [said for seed in range(count) for said in differences(seed, build.PLAIN, seen)] == []
    assert seen["files opened"] > count / 2
    assert min(seen[what] for what in ("texts plain", "texts traced", "offsets", "lists of ids decoded")) > 4 * count
    assert seen["texts compiled"] > count / 2, "too few files have a fast path to compile"
    assert sum(seen[f"named: {name}"] for name in NAMED) < sum(seen.values()) / 50, "named differences hide too much"

"""How many files of the house a comparison and a key press run: whoever follows one by reading opens no more."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

MOST = {"a key press on Explore": 35, "a changed text on Compare": 60, "a comparison": 30}


def test_a_comparison_and_a_key_press_run_few_files() -> None:
    """In a process of its own: tests share tokenizers and what those have computed, which others then run."""
    measure = [sys.executable, "-m", "benchmarks.files_run", "--list"]
    printed = subprocess.run(measure, capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent)
    counts = {name: int(count) for name, count in re.findall(r"^(\S.+): (\d+) files", printed.stdout, re.MULTILINE)}
    assert counts.keys() == MOST.keys()
    for name, most in MOST.items():
        assert most // 2 < counts[name] <= most, printed.stdout

"""The house stays small: what `explorer/` may hold. Whoever adds, looks what can go."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import explorer
from benchmarks.size import python_tokens

MOST_TOKENS = 840_000
"""Of Python, without docstrings and comments, as `python -m benchmarks.size` counts them. Whatever is added has to fit:
something else goes first."""
MOST_FILES = 520


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="newer Pythons count the parts of an f-string as tokens")
def test_the_code_is_within_its_budget() -> None:
    files = [path.read_text("utf-8") for path in Path(explorer.__file__).parent.rglob("*.py")]
    assert len(files) <= MOST_FILES
    assert sum(map(python_tokens, files)) <= MOST_TOKENS

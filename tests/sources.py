"""The package's source, each file parsed once for all tests of a process that read it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

GROUP = pytest.mark.xdist_group("floors")
"""For the tests that read it whole: one worker runs them."""


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax of a file."""
    return ast.parse(path.read_text("utf-8"))

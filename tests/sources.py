"""The package's source, each file parsed once for all tests of a process that read it."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

GROUP = pytest.mark.xdist_group("floors")
"""For the tests that read it whole: one worker runs them."""


Node = TypeVar("Node", bound=ast.AST)


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax of a file."""
    return ast.parse(path.read_text("utf-8"))


@cache
def _by_kind(path: Path) -> dict[type, list[Any]]:
    found = defaultdict(list)
    for node in ast.walk(parsed(path)):
        found[type(node)].append(node)
    return dict(found)


def nodes(path: Path, kind: type[Node]) -> list[Node]:
    """The nodes of a file that are of this kind, in the order of `ast.walk`, which visits a file once."""
    return _by_kind(path).get(kind, [])

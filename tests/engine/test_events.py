"""Event enums: one per family, counted from 0, each member documented, none compared by order."""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterable
from enum import IntEnum
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

import explorer
import explorer.engine
from tests.sources import GROUP, nodes

ROOT = Path(explorer.__file__).parent
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def families() -> list[type[IntEnum]]:
    """Every enum of event kinds that the engine defines."""
    found: dict[str, type[IntEnum]] = {}
    for module in pkgutil.walk_packages(explorer.engine.__path__, "explorer.engine."):
        for name, value in vars(import_module(module.name)).items():
            if isinstance(value, type) and issubclass(value, IntEnum) and value.__module__ == module.name:
                found[name] = value
    return list(found.values())


FAMILIES = families()


def test_every_family_is_called_an_event() -> None:
    assert len(FAMILIES) >= 16
    assert [each.__name__ for each in FAMILIES if not each.__name__.endswith("Event")] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_kinds_count_from_0(family: type[IntEnum]) -> None:
    assert [each.value for each in family.__members__.values()] == list(range(len(family)))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_every_kind_is_documented(family: type[IntEnum]) -> None:
    file = import_module(family.__module__).__file__
    assert file is not None
    tree = ast.parse(Path(file).read_text("utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == family.__name__)
    documented = {
        target.id
        for node, after in pairwise(body)
        if isinstance(node, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert set(family.__members__) - documented == set()


def ordered(compared: Iterable[ast.Compare], names: set[str]) -> list[int]:
    """The lines of comparisons that are of event kinds by order."""

    def is_kind(node: ast.expr) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr == "kind" or (isinstance(node.value, ast.Name) and node.value.id in names)
        return False

    return [
        node.lineno
        for node in compared
        if any(isinstance(op, ORDER) for op in node.ops) and any(map(is_kind, (node.left, *node.comparators)))
    ]


@GROUP
def test_no_kind_is_compared_by_order() -> None:
    names = {each.__name__ for each in FAMILIES}
    for wrong in ("row.kind <= MergeEvent.TOKEN", "kind > MergeEvent.TOKEN"):
        compared = ast.parse(wrong, mode="eval").body
        assert isinstance(compared, ast.Compare)
        assert ordered([compared], names) == [1]
    found = {path: ordered(nodes(path, ast.Compare), names) for path in ROOT.rglob("*.py")}
    assert {path: lines for path, lines in found.items() if lines} == {}

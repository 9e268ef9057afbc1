"""The interface of a tokenizer's parts, and that other code uses it by type."""

from __future__ import annotations

import ast
from enum import IntEnum
from pathlib import Path

import pytest

import explorer
from explorer.engine.models.merges import MergeModel, MergeRow
from explorer.engine.part import Model
from tests.bundled import bundled

ROOT = Path(explorer.__file__).parent
EVERY = [f"{model.name}@{one}" for model in explorer.catalog().values() for one in model.implementations]
PRIORITIES = ("score", "merge", "rank")


@pytest.mark.parametrize("spec", EVERY)
def test_every_part_has_a_name_and_events(spec: str) -> None:
    for part in bundled(spec).parts:
        assert part.name
        assert issubclass(part.kinds, IntEnum)
        fields: tuple[str, ...] = part.row._fields  # type: ignore[attr-defined]  # a NamedTuple class
        assert fields[0] == "kind"
        assert len(fields) == 4


@pytest.mark.parametrize("spec", EVERY)
def test_one_part_is_the_model(spec: str) -> None:
    tok = bundled(spec)
    models = [part for part in tok.parts if isinstance(part, Model)]
    assert models == [tok.model]
    assert [part for part in tok.parts if part.name == "model"] == models
    model = tok.model
    assert model.unknown is None or 0 <= model.unknown < len(tok.vocabulary)
    assert isinstance(model.prefix, bytes)
    assert isinstance(model.suffix, bytes)
    assert (model.priority in PRIORITIES) if model.row is MergeRow else model.priority is None


@pytest.mark.parametrize("spec", EVERY)
def test_a_merging_model_offers_its_symbols_and_priorities(spec: str) -> None:
    model = bundled(spec).model
    assert hasattr(model, "priority_of") == (model.row is MergeRow)
    if model.row is MergeRow:
        merging: MergeModel = model  # type: ignore[assignment]  # its events are those of merging
        assert merging.join(merging.initial_symbols("ab").pieces) == b"ab"
        assert merging.priority_of(b"\xff", b"\xff") is None


def asked_by_name(source: str) -> list[int]:
    """The lines that ask for an attribute by a literal name."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr")
        and isinstance(node.args[1], ast.Constant)
        and not str(node.args[1].value).startswith("_")  # of a named tuple
    ]


@pytest.mark.parametrize("room", ["analysis", "corpus", "views"])
def test_no_attribute_of_a_part_is_looked_up_by_name(room: str) -> None:
    assert asked_by_name('getattr(part, "unknown", None)') == [1]
    found = {path: asked_by_name(path.read_text("utf-8")) for path in (ROOT / room).rglob("*.py")}
    assert found
    assert {path: lines for path, lines in found.items() if lines} == {}

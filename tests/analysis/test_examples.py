"""The worked examples in the docstrings run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import explorer.analysis
from tests.bundled import bundled

MODULES = sorted(path.stem for path in Path(explorer.analysis.__file__).parent.glob("[a-z]*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "load", bundled)
    module = import_module(f"explorer.analysis.{name}")
    found = doctest.testmod(module)
    assert found.failed == 0
    assert found.attempted or name in ("events", "kinds", "model_causes", "pieces"), "an example shows what it gives"

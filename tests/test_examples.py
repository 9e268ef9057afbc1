"""The worked examples in the docstrings run, those of every module."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import explorer
from tests.bundled import bundled

MODULES = [module.name for module in walk_packages(explorer.__path__, "explorer.") if "__main__" not in module.name]


@pytest.mark.parametrize("name", ["explorer", *MODULES, "tests.originals.llama_cpp", "tests.originals.generators"])
def test_examples_in_docstrings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(explorer.__file__).parent.parent)
    module = import_module(name)
    monkeypatch.setattr(explorer, "load", bundled)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0

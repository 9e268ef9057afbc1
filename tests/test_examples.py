"""The worked examples in the docstrings run, those of every module."""

from __future__ import annotations

import doctest
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import pytest

import explorer
from tests.bundled import bundled

LEFT_OUT = () if find_spec("anywidget") else ("explorer.saved.widget",)
MODULES = [
    module.name
    for module in walk_packages(explorer.__path__, "explorer.")
    if "__main__" not in module.name and module.name not in LEFT_OUT
]


# one test for all modules: no tier may take a sample of them
@pytest.mark.long
def test_examples_in_docstrings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(explorer.__file__).parent.parent)
    load = explorer.load

    def once(spec: str, *implementation: str | None, **choices: str) -> explorer.Tokenizer:
        known = not implementation and not choices and spec.partition("@")[0] in explorer.catalog()
        return bundled(spec) if known else load(spec, *implementation, **choices)

    monkeypatch.setattr(explorer, "load", once)
    wrong = []
    for name in ("explorer", *MODULES, "tests.originals.llama_cpp", "tests.originals.generators"):
        if doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS).failed:
            wrong.append(name)
    assert not wrong

"""The worked examples in the docstrings run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import explorer.corpus

MODULES = sorted(path.stem for path in Path(explorer.corpus.__file__).parent.glob("[a-z]*.py"))
OTHERS = ("cli_corpus", "cli_corpus_job", "views.corpus_charts", "ui.server_arguments")


@pytest.mark.parametrize("name", [*(f"corpus.{name}" for name in MODULES), *OTHERS])
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(import_module(f"explorer.{name}")).failed == 0

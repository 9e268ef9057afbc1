"""The bundled tokenizers, each opened once for all the tests of a process: opening one takes longer than most tests."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import explorer
from explorer import library
from explorer.errors import Choices
from explorer.implementations.opened import Opened
from explorer.opening import catalog
from explorer.origin import File

Made = TypeVar("Made")


def bundled(spec: str, implementation: str | None = None) -> explorer.Tokenizer:
    """What `explorer.load` gives for a name of the catalog, with or without `@IMPLEMENTATION`; the same each time.

    Anything else is passed on to it.
    """
    if spec.partition("@")[0] not in catalog.catalog():
        return explorer.load(spec, implementation)
    return _loaded(spec, implementation, catalog.VOCABS)


_load, _with_methods, _open_bytes = catalog.load, library.with_methods, catalog.open_bytes
_same: dict[tuple[str, str, Path], explorer.Tokenizer] = {}


@cache
def _loaded(spec: str, implementation: str | None, folder: Path) -> explorer.Tokenizer:
    """Each way to ask is taken once, and gives the same object as another one with the same name and implementation."""
    loaded = _with_methods(explorer.Tokenizer, _load(spec, implementation))
    return _same.setdefault((spec.partition("@")[0], loaded.implementation, folder), loaded)


@wraps(_load)
def _load_once(spec: Any, implementation: Any = None, **choices: Any) -> Opened:
    if choices or not (isinstance(spec, str) and spec.partition("@")[0] in catalog.catalog()):
        return _load(spec, implementation, **choices)
    return bundled(spec, implementation)


_files: dict[object, Opened] = {}


@wraps(_open_bytes)
def _open_once(data: bytes, name: str, implementation: str | None, choices: Choices, file: File, keeps: bool) -> Opened:
    key = file, hash(data), name, implementation, tuple(choices.items())
    if key not in _files:
        _files[key] = _open_bytes(data, name, implementation, choices, file, keeps)
    return replace(_files[key])


def _as_it_is(kind: type[Made], of: Any) -> Made:
    return of if type(of) is kind else _with_methods(kind, of)


def share() -> None:
    """Gives the pages, the commands and `explorer.load` of this process the same tokenizers, with all they computed.

    To be called before a module imports `catalog.load`.
    """
    catalog.load, library.with_methods, catalog.open_bytes = _load_once, _as_it_is, _open_once  # type: ignore

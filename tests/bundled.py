"""The bundled tokenizers, each opened once for all the tests of a process: opening one takes longer than most tests."""

from __future__ import annotations

from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import explorer
from explorer import library
from explorer.implementations.opened import Opened
from explorer.opening import catalog

Made = TypeVar("Made")


def bundled(spec: str, implementation: str | None = None) -> explorer.Tokenizer:
    """What `explorer.load` gives for a name of the catalog, with or without `@IMPLEMENTATION`; the same each time.

    Anything else is passed on to it.
    """
    name, _, asked = spec.partition("@")
    if (model := explorer.catalog().get(name)) is None:
        return explorer.load(spec, implementation)
    return _opened(name, implementation or asked or model.implementations[0], model.path)


_load, _with_methods = catalog.load, library.with_methods


@cache
def _opened(name: str, implementation: str, path: Path) -> explorer.Tokenizer:
    return _with_methods(explorer.Tokenizer, _load(name, implementation))


@wraps(_load)
def _load_once(spec: Any, implementation: Any = None, **choices: Any) -> Opened:
    name, _, asked = spec.partition("@") if isinstance(spec, str) else ("", "", "")
    if choices or name not in catalog.catalog() or (implementation and asked) or implementation == "":
        return _load(spec, implementation, **choices)
    return bundled(name, implementation or asked or None)


def _as_it_is(kind: type[Made], of: Any) -> Made:
    return of if type(of) is kind else _with_methods(kind, of)


def share() -> None:
    """Gives the pages, the commands and `explorer.load` of this process the same tokenizers, with all they computed.

    To be called before a module imports `catalog.load`.
    """
    catalog.load, library.with_methods = _load_once, _as_it_is  # type: ignore[assignment]

"""The bundled tokenizers, each opened once for all the tests of a process: opening one takes longer than most tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, wraps

import explorer
from explorer.implementations.opened import Opened
from explorer.opening import catalog
from explorer.opening.formats import Choices
from explorer.origin import File


def bundled(spec: str, implementation: str | None = None) -> explorer.Tokenizer:
    """What `explorer.load` gives for a name of the catalog, with or without `@IMPLEMENTATION`; the same each time.

    Anything else is passed on to it.
    """
    name, _, asked = spec.partition("@")
    if (model := explorer.catalog().get(name)) is None:
        return explorer.load(spec, implementation)
    return _opened(name, implementation or asked or model.implementations[0])


_opened = cache(explorer.load)


Opener = Callable[[bytes, str, str | None, Choices, File], Opened]


def shared(opener: Opener) -> Opener:
    """An opener of bundled files that reads each file once for all that open it: the parts never change.

    Every call gets a tokenizer of its own, with the caches of a new one.
    """
    opened: dict[object, Opened] = {}

    @wraps(opener)
    def open_once(data: bytes, name: str, implementation: str | None, choices: Choices, file: File) -> Opened:
        key = file, hash(data), name, implementation, tuple(choices.items())
        if key not in opened:
            opened[key] = opener(data, name, implementation, choices, file)
        return replace(opened[key])

    return open_once


def share() -> None:
    """Has everything that opens bundled tokenizers in this process share their parts."""
    catalog.open_bytes = shared(catalog.open_bytes)

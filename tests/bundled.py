"""The bundled tokenizers, each opened once for all the tests of a process: opening one takes longer than most tests."""

from __future__ import annotations

from functools import cache

import explorer


def bundled(spec: str, implementation: str | None = None) -> explorer.Tokenizer:
    """What `explorer.load` gives for a name of the catalog, with or without `@IMPLEMENTATION`; the same each time.

    Anything else is passed on to it.
    """
    name, _, asked = spec.partition("@")
    if (model := explorer.catalog().get(name)) is None:
        return explorer.load(spec, implementation)
    return _opened(name, implementation or asked or model.implementations[0])


_opened = cache(explorer.load)

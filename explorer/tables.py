"""The objects of JSON and TOML, and tables of words and numbers that code reads from TOML files beside it.

The tables are files so that translators find their words.
"""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Record = dict[str, Any]
"""An object of JSON or TOML: values by their names."""

Json = Mapping[str, Any]
"""The same, only read: of a file, of a request, or for a page."""


def read_toml(module: str, name: str) -> Record:
    """The content of a TOML file beside a module. module: its `__file__`."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


def filled(part: Any, values: Json, words: Callable[[str], str], key: str = "") -> Any:
    """A part of a chart with values for its `$` names. words: says its titles. key: under which the part is.

    >>> filled({"field": "$field", "title": "tokens"}, {"field": "n"}, str.upper)
    {'field': 'n', 'title': 'TOKENS'}
    """
    match part:
        case dict():
            return {name: filled(each, values, words, name) for name, each in part.items()}
        case list():
            return [filled(each, values, words) for each in part]
        case str() if part.startswith("$"):
            return values[part[1:]]
    return words(part) if key == "title" and part else part

"""The objects of JSON and TOML, and tables of words and numbers that code reads from TOML files beside it.

The tables are files so that translators find their words.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Record = dict[str, Any]
"""An object of JSON or TOML: values by their names."""

Json = Mapping[str, Any]
"""The same, only read: of a file, of a request, or for a page."""


def read_toml(module: str, name: str) -> Record:
    """The content of a TOML file beside a module. module: its `__file__`."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))

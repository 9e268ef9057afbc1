"""Tables of words and numbers that code reads from TOML files beside it, where translators find them."""

import tomllib
from pathlib import Path
from typing import Any


def read_toml(module: str, name: str) -> dict[str, Any]:
    """The content of a TOML file beside a module. module: its `__file__`."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))

"""The modules of deploy/, which are in no package: each is loaded from its file, once in a process."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

DEPLOY = Path(__file__).parents[1] / "deploy"


@cache
def deployed(name: str) -> Any:
    """A module of deploy/, such as "docs_site" or "live/build"."""
    path = DEPLOY / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

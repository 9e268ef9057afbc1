"""The paths of the vocabularies and of the script that Streamlit runs.

In a clone they are next to `explorer/`; an installed package contains them (`force-include` in pyproject.toml).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[1]
INSTALLED: Final = PACKAGE / "bundle"
TOP: Final = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent

VOCABS: Final = TOP / "vocabs"
APP: Final = TOP / "app.py"
"""Its settings are next to it, in .streamlit/config.toml, where Streamlit finds them in any current directory."""

LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Addresses of a server that this machine alone reaches."""

"""Where the files are that lie beside the package: the vocabularies, and the script that Streamlit runs.

In a clone they lie beside `explorer/`; an installed package carries them inside (`force-include` in pyproject.toml).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[1]
INSTALLED: Final = PACKAGE / "bundle"
TOP: Final = INSTALLED if INSTALLED.is_dir() else PACKAGE.parent

VOCABS: Final = TOP / "vocabs"
APP: Final = TOP / "app.py"
"""Its settings lie beside it, in .streamlit/config.toml, where Streamlit finds them whatever the current directory."""

"""sentencepiece 0.2.1, in an environment of its own: the last version whose random samples a seed decides.

`EXPLORER_SENTENCEPIECE=DIR` names the folder of the environment; else it is `.sentencepiece/` in the root of the
repository.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tests.environment import environment

VERSION: Final = "0.2.1"
ROOT: Final = Path(__file__).parents[2]


def python() -> Path:
    """The Python of the environment; made on first use."""
    folder = Path(os.environ.get("EXPLORER_SENTENCEPIECE") or ROOT / ".sentencepiece")
    return environment(folder, f"sentencepiece=={VERSION}")

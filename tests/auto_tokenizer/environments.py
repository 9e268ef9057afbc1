"""The environments with the versions of `transformers`, created if missing.

They are in `4/` and `5/` of the folder that `EXPLORER_TRANSFORMERS=DIR` names, by default
`.transformers/` in the root of the repository. Creating them needs only pip and the registry.
"""

from __future__ import annotations

import os
from pathlib import Path

from explorer.implementations.transformers.arguments import VERSIONS
from tests.environment import environment

FOLDER = "EXPLORER_TRANSFORMERS"
ROOT = Path(__file__).parents[2]
NEEDED = ("sentencepiece==0.2.3", "protobuf>=6,<8", "tiktoken==0.14.0", "jinja2==3.1.6")
"""What `transformers` needs to convert the files of slow tokenizers, and to render templates."""


def python(version: int) -> Path:
    """The Python of the environment with this version, created on first use."""
    folder = Path(os.environ.get(FOLDER) or ROOT / ".transformers") / str(version)
    return environment(folder, f"transformers=={VERSIONS[version]}", *NEEDED)

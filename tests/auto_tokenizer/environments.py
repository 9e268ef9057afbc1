"""The environments with the two versions of `transformers`, created if missing.

They are in `4/` and `5/` of the folder that `EXPLORER_TRANSFORMERS=DIR` names, by default `.transformers/` in the root
of the repository. Creating them needs only pip and the registry.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from explorer.implementations.transformers.versions import VERSIONS

FOLDER = "EXPLORER_TRANSFORMERS"
ROOT = Path(__file__).parents[2]
NEEDED = ("sentencepiece==0.2.3", "protobuf>=6,<8", "tiktoken==0.14.0")
"""What `transformers` needs to convert the files of slow tokenizers."""


def python(version: int) -> Path:
    """The Python of the environment with this version, created on first use."""
    folder = Path(os.environ.get(FOLDER) or ROOT / ".transformers") / str(version)
    executable = folder / "bin" / "python"
    wanted = f"transformers=={VERSIONS[version].number}"
    if not executable.exists() or not installed(executable, wanted):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, wanted, *NEEDED], check=True, stdout=sys.stderr)
    return executable


def installed(executable: Path, wanted: str) -> bool:
    """Whether the environment has this version."""
    asks = "import importlib.metadata as m; print('transformers==' + m.version('transformers'))"
    done = subprocess.run([executable, "-c", asks], capture_output=True, text=True)
    return done.stdout.strip() == wanted

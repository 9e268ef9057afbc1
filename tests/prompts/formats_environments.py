"""The environments with the packages whose formats are followed, created if missing. They need only pip and PyPI."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from tests.environment import environment

ROOT: Final = Path(__file__).parents[2]
ENVIRONMENTS: Final = {
    "harmony": ("openai-harmony==0.0.8", "renderers==0.1.12", "httpx==0.28.1"),
    "deepseek": ("--no-deps", "llm-router-utils==0.8.1"),
    "trl": ("--no-deps", "trl==1.16.0"),
}
"""Who has which packages. SGLang's package and TRL need much; what is used of them needs nothing, or transformers."""


def python(name: str) -> Path:
    """The Python of an environment, created on first use in `.formats/`, or where `EXPLORER_FORMATS` says."""
    return environment(Path(os.environ.get("EXPLORER_FORMATS") or ROOT / ".formats") / name, *ENVIRONMENTS[name])

"""The environment with JupyterLab, in `.jupyter/` of the repository, created on first use.

Its kernels run the project from the repository, with the libraries of the tests.
"""

from __future__ import annotations

from pathlib import Path

from tests.environment import environment

ROOT = Path(__file__).parents[2]


def python() -> Path:
    """The Python of the environment."""
    return environment(ROOT / ".jupyter", "jupyterlab==4.6.6", "ipykernel==7.4.0", "anywidget==0.11.0")

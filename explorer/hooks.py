"""Functions of higher floors that lower ones offer as methods: set by the package, called when a method is.

The engine may not import what analyzes its traces. `Trace.why` calls `why` here, and the package sets what it
runs: `explorer.why`, itself imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

HOOKS: Final[dict[str, Callable[..., Any]]] = {}
"""By name, what runs."""


def why(trace: Any, at: int) -> Any:
    """`explorer.why` on a trace."""
    return HOOKS["why"](trace, at)


def show(what: str, of: Any, **asked: Any) -> Any:
    """An answer as a page for notebooks: `explorer.saved.notebook` and `explorer.answers.saved.notebook`."""
    return HOOKS[f"show_{what}"](of, **asked)

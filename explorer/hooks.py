"""Functions of higher floors that results offer as methods: set by the package, called when a method is.

A comparison may not import what saves it as a page, nor a prompt what looks for findings in it. The package sets what
runs, each function itself imported when it is first called.
"""

from collections.abc import Callable
from typing import Any

HOOKS: dict[str, Callable[..., Any]] = {}
"""By name, what runs."""


def show(what: str, of: Any, **asked: Any) -> Any:
    """An answer as a page for notebooks: `explorer.saved.explore` and `explorer.answers.saved`."""
    return HOOKS[f"show_{what}"](of, **asked)

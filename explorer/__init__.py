"""Tokenizer explorer: runs a text through a real tokenizer, stage by stage, with exactly the original's ids.

>>> import explorer
>>> tok = explorer.load("llama-2")
>>> tok.encode("What is LoRA?").pieces
['<s>', '▁What', '▁is', '▁Lo', 'RA', '?']
>>> tok.trace("What is LoRA?").stages[2].events[0]
MergeRow(kind=0, left=0, right=14, token=-1)
>>> explorer.compare("gpt-2", "gpt-2@llama.cpp", text="What is LoRA?").same
True
"""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from explorer.hooks import HOOKS
from explorer.version import __version__ as __version__


@cache
def _exported() -> dict[str, str]:
    """Every public name and the module it comes from, as `__init__.pyi` lists them for editors and type checkers."""
    stub = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    return {name: module for module, name in re.findall(r"^from ([\w.]+) import \w+ as (\w+)$", stub, re.MULTILINE)}


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for (PEP 562)."""
    if name == "__all__":
        return sorted(_exported())
    if name not in _exported():
        raise AttributeError(f"module 'explorer' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_exported()[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_exported(), "__all__"})


def _later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is first called."""

    def call(*args: object, **asked: object) -> Any:
        return getattr(import_module(module), name)(*args, **asked)

    return call


HOOKS["findings"] = _later("explorer.prompts.findings", "findings")
HOOKS["prompt_html"] = _later("explorer.views.prompt.tokens", "html")
HOOKS["show_prompt"] = _later("explorer.saved.explore", "show_prompt")
for _name in ("show_comparison", "show_training"):
    HOOKS[_name] = _later("explorer.answers.saved", _name)

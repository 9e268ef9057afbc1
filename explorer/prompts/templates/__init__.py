"""Chat templates of our own: the turns of well-known formats, and one for each trap. Their list is templates.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from explorer.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

MARK: Final = "ours:"
"""In front of the name of such a template where a model's own are named, too."""


@dataclass(frozen=True, slots=True)
class OwnTemplate:
    """A template of our own. tokens: special tokens that it names, where the tokenizer's files name none."""

    name: str
    title: str
    source: str
    tokens: Mapping[str, str]


@cache
def own_templates() -> Mapping[str, OwnTemplate]:
    """All of them, by name.

    >>> own_templates()["chatml"].title
    'ChatML'
    """
    folder = files(__name__)
    rows = tomllib.loads((folder / "templates.toml").read_text("utf-8"))
    return {
        name: OwnTemplate(name, row["title"], (folder / f"{name}.jinja").read_text("utf-8"), row.get("tokens", {}))
        for name, row in rows.items()
    }


def own_template(name: str) -> OwnTemplate:
    """The template of this name. Raises InputError."""
    name = name.removeprefix(MARK)
    if name not in own_templates():
        raise InputError(f"There is no template {name!r} here; there are {', '.join(own_templates())}.")
    return own_templates()[name]

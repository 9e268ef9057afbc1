"""Chat templates by name: those of our own, one for each trap, and the formats that are no template (`formats`).

Ours write the turns of well-known formats. Their list is templates.toml, that of the formats is formats.toml.
"""

from __future__ import annotations

import json
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
FORMAT: Final = "format:"
"""In front of the name of a format."""
MARKS: Final = (MARK, FORMAT)


@dataclass(frozen=True, slots=True)
class OwnTemplate:
    """A template of our own, or a format.

    tokens: special tokens that it names, where the tokenizer's files name none. Of a format: package, version, origin:
    whose code it follows, "" for a template; controls: the tokens that it writes, by their ids unless it `parses` text.
    """

    name: str
    title: str
    source: str
    tokens: Mapping[str, str]
    package: str = ""
    version: str = ""
    origin: str = ""
    controls: tuple[str, ...] = ()
    parses: bool = False

    @property
    def full_name(self) -> str:
        """The name where a model's own are named, too."""
        return f"{FORMAT if self.package else MARK}{self.name}"


@cache
def own_templates() -> Mapping[str, OwnTemplate]:
    """Those of our own, by name.

    >>> own_templates()["chatml"].title
    'ChatML'
    """
    return _listed("templates")


@cache
def formats() -> Mapping[str, OwnTemplate]:
    """The formats, by name.

    >>> formats()["mistral-v3"].full_name
    'format:mistral-v3'
    """
    return _listed("formats")


def _listed(name: str) -> Mapping[str, OwnTemplate]:
    folder = files("explorer.prompts") / name
    rows = tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
    listed = {}
    for name, row in rows.items():
        settings = [f"{{%- set {key} = {json.dumps(value)} -%}}\n" for key, value in row.get("settings", {}).items()]
        source = "".join(settings) + (folder / f"{row.get('file', name)}.jinja").read_text("utf-8")
        about = {key: row.get(key, "") for key in ("package", "version", "origin")}
        controls = tuple(row.get("controls", ()))
        listed[name] = OwnTemplate(
            name,
            row["title"],
            source,
            row.get("tokens", {}),
            **about,
            controls=controls,
            parses=row.get("parses", False),
        )
    return listed


def own_template(name: str) -> OwnTemplate:
    """The template or format of this name. Raises InputError."""
    among = formats() if name.startswith(FORMAT) else own_templates()
    bare = name.removeprefix(FORMAT).removeprefix(MARK)
    if bare not in among:
        raise InputError(f"There is no template {name!r} here; there are {', '.join(among)}.")
    return among[bare]

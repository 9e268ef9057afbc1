"""Chat templates by name: those of our own, one for each trap, and the formats that are no template (`formats`).

Ours write the turns of well-known formats. Their list is templates.toml, that of the formats is formats.toml.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from explorer.errors import InputError

MARK = "ours:"
"""In front of the name of such a template where a model's own are named, too."""
FORMAT = "format:"
"""In front of the name of a format."""
MARKS = (MARK, FORMAT)


@dataclass(frozen=True, slots=True)
class OwnTemplate:
    """A template of our own, or a format.

    tokens: special tokens that it names, where the tokenizer's files name none. Of a format: package, version, origin:
    whose code it follows, "" for a template; controls: the tokens that it writes, by their ids unless it `parses` text.
    """

    name: str
    title: str
    source: str
    tokens: Mapping[str, str] = field(default_factory=dict)
    package: str = ""
    version: str = ""
    origin: str = ""
    controls: Sequence[str] = ()
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


def _listed(kind: str) -> Mapping[str, OwnTemplate]:
    listed, folder = {}, files("explorer.prompts") / kind
    for name, row in tomllib.loads((folder / f"{kind}.toml").read_text("utf-8")).items():
        settings = [f"{{%- set {key} = {json.dumps(value)} -%}}\n" for key, value in row.pop("settings", {}).items()]
        source = (folder / f"{row.pop('file', name)}.jinja").read_text("utf-8")
        listed[name] = OwnTemplate(name=name, source="".join(settings) + source, **row)
    return listed


def own_template(name: str) -> OwnTemplate:
    """The template or format of this name. Raises InputError."""
    among = formats() if name.startswith(FORMAT) else own_templates()
    bare = name.removeprefix(FORMAT).removeprefix(MARK)
    if bare not in among:
        raise InputError(f"There is no template {name!r} here; there are {', '.join(among)}.")
    return among[bare]

"""Tables of classes: their arguments, and names of functions for what each does; v4.toml and v5.toml say their keys."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from explorer.implementations.transformers.backend import Token, named


class Row(Struct, frozen=True, kw_only=True):
    """The arguments of a class that its settings may omit, and the flags of special tokens that are plain strings."""

    names: str
    tokens: str = ""
    arguments: dict[str, Any] = {}
    null: tuple[str, ...] = ()
    flags: dict[str, dict[str, bool]] = {}

    def applied(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments with what they omit."""
        whole = {**named(self.tokens), **self.arguments, **dict.fromkeys(self.null), **values}
        for keys, flags in self.flags.items():
            whole |= {key: Token(whole[key], **flags) for key in keys.split() if isinstance(whole.get(key), str)}
        return whole


AnyRow = TypeVar("AnyRow", bound=Row)


def rows(file: str, key: str, kind: type[AnyRow]) -> dict[str, AnyRow]:
    """The rows of a table beside this module by each of their names."""
    whole = tomllib.loads(Path(__file__).with_name(file).read_text("utf-8"))
    read: list[AnyRow] = msgspec.convert(whole[key], list[kind])  # type: ignore[valid-type]
    return {name: row for row in read for name in row.names.split()}


def call(module: str, names: Iterable[str], *values: Any) -> None:
    """Calls functions by their names in a module, which may be those of a module that it imports."""
    for name in names:
        attrgetter(name)(sys.modules[module])(*values)

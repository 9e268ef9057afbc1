"""What a tokenizer is made of: the stages of its pipeline, and what turns ids back into bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, Protocol

from explorer.engine.items import Items
from explorer.engine.options import Options
from explorer.engine.trace import Emit, silent


class Part(Protocol):
    """One stage: items in, items out, a row for every decision."""

    @property
    def name(self) -> str: ...

    @property
    def row(self) -> Callable[..., Any]: ...

    @property
    def kinds(self) -> type[IntEnum]:
        """What the first field of a row may say."""

    def run(self, items: Items, options: Options, emit: Emit) -> Items: ...


class Decoder(Protocol):
    """Ids back to bytes, one entry an id."""

    @property
    def row(self) -> Callable[..., Any]: ...

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]: ...

    def alone(self, id: int) -> bytes:
        """The bytes of one token whatever its neighbours and its position: no space is added or stripped, a lone byte
        of a character stays that byte."""


def run_through(parts: Sequence[Part], items: Items, options: Options) -> Items:
    """The items after these stages, run in order without keeping their decisions."""
    for part in parts:
        items = part.run(items, options, silent)
    return items

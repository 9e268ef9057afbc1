"""The interfaces of a tokenizer's parts: the stages of its pipeline, its model among them, and its decoder.

A normalization, pre-tokenizer or post-processor offers nothing beyond `Part`. What normalizers and splitters have in
common lies beside them (`normalizers.stage.Normalizer`, `pre_tokenizers.stage.Splitter`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from enum import IntEnum
from typing import Any, Protocol, Self

from explorer.engine.items import Items
from explorer.engine.options import Options
from explorer.engine.trace import Emit, silent


class Part(Protocol):
    """One stage: items in, items out, an event for every decision."""

    @property
    def name(self) -> str:
        """The stage's name, such as "normalize" or "model"."""

    @property
    def row(self) -> Callable[..., Any]:
        """The NamedTuple type of its events."""

    @property
    def kinds(self) -> type[IntEnum]:
        """The enum of its events' first field."""

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items after this stage. Calls `emit` for every decision."""


class Aligned:
    """A part whose original gives other offsets than the spans of the text that a token was made of."""

    as_original = False
    """whether it aligns text as the original does"""

    def original(self) -> Self:
        """The same part, aligned as the original does."""
        made = copy(self)
        made.as_original = True
        return made


class Model(Part):
    """The stage that turns text into tokens. Models inherit from it; a model overrides the defaults it differs from.

    unknown: the id of the token for text without a piece; None where the model has none.
    priority: what merges sort by: the "score" of a piece, its position in a list of merges ("merge") or the "rank" of
    its bytes; None for a model that merges nothing.
    prefix: the spelling in front of a piece that continues a word, such as `##`.
    suffix: the spelling after a piece that ends a word, such as `</w>`.
    """

    name: str = "model"
    unknown: int | None = None
    priority: str | None = None
    prefix: bytes = b""
    suffix: bytes = b""


class Decoder(Protocol):
    """Turns ids into bytes, one entry per id."""

    @property
    def row(self) -> Callable[..., Any]:
        """The NamedTuple type of its events."""

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each id. Calls `emit` for every decision."""

    def alone(self, id: int) -> bytes:
        """The bytes of one token whatever its neighbors and position: no space is added or stripped, and a lone byte
        of a character stays that byte."""


def run_through(parts: Sequence[Part], items: Items, options: Options) -> Items:
    """The items after these stages, run in order without events."""
    for part in parts:
        items = part.run(items, options, silent)
    return items

"""The interfaces of a tokenizer's parts: the stages of its pipeline, its model among them, and its decoder.

All of them get the `Options` of the call, named as in llama.cpp. A normalization, pre-tokenizer or post-processor
offers nothing beyond `Part`. What normalizers and splitters have in common lies beside them
(`normalizers.stage.Normalizer`, `pre_tokenizers.stage.Splitter`).

Also the errors of models for text without pieces where there is no unknown token: the original stops there, and so does
this. A file may name an unknown token that its model does not have. The original opens it and runs until such a token
is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, Self

from explorer.engine.budget import MODEL
from explorer.engine.items import Emit, Item, Items, Segment, silent, tokenized
from explorer.errors import InputError, shown
from explorer.vocabulary import Vocabulary


class Options(NamedTuple):
    """The options of a call.

    add_special: add the tokens the model wants around a text (BOS, EOS, CLS, …).
    parse_special: turn the spelling of a special token in the text into that token.
    """

    add_special: bool = True
    parse_special: bool = True


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


class BySegment(Part):
    """A part that does each segment by itself; tokens pass through. what: its name in errors."""

    what: str = MODEL

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment turned into others."""
        return tokenized(items, lambda segment, index: self.items_of(segment, index, emit), self.what)

    def items_of(self, segment: Segment, index: int, emit: Emit) -> Sequence[Item]:
        """What becomes of one segment. index: of the segment among the stage's items, for the trace."""
        raise NotImplementedError("a part has `items_of`, or another `run`")


class Model(BySegment):
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

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, ids: Mapping[bytes, int] | None = None) -> None:
        """ids: the pieces the model may make, by default the whole vocabulary. Raises InputError as `in_vocabulary`."""
        self.vocabulary, self.unknown = vocabulary, in_vocabulary(vocabulary, unknown)
        self.ids = vocabulary.ids if ids is None else ids


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


def in_vocabulary(vocabulary: Vocabulary, unknown: int | None) -> int | None:
    """The id of the unknown token, unchanged. Raises InputError for one that is not in the vocabulary.

    >>> in_vocabulary(Vocabulary.of([b"<unk>"]), 1)
    Traceback (most recent call last):
    explorer.errors.InputError: the unknown token 1 is not in this vocabulary of 1; repair the file
    """
    if unknown is not None and not 0 <= unknown < len(vocabulary):
        raise InputError(f"the unknown token {unknown} is not in this vocabulary of {len(vocabulary)}; repair the file")
    return unknown


def needed(unknown: int | None, of: Segment) -> int:
    """The unknown token for a text. Raises InputError if it is missing.

    >>> needed(None, Segment.of("xy", 4))
    Traceback (most recent call last):
    explorer.errors.InputError: character 5: the model has no pieces for 'xy' and no unknown token; remove it
    """
    if unknown is None:
        raise missing(of.text, of.starts[0])
    return unknown


def missing(text: str, at: int | None = None) -> InputError:
    """The error for a text without pieces. at: the index of its first character, if known."""
    where = "" if at is None else f"character {at + 1}: "
    return InputError(f"{where}the model has no pieces for {shown(text)} and no unknown token; remove it")

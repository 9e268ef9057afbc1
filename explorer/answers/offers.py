"""A tokenizer that may be chosen: bundled, a file of the server's, or a file somebody dropped; to a page all alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import NamedTuple, Protocol

import explorer
from explorer.analysis.card import about
from explorer.answers.drop_groups import Group
from explorer.engine.pre_tokenizers.custom_pattern import with_pattern
from explorer.engine.tokenizer import Tokenizer
from explorer.opening.formats import Choices


class Origin(StrEnum):
    """Where a tokenizer comes from, in a person's words."""

    BUNDLED = "comes with the explorer"
    SERVER = "a file of this server"
    UPLOAD = "yours: it lives in this session and nobody else sees it"


class Opener(Protocol):
    """Makes a tokenizer. Raises InputError, ChoiceNeeded. Plain data, so that another process can be told of it."""

    def __call__(self, implementation: str, choices: Choices) -> Tokenizer: ...


@dataclass(frozen=True, eq=False)
class Offer:
    """label: its name in the list and in the address. key: names these very contents; two offers of one key are equal.

    implementations: who can run it, the default first. about: what its card says of the file. files: of one that was
    dropped.
    """

    label: str
    key: str
    origin: Origin
    format: str
    bytes: int
    implementations: tuple[str, ...]
    about: tuple[tuple[str, str], ...]
    open: Opener = field(repr=False)
    files: Group = field(default=(), repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Offer) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class Run(NamedTuple):
    """An offer, run as an implementation, with what was chosen for it and perhaps a pattern of the person's own."""

    offer: Offer
    implementation: str
    choices: tuple[tuple[str, str], ...] = ()
    pattern: str | None = None
    which: int = 0
    """The number of the pattern it stands in for, from 0."""

    @property
    def private(self) -> bool:
        """Whether it belongs to one session: nothing of it may be kept where another one looks."""
        return self.strange or bool(self.choices)

    @property
    def strange(self) -> bool:
        """Whether what runs is a visitor's: a file that was dropped, a pattern that was typed."""
        return self.offer.origin is Origin.UPLOAD or self.pattern is not None

    @property
    def original(self) -> Run:
        """The same without the person's pattern."""
        return self._replace(pattern=None, which=0)

    def open(self) -> Tokenizer:
        """The tokenizer, under its own patterns."""
        return self.offer.open(self.implementation, dict(self.choices))

    def patterned(self, tokenizer: Tokenizer) -> Tokenizer:
        """That tokenizer under the person's pattern, if there is one. Raises PatternError."""
        return tokenizer if self.pattern is None else with_pattern(tokenizer, self.pattern, self.which)


class Bundled(NamedTuple):
    """Opens a model of the catalogue."""

    name: str

    def __call__(self, implementation: str, choices: Choices) -> Tokenizer:
        return explorer.load(self.name, implementation, **choices)


@cache
def bundled() -> Mapping[str, Offer]:
    """The catalogue's models by label."""

    def offer(model: explorer.Model) -> Offer:
        facts = about(model.name)
        return Offer(
            model.name, f"bundled {model.name}", Origin.BUNDLED, dict(facts)["format"], model.path.stat().st_size,
            model.implementations, facts, Bundled(model.name),
        )  # fmt: skip

    return MappingProxyType({model.name: offer(model) for model in explorer.catalog().values()})

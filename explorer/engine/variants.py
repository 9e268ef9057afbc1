"""A tokenizer's settings as switches: what it would be with one of them the other way round.

Whoever makes a tokenizer of files with settings knows how to make it again; nothing is opened before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.engine.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class Variant:
    """A setting that is on or off. said: a file says so. says: where it stands so. make: the tokenizer with it the
    other way round."""

    name: str
    on: bool
    said: bool
    says: str
    make: Callable[[], Tokenizer]

    @cached_property
    def flipped(self) -> Tokenizer:
        """The tokenizer with the setting flipped, made once."""
        return self.make()


class Variants:
    """The settings of a tokenizer that make a difference to it. find: finds them, when somebody asks, and the names of
    those that a file says something of without any difference."""

    def __init__(self, find: Callable[[], tuple[Iterable[Variant], Iterable[str]]] = lambda: ((), ())) -> None:
        self._find = find

    @cached_property
    def _found(self) -> tuple[tuple[Variant, ...], tuple[str, ...]]:
        variants, idle = self._find()
        return tuple(variants), tuple(idle)

    @property
    def all(self) -> tuple[Variant, ...]:
        """Every one of them, in their order."""
        return self._found[0]

    @property
    def idle(self) -> tuple[str, ...]:
        """Settings that a file says something of, and nobody reads."""
        return self._found[1]

    def named(self, names: Iterable[str]) -> tuple[Variant, ...]:
        """Those of these names."""
        wanted = set(names)
        return tuple(each for each in self.all if each.name in wanted)

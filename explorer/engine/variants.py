"""A tokenizer's settings as switches: the tokenizer with one of them flipped.

The code that makes a tokenizer of files with settings can make it again; nothing is opened before it is needed.
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
    """A setting that is on or off.

    said: a file sets it. says: where, for people. make: the tokenizer with the setting flipped.
    """

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
    """The settings that affect a tokenizer.

    find: returns them on first access, with the names of settings that a file sets without any effect.
    """

    def __init__(self, find: Callable[[], tuple[Iterable[Variant], Iterable[str]]] = lambda: ((), ())) -> None:
        self._find = find

    @cached_property
    def _found(self) -> tuple[tuple[Variant, ...], tuple[str, ...]]:
        variants, idle = self._find()
        return tuple(variants), tuple(idle)

    @property
    def all(self) -> tuple[Variant, ...]:
        """All of them, in order."""
        return self._found[0]

    @property
    def idle(self) -> tuple[str, ...]:
        """Settings in a file that have no effect."""
        return self._found[1]

    def named(self, names: Iterable[str]) -> tuple[Variant, ...]:
        """Those with these names."""
        wanted = set(names)
        return tuple(each for each in self.all if each.name in wanted)

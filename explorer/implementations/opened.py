"""An opened tokenizer: an encoder with the contents of its file, its origin, and what can be chosen or switched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from explorer.engine.tokenizer import Tokenizer
from explorer.facts import WARNING, Choosable, Fact
from explorer.formats.model_folder import ChatTemplates
from explorer.origin import Origin, TypedPattern


@dataclass(frozen=True, eq=False, repr=False)
class Opened(Tokenizer):
    """A tokenizer with what is known about it.

    facts: the contents of its file, for people. origin: that file, and the choices made for it. choosable: the choices
    there are when it is opened. variants: its settings as switches. find_chat: finds its chat templates.

    >>> import explorer
    >>> explorer.load("llama-2").origin.files[0].name
    'ggml-vocab-llama-spm.gguf'
    """

    facts: tuple[Fact, ...] = ()
    origin: Origin = field(default_factory=Origin)
    choosable: tuple[Choosable, ...] = ()
    variants: Variants = field(default_factory=lambda: Variants())
    find_chat: Callable[[], ChatTemplates] = ChatTemplates

    @cached_property
    def chat(self) -> ChatTemplates:
        """The chat templates in its files, read when they are first asked for."""
        return self.find_chat()


@dataclass(frozen=True, eq=False)
class Variant:
    """A setting that is on or off.

    said: a file sets it. says: where, for people. make: the tokenizer with the setting flipped. removed: flipping it
    leaves the key out; it has no value that is the opposite.
    """

    name: str
    on: bool
    said: bool
    says: str
    make: Callable[[], Opened]
    removed: bool = False

    @cached_property
    def flipped(self) -> Opened:
        """The tokenizer with the setting flipped, made once."""
        return self.make()


class Variants:
    """The settings that affect a tokenizer. The code that opens a folder can open it again with one of them flipped.

    find: returns them on first access, with the names of settings that a file sets without any effect. own: a
    variant for each choice of the parts that a class has instead of those of its file, the smallest first; no one can
    switch them.
    """

    def __init__(
        self,
        find: Callable[[], tuple[Iterable[Variant], Iterable[str]]] = lambda: ((), ()),
        own: Iterable[Variant] = (),
    ) -> None:
        self._find, self.own = find, tuple(own)

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


def with_pattern(tokenizer: Opened, pattern: str, which: int = 0) -> Opened:
    """The tokenizer with one of its patterns replaced, and a fact that says so. Shares the rest with the original one.

    which: index among `pattern_slots`. Raises PatternError and InputError as `parts_with_pattern` does.

    >>> import explorer
    >>> with_pattern(explorer.load("gpt-2"), r"\\w|\\W").encode("It is").pieces
    ['I', 't', 'Ġ', 'i', 's']
    """
    # regular expressions are loaded by those who type one
    from explorer.engine.pre_tokenizers.custom_pattern import parts_with_pattern

    fact = Fact(
        "pre-tokenizer",
        "A typed pattern replaces the one below. It isn't the model's own, so the ids won't match the original's.",
        code=pattern,
        kind=WARNING,
    )
    number, origin = which + 1, tokenizer.origin
    others = (each for each in origin.patterns if each.number != number)
    patterns = tuple(sorted((*others, TypedPattern(number, pattern))))
    return replace(
        tokenizer,
        parts=parts_with_pattern(tokenizer, pattern, which),
        facts=(fact, *tokenizer.facts),
        origin=replace(origin, patterns=patterns),
    )

"""An opened tokenizer: an encoder with the contents of its file, its origin, and what can be chosen or switched.

A tokenizer of a whole folder gets facts about the files next to its vocabulary: which ones are used, and how many rows
the model has. An implementation that reads the settings reports so in facts whose place begins with the file's name;
the other files are reported here as unused.

switches.toml says what the two switches of a call, `add_special` and `parse_special`, mean for each original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from explorer.engine.tokenizer import Tokenizer
from explorer.facts import UNUSED, WARNING, Choosable, Fact
from explorer.formats.files import CONFIG, TEMPLATES, TOKENIZER_CONFIG
from explorer.formats.model_folder import ChatTemplates, Settings
from explorer.origin import Origin, TypedPattern
from explorer.text.say import plural
from explorer.vocabulary import PieceKind

if TYPE_CHECKING:
    from explorer.engine.pre_tokenizers.custom_pattern import PatternSlot


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

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of its card, each with its location in the file.

        >>> import explorer
        >>> explorer.load("gpt-2").warnings, len(explorer.load("bert-uncased").warnings)
        ((), 2)
        """
        warned = (fact for fact in self.facts if fact.kind == WARNING)
        return tuple(f"{fact.says} [{fact.place}]" if fact.place else fact.says for fact in warned)

    @cached_property
    def pattern_slots(self) -> tuple[PatternSlot, ...]:
        """The patterns that split a text, in the order they are applied.

        >>> import explorer
        >>> [slot.regex for slot in explorer.load("gpt-2").pattern_slots]
        ["'s|'t|'re|'ve|'m|'ll|'d| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|\\\\s+"]
        >>> explorer.load("llama-2").pattern_slots
        ()
        """
        from explorer.engine.pre_tokenizers.custom_pattern import slots_of

        return slots_of(self.parts)


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
        parts=parts_with_pattern(tokenizer, tokenizer.pattern_slots, pattern, which),
        facts=(fact, *tokenizer.facts),
        origin=origin._replace(patterns=patterns),
    )


TOPIC = "settings"


def with_settings(tokenizer: Opened, settings: Settings, main: str, others: Iterable[str]) -> Opened:
    """The tokenizer with facts about the files next to it.

    main: the file with the vocabulary that was read. others: vocabularies next to it that were not read.
    """
    return replace(tokenizer, facts=(*tokenizer.facts, *_facts(tokenizer, settings, main, others)))


def _facts(tokenizer: Opened, settings: Settings, main: str, others: Iterable[str]) -> Iterator[Fact]:
    """The facts about a folder's files, the same for every implementation."""
    yield from _rows(tokenizer, settings)
    for name in others:
        yield Fact(TOPIC, f"It is not read: the vocabulary is that of {main}.", name, kind=UNUSED)
    said = {fact.place.partition(":")[0] for fact in tokenizer.facts}
    for name in settings.present:
        of_model = settings.rows is not None or tokenizer.implementation.startswith("transformers")
        if name in said or (name == CONFIG and of_model):  # transformers takes the class from it
            continue
        says = f"{tokenizer.implementation} does not read it."
        if name in TEMPLATES:
            says = "A chat template makes the text to be tokenized; it is not part of the tokenizer."
        yield Fact(TOPIC, says, name, kind=UNUSED)
    if (settings.tokenizer or {}).get("chat_template") is not None:
        says = "The chat template makes the text to be tokenized; it is not part of the tokenizer."
        yield Fact(TOPIC, says, f"{TOKENIZER_CONFIG}: chat_template", kind=UNUSED)
    for name, whole in ((TOKENIZER_CONFIG, settings.tokenizer), (CONFIG, settings.config)):
        if (whole or {}).get("auto_map"):
            says = "auto_map names the model's own code. It is never run here."
            yield Fact(TOPIC, says, f"{name}: auto_map", kind=UNUSED)


def _rows(tokenizer: Opened, settings: Settings) -> Iterator[Fact]:
    """The rows of the model's embedding, compared with the ids of the tokenizer."""
    if settings.rows is None:
        return
    count, key = settings.rows
    known = [id for id, kind in enumerate(tokenizer.vocabulary.kinds) if kind != PieceKind.UNDEFINED]
    ids = known[-1] + 1 if known else 0
    place = f"{CONFIG}: {key}"
    # a count has separators, an id has none
    says = f"The model has {plural(count, 'row')} for tokens, but ids go up to {ids - 1}: "
    if count < ids:
        lost = [id for id in known if id >= count]
        which = f"token {lost[0]} has" if len(lost) == 1 else f"{plural(len(lost), 'token')} from id {lost[0]} on have"
        says += f"{which} no row. A text with {'it' if len(lost) == 1 else 'one of them'} makes the model fail."
        yield Fact(TOPIC, says, place, kind=WARNING)
    elif count > ids:
        spare = count - ids
        which = f"row {ids} has" if spare == 1 else f"{plural(spare, 'row')} from {ids} on have"
        pads = "it only pads" if spare == 1 else "they only pad"
        yield Fact(TOPIC, f"{says}{which} no token. Often {pads} to a round number.", place, kind=WARNING)
    else:
        yield Fact(TOPIC, f"The model has {count:,} rows for tokens: one for each id.", place)

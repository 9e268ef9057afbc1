"""The patterns of a tokenizer, and a typed one in place of one of them.

A typed pattern is checked before it runs; what is
wrong with it is a `PatternError` naming the character. It is read in the dialect of the pattern it replaces: Oniguruma
where Hugging Face would run it, fancy-regex where tiktoken would, otherwise the `regex` module's.

Left out: tokenizers that do not split text by a pattern, and splitters without one (single digits, bytes).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import regex

from explorer.engine.part import Part
from explorer.engine.pre_tokenizers.by_regex import FancyRegexSplit, PreTokenization, RegexSplit, Splitter
from explorer.engine.pre_tokenizers.huggingface import OnigurumaSplit
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, MOST_ALTERNATIVES, few
from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.regexes import oniguruma
from explorer.engine.regexes.safe import Alternative, Pattern, PatternError, compiled, cut
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError

BY_NUMBER = re.compile(r"\\(?:\\|[1-9]|g<\d)|\(\?\([+-]?\d")
"""A reference to a group by its number, or an escaped backslash."""


READERS: Mapping[type, str] = {
    OnigurumaSplit: "Hugging Face's Oniguruma",
    FancyRegexSplit: "tiktoken's fancy-regex",
}
"""The class of a splitter → the program that reads its pattern, if not Python's `regex` module."""


class PatternSlot(NamedTuple):
    """A splitter whose pattern may be replaced.

    part: index of the tokenizer's part. splitter: index within the part. regex: its pattern. reader: the program in
    whose dialect it is.
    """

    part: int
    splitter: int
    regex: str
    reader: str

    @property
    def oniguruma(self) -> bool:
        """Whether Oniguruma reads it."""
        return self.reader == READERS[OnigurumaSplit]


def slots_of(parts: Iterable[Part]) -> tuple[PatternSlot, ...]:
    """The patterns of a tokenizer's parts, in the order they are applied."""

    def found() -> Iterator[PatternSlot]:
        for index, part in enumerate(parts):
            for at, splitter in enumerate(part.splitters if isinstance(part, PreTokenization) else ()):
                if isinstance(splitter, (RegexSplit, ScannerSplit)):
                    # a literal text (String) has to be escaped to be a pattern
                    plain = isinstance(splitter, RegexSplit) and splitter.pattern.name == "text"
                    shown = "|".join(each.runs if plain else each.regex for each in splitter.alternatives)
                    yield PatternSlot(index, at, shown, READERS.get(type(splitter), "Python's regex module"))

    return tuple(found())


def parts_with_pattern(
    tokenizer: Tokenizer, known: Sequence[PatternSlot], pattern: str, which: int
) -> tuple[Part, ...]:
    """The parts of a tokenizer with one of its patterns replaced.

    known: its patterns. which: index among them. Raises PatternError for a pattern that cannot be used, InputError if
    the tokenizer has no such pattern.
    """
    if not 0 <= which < len(known):
        if not known:
            raise InputError(f"{tokenizer.name} does not split by a pattern, so none can be replaced; choose another")
        raise InputError(f"{tokenizer.name}: pattern number {which + 1} does not exist; choose 1 to {len(known)}")
    slot = known[which]
    part = tokenizer.parts[slot.part]
    assert isinstance(part, PreTokenization), "slots_of() looks nowhere else"
    splitters = list(part.splitters)
    splitters[slot.splitter] = _splitter_like(splitters[slot.splitter], pattern)
    parts = list(tokenizer.parts)
    parts[slot.part] = PreTokenization(splitters)
    return tuple(parts)


def _splitter_like(replaced: Splitter, pattern: str) -> Splitter:
    """A splitter by another pattern, in the dialect and with the behavior of the one it replaces."""
    for kind, read in DIALECTS.items():
        if isinstance(replaced, kind):
            return kind(read(pattern), replaced.behavior, invert=replaced.invert)
    return RegexSplit(typed_pattern(pattern))


def oniguruma_pattern(text: str) -> Pattern:
    """A typed pattern in Oniguruma's dialect.

    >>> [each.runs for each in oniguruma_pattern("a$|b").alternatives]
    ['a(?=\\\\n|\\\\Z)', 'b']
    """
    return _translated(oniguruma.alternatives(text))


def fancy_pattern(text: str) -> Pattern:
    """A typed pattern in the dialect of fancy-regex; a known pattern has its sentences.

    >>> [each.runs for each in fancy_pattern(r"[a-z&&[^x]]+|\\H").alternatives]
    ['(?:(?=[\\\\x00-wy-\\U0010ffff])[a-z])+', '[^0-9A-Fa-f]']
    """
    if known := BY_REGEX.get(text):
        return known
    from explorer.engine.regexes import fancy

    return _translated(fancy.alternatives(text))


def _translated(alternatives: Sequence[Alternative]) -> Pattern:
    """The pattern of translated alternatives."""
    return Pattern("typed", "typed by hand", few(alternatives), nested_sets=True)


def typed_pattern(text: str) -> Pattern:
    """A typed pattern, split at its top-level `|` if that means the same; a known pattern has its sentences.

    >>> [each.regex for each in typed_pattern("a+|[|]").alternatives]
    ['a+', '[|]']
    """
    whole = compiled(text)
    if known := BY_REGEX.get(text):
        return known
    if whole.groups:
        # the alternatives become groups themselves, which shifts the numbers of all others
        for found in BY_NUMBER.finditer(text):
            if found[0] != "\\\\":
                raise PatternError(found.start(), "this refers to a group by number; use a name, as in (?P<x>a)(?P=x)")
    parts = cut(text)
    if len(parts) > MOST_ALTERNATIVES:
        parts = [text]
    alternatives = [Alternative(part, "") for part in parts]
    if whole.flags != compiled("").flags or not all(_compiles(each.regex) for each in alternatives):
        # a flag applies to everything after it; a | in a comment or a set does not separate alternatives
        alternatives = [Alternative(text, "", f"{text}\n" if whole.flags & regex.VERBOSE else "")]
    return Pattern("typed", "typed by hand", tuple(alternatives))


def _compiles(part: str) -> bool:
    with suppress(PatternError):
        compiled(part)
        return True
    return False


DIALECTS: Mapping[type[RegexSplit], Callable[[str], Pattern]] = {
    OnigurumaSplit: oniguruma_pattern,
    FancyRegexSplit: fancy_pattern,
    RegexSplit: typed_pattern,
}
"""The class of a splitter → how its pattern is read. The last one is the class of all of them."""

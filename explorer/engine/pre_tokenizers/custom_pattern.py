"""A tokenizer with another pattern: one splitter of its pre-tokenizer replaced, all else as it was.

What its ids are then is no original's business, and a fact of the new tokenizer says so. A pattern that somebody
typed is checked here before it runs, and what is wrong with it is a `PatternError` with the place. It is read as the
one it stands in for: as Oniguruma reads it where Hugging Face would run it, else by the `regex` module's rules.

Left out: tokenizers whose text is not cut by a pattern, and splitters that are no pattern (single digits, bytes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import regex

from explorer.engine.pre_tokenizers.by_regex import RegexSplit
from explorer.engine.pre_tokenizers.by_scanner import ScannerSplit
from explorer.engine.pre_tokenizers.huggingface import OnigurumaSplit
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, MOST_ALTERNATIVES, few
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.engine.regexes import oniguruma
from explorer.engine.regexes.pattern import Alternative, Pattern, cut
from explorer.engine.regexes.safe import PatternError, compiled
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.facts import Fact, FactKind
from explorer.origin import TypedPattern

BY_NUMBER = re.compile(r"\\(?:\\|[1-9]|g<\d)|\(\?\([+-]?\d")
"""What refers to a group by its number, and a backslash that stands for itself."""

SENTENCES = {each.regex: each.says for pattern in BY_REGEX.values() for each in pattern.alternatives}


class Place(NamedTuple):
    """A splitter whose pattern may be replaced: which part of the tokenizer, which splitter of it, its pattern.

    oniguruma: whether the pattern is read as Oniguruma reads it.
    """

    part: int
    splitter: int
    regex: str
    oniguruma: bool


def places(tokenizer: Tokenizer) -> tuple[Place, ...]:
    """The patterns of a tokenizer, in the order they are applied.

    >>> import explorer
    >>> [place.regex for place in places(explorer.load("gpt-2"))]
    ["'s|'t|'re|'ve|'m|'ll|'d| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|\\\\s+"]
    >>> places(explorer.load("llama-2"))
    ()
    """

    def found() -> Iterator[Place]:
        for number, part in enumerate(tokenizer.parts):
            for at, splitter in enumerate(part.splitters if isinstance(part, PreTokenization) else ()):
                if isinstance(splitter, (RegexSplit, ScannerSplit)):
                    # a text that is looked for as it is (String) means itself only when it is spelled so
                    plain = isinstance(splitter, RegexSplit) and splitter.pattern.name == "text"
                    shown = "|".join(each.runs if plain else each.regex for each in splitter.alternatives)
                    yield Place(number, at, shown, isinstance(splitter, OnigurumaSplit))

    return tuple(found())


def with_pattern(tokenizer: Tokenizer, pattern: str, which: int = 0) -> Tokenizer:
    """The tokenizer with one of its patterns replaced. It shares everything else with the one given.

    which: the number of the pattern among `places`. Raises PatternError for a pattern that cannot be used, InputError
    where there is none to replace.

    >>> import explorer
    >>> with_pattern(explorer.load("gpt-2"), r"\\w|\\W").encode("It is").pieces
    ['I', 't', 'Ġ', 'i', 's']
    """
    known = places(tokenizer)
    if not 0 <= which < len(known):
        if not known:
            raise InputError(f"{tokenizer.name} cuts no text by a pattern, so there is none to replace; choose another")
        raise InputError(f"{tokenizer.name} has {len(known)} patterns and none is number {which + 1}; choose another")
    place = known[which]
    part = tokenizer.parts[place.part]
    assert isinstance(part, PreTokenization), "places() looks nowhere else"
    before = part.splitters[place.splitter]
    mine: RegexSplit
    if isinstance(before, OnigurumaSplit):
        mine = OnigurumaSplit(as_oniguruma(pattern), before.behavior, invert=before.invert)
    elif isinstance(before, RegexSplit):
        mine = RegexSplit(typed_pattern(pattern), before.behavior, invert=before.invert)
    else:
        mine = RegexSplit(typed_pattern(pattern))
    splitters = [*part.splitters[: place.splitter], mine, *part.splitters[place.splitter + 1 :]]
    parts = [*tokenizer.parts[: place.part], PreTokenization(splitters), *tokenizer.parts[place.part + 1 :]]
    fact = Fact(
        "pre-tokenizer",
        "A pattern that was typed stands in for the one below: the ids are those of no original.",
        code=pattern,
        kind=FactKind.WARNING,
    )
    number, origin = which + 1, tokenizer.origin
    others = (each for each in origin.patterns if each.number != number)
    patterns = tuple(sorted((*others, TypedPattern(number, pattern))))
    return replace(
        tokenizer,
        parts=tuple(parts),
        facts=(fact, *tokenizer.facts),
        origin=replace(origin, patterns=patterns),
    )


def as_oniguruma(text: str) -> Pattern:
    """What somebody typed, as Oniguruma reads it.

    >>> [each.runs for each in as_oniguruma("a$|b").alternatives]
    ['a(?=\\\\n|\\\\Z)', 'b']
    """
    found = (each._replace(says=SENTENCES.get(each.regex, "")) for each in oniguruma.alternatives(text))
    return Pattern("typed", "typed by hand", few(tuple(found)), nested_sets=True)


def typed_pattern(text: str) -> Pattern:
    """What somebody typed, cut at its top-level `|` where that means the same; a known pattern with its sentences.

    >>> [each.regex for each in typed_pattern("a+|[|]").alternatives]
    ['a+', '[|]']
    """
    whole = compiled(text)
    if text in BY_REGEX:
        return BY_REGEX[text]
    if whole.groups:
        # the alternatives become groups themselves, which counts all others one up
        for found in BY_NUMBER.finditer(text):
            if found[0] != "\\\\":
                raise PatternError(
                    found.start(), "a group is named by its number; call it by a name, as in (?P<x>a)(?P=x)"
                )
    parts = cut(text)
    if len(parts) > MOST_ALTERNATIVES:
        parts = [text]
    alternatives = [Alternative(part, "") for part in parts]
    if whole.flags != compiled("").flags or not all(stands_alone(each.regex) for each in alternatives):
        # a flag holds for all that follows; a comment or a set may hold a | that separates nothing
        alternatives = [Alternative(text, "", f"{text}\n" if whole.flags & regex.VERBOSE else "")]
    return Pattern("typed", "typed by hand", tuple(alternatives))


def stands_alone(part: str) -> bool:
    try:
        compiled(part)
    except PatternError:
        return False
    return True

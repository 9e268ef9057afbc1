"""The difference between two pre-tokenizer patterns, alternative by alternative, with texts that tell them apart.

Both patterns cut the same small texts, the shortest first: all texts of up to three characters of `ALPHABET`, then
longer ones of one or two runs of equal characters. Where the pieces of a text differ for the first time, one
alternative of each pattern took them; the first text found for such a pair of alternatives shows their difference. The
search always finds the same texts in the same order. Texts outside it are not tried: a pattern that differs only at a
character that no other of its class represents, or at a longer run, seems equal here.

Patterns run as their originals run them: llama.cpp's by its scanner, or on the collapsed text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from typing import NamedTuple

from explorer.engine.pre_tokenizers import patterns, patterns_llama_cpp
from explorer.engine.pre_tokenizers.by_regex import (
    AlternativeMatch,
    CollapsedSplit,
    PreTokenization,
    RegexSplit,
    matches_and_gaps,
)
from explorer.engine.pre_tokenizers.scanners import ScannerSplit, scanner_of
from explorer.engine.regexes.safe import Alternative, Pattern
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text import visible
from explorer.text.say import Text, in_a_row, plural

ALPHABET = "a1 !'sAS\n\r\t/$é漢ー한\u0301ſ３²_.-😀\u00a0"
"""One or more characters of every class that a known pattern names, the most common first."""

LONGEST_OF_ALL = 3
"""Characters of the longest texts of any characters."""
LONGEST_RUNS = 6
"""Characters of the longest texts of one or two runs."""
MOST_TEXTS = 3
"""Texts shown for one alternative."""

KNOWN: Mapping[str, Pattern] = {**patterns.PATTERNS, **patterns_llama_cpp.PATTERNS}
"""All patterns that can be compared, by name."""


class ShortText(NamedTuple):
    """A text that two patterns cut differently: their pieces, and the alternatives that took the first that differ.

    -1 for an alternative: text between two matches.
    """

    text: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    left_alternative: int
    right_alternative: int


class Side(NamedTuple):
    """A pattern as its original runs it. matches: from a text to what it matches, from the left."""

    alternatives: tuple[Alternative, ...]
    matches: Callable[[str], Iterable[AlternativeMatch]]


class AlternativePair(NamedTuple):
    """An alternative of each pattern; None where one has no counterpart. texts: where it cuts differently."""

    left: int | None
    right: int | None
    same: bool
    texts: tuple[ShortText, ...]


class PatternDifference(NamedTuple):
    """What differs between two patterns. left, right: their alternatives. searched: how many texts were cut."""

    left: tuple[Alternative, ...]
    right: tuple[Alternative, ...]
    pairs: tuple[AlternativePair, ...]
    searched: int

    @property
    def different(self) -> int:
        """How many pairs of alternatives are not spelled alike."""
        return sum(not pair.same for pair in self.pairs)


def known_pattern(name: str) -> Pattern:
    """A pattern by its name. Raises InputError.

    >>> known_pattern("qwen-2").alternatives[2].regex
    '\\\\p{N}'
    """
    if name not in KNOWN:
        raise InputError(f"no pattern is called {name!r}; choose one of {', '.join(KNOWN)}")
    return KNOWN[name]


def name_of(regex: str) -> str | None:
    """The name of the pattern that is spelled like this, as a file or a scanner has it; None for an unknown one.

    The scanner for GPT-2 is spelled as its pattern is, and is found by that name.

    >>> name_of(patterns.QWEN2.regex), name_of("a|b")
    ('qwen-2', None)
    """
    for name, pattern in KNOWN.items():
        scanner = scanner_of(pattern)
        if regex == pattern.regex or (scanner and regex == "|".join(each.regex for each in scanner.alternatives)):
            return name
    return None


def known_side(pattern: Pattern) -> Side:
    """One of the known patterns as it runs; llama.cpp's by its scanner, or on the collapsed text."""
    if pattern.name not in patterns_llama_cpp.PATTERNS:
        return side_of(RegexSplit(pattern))
    scanner = scanner_of(pattern)
    return side_of(ScannerSplit(scanner) if scanner else CollapsedSplit(pattern))


def side_of(splitter: RegexSplit | ScannerSplit | CollapsedSplit) -> Side:
    """The pattern of a splitter."""
    scans = isinstance(splitter, ScannerSplit)
    return Side(tuple(splitter.alternatives), splitter.scanner.scan if scans else splitter.matches)  # type: ignore[union-attr]


def sides_of(tokenizer: Opened) -> tuple[Side, ...]:
    """The patterns of a tokenizer, in the order they are applied. What is done with the matches is left out.

    >>> import explorer
    >>> [len(side.alternatives) for side in sides_of(explorer.load("gpt-2"))], sides_of(explorer.load("llama-2"))
    ([6], ())
    """
    stages = (part for part in tokenizer.parts if isinstance(part, PreTokenization))
    splitters = (splitter for part in stages for splitter in part.splitters)
    return tuple(side_of(one) for one in splitters if isinstance(one, RegexSplit | ScannerSplit | CollapsedSplit))


def name_of_side(side: Side) -> str | None:
    """The name of the pattern that is spelled like this; None for an unknown one."""
    return name_of("|".join(each.regex for each in side.alternatives))


@cache
def searched_texts() -> tuple[str, ...]:
    """The texts of the search, the shortest first.

    >>> searched_texts()[:3], len(searched_texts()[-1])
    (('a', '1', ' '), 6)
    """
    found: dict[str, None] = {}
    for size in range(1, LONGEST_OF_ALL + 1):
        found.update((("".join(each), None)) for each in product(ALPHABET, repeat=size))
    for size in range(LONGEST_OF_ALL + 1, LONGEST_RUNS + 1):
        for one, other in product(ALPHABET, repeat=2):
            found.update((one * first + other * (size - first), None) for first in range(size, 0, -1))
    return tuple(found)


def most_alike(one: list[str], ours: range, other: list[str], theirs: range) -> list[tuple[int | None, int | None]]:
    """Indices of a longer list, each beside the one of a shorter list that is spelled most alike, in order.

    >>> most_alike(["a+", "x", "b+"], range(3), ["a", "b"], range(2))
    [(0, 0), (1, None), (2, 1)]
    """
    likeness = {(i, j): SequenceMatcher(None, one[i], other[j]).ratio() for i in ours for j in theirs}
    best: dict[tuple[int, int], float] = {}
    """what the rest from an index of each list on adds up to, at most"""
    for i in range(ours.stop, ours.start - 1, -1):
        for j in range(theirs.stop, theirs.start - 1, -1):
            if j == theirs.stop:
                best[i, j] = 0.0
            elif ours.stop - i >= theirs.stop - j:
                best[i, j] = max(likeness[i, j] + best[i + 1, j + 1], best.get((i + 1, j), -1.0))
    found: list[tuple[int | None, int | None]] = []
    j = theirs.start
    for i in ours:
        beside = j < theirs.stop and likeness[i, j] + best[i + 1, j + 1] >= best.get((i + 1, j), -1.0)
        found.append((i, j if beside else None))
        j += beside
    return found


def difference(left: Pattern, right: Pattern) -> PatternDifference:
    """The difference of two known patterns.

    >>> found = difference(patterns.QWEN2, patterns.LLAMA3)
    >>> [(pair.left, pair.right, pair.texts[0].text) for pair in found.pairs if not pair.same]
    [(2, 2, '11')]
    >>> found.pairs[2].texts[0].left, found.pairs[2].texts[0].right
    (('1', '1'), ('11',))
    """
    return difference_of_sides(known_side(left), known_side(right))


def difference_of_sides(left: Side, right: Side) -> PatternDifference:
    """The difference of any two patterns. Raises InputError if one takes too long."""
    texts: dict[tuple[int, int], ShortText] = {}
    for text in searched_texts():
        difference = first_difference(text, left.matches, right.matches)
        if difference is not None:
            texts.setdefault((difference.left_alternative, difference.right_alternative), difference)
    pairs = tuple(aligned(left.alternatives, right.alternatives, list(texts.values())))
    return PatternDifference(left.alternatives, right.alternatives, pairs, len(searched_texts()))


def first_difference(
    text: str, left: Callable[[str], Iterable[AlternativeMatch]], right: Callable[[str], Iterable[AlternativeMatch]]
) -> ShortText | None:
    """Where the pieces of a text differ for the first time; None where they are equal."""
    ours = [match for match in matches_and_gaps(left(text), len(text)) if match.end > match.start]
    theirs = [match for match in matches_and_gaps(right(text), len(text)) if match.end > match.start]
    for one, other in zip(ours, theirs, strict=False):
        if one[:2] != other[:2]:
            return ShortText(text, spelled(text, ours), spelled(text, theirs), one.alternative, other.alternative)
    return None


def spelled(text: str, pieces: Iterable[AlternativeMatch]) -> tuple[str, ...]:
    """The texts of pieces."""
    return tuple(text[piece.start : piece.end] for piece in pieces)


def aligned(
    left: tuple[Alternative, ...], right: tuple[Alternative, ...], texts: list[ShortText]
) -> Iterator[AlternativePair]:
    """Both lists of alternatives side by side, each with its texts; equal ones stand beside each other."""
    one, other = [each.regex for each in left], [each.regex for each in right]
    for kind, start, end, begin, stop in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        ours, theirs = range(start, end), range(begin, stop)
        if len(ours) <= len(theirs):
            beside = [(mine, yours) for yours, mine in most_alike(other, theirs, one, ours)]
        else:
            beside = most_alike(one, ours, other, theirs)
        for mine, yours in beside:
            about = (each for each in texts if mine == each.left_alternative or yours == each.right_alternative)
            yield AlternativePair(mine, yours, kind == "equal", tuple(about)[:MOST_TEXTS])


NONE = "–"


def summary(found: PatternDifference) -> str:
    """The difference in a sentence or two.

    >>> from explorer.analysis.pattern_difference import difference, known_pattern
    >>> summary(difference(known_pattern("qwen-2"), known_pattern("llama-3")))
    '1 of 7 alternatives is spelled differently. 26,156 short texts were cut by both patterns, the shortest first.'
    """
    count, of = found.different, plural(len(found.pairs), "alternative")
    said = Text("All alternatives are spelled alike.")
    if count:
        many = "{0} of {1:t} are spelled differently."
        said = Text("{0} of {1:t} is spelled differently.", count, of, many=many)
    searched = "{0} short texts were cut by both patterns, the shortest first."
    if not any(pair.texts for pair in found.pairs):
        searched = "{0} short texts were cut by both patterns, the shortest first: all into the same pre-tokens."
    return in_a_row(said, Text(searched, found.searched), between="{0:t} {1:t}")


def pieces(text: tuple[str, ...]) -> str:
    """Pieces with bars between them, made visible.

    >>> pieces((" ", "1"))
    '␣ | 1'
    """
    return " | ".join(visible(piece) for piece in text)


def verdict(pair: AlternativePair) -> str:
    """What the search says of two alternatives, in a few words."""
    if pair.texts:
        return ""
    return "the same" if pair.same else "no text tells them apart"


def shown(alternatives: tuple[Alternative, ...], index: int | None) -> str:
    """An alternative after its number."""
    return NONE if index is None else f"{index + 1}  {visible(alternatives[index].regex)}"

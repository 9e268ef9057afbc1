"""Splits by a pattern, run by the `regex` module."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import regex

from explorer.engine.budget import ask
from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.pre_tokenizers.stage import WHAT, AlternativeMatch, Behavior, Splitter, split_at
from explorer.engine.regexes import safe as safe_regex
from explorer.engine.regexes.pattern import Pattern
from explorer.engine.regexes.safe import LONGEST_SPELLED, PatternError, in_seconds, seconds_for, too_costly
from explorer.engine.trace import Emit
from explorer.engine.unicode.stand_ins import StandIns
from explorer.errors import InputError, verbatim


class RegexSplit(Splitter):
    """Splits by a regular expression with one group per alternative, which identifies the one that matched.

    behavior, invert: what happens to the matches. Empty matches are skipped. The pattern sees newer characters as
    unassigned (`stand_ins`), because the originals that run patterns unchanged are at Unicode 16.

    Raises InputError if the expression cannot be compiled, and if it takes too long on a text.
    """

    unicode = "16"

    def __init__(self, pattern: Pattern, behavior: Behavior = Behavior.ISOLATED, *, invert: bool = False) -> None:
        self.pattern, self.behavior, self.invert = pattern, behavior, invert
        self.alternatives = pattern.alternatives
        self.regex = compiled(pattern)
        self.stand_ins = StandIns(self.regex.pattern)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces between and within the matches."""
        return split_at(piece, self.matches(piece.text), first, emit, self.behavior, invert=self.invert)

    def matches(self, text: str) -> Iterator[AlternativeMatch]:
        """The matches from the left, each with its alternative."""
        for match in self.matches_in_time(text):
            yield AlternativeMatch(*match.span(), int((match.lastgroup or "a0")[1:]))

    def matches_in_time(self, text: str) -> Iterator[regex.Match[str]]:
        """The matches from the left. Raises InputError if that takes too long."""
        # known patterns do not backtrack without end, and on a busy machine a long text may take long
        seconds = inf if self.pattern.regex in BY_REGEX else seconds_for(text)
        try:
            yield from self.find_iter(self.stand_ins(text), seconds)
            if seconds < inf:
                ask(WHAT)
        except (TimeoutError, MemoryError) as error:
            raise too_costly(error, f"the pattern {verbatim(self.pattern.regex)}", text) from None

    def find_iter(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        """The matches that are not empty, as the `regex` module yields them. Raises TimeoutError."""
        for match in in_seconds(lambda timeout: self.regex.finditer(text, timeout=timeout), text, seconds):
            if match.end() > match.start():
                yield match


def compiled(pattern: Pattern) -> regex.Pattern[str]:
    """The expression with a group for each alternative. Raises InputError naming the character that is wrong."""
    whole = "|".join(f"(?P<a{index}>{each.runs})" for index, each in enumerate(pattern.alternatives))
    try:
        return safe_regex.compiled(whole, _version(pattern), LONGEST_SPELLED)
    except PatternError as error:
        raise InputError(
            f"the pre-tokenizer pattern {verbatim(pattern.regex)} cannot be read ({_reason(pattern, error)}); repair it"
        ) from None


def _version(pattern: Pattern) -> int:
    return regex.VERSION1 if pattern.nested_sets else regex.VERSION0


def _reason(pattern: Pattern, error: PatternError) -> str:
    """Why a pattern cannot be compiled, with the number of the character (from 1) if it is known."""
    at = 0
    for each in pattern.alternatives:
        try:
            safe_regex.compiled(each.runs, _version(pattern), LONGEST_SPELLED)
        except PatternError as wrong:
            return f"character {at + (0 if each.engine else wrong.at) + 1}: {wrong.what}"
        at += len(each.regex) + 1
    return error.what


# Splits by a pattern as tiktoken does, which runs the Rust crate fancy-regex.


class FancyRegexSplit(RegexSplit):
    """Splits by a known pattern, or one that `regexes.fancy` has translated.

    Raises InputError where a pattern matches the empty text and the original stops with an error of its own: anywhere
    but directly after another match.
    """

    def find_iter(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        """The matches, none of them empty. Raises TimeoutError."""
        if self.pattern.regex in BY_REGEX:
            yield from super().find_iter(text, seconds)
            return
        from explorer.engine.regexes.oniguruma import find_iter

        for match in find_iter(self.regex, text, seconds) if text else ():
            if match.end() == match.start():
                raise InputError(
                    f"the pattern {verbatim(self.pattern.regex)} matches the empty text at character "
                    f"{match.start() + 1}, and tiktoken stops there; let it match one character at least"
                )
            yield match

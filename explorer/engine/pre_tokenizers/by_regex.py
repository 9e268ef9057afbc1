"""A splitter by a pattern, run with the `regex` module."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import regex

from explorer.engine.items import Segment
from explorer.engine.limits.budget import ask
from explorer.engine.limits.pattern import LONGEST_SPELLED
from explorer.engine.limits.time import in_seconds, seconds_for, too_large, too_slow
from explorer.engine.pre_tokenizers.patterns import BY_REGEX
from explorer.engine.pre_tokenizers.scanners import Found
from explorer.engine.pre_tokenizers.stage import WHAT, Behavior, cut_at
from explorer.engine.regexes import safe as safe_regex
from explorer.engine.regexes.pattern import Pattern
from explorer.engine.regexes.safe import PatternError
from explorer.engine.trace import Emit
from explorer.engine.unicode.stand_ins import Seen
from explorer.errors import InputError, verbatim


class RegexSplit:
    """Cuts by a regular expression, run by the `regex` module: one group an alternative tells which one matched.

    behavior, invert: what becomes of the matches. Empty matches are passed over. The pattern sees the text as one of
    Unicode 16 does (`seen`), which all originals that run patterns as they are have.

    Raises InputError where the expression cannot be compiled, and where it takes too long on a text.
    """

    unicode = "16"

    def __init__(self, pattern: Pattern, behavior: Behavior = Behavior.ISOLATED, *, invert: bool = False) -> None:
        self.pattern, self.behavior, self.invert = pattern, behavior, invert
        self.alternatives = pattern.alternatives
        self.regex = compiled(pattern)
        self.seen = Seen(self.regex.pattern)

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        return cut_at(piece, self.matches(piece.text), first, emit, self.behavior, invert=self.invert)

    def matches(self, text: str) -> Iterator[Found]:
        """The matches from the left, each with its alternative."""
        for match in self.in_time(text):
            yield Found(*match.span(), int((match.lastgroup or "a0")[1:]))

    def in_time(self, text: str) -> Iterator[regex.Match[str]]:
        """The matches from the left. Raises InputError where that takes too long."""
        # a known pattern never runs away, and on a busy machine it may need long for a long text
        seconds = inf if self.pattern.regex in BY_REGEX else seconds_for(text)
        try:
            yield from self.found(self.seen(text), seconds)
            if seconds < inf:
                ask(WHAT)
        except TimeoutError:
            raise too_slow(f"the pattern {verbatim(self.pattern.regex)}", text) from None
        except MemoryError:
            raise too_large(f"the pattern {verbatim(self.pattern.regex)}", text) from None

    def found(self, text: str, seconds: float) -> Iterator[regex.Match[str]]:
        """The same as the `regex` module gives them. Raises TimeoutError."""
        for match in in_seconds(lambda timeout: self.regex.finditer(text, timeout=timeout), text, seconds):
            if match.end() > match.start():
                yield match


def compiled(pattern: Pattern) -> regex.Pattern[str]:
    """The expression with a group for each alternative. Raises InputError naming the place where it is wrong."""
    whole = "|".join(f"(?P<a{place}>{each.runs})" for place, each in enumerate(pattern.alternatives))
    try:
        return safe_regex.compiled(whole, version(pattern), LONGEST_SPELLED)
    except PatternError as error:
        raise InputError(
            f"the pre-tokenizer pattern {verbatim(pattern.regex)} cannot be read ({reason(pattern, error)}); repair it"
        ) from None


def version(pattern: Pattern) -> int:
    return regex.VERSION1 if pattern.nested_sets else regex.VERSION0


def reason(pattern: Pattern, error: PatternError) -> str:
    """Why a pattern cannot be compiled, with the character of it where that is known, counted from 1."""
    at = 0
    for each in pattern.alternatives:
        try:
            safe_regex.compiled(each.runs, version(pattern), LONGEST_SPELLED)
        except PatternError as wrong:
            return f"character {at + (0 if each.engine else wrong.at) + 1}: {wrong.what}"
        at += len(each.regex) + 1
    return error.what

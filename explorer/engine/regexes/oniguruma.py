"""Translates regular expressions of Oniguruma, which Hugging Face's tokenizers run, for the `regex` module.

The two agree on most of what they share, and differ in details that would give other pieces: `$` and `^` match at every
line, `(?m)` lets the dot match a line feed, an option applies up to the end of its group, including the alternatives
after it, `a{2}?` is not lazy, `\\pL` is not a property, `\\w` is another class, a set may contain sets, and an empty
match splits. So a pattern is parsed here as Oniguruma does (doc/RE of its source, ONIG_SYNTAX_ONIGURUMA) and written
for `regex` in its version 1, one expression per alternative. An error names the character, counted from 1.

Left out, and refused by name: calls of groups, conditions, absent expressions, callouts, `\\K`, `\\y`, `\\G`, the
options W, D, S, P and y, single bytes that aren't characters, references to open groups or that ignore case, and sets
that ignore case and contain letters such as ß, which fold to several. Not followed: if case is ignored, the ss of a
pattern does not match ß. Properties and graphemes are those of Unicode 16, as in the original (`unicode.stand_ins`).
"""

from __future__ import annotations

from functools import lru_cache

import regex

from explorer.engine.limits.pattern import LONGEST, LONGEST_SPELLED
from explorer.engine.regexes.oniguruma_reader import PatternReader, SpelledAlternative
from explorer.engine.regexes.oniguruma_sets import WrongPattern
from explorer.engine.regexes.pattern import Alternative
from explorer.engine.regexes.safe import PatternError, compiled


@lru_cache(maxsize=256)
def alternatives(pattern: str) -> tuple[Alternative, ...]:
    """The alternatives of a pattern, verbatim and translated for `regex` (version 1).

    Raises PatternError naming the character that is wrong or not supported.

    >>> [(each.regex, each.engine) for each in alternatives("(?i)a|\\\\h{2}?")]
    [('(?i)a', '[aA]'), ('\\\\h{2}?', '(?:[0-9a-fA-F]{2,2})?')]
    >>> alternatives("a|(b")
    Traceback (most recent call last):
    explorer.engine.regexes.safe.PatternError: character 3 of the pattern: this parenthesis is not closed; repair ...
    """
    pieces = read(pattern)
    # all together first, because an alternative may refer to a group of another
    if rejection("|".join(piece.spelled for piece in pieces)):
        for piece in pieces:
            if why := rejection(piece.spelled):
                raise PatternError(piece.start, f"the alternative that begins there cannot be run ({why}); rewrite it")
    return tuple(Alternative(pattern[piece.start : piece.end], "", piece.spelled or "(?:)") for piece in pieces)


def needs(pattern: str) -> list[tuple[str, ...]]:
    """For each alternative, what every match contains: expressions for one character each. The list may be incomplete.

    >>> needs("ab?[cd]+|(e)")
    [('a', '[cd]'), ()]
    """
    return [piece.needs for piece in read(pattern)]


def found_in(need: str, characters: str) -> bool:
    """Whether one of the characters satisfies an expression of `needs`."""
    return regex.search(need, characters, regex.VERSION1) is not None


def read(pattern: str) -> list[SpelledAlternative]:
    """The alternatives of a pattern. Raises PatternError naming the character that is wrong or not supported."""
    if len(pattern) > LONGEST:
        raise PatternError(LONGEST, f"it is {len(pattern):,} characters long; give at most {LONGEST:,} characters")
    try:
        return PatternReader(pattern).whole()
    except WrongPattern as wrong:
        raise PatternError(wrong.at, f"{wrong.why}; repair the pattern") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; simplify it") from None


def rejection(spelled: str) -> str:
    """Why `regex` rejects an expression; empty if it accepts it."""
    try:
        compile_translated(spelled)
    except PatternError as error:
        return error.what
    return ""


def compile_translated(spelled: str) -> regex.Pattern[str]:
    """A translated expression, compiled. Raises PatternError with the index in the translation."""
    return compiled(spelled, regex.VERSION1, LONGEST_SPELLED)

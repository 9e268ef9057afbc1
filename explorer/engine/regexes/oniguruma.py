"""Regular expressions of Oniguruma, which Hugging Face's tokenizers run, spelled for the `regex` module.

The two agree on most of what they share, and differ in small things that would give other pieces: `$` and `^` are those
of every line, `(?m)` lets the dot take a line feed, an option holds to the end of its group and takes the alternatives
behind it along, `a{2}?` is not lazy, `\\pL` is no property, `\\w` is another one, a set may hold sets, and an empty
match cuts. So a pattern is read here as Oniguruma reads it (doc/RE of its source, ONIG_SYNTAX_ONIGURUMA) and written
again for `regex` in its version 1, one text for each alternative. What is wrong in it is refused with its place,
counted from 1.

Left out, and refused by name: calls of groups, conditions, absent expressions, callouts, `\\K`, `\\y`, `\\G`, the
options W, D, S, P and y, single bytes that are no character, and sets that ignore case and would hold letters such as
ß, which fold to several. Not followed: where case is ignored, the ss of a pattern matches no ß. Which characters a
property holds, and what a grapheme is, is that of Unicode 16, as there (`unicode.stand_ins`).
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
    """The alternatives of a pattern, verbatim and as `regex` (version 1) spells them.

    Raises PatternError with the place of what is wrong in it, or is not known here.

    >>> [(each.regex, each.engine) for each in alternatives("(?i)a|\\\\h{2}?")]
    [('(?i)a', '(?i-f:a)'), ('\\\\h{2}?', '(?i-f:(?:[0-9a-fA-F]{2,2})?)')]
    >>> alternatives("a|(b")
    Traceback (most recent call last):
    explorer.engine.regexes.safe.PatternError: character 3 of the pattern: this parenthesis is not closed; repair ...
    """
    pieces = read(pattern)
    # together first: one alternative may refer to a group of another
    if refused("|".join(piece.spelled for piece in pieces)):
        for piece in pieces:
            if why := refused(piece.spelled):
                raise PatternError(
                    piece.start, f"the alternative that begins there cannot be run ({why}); write it in another way"
                )
    return tuple(Alternative(pattern[piece.start : piece.end], "", piece.spelled) for piece in pieces)


def needs(pattern: str) -> list[tuple[str, ...]]:
    """Of each alternative what a match of it must hold, each an expression for one character. It may need more.

    >>> needs("ab?[cd]+|(e)")
    [('a', '[cd]'), ()]
    """
    return [piece.needs for piece in read(pattern)]


def found_in(need: str, characters: str) -> bool:
    """Whether one of some characters is what `needs` asks for."""
    return regex.search(need, characters, regex.VERSION1) is not None


def read(pattern: str) -> list[SpelledAlternative]:
    """The alternatives of a pattern. Raises PatternError with the place of what is wrong or not known."""
    if len(pattern) > LONGEST:
        raise PatternError(LONGEST, f"it goes on to {len(pattern):,}; give at most {LONGEST:,} characters")
    try:
        return PatternReader(pattern).whole()
    except WrongPattern as wrong:
        raise PatternError(wrong.at, f"{wrong.why}; repair the pattern") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; write it simpler") from None


def refused(spelled: str) -> str:
    """Why `regex` does not take an expression; empty where it does."""
    try:
        run_as(spelled)
    except PatternError as error:
        return error.what
    return ""


def run_as(spelled: str) -> regex.Pattern[str]:
    """What was spelled for `regex`, compiled. Raises PatternError, whose place is that in the spelling."""
    return compiled(spelled, regex.VERSION1, LONGEST_SPELLED)

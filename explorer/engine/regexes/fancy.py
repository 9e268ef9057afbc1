"""Translates regular expressions of the Rust crate fancy-regex, which tiktoken runs, for the `regex` module.

fancy-regex parses a pattern itself, leaves what it can to Rust's regex, and matches the rest by backtracking. The
`regex` module reads much of it differently: `[a&&b]`, `[a--b]` and `[[:alpha:]]` are plain sets there, `\\h`, `\\R` and
`\\x{41}` are something else or nothing, and `(?i)` ends with its group. So a pattern is parsed here as fancy-regex 0.19
does and written for `regex` in its version 1, one expression per alternative. An error names the character, from 1.

Left out, and refused by name: calls of groups, conditions, absent expressions, control verbs, `\\K`, `\\G`, references
to groups that are still open or that ignore case, some look-behind, some properties (`rust_sets`), and repeats that
the original rewrites, or whose body may match nothing although it could match more. Not followed: the limits of Rust's
regex on the size of a pattern, and of fancy-regex on backtracking.
"""

from __future__ import annotations

from functools import lru_cache

from explorer.engine.limits.pattern import LONGEST, LONGEST_SPELLED
from explorer.engine.regexes.fancy_reader import FancyReader, Piece
from explorer.engine.regexes.oniguruma import rejection
from explorer.engine.regexes.oniguruma_sets import WrongPattern
from explorer.engine.regexes.pattern import Alternative
from explorer.engine.regexes.safe import PatternError


@lru_cache(maxsize=256)
def alternatives(pattern: str) -> tuple[Alternative, ...]:
    """The alternatives of a pattern, verbatim and translated for `regex` (version 1).

    Raises PatternError naming the character that is wrong or not supported.

    >>> [(each.regex, each.engine) for each in alternatives("(?i)q|\\\\h$")]
    [('(?i)q', '[qQ]'), ('\\\\h$', '[0-9A-Fa-f]\\\\Z')]
    >>> alternatives("a|(b")
    Traceback (most recent call last):
    explorer.engine.regexes.safe.PatternError: character 3 of the pattern: this parenthesis is not closed; repair ...
    """
    pieces = read(pattern)
    size = 0
    for piece in pieces:
        size += len(piece.spelled) + 1
        if size > LONGEST_SPELLED:
            raise PatternError(piece.start, f"written out, it has more than {LONGEST_SPELLED:,} characters; shorten it")
    # all together first, because an alternative may refer to a group of another
    if rejection("|".join(piece.spelled for piece in pieces)):
        for piece in pieces:
            if why := rejection(piece.spelled):
                raise PatternError(piece.start, f"the alternative that begins there cannot be run ({why}); rewrite it")
    return tuple(Alternative(pattern[piece.start : piece.end], "", piece.spelled or "(?:)") for piece in pieces)


def read(pattern: str) -> list[Piece]:
    """The alternatives of a pattern. Raises PatternError naming the character that is wrong or not supported."""
    if len(pattern) > LONGEST:
        raise PatternError(LONGEST, f"it is {len(pattern):,} characters long; give at most {LONGEST:,} characters")
    try:
        first = FancyReader(pattern)
        pieces = first.whole()
        return FancyReader(pattern, referred=frozenset(first.refers)).whole() if first.refers else pieces
    except WrongPattern as wrong:
        raise PatternError(wrong.at, f"{wrong.why}; repair the pattern") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; simplify it") from None

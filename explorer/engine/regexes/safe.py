"""Compiles untrusted regular expressions, typed or from a file, without harm to the process.

The cost of a pattern is computed before it is compiled (`limits/pattern.py`). Everything the `regex` module rejects
becomes one `PatternError` that names the character.

Left out: the time of a match, which depends on the text and is limited by the code that matches.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

import regex

from explorer.engine.limits.pattern import LONGEST, excess
from explorer.errors import InputError

KEPT: Final = 4_000_000
"""Characters of patterns after which the `regex` module's cache is purged: it records each one it compiles."""


class PatternError(InputError):
    """A pattern that cannot be used. at: the index of the wrong code point. what: what is wrong there."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(f"character {at + 1} of the pattern: {what}")
        self.at, self.what = at, what

    def __reduce__(self) -> tuple[object, ...]:
        return PatternError, (self.at, self.what)


def compiled(pattern: str, flags: int = regex.VERSION0, longest: int = LONGEST) -> regex.Pattern[str]:
    """The pattern, compiled with the flags, which select one of the `regex` module's two versions. Raises PatternError.

    longest: the most characters it may have.

    >>> compiled(r"\\p{L}+").findall("ab, c")
    ['ab', 'c']
    >>> compiled("ab(c")
    Traceback (most recent call last):
    explorer.engine.regexes.safe.PatternError: character 5 of the pattern: missing ); complete or correct it there
    """
    try:
        too_much = excess(pattern, flags, longest)
        if too_much is not None:
            raise PatternError(*too_much)
        _purge_after(len(pattern))
        # not cached by the module, which would keep hundreds of half-typed patterns
        expression: regex.Pattern[str] = regex.compile(pattern, flags, cache_pattern=False)
    except regex.error as error:
        at, what = error.pos or 0, error.msg  # type: ignore[attr-defined]  # missing from the stubs
        raise PatternError(min(at, len(pattern)), f"{what}; complete or correct it there") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; use fewer") from None
    except (ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        # Python does not parse numbers of more than 4,300 digits; its message suggests to raise that limit
        why = "a number in it has thousands of digits" if "digits" in str(error) else error
        raise PatternError(0, f"{why}; change the pattern") from None
    if expression.flags & regex.REVERSE:
        at = max(0, pattern.find("(?"))
        raise PatternError(at, "a text is read from its beginning, not from its end; remove the flag r")
    return expression


_compiled = 0
_lock = Lock()


def _purge_after(size: int) -> None:
    """Counts the characters of a pattern, and purges the module's cache when there are too many."""
    global _compiled
    with _lock:
        _compiled += size
        full = _compiled > KEPT
        if full:
            _compiled = 0
    if full:
        regex.purge()

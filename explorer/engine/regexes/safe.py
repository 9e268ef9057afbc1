"""Regular expressions that somebody typed or that stand in a file, compiled without harm to the process.

What a pattern would cost is counted before it is compiled (`limits/pattern.py`). Whatever the `regex` module does not
like is one `PatternError` that names the place.

Left out: how long a match may take, which depends on the text and is bounded where one is matched.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

import regex

from explorer.engine.limits.pattern import LONGEST, excess
from explorer.errors import InputError

KEPT: Final = 4_000_000
"""Characters of patterns after which the `regex` module is told to forget them: it notes each one it compiles."""


class PatternError(InputError):
    """A pattern that cannot be used. `at`: how many code points of it are right. `what`: what is wrong there."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(f"character {at + 1} of the pattern: {what}")
        self.at, self.what = at, what

    def __reduce__(self) -> tuple[object, ...]:
        return PatternError, (self.at, self.what)


def compiled(pattern: str, flags: int = regex.VERSION0, longest: int = LONGEST) -> regex.Pattern[str]:
    """The pattern, read by one of the two versions of the `regex` module's rules. Raises PatternError.

    longest: how many characters it may have.

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
        forget(len(pattern))
        # not kept by the module, which would hold hundreds of them for whoever types
        found: regex.Pattern[str] = regex.compile(pattern, flags, cache_pattern=False)
    except regex.error as error:
        at, what = error.pos or 0, error.msg  # type: ignore[attr-defined]  # the stubs know neither
        raise PatternError(min(at, len(pattern)), f"{what}; complete or correct it there") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; nest less") from None
    except (ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        # Python reads no number of more than 4,300 digits, and says how to have it read more
        why = "a number in it has thousands of digits" if "digits" in str(error) else error
        raise PatternError(0, f"{why}; change the pattern") from None
    if found.flags & regex.REVERSE:
        at = max(0, pattern.find("(?"))
        raise PatternError(at, "a text is read from its beginning, not from its end; leave out the flag r")
    return found


_compiled = 0
_lock = Lock()


def forget(size: int) -> None:
    """Counts a pattern of so many characters, and has the module forget all of them from time to time."""
    global _compiled
    with _lock:
        _compiled += size
        full = _compiled > KEPT
        if full:
            _compiled = 0
    if full:
        regex.purge()

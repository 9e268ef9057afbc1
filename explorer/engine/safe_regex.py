"""Regular expressions that somebody typed or that stand in a file, compiled without harm to the process.

The `regex` module writes a fixed repeat out in full: `((a{1000}){1000}){1000}` takes all the memory there is before
anything is matched. So a pattern's length, and its length times all its fixed repeats, are bounded before it is
compiled. Whatever the module does not like is one `PatternError` that names the place.

Left out: how long a match may take, which depends on the text and is bounded where one is matched.
"""

from __future__ import annotations

import re

import regex

from explorer.errors import InputError

LONGEST = 20_000
"""Code points a pattern may have; those in use have up to a thousand."""
LARGEST = 100_000
"""Its length times its fixed repeats, at most: what is written out in full takes about 300 bytes for each."""

IGNORED = r"\s|#.*\n"
"""What a pattern with the flag x does not read, not even within a number."""
REPEAT = re.compile(rf"\{{(?:{IGNORED})*(\d(?:\d|{IGNORED})*)(?:,[^}}]*)?\}}")


class PatternError(InputError):
    """A pattern that cannot be used. `at`: how many code points of it are right."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(f"position {at + 1} of the pattern: {what}")
        self.at = at


def compiled(pattern: str) -> regex.Pattern[str]:
    """The pattern, read by version 0 of the `regex` module's rules. Raises PatternError.

    >>> compiled(r"\\p{L}+").findall("ab, c")
    ['ab', 'c']
    >>> compiled("ab(c")
    Traceback (most recent call last):
    explorer.engine.safe_regex.PatternError: position 5 of the pattern: missing ); complete or correct it there
    """
    if len(pattern) > LONGEST:
        raise PatternError(LONGEST, f"it goes on to {len(pattern):,}; give at most {LONGEST:,} characters")
    size = len(pattern)
    for repeat in REPEAT.finditer(pattern):
        size *= max(1, int(re.sub(IGNORED, "", repeat[1])[:20]))
        if size > LARGEST:
            raise PatternError(repeat.start(), "repeats within repeats make it too large; repeat less, or use + or *")
    try:
        found: regex.Pattern[str] = regex.compile(pattern, regex.VERSION0, cache_pattern=False)
    except regex.error as error:
        at, what = error.pos or 0, error.msg  # type: ignore[attr-defined]  # the stubs know neither
        raise PatternError(min(at, len(pattern)), f"{what}; complete or correct it there") from None
    except RecursionError:
        raise PatternError(0, "its groups are nested too deep; nest less") from None
    except (ValueError, OverflowError) as error:
        raise PatternError(0, f"{error}; change the pattern") from None
    if found.flags & regex.REVERSE:
        at = pattern.find("(?")
        raise PatternError(max(0, at), "a text is read from its beginning, not from its end; leave out the flag r")
    return found

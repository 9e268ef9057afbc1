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

LARGEST = 500_000
"""What a pattern may come to when its fixed repeats are written out, which takes about 300 bytes for each character."""

IGNORED = r"\s|#.*\n"
"""What a pattern with the flag x does not read, not even within a number."""
REPEAT = re.compile(rf"\{{(?:{IGNORED})*(\d(?:\d|{IGNORED})*)(?:,[^}}]*)?\}}")
VERBOSE = re.compile(r"\(\?[A-Za-z0-9-]*x")


class PatternError(InputError):
    """A pattern that cannot be used. `at`: how many code points of it are right. `what`: what is wrong there."""

    def __init__(self, at: int, what: str) -> None:
        super().__init__(f"character {at + 1} of the pattern: {what}")
        self.at, self.what = at, what


def compiled(pattern: str, version: int = regex.VERSION0) -> regex.Pattern[str]:
    """The pattern, read by one of the two versions of the `regex` module's rules. Raises PatternError.

    >>> compiled(r"\\p{L}+").findall("ab, c")
    ['ab', 'c']
    >>> compiled("ab(c")
    Traceback (most recent call last):
    explorer.engine.safe_regex.PatternError: character 5 of the pattern: missing ); complete or correct it there
    """
    at = too_large(pattern)
    if at is not None:
        raise PatternError(at, "repeats within repeats make it too large; repeat less, or use + or *")
    try:
        # not kept by the module, which would hold hundreds of them for whoever types
        found: regex.Pattern[str] = regex.compile(pattern, version, cache_pattern=False)
    except regex.error as error:
        at, what = error.pos or 0, error.msg  # type: ignore[attr-defined]  # the stubs know neither
        raise PatternError(min(at, len(pattern)), f"{what}; complete or correct it there") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; nest less") from None
    except (ValueError, OverflowError) as error:
        raise PatternError(0, f"{error}; change the pattern") from None
    if found.flags & regex.REVERSE:
        at = max(0, pattern.find("(?"))
        raise PatternError(at, "a text is read from its beginning, not from its end; leave out the flag r")
    return found


def too_large(pattern: str) -> int | None:
    """Where a pattern becomes too large when it is written out; None where it does not.

    Only what is repeated with a parenthesis in front may hold other repeats: those multiply, all others add up. That is
    more than the truth, and never less.

    >>> too_large("(?:(?:ab|c){1000}){1000}"), too_large("={4}|-{4}|[_*]{4}|(a{4}){4}")
    (18, None)
    """
    ends_in_parenthesis = not VERBOSE.search(pattern)
    size, times, begin = len(pattern), 1, 0
    for repeat in REPEAT.finditer(pattern):
        count = max(1, int(re.sub(IGNORED, "", repeat[1])[:20]))
        before = pattern[begin : repeat.start()]
        begin = repeat.end()
        if ends_in_parenthesis and before and not before.endswith(")"):
            size += count * length_of_last(before)
        else:
            times *= count
        if size * times > LARGEST:
            return repeat.start()
    return 0 if size > LARGEST else None


def length_of_last(text: str) -> int:
    """At most so many characters are the last thing in a text: a set, a property, an escape, or one character."""
    if text.endswith("]"):
        return len(text) - max(0, text.find("["))
    return len(text) - max(0, text.rfind("\\")) if text.endswith("}") else 2

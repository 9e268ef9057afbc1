"""Iterates over the matches of a pattern as `find_iter` of the Rust crate `onig` does.

It differs from the `regex` module in empty matches only: an empty match right after another match is skipped, and with
it every other match at that index.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from explorer.engine.limits.budget import ask
from explorer.engine.limits.pattern import in_seconds, seconds_for, too_large, too_slow
from explorer.engine.regexes.oniguruma import alternatives, compile_translated
from explorer.engine.unicode.stand_ins import StandIns
from explorer.errors import verbatim


def find_iter(expression: regex.Pattern[str], text: str, seconds: float) -> Iterator[regex.Match[str]]:
    """Yields the matches from the left. Raises TimeoutError if they take longer than `seconds`.

    >>> [match.span() for match in find_iter(regex.compile("|a"), "ba", 1)]
    [(0, 0), (1, 1), (2, 2)]
    """
    yield from in_seconds(lambda timeout: _find_iter(expression, text, timeout), text, seconds)


def _find_iter(expression: regex.Pattern[str], text: str, timeout: float | None) -> Iterator[regex.Match[str]]:
    at, last = 0, -1
    # until the first empty match, `regex` finds the same
    for match in expression.finditer(text, timeout=timeout):
        start, end = match.span()
        if start == end:
            break
        at = last = end
        yield match
    else:
        return
    while at <= len(text):
        found = expression.search(text, at, timeout=timeout)
        if found is None:
            return
        start, end = found.span()
        if start == end == last:
            at += 1
        else:
            at = last = end
            yield found


class OnigurumaSpans:
    """Finds the spans [start, end) that a pattern matches, for `Replace` (normalizer and decoder).

    Raises InputError if the pattern cannot be run, and if it takes too long on a text.

    >>> list(OnigurumaSpans(r"\\d+")("a12b"))
    [(1, 3)]
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.regex = compile_translated("|".join(each.engine for each in alternatives(pattern)))
        self.stand_ins = StandIns(self.regex.pattern)
        self.what = f"the pattern {verbatim(pattern)}"

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans, from the left."""
        try:
            for match in find_iter(self.regex, self.stand_ins(text), seconds_for(text)) if text else ():
                yield match.span()
            ask(self.what)
        except TimeoutError:
            raise too_slow(self.what, text) from None
        except MemoryError:
            raise too_large(self.what, text) from None

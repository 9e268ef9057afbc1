"""Scanners that look for runs of one kind: digits in threes, lines.

`thirds` and `line_feeds` follow `unicode_regex_split_custom_afmoe` and `…_newlines` of llama.cpp's `src/unicode.cpp`.
`thousands` does in linear time what llama.cpp does with a regex in quadratic time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from explorer.engine.pre_tokenizers.classes import NUMBER, classes
from explorer.engine.pre_tokenizers.stage import FAILED, RUN, AlternativeMatch
from explorer.engine.pre_tokenizers.word_scanners import Notes, run


def thirds(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Digits in threes, counted from their end. The text before the first group joins it, as in llama.cpp.

    >>> ["abc1234567 8"[f.start : f.end] for f in thirds("abc1234567 8")]
    ['abc1', '234', '567', ' 8']
    """
    kinds, at, cut = classes(text), 0, 0
    while at < len(text):
        if kinds[at] != NUMBER:
            if notes is not None:
                notes += (FAILED, at, at, 0)
            at += 1
            continue
        end = run(kinds, at, NUMBER)
        if notes is not None:
            notes += (RUN, at, end, ord(kinds[end]))
        size = (end - at) % 3 or 3
        while at < end:
            at, size = at + size, 3
            yield AlternativeMatch(cut, at, 0)
            cut = at


def line_feeds(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Lines, and the runs of line feeds between them.

    >>> [(f.end, f.alternative) for f in line_feeds("a b\\n\\nc")]
    [(3, 0), (5, 1), (6, 0)]
    """
    kinds, at = classes(text) if notes is not None else "", 0
    while at < len(text):
        start, is_feed = at, text[at] == "\n"
        while at < len(text) and (text[at] == "\n") == is_feed:
            at += 1
        if notes is not None:
            if is_feed:
                notes += (FAILED, start, start, 0)
            notes += (RUN, start, at, ord(kinds[at]))
        yield AlternativeMatch(start, at, int(is_feed))


def thousands(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Empty matches before each third ASCII digit, counted from the end of the digits.

    >>> [f.start for f in thousands("a1234567 12")]
    [2, 5]
    """
    for digits in DIGITS.finditer(text):
        start, end = digits.span()
        for at in range(end - (end - start) // 3 * 3, end, 3):
            yield AlternativeMatch(at, at, 0)


DIGITS: Final = re.compile("[0-9]+")

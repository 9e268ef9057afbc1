"""Known patterns for the standard library's `re`, with their classes of characters written out.

`re` searches two to three times as fast as the `regex` module that the traced path runs, but knows no `\\p{L}` and
takes other characters for white space. So a class becomes the list of its characters below U+10000, asked of the very
program that would run the pattern; a text with characters above that is left to the `regex` module, in blocks. Emoji
are not: no class that a known pattern names holds one.

Only patterns that are known (`patterns.BY_REGEX` and the scanners') are run so: `re` has no limit of time, and a
pattern that somebody brings may need one. The known ones take every character of every text, so their matches are the
pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

import regex

from explorer.engine.pre_tokenizers.scanners import Scanner
from explorer.engine.unicode.stand_ins import as_16
from explorer.text import WHITE_SPACE
from explorer.text.unicode_versions import major_category

Cut = Callable[[str], list[str]]
"""A text to its pieces, one after the other."""

Members = Callable[[str], str]
"""The name of a class, such as `\\p{L}` or `\\s`, to its characters as they stand within brackets."""

BELOW: Final = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x10000))))
"""Every character below U+10000."""

ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")
ABOVE: Final = re.compile("[^\\0-\uffff\U0001f300-\U0001faff]")
"""Characters above, but for U+1F300 to U+1FAFF: emoji and other symbols, or unassigned."""

LINE: Final = re.compile(r"[^\W\d_](?=\n)")
"""Behind such a letter a text may be cut before a known pattern is run: no alternative that takes a letter takes a line
feed behind it, and what begins at a line feed looks at nothing before it."""

TOKEN: Final = re.compile(r"\\p\{[^}]*\}|\\[sS]|\(\?i-f:|\\.|\[\^?|\]|.", re.DOTALL)


def ranges(characters: Iterable[str]) -> str:
    """Characters as they stand within brackets.

    >>> ranges("abcx")
    '\\\\u0061-\\\\u0063\\\\u0078'
    """
    found: list[list[int]] = []
    for code_point in sorted(map(ord, characters)):
        if found and code_point == found[-1][1] + 1:
            found[-1][1] = code_point
        else:
            found.append([code_point, code_point])
    return "".join(f"\\u{low:04x}" + (f"-\\u{high:04x}" if high > low else "") for low, high in found)


@lru_cache(maxsize=64)
def members_of_regex(name: str) -> str:
    """What the `regex` module says is in a class of Unicode 16."""
    seen = as_16(BELOW)
    found = set(regex.findall(name, seen))
    return ranges(ch for ch, stand_in in zip(BELOW, seen, strict=True) if stand_in in found)


@lru_cache(maxsize=64)
def members_of_scanners(name: str) -> str:
    """What the scanners take for a class: general categories, and white space."""
    if name == r"\s":
        return ranges(map(chr, WHITE_SPACE))
    return ranges(ch for ch in BELOW if major_category(ord(ch)) == name[3] and ord(ch) not in WHITE_SPACE)


def written_out(expression: str, members: Members) -> str:
    """The expression for `re`.

    >>> written_out(r"\\S[x\\s]", lambda name: " ")
    '[^ ][x ]'
    """
    done: list[str] = []
    inside = False
    for token in TOKEN.findall(expression):
        if token[0] == "[" and not inside:
            inside = True
        elif token == "]":
            inside = False
        elif token == "(?i-f:":
            token = "(?i:"
        elif token == r"\S":
            assert not inside, "no known pattern has \\S in brackets"
            token = f"[^{members(chr(92) + 's')}]"
        elif token == r"\s" or token.startswith(r"\p"):
            token = members(token) if inside else f"[{members(token)}]"
        done.append(token)
    return "".join(done)


@lru_cache(maxsize=64)
def _compiled(expression: str, members: Members) -> re.Pattern[str]:
    return re.compile(written_out(expression, members))


def cut_by_regex(compiled: regex.Pattern[str], expression: str) -> Cut:
    """A cut by a known pattern. compiled: the expression as the `regex` module runs it.

    >>> cut_by_regex(regex.compile(r"(\\p{L}+)|(\\P{L})"), r"\\p{L}+|[^\\p{L}]")("né\U0001f600!")
    ['né', '\U0001f600', '!']
    """
    # without its groups, so that findall gives the matches
    bare = regex.compile(expression, compiled.flags)

    def above(text: str) -> list[str]:
        seen = as_16(text)
        if seen is text:
            return bare.findall(text)
        return [text[match.start() : match.end()] for match in bare.finditer(seen)]

    return _in_blocks(_compiled(expression, members_of_regex).findall, above)


def cut_by_scanner(scanner: Scanner) -> Cut:
    """A cut by what the branches of a known scanner stand for."""
    expression = "|".join(alternative.runs for alternative in scanner.alternatives)
    return _in_blocks(
        _compiled(expression, members_of_scanners).findall,
        lambda text: [text[start:end] for start, end, _ in scanner.scan(text)],
    )


def _in_blocks(below: Cut, above: Cut) -> Cut:
    """Cuts by `below`, but for blocks around characters above U+FFFF."""

    def cut(text: str) -> list[str]:
        # a single range is searched twice as fast, and most texts have nothing of either
        first = ASTRAL.search(text)
        found = first and ABOVE.search(text, first.start())
        if found is None:
            return below(text)
        pieces: list[str] = []
        at = 0
        while found is not None:
            start, end = line_of(text, at, found.start())
            pieces += below(text[at:start])
            pieces += above(text[start:end])
            at = end
            found = ABOVE.search(text, at)
        return pieces + below(text[at:])

    return cut


def line_of(text: str, begin: int, at: int) -> tuple[int, int]:
    """The block around `at` that may be cut out, from `begin` on: [start, end)."""
    start = at
    while True:
        start = text.rfind("\n", begin, start)
        if start <= begin:
            start = begin
            break
        if LINE.match(text, start - 1):
            break
    behind = LINE.search(text, at)
    return start, behind.end() if behind else len(text)

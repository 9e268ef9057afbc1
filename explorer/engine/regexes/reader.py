"""What the readers of both dialects share: where they are in a pattern, and how its alternatives are handed out.

A reader translates a pattern from left to right for the `regex` module (version 1), one expression per alternative.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import regex

from explorer.engine.regexes.safe import LONGEST, LONGEST_SPELLED, NODES, TOO_LONG, Alternative, PatternError, compiled
from explorer.tables import read_toml
from explorer.text.say import Text

TABLES: dict[str, dict[str, str]] = read_toml(__file__, "tables.toml")
REFERS_BEHIND = "a reference to a group of the same look-behind is not supported; write the text out"
"""The `regex` module matches a look-behind from its end, so the reference would come before its group."""
NEWLINE = r"(?>\r\n|[\n-\r\x85\u2028\u2029])"
"""A line break, `\\R`."""


class WrongPattern(Exception):
    """Something in a pattern that is wrong or not supported. at: its index."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


class Flags(NamedTuple):
    """The flags in effect.

    i: ignore case. x: ignore white space. m: in Oniguruma, the dot matches a line feed; otherwise anchors match at
    lines. s: the dot matches a line feed. U: quantifiers are lazy. R: lines end with carriage returns, too.
    """

    i: bool = False
    m: bool = False
    s: bool = False
    x: bool = False
    U: bool = False
    R: bool = False


NO_FLAGS = Flags()


class Piece(NamedTuple):
    """An alternative: [start, end) of the pattern, and its translation.

    needs: what every match contains, expressions for one character each.
    """

    start: int
    end: int
    spelled: str
    needs: tuple[str, ...] = ()


@dataclass
class PatternReader:
    """A pattern and the index `at` that is read next. Methods raise WrongPattern."""

    comment: ClassVar[re.Pattern[str]]
    """matches a comment; its group is empty if the comment is not closed"""
    ignored: ClassVar[re.Pattern[str]]
    """matches what the flag x ignores"""

    pattern: str
    at: int = 0
    flags: Flags = NO_FLAGS
    size: int = 0
    """the size of the expression so far, with fixed repeats expanded"""

    def looking_at(self, text: str) -> bool:
        """Whether the pattern continues with this text."""
        return self.pattern.startswith(text, self.at)

    def take(self, text: str) -> bool:
        """Whether the pattern continues with this text, which is read then."""
        found = self.looking_at(text)
        self.at += found * len(text)
        return found

    def match(self, expression: re.Pattern[str] | str, flags: int = 0) -> re.Match[str] | None:
        """The match of an expression here, which is read then."""
        match = re.compile(expression, flags).match(self.pattern, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def skip(self) -> None:
        """Skips comments and, with the flag x, white space."""
        while True:
            begin = self.at
            if match := self.match(self.comment):
                if not match[1]:
                    raise WrongPattern(begin, "this comment is not closed")
            elif not self.flags.x or not self.match(self.ignored):
                return

    def close(self, begin: int) -> None:
        """Reads the closing parenthesis of a group. begin: the index of the opening one."""
        if self.at >= len(self.pattern):
            raise WrongPattern(begin, "this parenthesis is not closed")
        self.at += 1

    def expand(self, before: int, times: int, at: int) -> None:
        """Multiplies the size of what has been read since it was `before`. at: the index of the quantifier."""
        self.size = before + (self.size - before) * max(1, times)
        if self.size > NODES:
            raise WrongPattern(at, "nested repeats make the pattern too large for `regex`")

    def check_end(self) -> None:
        """Raises WrongPattern unless the whole pattern has been read."""
        if self.at < len(self.pattern):
            raise WrongPattern(self.at, "this parenthesis does not close a group")


def bounds(low: int, high: int | None) -> str:
    """The quantifier for these numbers of repeats."""
    return f"{{{low},{'' if high is None else high}}}"


def count(digits: str) -> int:
    """The number that decimal digits write, 0 for none. Python refuses to read thousands of them.

    More than 20 are read as 20, because both are far above every limit; zeros in front count for nothing.

    >>> count("007"), count("0" * 5_000 + "2"), count("9" * 5_000) == 10**20 - 1
    (7, 2, True)
    """
    return int(digits.lstrip("0")[:20] or 0)


def escaped(ch: str) -> str:
    """A literal character, outside or within a set.

    >>> escaped("a"), escaped("-"), escaped("\\0"), escaped("あ")
    ('a', '\\\\-', '\\\\x00', 'あ')
    """
    if ch < "\x20":
        return f"\\x{ord(ch):02x}"
    return f"\\{ch}" if ch.isascii() and not ch.isalnum() and ch not in " _" else ch


def character(number: int, at: int, highest: int = 0x10FFFF) -> str:
    """The character with a number. at: where the pattern gives it."""
    if number > highest or 0xD800 <= number < 0xE000:
        raise WrongPattern(at, "this is not the number of a character")
    return chr(number)


def read(pattern: str, parse: Callable[[str], list[Piece]]) -> list[Piece]:
    """The alternatives of a pattern. Raises PatternError naming the character that is wrong or not supported."""
    if len(pattern) > LONGEST:
        raise PatternError(LONGEST, Text(TOO_LONG, len(pattern), LONGEST))
    try:
        return parse(pattern)
    except WrongPattern as wrong:
        raise PatternError(wrong.at, wrong.why, "{0:t}; repair the pattern") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; simplify it") from None


def alternatives_of(pattern: str, pieces: list[Piece]) -> tuple[Alternative, ...]:
    """The alternatives, verbatim and translated. Raises PatternError for one that `regex` rejects."""
    # all together first, because an alternative may refer to a group of another
    if rejection("|".join(piece.spelled for piece in pieces)):
        for piece in pieces:
            if why := rejection(piece.spelled):
                raise PatternError(
                    piece.start, why, "the alternative that begins there cannot be run ({0:t}); rewrite it"
                )
    return tuple(Alternative(pattern[piece.start : piece.end], "", piece.spelled or "(?:)") for piece in pieces)


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

"""Translates regular expressions of Oniguruma, which Hugging Face's tokenizers run, for the `regex` module.

The two agree on most of what they share, and differ in details that would give other pieces: `$` and `^` match at every
line, `(?m)` lets the dot match a line feed, an option applies up to the end of its group, including the alternatives
after it, `a{2}?` is not lazy, `\\pL` is not a property, `\\w` is another class, a set may contain sets, and an empty
match splits. So a pattern is parsed here as Oniguruma does (doc/RE of its source, ONIG_SYNTAX_ONIGURUMA) and written
for `regex` in its version 1, one expression per alternative. An error names the character, counted from 1.

Left out, and refused by name: calls of groups, conditions, absent expressions, callouts, `\\K`, `\\y`, `\\G`, the
options W, D, S, P and y, single bytes that aren't characters, references to open groups or that ignore case, and sets
that ignore case and contain letters such as ß, which fold to several. Not followed: if case is ignored, the ss of a
pattern does not match ß. Properties and graphemes are those of Unicode 16, as in the original (`unicode.stand_ins`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import ClassVar

import regex

from explorer.engine.budget import ask
from explorer.engine.regexes.oniguruma_sets import (
    CLASSES,
    PICTOGRAPH,
    WORD_ALONE,
    CharacterReader,
    opposite,
)
from explorer.engine.regexes.reader import (
    NEWLINE,
    REFERS_BEHIND,
    TABLES,
    Piece,
    WrongPattern,
    alternatives_of,
    bounds,
    compile_translated,
    count,
    escaped,
    read,
)
from explorer.engine.regexes.rust_sets import Chars, added
from explorer.engine.regexes.safe import Alternative, StandIns, in_seconds, seconds_for, too_costly
from explorer.engine.unicode.versions import cased, equals_of
from explorer.errors import verbatim


@lru_cache(maxsize=256)
def alternatives(pattern: str) -> tuple[Alternative, ...]:
    """The alternatives of a pattern, verbatim and translated for `regex` (version 1).

    Raises PatternError naming the character that is wrong or not supported.

    >>> [(each.regex, each.engine) for each in alternatives("(?i)a|\\\\h{2}?")]
    [('(?i)a', '[aA]'), ('\\\\h{2}?', '(?:[0-9a-fA-F]{2,2})?')]
    >>> alternatives("a|(b")
    Traceback (most recent call last):
    explorer.engine.regexes.safe.PatternError: character 3 of the pattern: this parenthesis is not closed; repair ...
    """
    return alternatives_of(pattern, read(pattern, parsed))


def needs(pattern: str) -> list[tuple[str, ...]]:
    """For each alternative, what every match contains: expressions for one character each. The list may be incomplete.

    >>> needs("ab?[cd]+|(e)")
    [('a', '[cd]'), ()]
    """
    return [piece.needs for piece in read(pattern, parsed)]


def parsed(pattern: str) -> list[Piece]:
    """The alternatives of a pattern. Raises WrongPattern."""
    return OnigurumaReader(pattern).whole()


def found_in(need: str, characters: str) -> bool:
    """Whether one of the characters satisfies an expression of `needs`."""
    return regex.search(need, characters, regex.VERSION1) is not None


MAX_REPEAT = 100_000
"""The highest count of a quantifier."""

_IS, _NOT = f"[{WORD_ALONE}]", f"[^{WORD_ALONE}]"
ANCHORS = TABLES["oniguruma_anchors"] | {
    r"\b": f"(?:(?<={_IS})(?!{_IS})|(?<!{_IS})(?={_IS}))",
    r"\B": f"(?:(?<={_IS})(?={_IS})|(?<!{_IS})(?!{_IS}))",
}
"""Anchors match the empty string. Oniguruma does not allow a quantifier after them."""

_CONTROL = r"\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}"
_CORE = (
    r"\p{GCB=L}*+(?:\p{GCB=V}++|\p{GCB=LV}\p{GCB=V}*+|\p{GCB=LVT})\p{GCB=T}*+|\p{GCB=L}++|\p{GCB=T}++"
    r"|\p{GCB=RI}\p{GCB=RI}|"
    rf"{PICTOGRAPH}(?:\p{{GCB=Extend}}*+\p{{GCB=ZWJ}}{PICTOGRAPH})*+|[^{_CONTROL}\p{{GCB=Prepend}}]"
)
GRAPHEME = (
    rf"(?>\r\n|[{_CONTROL}]|(?:\p{{GCB=Prepend}}++(?:{_CORE})?+|{_CORE})"
    r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+)"
)
"""A grapheme by the rules of UAX #29 before Unicode 15.1: conjuncts of Indic scripts, which `regex` keeps together by a
later rule, are separate. It matches from the current position, whatever comes before."""

SHORTHANDS = CLASSES | {
    "w": _IS,
    "W": _NOT,
    "R": NEWLINE,
    "N": ".",
    "O": "(?s:.)",
    "X": GRAPHEME,
}
"""Classes written with a backslash, outside a set."""

UNSUPPORTED = TABLES["oniguruma_unsupported"]

IN_BEHIND = "this cannot stand in a look-behind"

QUANTIFIER = re.compile(r"[*+?]|\{(?=\d|,\d)(\d*)(,?)(\d*)\}", re.ASCII)
ISOLATED = re.compile(r"\(\?([A-Za-z-]+)\)")
SCOPED = re.compile(r"\(\?([A-Za-z-]*):")
NAMED = re.compile(r"\(\?(?:<([^\W\d]\w*)>|'([^\W\d]\w*)')")
REFERENCE = re.compile(r"\\(?:([1-9]\d*)|k<([^>]*)>|k'([^']*)')", re.ASCII)


@cache
def folds() -> str:
    """Letters that fold to several letters: ß to ss, ﬁ to fi. If case is ignored, a set of Oniguruma matches both."""
    return "".join(ch for ch in map(chr, range(0x80, 0x10000)) if len(ch.casefold()) > 1)


UNCASED = re.compile(r".\[(?:\^|\\x00-(?!\\x7f))|\\P\{(?!gc=nd|Block|Script)", re.DOTALL)
"""A negated nested set or property: if case is ignored, it excludes nothing."""


@dataclass
class OnigurumaReader(CharacterReader):
    """Translates a pattern."""

    comment: ClassVar = re.compile(r"\(\?#[^)]*(\)?)")
    ignored: ClassVar = re.compile(r"[ \t\n\f\r]+|#[^\n]*\n?")

    groups: int = 0
    names: dict[str, int] = field(default_factory=dict)
    referred: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)
    """the groups around the current position"""
    by_number: int = -1
    """the index of a reference to a group by its number, -1 for none"""
    depth: int = 0
    """the number of groups around the current position"""
    behind: str = ""
    """for each look-behind around the current position, = or !"""
    opened_behind: set[int] = field(default_factory=set)
    """the groups within the outermost look-behind around the current position"""
    needed: list[str] = field(default_factory=list)
    """what every match of the current alternative at depth 0 contains"""

    def whole(self) -> list[Piece]:
        """The alternatives of the whole pattern."""
        if match := self.match(ISOLATED):
            self.change_flags(match[1], 2)
        pieces = self.either(start=0)
        self.check_end()
        if self.names and self.by_number >= 0:
            raise WrongPattern(self.by_number, "in a pattern with named groups, no group can be referenced by number")
        for group in range(1, self.groups + 1):
            if group not in self.referred:
                named = f"(?P<g{group}>"
                pieces = [piece._replace(spelled=piece.spelled.replace(named, "(?:")) for piece in pieces]
        return pieces

    def either(self, start: int | None = None) -> list[Piece]:
        """The alternatives up to the end of the group. start: the index of the first one."""
        pieces = []
        begin = self.at if start is None else start
        while True:
            if not self.depth:
                self.needed = []
            spelled = self.sequence()
            pieces.append(Piece(begin, self.at, spelled, tuple(self.needed)))
            if not self.take("|"):
                return pieces
            begin = self.at

    def sequence(self) -> str:
        """The translation up to a | or the end of the group."""
        spelled: list[str] = []
        while True:
            self.skip()
            if self.at >= len(self.pattern) or self.pattern[self.at] in "|)":
                return "".join(spelled)
            begin, size = self.at, self.size
            if match := self.match(ISOLATED):
                # its scope includes the alternatives after it
                before = self.flags
                self.change_flags(match[1], begin + 2)
                spelled.append(f"(?:{self.joined()})")
                self.flags = before
                return "".join(spelled)
            atom, repeatable = self.atom()
            self.size += len(GRAPHEME) if self.pattern[begin : self.at] == r"\X" else self.at - begin
            least, repeated = self.repeated(atom, repeatable, size)
            spelled.append(repeated)
            one = repeatable and self.pattern[begin] != "(" and self.pattern[begin : begin + 2] not in (r"\R", r"\X")
            if one and least and not self.depth and "(?P=" not in atom:
                self.needed.append(atom)

    def joined(self) -> str:
        """The alternatives up to the end of a group."""
        self.depth += 1
        spelled = "|".join(piece.spelled for piece in self.either())
        self.depth -= 1
        return spelled

    def change_flags(self, letters: str, at: int) -> None:
        """Changes the flags by letters such as `im-x`. at: the index of the letters."""
        on = True
        for index, letter in enumerate(letters, at):
            if letter == "-":
                on = False
            elif letter in "imx":
                self.flags = self.flags._replace(**{letter: on})
            else:
                raise WrongPattern(index, f"the option {letter} is not supported, only i, m and x")

    def repeated(self, spelled: str, repeatable: bool, size: int) -> tuple[int, str]:
        """The minimum number of repetitions, and the atom with the quantifiers after it. size: without the atom."""
        repeated, least = False, 1
        while True:
            self.skip()
            match = self.match(QUANTIFIER)
            if match is None:
                return least, spelled
            if not repeatable:
                raise WrongPattern(match.start(), "the item before this cannot be repeated")
            spelled = f"(?:{spelled})" if repeated else spelled
            repeated = True
            least = 0 if match[0] in "*?" else least if match[0] == "+" else least * count(match[1])
            if match[0] in "*+?":
                spelled += match[0] + ("?" if self.take("?") else "+" if self.take("+") else "")
                continue
            low = count(match[1])
            high = low if not match[2] else count(match[3]) if match[3] else None
            if max(low, high or 0) > MAX_REPEAT:
                raise WrongPattern(match.start(), f"a repeat count is at most {MAX_REPEAT}")
            self.expand(size, low, match.start())
            if high is not None and high < low:
                spelled += bounds(high, low) + "+"  # possessive in Oniguruma
                least = min(least, high)
            else:
                # a ? after {n} is another quantifier, as is a + after any
                spelled += bounds(low, high) + ("?" if match[2] and self.take("?") else "")

    def atom(self) -> tuple[str, bool]:
        """The next atom translated, and whether it can be repeated."""
        begin = self.at
        for opening, what in UNSUPPORTED.items():
            if self.looking_at(opening):
                raise WrongPattern(begin, f"{what} ({opening}) is not supported")
        ch = self.pattern[begin]
        if ch == "(":
            return self.group()
        if ch == "[":
            spelled = self.set()
            if self.flags.i and self.folds_otherwise(spelled):
                raise WrongPattern(
                    begin,
                    "a set that ignores case and contains a negated class, or letters such as ß that fold to several, "
                    "is not supported; write the set without (?i)",
                )
            return self.any_case(spelled) if self.flags.i else spelled, True
        if ch == ".":
            self.at += 1
            return SHORTHANDS["O" if self.flags.m else "N"], True
        if ch in "*+?" or (ch == "{" and QUANTIFIER.match(self.pattern, begin)):
            raise WrongPattern(begin, "there is nothing before this to repeat")
        for anchor in (ch, self.pattern[begin : begin + 2]):
            if anchor in ANCHORS:
                if self.behind and anchor in (r"\z", r"\Z"):
                    raise WrongPattern(begin, IN_BEHIND)
                self.at += len(anchor)
                return ANCHORS[anchor], False
        if ch != "\\":
            self.at += 1
            return self.literal(ch), True
        characters = self.property()
        if characters is not None:
            # outside a set, \p{Word} is \w
            characters = {CLASSES["w"]: _IS, opposite(CLASSES["w"]): _NOT}.get(characters, characters)
            # a property ignores case only within a set
            return characters, True
        referred = self.reference()
        if referred is not None:
            if self.flags.i:
                raise WrongPattern(begin, "a reference that ignores case is not supported; write (?-i:…) around it")
            return referred, True
        letter = self.pattern[begin + 1 : begin + 2]
        if letter in SHORTHANDS:
            self.at += 2
            return SHORTHANDS[letter], True
        return self.literal(self.character()), True

    def literal(self, ch: str) -> str:
        """A literal character; if case is ignored, ß matches ss, too."""
        if not self.flags.i:
            return escaped(ch)
        folded = ch.casefold()
        one = (Chars(escaped(ch)) | added(ch)).spelled if equals_of(ch) else escaped(ch)
        if len(folded) == 1:
            return one
        return f"(?:{one}|{''.join(map(self.literal, folded))})"

    @staticmethod
    def any_case(spelled: str) -> str:
        """A set with the characters that equal its members when case is ignored.

        They are listed: under a flag, `regex` takes i for the dotted capital İ, and the first character of a match for
        one of another alternative.
        """
        try:
            found = regex.findall(spelled, cased(), regex.VERSION1)
        except regex.error:
            return spelled  # reported when the whole is compiled
        more = added(found)
        return f"(?:{spelled}|{more.spelled})" if more.body else spelled

    @staticmethod
    def folds_otherwise(spelled: str) -> bool:
        """Whether a set may match different characters in Oniguruma and `regex` if case is ignored."""
        try:
            return UNCASED.search(spelled) is not None or regex.search(spelled, folds(), regex.VERSION1) is not None
        except regex.error:
            return False  # reported when the whole is compiled

    def group(self) -> tuple[str, bool]:
        """A group translated, from its parenthesis; and whether it can be repeated."""
        begin = self.at
        for opening in ("(?=", "(?!", "(?<=", "(?<!", "(?>"):
            if self.looking_at(opening):
                if self.behind and (opening in ("(?=", "(?!") or (opening == "(?<!" and "=" in self.behind)):
                    raise WrongPattern(begin, IN_BEHIND)
                outer = self.behind
                self.behind += opening[-1] if "<" in opening else ""
                spelled = f"{opening}{self.inside(begin, len(opening))})"
                self.behind = outer
                if not outer:
                    self.opened_behind.clear()
                return spelled, opening == "(?>"
        before = self.flags
        if match := SCOPED.match(self.pattern, begin):
            self.change_flags(match[1], begin + 2)
            spelled = f"(?:{self.inside(begin, len(match[0]))})"
            self.flags = before
            return spelled, True
        match = NAMED.match(self.pattern, begin)
        if match is None and self.looking_at("(?"):
            raise WrongPattern(begin + 2, "this kind of group does not exist")
        if "!" in self.behind:
            raise WrongPattern(begin, IN_BEHIND)
        self.groups += 1
        number = self.groups
        if match is not None:
            number = self.names.setdefault(match[1] or match[2], number)
        self.open.add(number)
        if self.behind:
            self.opened_behind.add(number)
        spelled = f"(?P<g{number}>{self.inside(begin, len(match[0]) if match else 1)})"
        self.open.discard(number)
        return spelled, True

    def inside(self, begin: int, opening: int) -> str:
        """The body of a group translated, past its closing parenthesis. opening: the length of its opening."""
        self.at += opening
        spelled = self.joined()
        self.close(begin)
        return spelled

    def reference(self) -> str | None:
        """A reference to a group, None for none; `\\10` is octal if there are fewer than ten groups."""
        match = REFERENCE.match(self.pattern, self.at)
        if match is None:
            return None
        name = match[1] or match[2] or match[3] or ""
        number = self.names.get(name, -1)
        by_number = number < 0 and re.fullmatch(r"-?\d+", name, re.ASCII) is not None
        if by_number:
            asked = -count(name[1:]) if name[0] == "-" else count(name)
            number = asked if asked > 0 else self.groups + 1 + asked
        if not 0 < number <= self.groups:
            if match[1] and number > 9 and match[1][0] in "1234567":
                return None
            raise WrongPattern(self.at, f"group {name} does not exist before this")
        if number in self.open:
            raise WrongPattern(self.at, f"group {name} is not closed before this, which is not supported")
        if number in self.opened_behind:
            raise WrongPattern(self.at, REFERS_BEHIND)
        if by_number:
            self.by_number = self.at
        self.referred.add(number)
        self.at = match.end()
        return f"(?P=g{number})"


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
        following = expression.search(text, at, timeout=timeout)
        if following is None:
            return
        start, end = following.span()
        if start == end == last:
            at += 1
        else:
            at = last = end
            yield following


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
        except (TimeoutError, MemoryError) as error:
            raise too_costly(error, self.what, text) from None

"""Parses a pattern as Oniguruma does and translates it for the `regex` module (version 1).

`PatternReader` handles groups, options, quantifiers, anchors and references; `CharacterReader` of `oniguruma_sets`
handles characters, properties and sets. An error is a `WrongPattern` with the index in the pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

import regex

from explorer.engine.limits.pattern import NODES
from explorer.engine.regexes.oniguruma_sets import (
    CLASSES,
    PICTOGRAPH,
    WORD_ALONE,
    CharacterReader,
    WrongPattern,
    count,
    escaped,
    opposite,
)
from explorer.engine.regexes.rust_sets import Chars, added
from explorer.engine.unicode.simple_folds import cased

MAX_REPEAT: Final = 100_000
"""The highest count of a quantifier."""

_IS, _NOT = f"[{WORD_ALONE}]", f"[^{WORD_ALONE}]"
ANCHORS: Final = {
    "^": r"(?:\A|(?<=\n)(?!\Z))",
    "$": r"(?=\n|\Z)",
    r"\A": r"\A",
    r"\z": r"\Z",
    r"\Z": r"(?=\n?\Z)",
    r"\b": f"(?:(?<={_IS})(?!{_IS})|(?<!{_IS})(?={_IS}))",
    r"\B": f"(?:(?<={_IS})(?={_IS})|(?<!{_IS})(?!{_IS}))",
}
"""Anchors match the empty string. Oniguruma does not allow a quantifier after them."""

_CONTROL: Final = r"\p{GCB=Control}\p{GCB=CR}\p{GCB=LF}"
_CORE: Final = (
    r"\p{GCB=L}*+(?:\p{GCB=V}++|\p{GCB=LV}\p{GCB=V}*+|\p{GCB=LVT})\p{GCB=T}*+|\p{GCB=L}++|\p{GCB=T}++"
    r"|\p{GCB=RI}\p{GCB=RI}|"
    rf"{PICTOGRAPH}(?:\p{{GCB=Extend}}*+\p{{GCB=ZWJ}}{PICTOGRAPH})*+|[^{_CONTROL}\p{{GCB=Prepend}}]"
)
GRAPHEME: Final = (
    rf"(?>\r\n|[{_CONTROL}]|(?:\p{{GCB=Prepend}}++(?:{_CORE})?+|{_CORE})"
    r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+)"
)
"""A grapheme by the rules of UAX #29 before Unicode 15.1: conjuncts of Indic scripts, which `regex` keeps together by a
later rule, are separate. It matches from the current position, whatever comes before."""

SHORTHANDS: Final = CLASSES | {
    "w": _IS,
    "W": _NOT,
    "R": r"(?>\r\n|[\n-\r\x85\u2028\u2029])",
    "N": ".",
    "O": "(?s:.)",
    "X": GRAPHEME,
}
"""Classes written with a backslash, outside a set."""

UNSUPPORTED: Final = {
    "(?~": "an absent expression", "(?(": "a condition", "(?{": "a callout", "(*": "a callout", r"\K": "keep",
    r"\y": "a text segment boundary", r"\Y": "a non-boundary of text segments", r"\G": "the start of the search",
    r"\g<": "a group call", r"\g'": "a group call",
}  # fmt: skip

IN_BEHIND: Final = "this cannot stand in a look-behind"

QUANTIFIER: Final = re.compile(r"[*+?]|\{(?=\d|,\d)(\d*)(,?)(\d*)\}", re.ASCII)
ISOLATED: Final = re.compile(r"\(\?([A-Za-z-]+)\)")
SCOPED: Final = re.compile(r"\(\?([A-Za-z-]*):")
NAMED: Final = re.compile(r"\(\?(?:<([^\W\d]\w*)>|'([^\W\d]\w*)')")
REFERENCE: Final = re.compile(r"\\(?:([1-9]\d*)|k<([^>]*)>|k'([^']*)')", re.ASCII)


@cache
def folds() -> str:
    """Letters that fold to several letters: ß to ss, ﬁ to fi. If case is ignored, a set of Oniguruma matches both."""
    return "".join(ch for ch in map(chr, range(0x80, 0x10000)) if len(ch.casefold()) > 1)


UNCASED: Final = re.compile(r".\[(?:\^|\\x00-(?!\\x7f))|\\P\{(?!gc=nd|Block|Script)", re.DOTALL)
"""A negated nested set or property: if case is ignored, it excludes nothing."""


class GroupOptions(NamedTuple):
    """The options in effect: i, ignore case; m, the dot matches a line feed; x, ignore white space."""

    i: bool = False
    m: bool = False
    x: bool = False


class SpelledAlternative(NamedTuple):
    """An alternative: [start, end) of the pattern, and its translation.

    needs: what every match contains, expressions for one character each.
    """

    start: int
    end: int
    spelled: str
    needs: tuple[str, ...]


@dataclass
class PatternReader(CharacterReader):
    """Translates a pattern from left to right. Methods raise WrongPattern."""

    groups: int = 0
    names: dict[str, int] = field(default_factory=dict)
    referred: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)
    """the groups around the current position"""
    by_number: int = -1
    """the index of a reference to a group by its number, -1 for none"""
    depth: int = 0
    """the number of groups around the current position"""
    size: int = 0
    """the size of the expression so far, with fixed repeats expanded"""
    behind: str = ""
    """for each look-behind around the current position, = or !"""
    needed: list[str] = field(default_factory=list)
    """what every match of the current alternative at depth 0 contains"""

    def whole(self) -> list[SpelledAlternative]:
        """The alternatives of the whole pattern."""
        outer = GroupOptions()
        match = ISOLATED.match(self.pattern)
        self.at = match.end() if match else 0
        options = self.changed(outer, match[1], 2) if match else outer
        pieces = self.either(options, start=0)
        if self.at < len(self.pattern):
            raise WrongPattern(self.at, "this parenthesis does not close a group")
        if self.names and self.by_number >= 0:
            raise WrongPattern(self.by_number, "in a pattern with named groups, no group can be referenced by number")
        found = []
        for piece in pieces:
            spelled = piece.spelled
            for group in range(1, self.groups + 1):
                if group not in self.referred:
                    spelled = spelled.replace(f"(?P<g{group}>", "(?:")
            found.append(piece._replace(spelled=spelled))
        return found

    def either(self, options: GroupOptions, start: int | None = None) -> list[SpelledAlternative]:
        """The alternatives up to the end of the group. start: the index of the first one."""
        pieces = []
        begin = self.at if start is None else start
        while True:
            if not self.depth:
                self.needed = []
            spelled = self.sequence(options)
            pieces.append(SpelledAlternative(begin, self.at, spelled, tuple(self.needed)))
            if not self.looking_at("|"):
                return pieces
            self.at += 1
            begin = self.at

    def sequence(self, options: GroupOptions) -> str:
        """The translation up to a | or the end of the group."""
        spelled: list[str] = []
        while True:
            self.skip(options)
            if self.at >= len(self.pattern) or self.pattern[self.at] in "|)":
                return "".join(spelled)
            match = ISOLATED.match(self.pattern, self.at)
            if match is not None:
                # its scope includes the alternatives after it
                inner = self.changed(options, match[1], self.at + 2)
                self.at = match.end()
                self.depth += 1
                spelled.append(f"(?:{'|'.join(piece.spelled for piece in self.either(inner))})")
                self.depth -= 1
                return "".join(spelled)
            begin, size = self.at, self.size
            atom, repeatable = self.atom(options)
            self.size += len(GRAPHEME) if self.pattern[begin : self.at] == r"\X" else self.at - begin
            least, repeated = self.repeated(atom, repeatable, options, size)
            spelled.append(repeated)
            one = repeatable and self.pattern[begin] != "(" and self.pattern[begin : begin + 2] not in (r"\R", r"\X")
            if one and least and not self.depth and "(?P=" not in atom:
                self.needed.append(atom)

    def skip(self, options: GroupOptions) -> None:
        """Skips comments and, with the option x, white space."""
        while self.at < len(self.pattern):
            if self.looking_at("(?#"):
                end = self.pattern.find(")", self.at)
                if end < 0:
                    raise WrongPattern(self.at, "this comment is not closed")
                self.at = end + 1
            elif options.x and self.looking_at("#"):
                end = self.pattern.find("\n", self.at)
                self.at = len(self.pattern) if end < 0 else end + 1
            elif options.x and self.pattern[self.at] in " \t\n\f\r":
                self.at += 1
            else:
                return

    def changed(self, options: GroupOptions, letters: str, at: int) -> GroupOptions:
        """The options changed by letters such as `im-x`. at: the index of the letters."""
        on = True
        for index, letter in enumerate(letters, at):
            if letter == "-":
                on = False
            elif letter in GroupOptions._fields:
                options = options._replace(**{letter: on})
            else:
                raise WrongPattern(index, f"the option {letter} is not supported, only i, m and x")
        return options

    def repeated(self, spelled: str, repeatable: bool, options: GroupOptions, size: int) -> tuple[int, str]:
        """The minimum number of repetitions, and the atom with the quantifiers after it. size: without the atom."""
        repeated, least = False, 1
        while True:
            self.skip(options)
            match = QUANTIFIER.match(self.pattern, self.at)
            if match is None:
                return least, spelled
            if not repeatable:
                raise WrongPattern(self.at, "the item before this cannot be repeated")
            spelled = f"(?:{spelled})" if repeated else spelled
            self.at = match.end()
            repeated = True
            least = 0 if match[0] in "*?" else least if match[0] == "+" else least * count(match[1])
            if match[0] in "*+?":
                after = self.pattern[self.at : self.at + 1]
                self.at += after in ("?", "+")
                spelled += match[0] + (after if after in ("?", "+") else "")
                continue
            low = count(match[1])
            high = low if not match[2] else count(match[3]) if match[3] else None
            if max(low, high or 0) > MAX_REPEAT:
                raise WrongPattern(match.start(), f"a repeat count is at most {MAX_REPEAT}")
            self.size = size + (self.size - size) * max(1, low)
            if self.size > NODES:
                raise WrongPattern(match.start(), "nested repeats make the pattern too large for `regex`")
            if high is not None and high < low:
                spelled += f"{{{high},{low}}}+"  # possessive in Oniguruma
                least = min(least, high)
            elif match[2] and self.looking_at("?"):
                self.at += 1
                spelled += f"{{{low},{'' if high is None else high}}}?"
            else:
                # a ? after {n} is another quantifier, as is a + after any
                spelled += f"{{{low},{'' if high is None else high}}}"

    def atom(self, options: GroupOptions) -> tuple[str, bool]:
        """The next atom translated, and whether it can be repeated."""
        begin = self.at
        for opening, what in UNSUPPORTED.items():
            if self.looking_at(opening):
                raise WrongPattern(begin, f"{what} ({opening}) is not supported")
        ch = self.pattern[begin]
        if ch == "(":
            return self.group(options)
        if ch == "[":
            spelled = self.set()
            if options.i and self.folds_otherwise(spelled):
                raise WrongPattern(
                    begin,
                    "a set that ignores case and contains a negated class, or letters such as ß that fold to several, "
                    "is not supported; write the set without (?i)",
                )
            return self.any_case(spelled) if options.i else spelled, True
        if ch == ".":
            self.at += 1
            return SHORTHANDS["O" if options.m else "N"], True
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
            return self.literal(ch, options), True
        characters = self.property()
        if characters is not None:
            # outside a set, \p{Word} is \w
            characters = {CLASSES["w"]: _IS, opposite(CLASSES["w"]): _NOT}.get(characters, characters)
            # a property ignores case only within a set
            return characters, True
        referred = self.reference()
        if referred is not None and options.i:
            raise WrongPattern(begin, "a reference that ignores case is not supported; write (?-i:…) around it")
        if referred is not None:
            return referred, True
        letter = self.pattern[begin + 1 : begin + 2]
        if letter in SHORTHANDS:
            self.at += 2
            return SHORTHANDS[letter], True
        return self.literal(self.character(), options), True

    @staticmethod
    def literal(ch: str, options: GroupOptions) -> str:
        """A literal character; if case is ignored, ß matches ss, too."""
        if not options.i:
            return escaped(ch)
        folded = ch.casefold()
        one = (Chars(escaped(ch)) | added(ch)).spelled if ch in cased() else escaped(ch)
        if len(folded) == 1:
            return one
        return f"(?:{one}|{''.join(PatternReader.literal(each, options) for each in folded)})"

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

    def group(self, options: GroupOptions) -> tuple[str, bool]:
        """A group translated, from its parenthesis; and whether it can be repeated."""
        begin = self.at
        for opening in ("(?=", "(?!", "(?<=", "(?<!", "(?>"):
            if self.looking_at(opening):
                if self.behind and (opening in ("(?=", "(?!") or (opening == "(?<!" and "=" in self.behind)):
                    raise WrongPattern(begin, IN_BEHIND)
                outer = self.behind
                self.behind += opening[-1] if "<" in opening else ""
                spelled = f"{opening}{self.inside(options, begin, len(opening))})"
                self.behind = outer
                return spelled, opening == "(?>"
        if match := SCOPED.match(self.pattern, begin):
            inner = self.changed(options, match[1], begin + 2)
            return f"(?:{self.inside(inner, begin, len(match[0]))})", True
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
        spelled = f"(?P<g{number}>{self.inside(options, begin, len(match[0]) if match else 1)})"
        self.open.discard(number)
        return spelled, True

    def inside(self, options: GroupOptions, begin: int, opening: int) -> str:
        """The body of a group translated, past its closing parenthesis. opening: the length of its opening."""
        self.at += opening
        self.depth += 1
        spelled = "|".join(piece.spelled for piece in self.either(options))
        self.depth -= 1
        if self.at >= len(self.pattern):
            raise WrongPattern(begin, "this parenthesis is not closed")
        self.at += 1
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
        if by_number:
            self.by_number = self.at
        self.referred.add(number)
        self.at = match.end()
        return f"(?P=g{number})"

"""Reads a pattern as Oniguruma does, from the left, and writes it again for the `regex` module (version 1).

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
    escaped,
    opposite,
)

MAX_REPEAT: Final = 100_000


_IS, _NOT = f"[{WORD_ALONE}]", f"[^{WORD_ALONE}]"
ANCHORS: Final = {
    "^": r"(?:\A|(?<=\n)(?!\Z))", "$": r"(?=\n|\Z)", r"\A": r"\A", r"\z": r"\Z", r"\Z": r"(?=\n?\Z)",
    r"\b": f"(?:(?<={_IS})(?!{_IS})|(?<!{_IS})(?={_IS}))", r"\B": f"(?:(?<={_IS})(?={_IS})|(?<!{_IS})(?!{_IS}))",
}  # fmt: skip
"""What takes nothing. Oniguruma repeats none of them."""

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
"""A grapheme by the rules of UAX #29 before Unicode 15.1: the conjuncts of Indic scripts, which `regex` holds together
by a later one, come apart. From where it begins, whatever stands before that."""

SHORTHANDS: Final = CLASSES | {
    "w": _IS, "W": _NOT, "R": r"(?>\r\n|[\n-\r\x85\u2028\u2029])", "N": r"[^\n]", "O": "(?s:.)", "X": GRAPHEME,
}  # fmt: skip
"""What stands behind a backslash for many characters, outside a set."""

UNKNOWN: Final = {
    "(?~": "an absent expression", "(?(": "a condition", "(?{": "a callout", "(*": "a callout", r"\K": "keep",
    r"\y": "the edge of a text segment", r"\Y": "no edge of a text segment", r"\G": "where the search began",
    r"\g<": "the call of a group", r"\g'": "the call of a group",
}  # fmt: skip

QUANTIFIER: Final = re.compile(r"[*+?]|\{(?=\d|,\d)(\d*)(,?)(\d*)\}")
ISOLATED: Final = re.compile(r"\(\?([A-Za-z-]+)\)")
SCOPED: Final = re.compile(r"\(\?([A-Za-z-]*):")
NAMED: Final = re.compile(r"\(\?(?:<([^\W\d]\w*)>|'([^\W\d]\w*)')")
REFERENCE: Final = re.compile(r"\\(?:([1-9]\d*)|k<([^>]*)>|k'([^']*)')")


@cache
def folds() -> str:
    """Letters that are several letters when case is ignored: ß is ss, ﬁ is fi. Oniguruma then lets a set match both."""
    return "".join(ch for ch in map(chr, range(0x80, 0x10000)) if len(ch.casefold()) > 1)


UNCASED: Final = re.compile(r".\[\^|\\P\{(?!gc=nd|Block|Script)", re.DOTALL)
"""A set within a set, or a property, that leaves characters out: without regard to case it leaves out none."""


class GroupOptions(NamedTuple):
    """The options in force: ignore case, the dot takes a line feed, white space means nothing."""

    i: bool = False
    m: bool = False
    x: bool = False


class SpelledAlternative(NamedTuple):
    """An alternative: [start, end) of the pattern and how `regex` spells it.

    needs: what each match of it must hold, one character each.
    """

    start: int
    end: int
    spelled: str
    needs: tuple[str, ...]


def count_of(digits: str) -> int:
    """How often a quantifier says. A number of more digits is too large anyway, and Python reads none of thousands."""
    return int(digits[:20] or 0)


def scoped(spelled: str, outer: GroupOptions, inner: GroupOptions) -> str:
    """A group with options of its own."""
    # without f a letter folds to one letter only; `regex` is not reliable where it is several
    return f"(?:{spelled})" if inner.i == outer.i else f"(?{'i-f' if inner.i else '-i'}:{spelled})"


@dataclass
class PatternReader(CharacterReader):
    """Reads a pattern from the left."""

    groups: int = 0
    names: dict[str, int] = field(default_factory=dict)
    referred: set[int] = field(default_factory=set)
    by_number: int = -1
    """where a group was referred to by its number, -1: nowhere"""
    depth: int = 0
    """in how many groups this place lies"""
    size: int = 0
    """how much there is to match so far, fixed repeats written out"""
    needed: list[str] = field(default_factory=list)
    """what the alternative at depth 0 that is being read must hold"""

    def whole(self) -> list[SpelledAlternative]:
        """The alternatives of the whole pattern."""
        outer = GroupOptions()
        match = ISOLATED.match(self.pattern)
        self.at = match.end() if match else 0
        options = self.changed(outer, match[1], 2) if match else outer
        pieces = self.either(options, start=0)
        if self.at < len(self.pattern):
            raise WrongPattern(self.at, "this parenthesis closes nothing")
        if self.names and self.by_number >= 0:
            raise WrongPattern(self.by_number, "beside groups with names none can be referred to by number")
        found = []
        for piece in pieces:
            spelled = piece.spelled if options.i == outer.i else scoped(piece.spelled, outer, options)
            for group in range(1, self.groups + 1):
                if group not in self.referred:
                    spelled = spelled.replace(f"(?P<g{group}>", "(?:")
            must = tuple(scoped(each, outer, options) if options.i else each for each in piece.needs)
            found.append(piece._replace(spelled=spelled, needs=must))
        return found

    def either(self, options: GroupOptions, start: int | None = None) -> list[SpelledAlternative]:
        """Alternatives up to the end of the group. `start`: where the first one begins."""
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
        """What stands one after the other, up to a | or the end of the group."""
        spelled: list[str] = []
        while True:
            self.skip(options)
            if self.at >= len(self.pattern) or self.pattern[self.at] in "|)":
                return "".join(spelled)
            match = ISOLATED.match(self.pattern, self.at)
            if match is not None:
                # the alternatives behind it belong to it as well
                inner = self.changed(options, match[1], self.at + 2)
                self.at = match.end()
                self.depth += 1
                spelled.append(scoped("|".join(piece.spelled for piece in self.either(inner)), options, inner))
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
        """Passes comments, and with x white space."""
        while self.at < len(self.pattern):
            if self.looking_at("(?#"):
                end = self.pattern.find(")", self.at)
                if end < 0:
                    raise WrongPattern(self.at, "this comment is not closed")
                self.at = end + 1
            elif options.x and self.looking_at("#"):
                end = self.pattern.find("\n", self.at)
                self.at = len(self.pattern) if end < 0 else end + 1
            elif options.x and self.pattern[self.at] in " \t\n\v\f\r":
                self.at += 1
            else:
                return

    def changed(self, options: GroupOptions, letters: str, at: int) -> GroupOptions:
        """The options after `im-x`."""
        on = True
        for place, letter in enumerate(letters, at):
            if letter == "-":
                on = False
            elif letter in GroupOptions._fields:
                options = options._replace(**{letter: on})
            else:
                raise WrongPattern(place, f"the option {letter} is not known here, only i, m and x")
        return options

    def repeated(self, spelled: str, repeatable: bool, options: GroupOptions, size: int) -> tuple[int, str]:
        """How often it is there at least, and what was read with the quantifiers behind it. `size`: without it."""
        again, least = False, 1
        while True:
            self.skip(options)
            match = QUANTIFIER.match(self.pattern, self.at)
            if match is None:
                return least, spelled
            if not repeatable:
                raise WrongPattern(self.at, "what stands in front of this cannot be repeated")
            spelled = f"(?:{spelled})" if again else spelled
            self.at = match.end()
            again = True
            least = 0 if match[0] in "*?" else least if match[0] == "+" else least * count_of(match[1])
            if match[0] in "*+?":
                after = self.pattern[self.at : self.at + 1]
                self.at += after in ("?", "+")
                spelled += match[0] + (after if after in ("?", "+") else "")
                continue
            low = count_of(match[1])
            high = low if not match[2] else count_of(match[3]) if match[3] else None
            if max(low, high or 0) > MAX_REPEAT:
                raise WrongPattern(match.start(), f"nothing is repeated more than {MAX_REPEAT} times")
            self.size = size + (self.size - size) * max(1, low)
            if self.size > NODES:
                raise WrongPattern(match.start(), "repeats within repeats make the pattern too large for `regex`")
            if high is not None and high < low:
                spelled += f"{{{high},{low}}}+"  # written so it gives nothing back
                least = min(least, high)
            elif match[2] and self.looking_at("?"):
                self.at += 1
                spelled += f"{{{low},{'' if high is None else high}}}?"
            else:
                # a ? behind {n} is one more quantifier, as is a + behind any
                spelled += f"{{{low},{'' if high is None else high}}}"

    def atom(self, options: GroupOptions) -> tuple[str, bool]:
        """The next thing, and whether it can be repeated."""
        begin = self.at
        for opening, what in UNKNOWN.items():
            if self.looking_at(opening):
                raise WrongPattern(begin, f"{what} ({opening}) is not known here")
        ch = self.pattern[begin]
        if ch == "(":
            return self.group(options)
        if ch == "[":
            spelled = self.set()
            if options.i and self.folds_otherwise(spelled):
                raise WrongPattern(
                    begin,
                    "a set that ignores case and holds classes without letters of a case, or letters such as ß that "
                    "fold to several, is not run as Oniguruma runs it; write the set without (?i)",
                )
            return spelled, True
        if ch == ".":
            self.at += 1
            return SHORTHANDS["O" if options.m else "N"], True
        if ch in "*+?" or (ch == "{" and QUANTIFIER.match(self.pattern, begin)):
            raise WrongPattern(begin, "there is nothing in front of this to repeat")
        for anchor in (ch, self.pattern[begin : begin + 2]):
            if anchor in ANCHORS:
                self.at += len(anchor)
                return ANCHORS[anchor], False
        if ch != "\\":
            self.at += 1
            return self.literal(ch, options), True
        characters = self.property()
        if characters is not None:
            # alone \p{Word} is \w
            characters = {CLASSES["w"]: _IS, opposite(CLASSES["w"]): _NOT}.get(characters, characters)
            # only within a set does a property know of another case
            return f"(?-i:{characters})" if options.i else characters, True
        referred = self.reference()
        if referred is not None:
            return referred, True
        letter = self.pattern[begin + 1 : begin + 2]
        if letter in SHORTHANDS:
            self.at += 2
            return SHORTHANDS[letter], True
        return self.literal(self.character(), options), True

    @staticmethod
    def literal(ch: str, options: GroupOptions) -> str:
        """A character that stands for itself; without regard to case ß is ss as well."""
        folded = ch.casefold()
        if options.i and len(folded) > 1:
            return f"(?:{escaped(ch)}|{''.join(map(escaped, folded))})"
        return escaped(ch)

    @staticmethod
    def folds_otherwise(spelled: str) -> bool:
        """Whether Oniguruma and `regex` may take a set for different characters when case is ignored."""
        try:
            return UNCASED.search(spelled) is not None or regex.search(spelled, folds(), regex.VERSION1) is not None
        except regex.error:
            return False  # said when the whole is compiled

    def group(self, options: GroupOptions) -> tuple[str, bool]:
        """A group, from its parenthesis; and whether it can be repeated."""
        begin = self.at
        for opening in ("(?=", "(?!", "(?<=", "(?<!", "(?>"):
            if self.looking_at(opening):
                return f"{opening}{self.inside(options, begin, len(opening))})", opening == "(?>"
        if match := SCOPED.match(self.pattern, begin):
            inner = self.changed(options, match[1], begin + 2)
            return scoped(self.inside(inner, begin, len(match[0])), options, inner), True
        match = NAMED.match(self.pattern, begin)
        if match is None and self.looking_at("(?"):
            raise WrongPattern(begin + 2, "there is no such option of a group")
        self.groups += 1
        number = self.groups
        if match is not None:
            number = self.names.setdefault(match[1] or match[2], number)
        return f"(?P<g{number}>{self.inside(options, begin, len(match[0]) if match else 1)})", True

    def inside(self, options: GroupOptions, begin: int, opening: int) -> str:
        """What stands in a group behind its opening, and its closing parenthesis."""
        self.at += opening
        self.depth += 1
        spelled = "|".join(piece.spelled for piece in self.either(options))
        self.depth -= 1
        if self.at >= len(self.pattern):
            raise WrongPattern(begin, "this parenthesis is not closed")
        self.at += 1
        return spelled

    def reference(self) -> str | None:
        """A reference to a group, None where there is none; `\\10` is octal where there are not ten groups."""
        match = REFERENCE.match(self.pattern, self.at)
        if match is None:
            return None
        name = match[1] or match[2] or match[3] or ""
        number = self.names.get(name, -1)
        if number < 0 and re.fullmatch(r"-?\d+", name):
            self.by_number = self.at
            asked = int(name[:20])
            number = asked if asked > 0 else self.groups + 1 + asked
        if not 0 < number <= self.groups:
            if match[1] and number > 9 and match[1][0] in "1234567":
                return None
            raise WrongPattern(self.at, f"there is no group {name} before this")
        self.referred.add(number)
        self.at = match.end()
        return f"(?P=g{number})"

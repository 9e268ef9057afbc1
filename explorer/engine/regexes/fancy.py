"""Translates regular expressions of the Rust crate fancy-regex, which tiktoken runs, for the `regex` module.

fancy-regex parses a pattern itself, leaves what it can to Rust's regex, and matches the rest by backtracking. The
`regex` module reads much of it differently: `[a&&b]`, `[a--b]` and `[[:alpha:]]` are plain sets there, `\\h`, `\\R` and
`\\x{41}` are something else or nothing, and `(?i)` ends with its group. So a pattern is parsed here as fancy-regex 0.19
does and written for `regex` in its version 1, one expression per alternative. An error names the character, from 1.

The translation has no flags: each character, set and anchor is written for the flags in effect. Follows src/parse.rs,
and src/compile.rs for the length of look-behind.

Left out, and refused by name: calls of groups, conditions, absent expressions, control verbs, `\\K`, `\\G`, references
to groups that are still open or that ignore case, some look-behind, some properties (`rust_sets`), and repeats that
the original rewrites, or whose body may match nothing although it could match more. Not followed: the limits of Rust's
regex on the size of a pattern, and of fancy-regex on backtracking.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, NamedTuple

from explorer.engine.regexes import reader
from explorer.engine.regexes.reader import (
    NEWLINE,
    REFERS_BEHIND,
    TABLES,
    Flags,
    PatternReader,
    Piece,
    WrongPattern,
    alternatives_of,
    count,
)
from explorer.engine.regexes.rust_sets import SetReader
from explorer.engine.regexes.safe import LONGEST_SPELLED, NODES, Alternative, PatternError


@lru_cache(maxsize=256)
def alternatives(pattern: str) -> tuple[Alternative, ...]:
    """The alternatives of a pattern, verbatim and translated for `regex` (version 1).

    Raises PatternError naming the character that is wrong or not supported.

    >>> [(each.regex, each.engine) for each in alternatives("(?i)q|\\\\h$")]
    [('(?i)q', '[qQ]'), ('\\\\h$', '[0-9A-Fa-f]\\\\Z')]
    >>> alternatives("a|(b")
    Traceback (most recent call last):
    explorer.engine.regexes.safe.PatternError: character 3 of the pattern: this parenthesis is not closed; repair ...
    """
    pieces = reader.read(pattern, parsed)
    size = 0
    for piece in pieces:
        size += len(piece.spelled) + 1
        if size > LONGEST_SPELLED:
            raise PatternError(piece.start, f"written out, it has more than {LONGEST_SPELLED:,} characters; shorten it")
    return alternatives_of(pattern, pieces)


def parsed(pattern: str) -> list[Piece]:
    """The alternatives of a pattern. Raises WrongPattern."""
    first = FancyReader(pattern)
    pieces = first.whole()
    return FancyReader(pattern, referred=frozenset(first.refers)).whole() if first.refers else pieces


ANCHORS = TABLES["fancy_anchors"]
"""`^` and `$`, by the flag m, and m and R together."""
WORDS = TABLES["fancy_edges"]
"""The edges of words."""
CONTROLS = dict(zip("abfnrtve", "\a\b\f\n\r\t\v\x1b", strict=True))
DIGITS = {"x": 2, "u": 4, "U": 8}
META = frozenset("\\.+*?()|[]{}^$#&-~")
"""Characters that regex-syntax escapes."""
LETTERS = "kAzbBKGR"
"""Letters that are themselves after a backslash in a set."""
PROPERTIES = TABLES["fancy_properties"]
SETS = TABLES["fancy_sets"], TABLES["fancy_negated_sets"]
"""Properties that are written as a set, and negated."""


DEEPEST = 63
"""The most groups around a position."""
UNSUPPORTED = TABLES["fancy_unsupported"]
"""What may follow a parenthesis and is not translated."""
SIMPLE: dict[tuple[int, int | None], str] = {(0, 1): "?", (0, None): "*", (1, None): "+"}
LOOK = ("?<=", "?<!", "?=", "?!")
NAMED = re.compile(r"\?(?:P?<([^>]+)>|'([^']+)')")


class Node(NamedTuple):
    """A part of a pattern, translated.

    least: the fewest characters that it matches. fixed: it always matches that many. hard: its original does not leave
    it to Rust's regex. options: its alternatives. parts: what stands side by side in it. repeatable: it may have a
    quantifier. whole: it needs no parentheses to have one.
    """

    spelled: str = ""
    least: int = 0
    fixed: bool = True
    hard: bool = False
    options: tuple[Node, ...] = ()
    parts: tuple[Node, ...] = ()
    repeatable: bool = True
    whole: bool = False
    repeats: bool = False
    group: int = 0
    hasty: bool = False


EMPTY = Node(repeatable=False)


class Escape(NamedTuple):
    """What a backslash begins: a character, the text of a set, or an expression."""

    character: str = ""
    ignore_case: bool = False
    set_text: str = ""
    node: Node | None = None


@dataclass
class FancyReader(PatternReader):
    """Translates a pattern.

    Escapes within sets are written out, as the original hands them to regex-syntax (`rust_sets`). referred: the groups
    that something refers to, known from a first reading.
    """

    comment: ClassVar = re.compile(r"\(\?#(?:\\.|[^)\\])*(\)?)", re.DOTALL)
    ignored: ClassVar = re.compile(r"[ \t\n\r]+|#[^\n]*\n?")

    opened: int = 0
    names: dict[str, int] = field(default_factory=dict)
    closed: dict[int, tuple[int, bool]] = field(default_factory=dict)
    """closed groups → the fewest characters they match, and whether they always match that many"""
    referred: frozenset[int] = frozenset()
    refers: set[int] = field(default_factory=set)
    depth: int = 0
    behind: int | None = None
    """the number of groups before the outermost look-behind around the current position"""

    def whole(self) -> list[Piece]:
        """The alternatives of the whole pattern."""
        pieces: list[Piece] = []
        self.either(pieces)
        self.check_end()
        return pieces

    def either(self, pieces: list[Piece] | None = None) -> Node:
        """The alternatives up to the end of the group. pieces: gets them with their places."""
        options = []
        while True:
            start = self.at
            options.append(self.sequence())
            self.skip()
            if pieces is not None:
                pieces.append(Piece(start, self.at, options[-1].spelled))
            if not self.take("|"):
                break
        if len(options) == 1:
            return options[0]
        least = min(node.least for node in options)
        return Node(
            f"(?:{'|'.join(node.spelled for node in options)})",
            least,
            all(node.fixed and node.least == least for node in options),
            any(node.hard for node in options),
            tuple(options),
            whole=True,
            hasty=any(not node.least for node in options[:-1]) or any(node.hasty for node in options),
        )

    def sequence(self) -> Node:
        """What stands side by side up to a | or the end of the group."""
        parts = []
        while self.at < len(self.pattern):
            begin = self.at
            node = self.repeated()
            if self.at == begin:
                break
            if node is not EMPTY:
                parts.append(node)
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return EMPTY
        return Node(
            "".join(node.spelled for node in parts),
            sum(node.least for node in parts),
            all(node.fixed for node in parts),
            any(node.hard for node in parts),
            parts=tuple(parts),
            hasty=any(node.hasty for node in parts),
        )

    def repeated(self) -> Node:
        """The next atom with its quantifier."""
        size = self.size
        node = self.atom()
        self.size += len(node.spelled) if node.parts or node.options else 1
        self.skip()
        begin = self.at
        repeats = self.quantifier()
        if repeats is None:
            return node
        if not node.repeatable:
            raise WrongPattern(begin, "there is nothing before this to repeat")
        if node.group in self.referred:
            # the original joins the quantifiers, so the group may be empty
            raise WrongPattern(begin, "a repeated group that only holds a repeat cannot be referred to here")
        low, high = repeats
        if node.hasty and not node.least and high != 1:
            raise WrongPattern(
                begin, "what this repeats may match nothing although it could match more; put what matches more first"
            )
        if high is not None and high < low:
            raise WrongPattern(begin, "this repeat ends before it begins")
        self.expand(size, high if high and high > NODES else low, begin)
        self.skip()
        lazy = self.take("?") ^ self.flags.U
        possessive = self.take("+")
        repeat = SIMPLE.get(repeats) or reader.bounds(low, high)
        spelled = f"{node.spelled if node.whole else f'(?:{node.spelled})'}{repeat}{'?' if lazy else ''}"
        return Node(
            f"(?>{spelled})" if possessive else spelled,
            node.least * low,
            node.fixed and low == high,
            node.hard or possessive,
            whole=possessive,
            repeats=not possessive,
            hasty=node.hasty or (lazy and not low),
        )

    def quantifier(self) -> tuple[int, int | None] | None:
        """The bounds of a quantifier, or None; braces that are none are characters."""
        for simple, sign in SIMPLE.items():
            if self.take(sign):
                return simple
        begin = self.at
        if not self.take("{"):
            return None
        numbers: list[int | None] = []
        for ending in (",}", "}"):
            self.skip()
            digits = self.match("[0-9]*")
            assert digits is not None
            self.skip()
            last = self.pattern[self.at : self.at + 1]
            if not last or last not in ending or (not digits[0] and last == "}" and not numbers):
                self.at = begin
                return None
            self.at += 1
            numbers.append(count(digits[0]) if digits[0] else None)
            if last == "}":
                break
        low = numbers[0] or 0
        return low, numbers[-1]

    def atom(self) -> Node:
        """The next atom."""
        self.skip()
        ch = self.pattern[self.at : self.at + 1]
        if not ch or ch in "+*?|)":
            return EMPTY
        begin = self.at
        if ch == "(":
            return self.group()
        if ch == "[":
            text = self.set_text()
            return self.set(text, begin)
        if ch == "\\":
            return self.escaped_atom()
        self.at += 1
        if ch == ".":
            spelled = "(?s:.)" if self.flags.s else r"[^\r\n]" if self.flags.R else "."
            return Node(spelled, 1, whole=True)
        if ch in "^$":
            return Node(ANCHORS[ch + "m" * self.flags.m + "R" * (self.flags.m and self.flags.R)])
        return Node(SetReader.literal(ch, ignore_case=self.flags.i), 1, whole=True)

    def set(self, text: str, begin: int, *, ignore_case: bool | None = None) -> Node:
        """A set or class in the syntax of regex-syntax. begin: where it stands in the pattern."""
        reader = SetReader(text, begin, self.flags.i if ignore_case is None else ignore_case)
        return Node(reader.whole().spelled, 1, whole=True)

    def escaped_atom(self) -> Node:
        """An atom that begins with a backslash."""
        begin = self.at
        number = self.reference()
        if number is not None:
            return self.back_reference(number, begin)
        escape = self.escape()
        if escape.node is not None:
            return escape.node
        if escape.set_text:
            return self.set(escape.set_text, begin, ignore_case=escape.ignore_case)
        return Node(SetReader.literal(escape.character, ignore_case=escape.ignore_case), 1, whole=True)

    def back_reference(self, number: int, begin: int) -> Node:
        """A reference to a group that is closed."""
        if number not in self.closed:
            raise WrongPattern(begin, f"group {number} is not closed before this, which is not supported")
        if self.behind is not None and number > self.behind:
            raise WrongPattern(begin, REFERS_BEHIND)
        if self.flags.i:
            raise WrongPattern(begin, "a reference that ignores case is not supported; write (?-i:…) around it")
        self.refers.add(number)
        least, fixed = self.closed[number]
        return Node(f"(?P=g{number})", least, fixed, hard=True, whole=True)

    def group(self) -> Node:
        """A group, from its parenthesis."""
        begin = self.at
        self.depth += 1
        if self.depth > DEEPEST:
            raise WrongPattern(begin, f"more than {DEEPEST} parentheses are open here; use fewer")
        self.at += 1
        self.skip()
        number = self.reference() if self.looking_at("?P=") else None
        if number is not None:
            self.depth -= 1
            return self.back_reference(number, begin)
        for opening, what in UNSUPPORTED.items():
            if self.looking_at(opening):
                raise WrongPattern(begin, f"{what} (({opening}) is not supported")
        for opening in LOOK:
            if self.take(opening):
                outer = self.behind
                if "<" in opening and outer is None:
                    self.behind = self.opened
                inner = self.either()
                self.behind = outer
                if "<" in opening:
                    self.check_behind(inner, begin)
                return self.closing(Node(f"({opening}{inner.spelled})", hard=True, repeatable=False), begin)
        if self.take("?>"):
            inner = self.either()
            node = Node(f"(?>{inner.spelled})", inner.least, inner.fixed, hard=True, whole=True, hasty=inner.hasty)
            return self.closing(node, begin)
        match = self.match(NAMED)
        if match is None and self.looking_at("?"):
            return self.flagged(begin)
        self.opened += 1
        number = self.opened
        if match is not None:
            self.names[match[1] or match[2]] = number
        inner = self.either()
        self.closed[number] = inner.least, inner.fixed
        used = number in self.referred
        spelled = f"({f'?P<g{number}>' if used else '?:'}{inner.spelled})"
        held = number if inner.repeats else 0
        node = Node(spelled, inner.least, inner.fixed, inner.hard or used, whole=True, group=held, hasty=inner.hasty)
        return self.closing(node, begin)

    def closing(self, node: Node, begin: int) -> Node:
        """The node of a group, after its closing parenthesis."""
        self.skip()
        self.close(begin)
        self.depth -= 1
        return node

    def flagged(self, begin: int) -> Node:
        """`(?i)`, which applies from here on, even after the end of its group, or `(?i:…)`."""
        before = self.flags
        ending = self.change_flags(begin)
        if ending == ")":
            self.depth -= 1
            return EMPTY
        inner = self.either()
        self.close(begin)
        self.depth -= 1
        self.flags = before
        return inner

    def check_behind(self, node: Node, begin: int) -> None:
        """Raises WrongPattern for a look-behind that the original refuses, or runs in its own way."""
        for option in () if node.fixed else node.options or (node,):
            if not option.fixed and option.hard:
                raise WrongPattern(
                    begin,
                    "a look-behind that contains a reference, an anchor of words or look-around and matches texts of "
                    "different lengths is not supported; write one per length",
                )

    def change_flags(self, begin: int) -> str:
        """Changes the flags by letters such as `im-x` after a `?`. Returns what ends them: a colon or parenthesis."""
        self.at += 1
        letters, on = 0, True
        while True:
            self.skip()
            letter = self.pattern[self.at : self.at + 1]
            if not letter:
                raise WrongPattern(begin, "this parenthesis is not closed")
            if letter in Flags._fields:
                self.flags = self.flags._replace(**{letter: on})
            elif letter == "u" and on:
                pass
            elif letter == "-" and on:
                on = False
            elif letter in ":)" and (letters or letter == ":") and (on or letters > 1):
                self.at += 1
                return letter
            else:
                raise WrongPattern(self.at, "this kind of group or flag does not exist, or is not supported")
            letters += 1
            self.at += 1

    def reference(self) -> int | None:
        """The number of the group that `\\1`, `\\k<name>` or `?P=name)` refers to, None if there is no reference."""
        begin = self.at
        if match := self.match(r"\\([0-9]+)"):
            return count(match[1])
        if self.take("?P="):
            match = self.match(r"(\w+)\)")
        elif self.take(r"\k"):
            if match := self.match(r"<-([0-9]+)>|'-([0-9]+)'"):
                return self.opened + 1 - count(match[match.lastindex or 0])
            match = self.match(r"<(\w+)>|'(\w+)'")
        else:
            return None
        if match is None:
            raise WrongPattern(begin, "this reference to a group cannot be read")
        name = match[match.lastindex or 0]
        if re.fullmatch("[0-9]+", name):
            return count(name)
        if name not in self.names:
            raise WrongPattern(begin, f"there is no group {name[:40]!r} before this")
        return self.names[name]

    def escape(self, *, within: bool = False) -> Escape:
        """What the backslash at the current index begins. within: in a set."""
        begin = self.at
        letter = self.pattern[begin + 1 : begin + 2]
        if not letter:
            raise WrongPattern(begin, "this backslash ends the pattern")
        self.at += 2
        if letter in "dswDSW":
            return Escape(set_text=f"\\{letter}", ignore_case=self.flags.i)
        if letter in "hH":
            return Escape(set_text="[0-9A-Fa-f]" if letter == "h" else "[^0-9A-Fa-f]")
        if letter in DIGITS:
            self.skip()
            return Escape(self.hexadecimal(begin, DIGITS[letter]), self.flags.i)
        if letter in "pP" and self.at < len(self.pattern):
            return Escape(set_text=self.property(begin, within=within), ignore_case=self.flags.i)
        if not within:
            node = self.anchor(letter, begin)
            if node is not None:
                return Escape(node=node)
        if letter.isdigit() and letter.isascii():
            raise WrongPattern(begin, "a reference to a group cannot stand in a set")
        if letter in CONTROLS:
            return Escape(CONTROLS[letter])
        if letter.isascii() and letter.isalpha() and letter not in LETTERS:
            raise WrongPattern(begin, f"\\{letter} does not exist, or is not supported here")
        return Escape(letter)

    def anchor(self, letter: str, begin: int) -> Node | None:
        """An anchor or another expression that is not a single character, outside a set; None for any other letter."""
        if letter in "bB":
            after = self.at
            self.skip()
            if self.take("{"):
                end = self.pattern.find("}", self.at)
                name = self.pattern[self.at : end] if end >= 0 else ""
                name = re.sub(r"\s", "", name) if self.flags.x else name
                if not re.match("[0-9,]", name):
                    if letter == "B" or name not in WORDS or len(name) < 3:
                        raise WrongPattern(
                            begin, r"no such edge of a word exists, only \b{start}, \b{end} and half ones"
                        )
                    self.at = end + 1
                    return Node(WORDS[name], hard=True)
            self.at = after
        if letter in "bB<>":
            return Node(WORDS[letter], hard=True)
        if letter in "Az":
            return Node(r"\A" if letter == "A" else r"\Z")
        if letter == "Z":
            return Node(r"(?=[\r\n]*\Z)" if self.flags.R else r"(?=\n*\Z)", hard=True)
        if letter == "R":
            return Node(NEWLINE, 1, fixed=False, hard=True, whole=True)
        if letter in "ON":
            return Node("(?s:.)" if letter == "O" else ".", 1, whole=True)
        if letter in "KGg":
            what = {"K": "keep", "G": "the end of the last match", "g": "a group call"}[letter]
            raise WrongPattern(begin, f"{what} (\\{letter}) is not supported")
        return None

    def hexadecimal(self, begin: int, size: int) -> str:
        """The character with a number of `size` digits, or of one to eight digits in braces."""
        space = r"\s*" if self.flags.x else ""
        match = self.match(rf"([0-9A-Fa-f]{{{size}}})") or self.match(rf"\{{{space}((?:[0-9A-Fa-f]{space}){{1,8}})\}}")
        if match is None:
            raise WrongPattern(begin, f"this takes {size} hexadecimal digits, or up to eight in braces")
        return reader.character(int("".join(match[1].split()), 16), begin)

    def property(self, begin: int, *, within: bool) -> str:
        """The text of a set for a `\\p…`, after its letter."""
        if not self.looking_at("{"):
            self.at += 1
            return self.pattern[begin : self.at]
        end = self.pattern.find("}", self.at)
        if end < 0:
            raise WrongPattern(begin, "this property lacks its closing brace")
        name = self.pattern[self.at + 1 : end].lower()
        self.at = end + 1
        negative = self.pattern[begin + 1] == "P"
        if name.startswith("^"):
            name, negative = name[1:], not negative
        if name in PROPERTIES:
            inner = PROPERTIES[name]
            return f"[^{inner}]" if negative else inner if within else f"[{inner}]"
        if name in SETS[negative]:
            return SETS[negative][name]
        return rf"\{'P' if negative else 'p'}{{{name}}}"

    def set_text(self) -> str:
        """The text of a set in the syntax of regex-syntax, from bracket to bracket."""
        begin = self.at
        text, depth, negated_property = [], 0, False
        while True:
            ch = self.pattern[self.at : self.at + 1]
            if not ch:
                raise WrongPattern(begin, "this set is not closed")
            if ch == "\\":
                escape = self.escape(within=True)
                if escape.character:
                    text.append(f"\\{escape.character}" if escape.character in META else escape.character)
                    continue
                inner = escape.set_text
                if inner.startswith("[^") and (r"\p{" in inner or r"\P{" in inner):
                    # the original intersects the second of these and later ones
                    text.append("&&" if negated_property else "")
                    negated_property = True
                text.append(inner)
                continue
            opening = self.match(r"\[\^?\]?")
            depth += 1 if opening else -1 if ch == "]" else 0
            text.append(opening[0] if opening else ch)
            self.at += not opening
            if ch == "]" and not depth:
                return "".join(text)

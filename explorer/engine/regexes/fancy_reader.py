"""Parses a pattern as the Rust crate fancy-regex 0.19 does and translates it for the `regex` module (version 1).

`FancyReader` reads groups, flags, quantifiers, anchors and references, and hands sets to `rust_sets`. The translation
has no flags: each character, set and anchor is written for the flags in effect. An error is a `WrongPattern` with the
index in the pattern. Follows src/parse.rs, and src/compile.rs for the length of look-behind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from explorer.engine.limits.pattern import NODES
from explorer.engine.regexes.fancy_escapes import ANCHORS, EscapeReader
from explorer.engine.regexes.oniguruma_sets import WrongPattern, count
from explorer.engine.regexes.rust_sets import SetReader

DEEPEST: Final = 63
"""The most groups around a position."""
UNSUPPORTED: Final = {
    "?~": "an absent expression",
    "?(": "a condition",
    "?P>": "a group call",
    "*": "a control verb",
}
"""What may follow a parenthesis and is not translated."""
LOOK: Final = ("?<=", "?<!", "?=", "?!")
NAMED: Final = re.compile(r"\?(?:P?<([^>]+)>|'([^']+)')")
REPEAT: Final = re.compile(r"(\d*)(,?)(\d*)\}")


class Node(NamedTuple):
    """A part of a pattern, translated.

    least: the fewest characters that it matches. fixed: it always matches so many. hard: its original does not leave it
    to Rust's regex. options: its alternatives. parts: what stands side by side in it. repeatable: it may have a
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


EMPTY: Final = Node(repeatable=False)


class Piece(NamedTuple):
    """An alternative: [start, end) of the pattern, and its translation."""

    start: int
    end: int
    spelled: str


@dataclass
class FancyReader(EscapeReader):
    """Translates a pattern from left to right. Methods raise WrongPattern.

    referred: the groups that something refers to, known from a first reading.
    """

    referred: frozenset[int] = frozenset()
    refers: set[int] = field(default_factory=set)
    depth: int = 0
    size: int = 0
    """the size of the expression so far, with fixed repeats expanded"""

    def whole(self) -> list[Piece]:
        """The alternatives of the whole pattern."""
        pieces: list[Piece] = []
        self.either(pieces)
        if self.at < len(self.pattern):
            raise WrongPattern(self.at, "this parenthesis does not close a group")
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
            if not self.looking_at("|"):
                break
            self.at += 1
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
        bounds = self.quantifier()
        if bounds is None:
            return node
        if not node.repeatable:
            raise WrongPattern(begin, "there is nothing before this to repeat")
        if node.group in self.referred:
            # the original joins the quantifiers, so the group may be empty
            raise WrongPattern(begin, "a repeated group that only holds a repeat cannot be referred to here")
        low, high = bounds
        if node.hasty and not node.least and high != 1:
            raise WrongPattern(
                begin, "what this repeats may match nothing although it could match more; put what matches more first"
            )
        if high is not None and high < low:
            raise WrongPattern(begin, "this repeat ends before it begins")
        self.size = size + (self.size - size) * max(1, low)
        if self.size > NODES or (high or 0) > NODES:
            raise WrongPattern(begin, "nested repeats make the pattern too large for `regex`")
        self.skip()
        lazy = self.looking_at("?")
        self.at += lazy
        possessive = self.looking_at("+")
        self.at += possessive
        lazy ^= self.flags.U
        count = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get(bounds, f"{{{low},{'' if high is None else high}}}")
        spelled = f"{node.spelled if node.whole else f'(?:{node.spelled})'}{count}{'?' if lazy else ''}"
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
        """The bounds of a quantifier, None if there is none; braces that are none are characters."""
        simple = {"?": (0, 1), "*": (0, None), "+": (1, None)}.get(self.pattern[self.at : self.at + 1])
        if simple is not None:
            self.at += 1
            return simple
        if not self.looking_at("{"):
            return None
        begin = self.at
        self.at += 1
        numbers: list[int | None] = []
        for ending in (",}", "}"):
            self.skip()
            digits = re.compile(r"\d*", re.ASCII).match(self.pattern, self.at)
            assert digits is not None
            self.at = digits.end()
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
            return Node(ANCHORS[ch, self.flags.m, self.flags.m and self.flags.R])
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
        found = self.escape()
        if found.is_anchor:
            return Node(found.spelled, hard=found.is_hard)
        if found.is_newline:
            return Node(found.spelled, 1, fixed=False, hard=True, whole=True)
        if found.set_text:
            return self.set(found.set_text, begin, ignore_case=found.ignore_case)
        if found.spelled:
            return Node(found.spelled, 1, whole=True)
        return Node(SetReader.literal(found.character, ignore_case=found.ignore_case), 1, whole=True)

    def back_reference(self, number: int, begin: int) -> Node:
        """A reference to a group that is closed."""
        if number not in self.closed:
            raise WrongPattern(begin, f"group {number} is not closed before this, which is not supported")
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
            if self.looking_at(opening):
                self.at += len(opening)
                inner = self.either()
                if "<" in opening:
                    self.check_behind(inner, begin)
                return self.closing(Node(f"({opening}{inner.spelled})", hard=True, repeatable=False), begin)
        if self.looking_at("?>"):
            self.at += 2
            inner = self.either()
            node = Node(f"(?>{inner.spelled})", inner.least, inner.fixed, hard=True, whole=True, hasty=inner.hasty)
            return self.closing(node, begin)
        match = NAMED.match(self.pattern, self.at)
        if match is None and self.looking_at("?"):
            return self.flagged(begin)
        self.opened += 1
        number = self.opened
        if match is not None:
            self.at = match.end()
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
        if self.at >= len(self.pattern):
            raise WrongPattern(begin, "this parenthesis is not closed")
        self.at += 1
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
        if self.at >= len(self.pattern):
            raise WrongPattern(begin, "this parenthesis is not closed")
        self.at += 1
        self.depth -= 1
        self.flags = before
        return inner

    def check_behind(self, node: Node, begin: int) -> None:
        """Raises WrongPattern for a look-behind that the original refuses, or runs in its own way."""
        for each in () if node.fixed else node.options or (node,):
            if not each.fixed and each.hard:
                raise WrongPattern(
                    begin,
                    "a look-behind that contains a reference, an anchor of words or look-around and matches texts of "
                    "different lengths is not supported; write one per length",
                )

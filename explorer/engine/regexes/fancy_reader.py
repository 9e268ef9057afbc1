"""Parses a pattern as the Rust crate fancy-regex 0.19 does and translates it for the `regex` module (version 1).

`EscapeReader` reads escapes, flags and the text of sets, whose own escapes are written out, as the original hands them
to regex-syntax. `FancyReader` reads groups, quantifiers, anchors and references, and hands sets to `rust_sets`. The
translation has no flags: each character, set and anchor is written for the flags in effect. An error is a
`WrongPattern` with the index in the pattern. Follows src/parse.rs, and src/compile.rs for the length of look-behind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from explorer.engine.limits.pattern import NODES
from explorer.engine.regexes.oniguruma_sets import WrongPattern, count
from explorer.engine.regexes.rust_sets import SetReader

_START, _END = r"(?:\A|(?<=\n)|(?<=\r)(?!\n))", r"(?:\Z|(?=\r)|(?<!\r)(?=\n))"
ANCHORS: Final = {
    ("^", False, False): r"\A",
    ("^", True, False): r"(?:\A|(?<=\n))",
    ("^", True, True): _START,
    ("$", False, False): r"\Z",
    ("$", True, False): r"(?:\Z|(?=\n))",
    ("$", True, True): _END,
}
"""`^` and `$`, by the flag m, and m and R together."""
WORDS: Final = {
    "b": r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))",
    "B": r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))",
    "<": r"(?:(?<!\w)(?=\w))",
    ">": r"(?:(?<=\w)(?!\w))",
    "start": r"(?:(?<!\w)(?=\w))",
    "end": r"(?:(?<=\w)(?!\w))",
    "start-half": r"(?<!\w)",
    "end-half": r"(?!\w)",
}
"""The edges of words."""
CONTROLS: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "e": "\x1b"}
DIGITS: Final = {"x": 2, "u": 4, "U": 8}
NEWLINE: Final = r"(?>\r\n|[\n-\r\x85\u2028\u2029])"
NAMED_REFERENCE: Final = re.compile(r"<(\w+)>|'(\w+)'|<-([0-9]+)>|'-([0-9]+)'")
META: Final = frozenset("\\.+*?()|[]{}^$#&-~")
"""Characters that regex-syntax escapes."""
LETTERS: Final = "kAzbBKGR"
"""Letters that are themselves after a backslash in a set."""
PROPERTIES: Final = {
    "alnum": r"\p{alpha}\p{digit}",
    "blank": r"\p{Zs}\x09",
    "cntrl": r"\x00-\x1F\x7F-\x9F",
}
SETS: Final = {
    ("word", False): r"\w",
    ("word", True): r"\W",
    ("graph", False): r"[^\p{White_Space}\p{C}]",
    ("graph", True): r"[\p{White_Space}\p{C}]",
    ("print", False): r"[^\p{C}\t\n\v\f\r]",
    ("print", True): r"[\p{C}\t\n\v\f\r]",
    ("cs", False): r"\P{any}",
    ("cs", True): r"\p{any}",
}


class Flags(NamedTuple):
    """i: ignore case. m: anchors match at lines. s: the dot matches a line feed. x: ignore white space. U: quantifiers
    are lazy. R: lines end with carriage returns, too."""

    i: bool = False
    m: bool = False
    s: bool = False
    x: bool = False
    U: bool = False
    R: bool = False


NO_FLAGS: Final = Flags()


class Escape(NamedTuple):
    """What a backslash begins: a character, the text of a set, or an expression."""

    character: str = ""
    ignore_case: bool = False
    set_text: str = ""
    spelled: str = ""
    is_anchor: bool = False
    is_hard: bool = False
    is_newline: bool = False


@dataclass
class EscapeReader:
    """Reads escapes, flags and sets of a pattern from the index `at`. Methods raise WrongPattern."""

    pattern: str
    at: int = 0
    flags: Flags = NO_FLAGS
    opened: int = 0
    names: dict[str, int] = field(default_factory=dict)
    closed: dict[int, tuple[int, bool]] = field(default_factory=dict)
    """closed groups → the fewest characters they match, and whether they always match so many"""

    def looking_at(self, text: str) -> bool:
        """Whether the pattern continues with this text."""
        return self.pattern.startswith(text, self.at)

    def skip(self) -> None:
        """Skips comments and, with the flag x, white space."""
        while self.at < len(self.pattern):
            if self.looking_at("(?#"):
                begin = self.at
                self.at += 3
                while not self.looking_at(")"):
                    self.at += 2 if self.looking_at("\\") else 1
                    if self.at >= len(self.pattern):
                        raise WrongPattern(begin, "this comment is not closed")
                self.at += 1
            elif self.flags.x and self.looking_at("#"):
                end = self.pattern.find("\n", self.at)
                self.at = len(self.pattern) if end < 0 else end + 1
            elif self.flags.x and self.pattern[self.at] in " \t\n\r":
                self.at += 1
            else:
                return

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
        match = re.compile(r"\\([0-9]+)").match(self.pattern, begin)
        if match is not None:
            self.at = match.end()
            return count(match[1])
        if self.looking_at("?P="):
            match = re.compile(r"\?P=(\w+)\)").match(self.pattern, begin)
            name = match[1] if match else ""
        elif self.looking_at(r"\k"):
            match = NAMED_REFERENCE.match(self.pattern, begin + 2)
            name = (match[1] or match[2] or "") if match else ""
            if match is not None and not name:
                self.at = match.end()
                return self.opened + 1 - count(match[3] or match[4])
        else:
            return None
        if match is None:
            raise WrongPattern(begin, "this reference to a group cannot be read")
        self.at = match.end()
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
            anchor = self.anchor(letter, begin)
            if anchor is not None:
                return anchor
        if letter.isdigit() and letter.isascii():
            raise WrongPattern(begin, "a reference to a group cannot stand in a set")
        if letter in CONTROLS:
            return Escape(CONTROLS[letter])
        if letter.isascii() and letter.isalpha() and letter not in LETTERS:
            raise WrongPattern(begin, f"\\{letter} does not exist, or is not supported here")
        return Escape(letter)

    def anchor(self, letter: str, begin: int) -> Escape | None:
        """An anchor or another expression that is no single character, outside a set; None if it is none."""
        if letter in "bB":
            after = self.at
            self.skip()
            if self.looking_at("{"):
                end = self.pattern.find("}", self.at)
                name = self.pattern[self.at + 1 : end] if end >= 0 else ""
                name = re.sub(r"\s", "", name) if self.flags.x else name
                if re.match("[0-9,]", name):
                    self.at = after
                    return Escape(spelled=WORDS[letter], is_anchor=True, is_hard=True)
                if letter == "B" or name not in WORDS or len(name) < 3:
                    raise WrongPattern(begin, r"there is no such edge of a word, only \b{start}, \b{end} and half ones")
                self.at = end + 1
                return Escape(spelled=WORDS[name], is_anchor=True, is_hard=True)
            self.at = after
        if letter in "bB<>":
            return Escape(spelled=WORDS[letter], is_anchor=True, is_hard=True)
        if letter in "Az":
            return Escape(spelled=r"\A" if letter == "A" else r"\Z", is_anchor=True)
        if letter == "Z":
            return Escape(spelled=r"(?=[\r\n]*\Z)" if self.flags.R else r"(?=\n*\Z)", is_anchor=True, is_hard=True)
        if letter == "R":
            return Escape(spelled=NEWLINE, is_newline=True)
        if letter in "ON":
            return Escape(spelled="(?s:.)" if letter == "O" else ".")
        if letter in "KGg":
            what = {"K": "keep", "G": "the end of the last match", "g": "a group call"}[letter]
            raise WrongPattern(begin, f"{what} (\\{letter}) is not supported")
        return None

    def hexadecimal(self, begin: int, size: int) -> str:
        """The character with a number of so many digits, or of any number of digits in braces."""
        match = re.compile(rf"([0-9A-Fa-f]{{{size}}})").match(self.pattern, self.at)
        if match is None and self.flags.x:
            match = re.compile(r"\{\s*((?:[0-9A-Fa-f]\s*){1,8})\}").match(self.pattern, self.at)
        if match is None:
            match = re.compile(r"\{([0-9A-Fa-f]{1,8})\}").match(self.pattern, self.at)
        if match is None:
            raise WrongPattern(begin, f"this takes {size} hexadecimal digits, or up to eight in braces")
        self.at = match.end()
        number = int("".join(match[1].split()), 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise WrongPattern(begin, "this is not the number of a character")
        return chr(number)

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
        if (name, negative) in SETS:
            return SETS[name, negative]
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
                found = self.escape(within=True)
                if found.character:
                    text.append(f"\\{found.character}" if found.character in META else found.character)
                    continue
                inner = found.set_text
                if inner.startswith("[^") and (r"\p{" in inner or r"\P{" in inner):
                    # the original intersects the second of these and later ones
                    text.append("&&" if negated_property else "")
                    negated_property = True
                text.append(inner)
                continue
            opening = re.compile(r"\[\^?\]?").match(self.pattern, self.at)
            depth += 1 if opening else -1 if ch == "]" else 0
            text.append(opening[0] if opening else ch)
            self.at += len(text[-1])
            if ch == "]" and not depth:
                return "".join(text)


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
        """The bounds of a quantifier, or None; braces that are none are characters."""
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

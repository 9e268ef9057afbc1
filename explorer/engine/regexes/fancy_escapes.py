"""Escapes, flags and the text of sets of the Rust crate fancy-regex 0.19.

`EscapeReader` reads them from a pattern. A set becomes the text that the original hands to regex-syntax: its own
escapes are written out there, such as `\\h` and `\\e`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from explorer.engine.regexes.oniguruma_sets import WrongPattern, count

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

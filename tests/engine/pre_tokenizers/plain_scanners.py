"""llama.cpp's scanners once more, as plain loops written after its source, with a note of everything they do.

An oracle for the events of the engine's scanners: nothing is shared with them but the kinds of event. The names are
those of llama.cpp's `src/unicode.cpp`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

Note = tuple[str, int, int, object]
"""(what, start, end, rule or class)."""

SPACES = set(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F,
                       0x3000)))  # fmt: skip
HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2EBEF), (0x2F800, 0x2FA1F))
BREAKS = ("\r", "\n")


class Loop:
    """One scanner at work on one text."""

    def __init__(self, text: str, marks: bool = False) -> None:
        self.text, self.marks = text, marks
        self.notes: list[Note] = []
        self.pos = self.prev_end = 0

    def cpt(self, pos: int) -> str:
        return self.text[pos] if pos < len(self.text) else ""

    def flags(self, pos: int) -> str:
        ch = self.cpt(pos)
        if not ch:
            return "E"
        if ch in SPACES:
            return "S"
        category = unicodedata.category(ch)[0]
        return category if category in "LN" else "L" if category == "M" and self.marks else "O"

    def is_han(self, pos: int) -> bool:
        return any(low <= ord(self.cpt(pos) or " ") <= high for low, high in HAN)

    def look(self, at: int, pos: int) -> str:
        self.notes.append(("LOOK", at, pos, self.flags(pos)))
        return self.flags(pos)

    def failed(self, rule: int) -> None:
        self.notes.append(("FAILED", self.pos, self.pos, rule))

    def add_token(self, end: int, rule: int) -> None:
        if end > self.prev_end:
            self.notes.append(("PIECE", self.prev_end, end, rule))
        self.prev_end = self.pos = end

    def run(self, start: int, goes_on: Callable[[int], bool]) -> int:
        pos = start
        while pos < len(self.text) and goes_on(pos):
            pos += 1
        if pos > start:
            self.notes.append(("RUN", start, pos, self.flags(pos)))
        return pos

    def contraction(self, pos: int, lower: bool) -> int:
        """How many characters a contraction has, 0 without one."""
        if self.cpt(pos) != "'" or pos + 1 >= len(self.text):
            return 0
        fold: Callable[[str], str] = (lambda ch: ch.lower() if ch < "\x80" else ch) if lower else (lambda ch: ch)
        self.look(pos, pos + 1)
        following = fold(self.cpt(pos + 1))
        if following in ("s", "t", "m", "d"):
            return 2
        if pos + 2 < len(self.text):
            self.look(pos, pos + 2)
            if (following, fold(self.cpt(pos + 2))) in (("r", "e"), ("v", "e"), ("l", "l")):
                return 3
        return 0

    def numbers(self, most: int, rule: int) -> None:
        ini = self.pos
        pos = ini
        while self.flags(pos) == "N":
            pos += 1
            if pos - ini >= most:
                self.notes.append(("RUN", ini, pos, "full"))
                self.add_token(pos, rule)
                ini = pos
        if pos > ini:
            self.notes.append(("RUN", ini, pos, self.flags(pos)))
            self.add_token(pos, rule)

    def white_space(self, first: int, breaks: bool) -> None:
        """The rules for white space, numbered from `first`; with `breaks` the one for line breaks comes first."""
        end = self.run(self.pos, lambda pos: self.flags(pos) == "S")
        if breaks:
            last_end_r_or_n = max((pos + 1 for pos in range(self.pos, end) if self.cpt(pos) in BREAKS), default=0)
            if last_end_r_or_n > 0:
                return self.add_token(last_end_r_or_n, first)
            self.failed(first)
            first += 1
        if end - self.pos > 1 and self.look(self.pos, end) != "E":
            return self.add_token(end - 1, first)
        self.failed(first)
        return self.add_token(end, first + 1)


def gpt2(text: str) -> list[Note]:
    loop = Loop(text)
    while (pos := loop.pos) < len(text):
        if size := loop.contraction(pos, lower=False):
            loop.add_token(pos + size, 0)
            continue
        loop.failed(0)
        space = loop.cpt(pos) == " "
        flags2 = loop.look(pos, pos + 1) if space else loop.flags(pos)
        for rule, wanted in enumerate("LNO", 1):
            if flags2 == wanted:
                loop.add_token(loop.run(pos + space, lambda at, wanted=wanted: loop.flags(at) == wanted), rule)  # type: ignore[misc]
                break
            loop.failed(rule)
        else:
            loop.white_space(4, breaks=False)
    return loop.notes


def signs(loop: Loop, rule: int, lone: bool) -> bool:
    """The rule ` ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*`. lone: it accepts a space without anything after it."""
    pos, space = loop.pos, loop.cpt(loop.pos) == " "
    flags2 = loop.look(pos, pos + 1) if space else loop.flags(pos)
    if flags2 != "O" and not (lone and flags2 == "E"):
        loop.failed(rule)
        return False
    end = loop.run(pos + space, lambda at: loop.flags(at) == "O")
    loop.add_token(loop.run(end, lambda at: loop.cpt(at) in BREAKS), rule)
    return True


def llama3(text: str, most: int = 3, marks: bool = False) -> list[Note]:
    loop = Loop(text, marks)
    while (pos := loop.pos) < len(text):
        if size := loop.contraction(pos, lower=True):
            loop.add_token(pos + size, 0)
            continue
        loop.failed(0)
        flags = loop.flags(pos)
        if loop.cpt(pos) not in BREAKS and flags != "N" and (flags == "L" or loop.look(pos, pos + 1) == "L"):
            loop.add_token(loop.run(pos + (flags != "L"), lambda at: loop.flags(at) == "L"), 1)
            continue
        loop.failed(1)
        if flags == "N":
            if most == 1:
                loop.add_token(pos + 1, 2)
            else:
                loop.numbers(most, 2)
            continue
        loop.failed(2)
        if not signs(loop, 3, lone=True):
            loop.white_space(4, breaks=True)
    return loop.notes


def qwen2(text: str) -> list[Note]:
    return llama3(text, 1)


def qwen35(text: str) -> list[Note]:
    return llama3(text, 1, marks=True)


def kimi_k2(text: str) -> list[Note]:
    loop = Loop(text)
    while (pos := loop.pos) < len(text):
        if loop.is_han(pos):
            loop.add_token(loop.run(pos, loop.is_han), 0)
            continue
        loop.failed(0)
        flags = loop.flags(pos)
        leading = loop.cpt(pos) not in BREAKS and flags not in "LN"
        if flags == "L" or (leading and loop.look(pos, pos + 1) == "L" and not loop.is_han(pos + 1)):
            end = loop.run(pos + leading, lambda at: loop.flags(at) == "L" and not loop.is_han(at))
            loop.add_token(end + loop.contraction(end, lower=True), 1)
            continue
        loop.failed(1)
        if flags == "N":
            loop.numbers(3, 2)
            continue
        loop.failed(2)
        if not signs(loop, 3, lone=False):
            loop.white_space(4, breaks=True)
    return loop.notes


def thirds(text: str) -> list[Note]:
    loop = Loop(text)
    while loop.pos < len(text):
        if loop.flags(loop.pos) != "N":
            loop.failed(0)
            loop.pos += 1
            continue
        start = loop.pos
        end = loop.run(start, lambda at: loop.flags(at) == "N")
        current = start
        if (end - start) % 3:
            current += (end - start) % 3
            loop.add_token(current, 0)
        while current < end:
            current += 3
            loop.add_token(current, 0)
    if loop.prev_end < len(text):
        loop.notes.append(("GAP", loop.prev_end, len(text), -1))
    return loop.notes


def newlines(text: str) -> list[Note]:
    loop = Loop(text)
    while (pos := loop.pos) < len(text):
        is_newline = loop.cpt(pos) == "\n"
        if is_newline:
            loop.failed(0)
        loop.add_token(loop.run(pos, lambda at, feed=is_newline: (loop.cpt(at) == "\n") == feed), int(is_newline))  # type: ignore[misc]
    return loop.notes


PLAIN: dict[str, Callable[[str], list[Note]]] = {
    "gpt2": gpt2, "llama3": llama3, "qwen2": qwen2, "qwen35": qwen35, "kimi_k2": kimi_k2, "afmoe": thirds,
    "newlines": newlines,
}  # fmt: skip
"""Name of llama.cpp's function, without what all have in front → the loop."""

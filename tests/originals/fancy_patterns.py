"""Generated patterns over the whole grammar of fancy-regex and regex-syntax, beside tiktoken.

`python -m tests.originals.fancy_patterns [COUNT] [SEED]` compares the pieces of many texts and prints what differs;
exit status 1 where pieces differ.
"""

from __future__ import annotations

import atexit
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from typing import Final

import tiktoken

from explorer.engine.pre_tokenizers.by_regex import FancyRegexSplit
from explorer.engine.pre_tokenizers.custom_pattern import fancy_pattern
from explorer.errors import InputError

CHARACTERS: Final = (
    *"aAbBkKsSxz019_- \n\r\t.:é&~#'^]}", "ſ", "\u212a", "ß", "ẞ", "É", "漢", "ǅ", "ǆ", "İ", "ı", "²", "٣", "\u0301",
    "\u2028", "\x85", "\u200d", "\u00a0", "😊", "Ꭰ", "ꭰ",
)  # fmt: skip
"""Characters of patterns and of texts."""
TEXTS: Final = (
    "aAbBaab", "kK\u212asSſ", "a1 b2\n\nc", "  x\r\n\ty ", "ßẞéÉ漢字", "a\u0301-b_c", "ǅǆǄİıI", "1²٣½", "abcABCxyz",
    "\x85\u2028\u00a0\n", "aaaa", "abab ba", "]^-&~", "😊a\u200db", "a.b:c#d", "Ꭰꭰ!", "\n", "\r\n\r\n",
    "hello, Wor1d", "\x1b\x07\x08\x0b",
)  # fmt: skip
ESCAPES: Final = (
    r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\h", r"\H", r"\p{L}", r"\P{L}", r"\pN", r"\PN", r"\p{Lu}",
    r"\p{Ll}", r"\p{^Lu}", r"\P{^Lu}", r"\p{Han}", r"\p{Greek}", r"\p{sc=Latin}", r"\p{gc!=Lu}", r"\p{White_Space}",
    r"\p{alnum}", r"\P{alnum}", r"\p{word}", r"\p{^graph}", r"\p{print}", r"\P{blank}", r"\p{cntrl}", r"\p{any}",
    r"\p{upper}", r"\p{Is_Lower}", r"\p{M}", r"\p{Z}", r"\p{Emoji}", r"\x41", r"\x{e9}", r"\u00e9", r"\u{61}",
    r"\U00000062", r"\e", r"\a", r"\f", r"\n", r"\r", r"\t", r"\v", r"\-", r"\]", r"\ ", r"\é", r"\_", r"\#", r"\~",
    r"\&", r"\.", r"\^", r"\p{cs}",
)  # fmt: skip
OUTSIDE: Final = (
    ".", ".", r"\R", r"\N", r"\O", "^", "$", r"\A", r"\z", r"\Z", r"\b", r"\B", r"\b{start}", r"\b{end}",
    r"\b{start-half}", r"\b{end-half}", r"\<", r"\>", "{", "}", "]", "(?#c)", "(?i)", "(?s)", "(?m)", "(?x)",
    "(?U)", "(?R)", "(?-i)", "(?u)",
)  # fmt: skip
REFUSED: Final = (
    r"\K", r"\G", "(?~a)", "(?(1)a|b)", r"\g<1>", "(*FAIL)", "(?P>n)", r"\k<n+0>", r"\y", r"\X", r"\0", r"\Q",
)  # fmt: skip
"""What this project, the original or both refuse."""
QUANTIFIERS: Final = (
    *(
        "*",
        "+",
        "?",
        "*?",
        "+?",
        "??",
        "*+",
        "++",
        "?+",
        "{2}",
        "{1,2}",
        "{,2}",
        "{,3}?",
        "{1,}",
        "{0}",
        "{2}?",
        "{2}+",
    ),
    *("{1,2}?", "{ 1 }", "{,}", "{}", "{x}", "{1", "{2,1}"),
)
ASCII: Final = tuple("alpha ^alpha digit space punct upper ^lower word xdigit alnum foo graph".split())
OPENINGS: Final = tuple(
    "( ( (?: (?: (?> (?= (?! (?<= (?<! (?i: (?s: (?m: (?x: (?U: (?-i: (?i-s: (?P<n> (?<m> (?'o' (?R: (?mR:".split()
)


class Grammar:
    """Writes random patterns. The tables are those of a dialect."""

    escapes: Sequence[str] = ESCAPES
    outside: Sequence[str] = OUTSIDE
    refused: Sequence[str] = REFUSED
    quantifiers: Sequence[str] = QUANTIFIERS
    openings: Sequence[str] = OPENINGS
    named: Sequence[str] = ("(?P<n>", "(?<m>", "(?'o'")
    operators: Sequence[str] = ("&&", "--", "~~", "&&", "--")

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.groups = 0
        self.names: list[str] = []

    def pattern(self) -> str:
        """A pattern; one of ten is damaged."""
        self.groups, self.names = 0, []
        made = self.either(self.choose.choice((1, 2, 3)))
        if self.choose.random() < 0.3:
            made += "|" + self.choose.choice(("(?s:.)", r"\s+(?!\S)|\s+", r"[^a]", r"\p{L}+|\P{L}"))
        if self.choose.random() < 0.1 and made:
            at = self.choose.randrange(len(made))
            made = made[:at] + self.choose.choice(("", *"()[]{}\\|^-?*+:&x")) + made[at + 1 :]
        return made

    def either(self, depth: int) -> str:
        """Alternatives. depth: how many groups may be within each other."""
        count = self.choose.choice((1, 1, 1, 2, 3))
        return "|".join(self.sequence(depth) for _ in range(count))

    def sequence(self, depth: int) -> str:
        """Atoms with quantifiers, side by side."""
        count = self.choose.choice((0, 1, 1, 2, 2, 3, 4)) if depth else self.choose.choice((1, 1, 2))
        return "".join(self.piece(depth) for _ in range(count))

    def piece(self, depth: int) -> str:
        """An atom, perhaps with a quantifier."""
        atom = self.atom(depth)
        if self.choose.random() < 0.4:
            atom += self.choose.choice(self.quantifiers if self.choose.random() < 0.5 else "*+?")
        return atom

    def atom(self, depth: int) -> str:
        """A character, escape, set, anchor, reference or group."""
        kind = self.choose.random()
        if kind < 0.3 or (not depth and kind > 0.85):
            return self.literal()
        if kind < 0.45:
            return self.choose.choice(self.escapes)
        if kind < 0.6:
            return self.set(self.choose.choice((0, 1, 2)))
        if kind < 0.72:
            return self.choose.choice(self.outside)
        if kind < 0.735:
            return self.choose.choice(self.refused)
        if kind < 0.8:
            return self.reference() or self.literal()
        return self.group(depth - 1)

    def literal(self) -> str:
        """A character, mostly escaped where it has to be."""
        ch = self.choose.choice(CHARACTERS)
        return f"\\{ch}" if ch in "\\.+*?()|[]{}^$" and self.choose.random() < 0.8 else ch

    def reference(self) -> str:
        """A reference to a group, which may still be open; empty if there is none."""
        if not self.groups:
            return ""
        number = self.choose.randint(1, self.groups)
        forms = [f"\\{number}", f"\\k<{number}>", f"\\k<-{number}>", f"\\k'{number}'"]
        forms += [form for name in self.names for form in (f"(?P={name})", f"\\k<{name}>")]
        return self.choose.choice(forms)

    def group(self, depth: int) -> str:
        """A group, perhaps with a reference after it."""
        opening = self.choose.choice(self.openings)
        number = None
        if opening == "(" or opening in self.named:
            self.groups += 1
            number = self.groups
            if opening != "(":
                self.names.append(opening.strip("(?P<>'"))
        body = self.either(max(0, depth))
        if number is not None and self.choose.random() < 0.25:
            return f"{opening}{body})\\{number}"
        return f"{opening}{body})"

    def set(self, depth: int) -> str:
        """A set, perhaps with sets and operators in it."""
        parts = [self.choose.choice(("", "", "", "^", "^]", "]", "-"))]
        for _ in range(self.choose.choice((1, 1, 2, 3, 4))):
            kind = self.choose.random()
            if kind < 0.35:
                parts.append(self.choose.choice(CHARACTERS).replace("]", r"\]").replace("^", r"\^"))
            elif kind < 0.5:
                low, high = sorted(self.choose.choices("aAbBkKsSxz09é漢", k=2))
                parts.append(f"{low}-{high}")
            elif kind < 0.65:
                parts.append(self.choose.choice(self.escapes))
            elif kind < 0.75:
                parts.append(f"[:{self.choose.choice(ASCII)}:]")
            elif kind < 0.85 and depth:
                parts.append(self.set(depth - 1))
            elif kind < 0.97:
                parts.append(self.choose.choice(self.operators))
            else:
                parts.append(
                    self.choose.choice(("-", "&", "~", r"\b", r"\A", r"\1", r"\x41-\x5a", "#", " ", "[", r"\R"))
                )
        return f"[{''.join(parts)}]"


@cache
def ranks() -> dict[bytes, int]:
    """Ranks with every byte and every part of the texts, so that each piece of them is one token."""
    spans = [(text, start, end) for text in TEXTS for end in range(len(text) + 1) for start in range(end)]
    parts = {text[start:end].encode() for text, start, end in spans}
    longer = sorted(part for part in parts if len(part) > 1)
    return {part: id for id, part in enumerate([*(bytes([byte]) for byte in range(256)), *longer])}


@cache
def _parts() -> list[str]:
    return [part.decode("utf-8", "surrogateescape") for part in ranks()]


MOST_MEMORY: Final = 1 << 30
"""Bytes for the original's process: on some patterns it takes all there is before it gives up."""


def _limited() -> None:
    """Limits the memory of this process, and hides what the library's panics write to standard error."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


class Originals:
    """A process that runs tiktoken, started again when it ends."""

    def __init__(self) -> None:
        self.pool: ProcessPoolExecutor | None = None

    def __call__(self, pattern: str, texts: Sequence[str] = TEXTS) -> list[object] | str:
        """The pieces of each text, or the error it raises; an error of the whole pattern as text."""
        if self.pool is None:
            self.pool = ProcessPoolExecutor(1, get_context("forkserver"), _limited)
            atexit.register(self.pool.shutdown)
        try:
            return self.pool.submit(_theirs, pattern, texts).result()
        except BrokenProcessPool:
            self.pool = None
            return [MemoryError("backtracks without end")] * len(texts)


theirs: Final = Originals()


def _theirs(pattern: str, texts: Sequence[str]) -> list[object] | str:
    try:
        encoding = tiktoken.Encoding("generated", pat_str=pattern, mergeable_ranks=ranks(), special_tokens={})
    except ValueError as error:
        return str(error)
    found: list[object] = []
    for text in texts:
        try:
            found.append([_parts()[id] for id in encoding.encode_ordinary(text)])
        except BaseException as error:  # a panic in the library's Rust
            found.append(RuntimeError(str(error)))
    return found


def ours(pattern: str, texts: Sequence[str] = TEXTS) -> list[object] | str:
    """The same by this engine."""
    try:
        split = FancyRegexSplit(fancy_pattern(pattern))
    except InputError as error:
        return str(error)
    found: list[object] = []
    for text in texts:
        try:
            found.append([text[match.start() : match.end()] for match in split.matches_in_time(text)])
        except InputError as error:
            found.append(error)
    return found


def verdict(pattern: str) -> tuple[str, str]:
    """What a comparison shows: a word for its kind, and the details of a difference."""
    got, want = ours(pattern), theirs(pattern)
    if isinstance(got, str) or isinstance(want, str):
        if isinstance(got, str) and isinstance(want, str):
            return "both refuse", ""
        return ("only ours refuses", got) if isinstance(got, str) else ("only theirs refuses", str(want))
    for text, mine, original in zip(TEXTS, got, want, strict=True):
        failed = isinstance(original, Exception)
        if failed and "acktrack" in str(original):
            return "theirs gives up", ""
        if failed != isinstance(mine, Exception) or (not failed and mine != original):
            return "DIFFERENT", f"{text!r}: ours {mine!r}, theirs {original!r}"
    return "equal", ""


def patterns(seed: int, count: int, dialect: type[Grammar] = Grammar) -> Iterator[str]:
    """Generated patterns of a dialect.

    >>> len(list(patterns(1, 3)))
    3
    """
    grammar = dialect(seed)
    for _ in range(count):
        yield grammar.pattern()


def main(
    arguments: list[str], dialect: type[Grammar] = Grammar, verdict: Callable[[str], tuple[str, str]] = verdict
) -> int:
    """Compares patterns of a dialect and prints the counts and the differences."""
    count, seed = int(arguments[0]) if arguments else 20_000, int(arguments[1]) if arguments[1:] else 1
    counts: Counter[str] = Counter()
    for pattern in patterns(seed, count, dialect):
        kind, details = verdict(pattern)
        counts[kind] += 1
        if kind == "DIFFERENT" or (kind.startswith("only") and "-v" in arguments):
            print(f"{kind} {pattern!r}: {details}", flush=True)
    print(*(f"{number:,} {kind}" for kind, number in counts.most_common()), f"of {len(TEXTS)} texts each", sep=", ")
    return int(bool(counts["DIFFERENT"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

r"""Patterns: their alternatives, untrusted ones compiled and run without harm, and the Unicode version they see.

A pattern is an ordered list of alternatives, each with one plain sentence; the known ones are in
`pre_tokenizers/patterns.py`.

An untrusted one, typed or from a file, must not harm the process. The `regex` module compiles, and builds its search
tables, while it holds the interpreter's lock, where no time limit applies. Three of its costs grow faster than the
pattern:

- a repeat is expanded: its body once for each time it must occur, and once more for the loop. `a{9}` is ten nodes, and
  `(?:(?:(?:a+)+)+)+` doubles with every parenthesis;
- the search table for a run of literal characters takes cubic time to build (`build_fast_tables` in `_regex.c`): 16 s
  for 5,000 characters;
- a recursive group, and fuzzy matching, fill the stacks of the matcher.

So the module's own parser reads the pattern, which takes linear time, and its tree is measured before it is compiled
(`excess`): nodes with repeats expanded, the longest run of literals on any path, groups, depth. Unknown nodes are
refused. The same tree is compiled next, so nothing depends on parsing the syntax a second time. Everything the module
rejects becomes one `PatternError` that names the character.

A match may backtrack forever. The matcher releases the lock and obeys a time limit (`in_seconds`), which depends on the
text and is set by the code that matches.

Oniguruma and Rust's `regex` in Hugging Face's tokenizers, and the patterns of tiktoken, are at Unicode 16, whichever
version the `regex` module has. So before a pattern sees a text, each newer character is replaced by a stand-in that is
unassigned in every version (`StandIns`); positions stay the same, and pieces are taken from the original text. A
character of which a later version changed a property is replaced by one that keeps the old properties. Texts without
such characters, almost all, are not touched. A stand-in is not a member of sets that list characters. So if a pattern
names non-ASCII characters, the stand-in is chosen from the same ranges as the character it replaces. Left out: a
pattern that names one new character on its own, and backreferences (`(.)\\1`), for which different new characters may
become equal.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import islice
from math import inf
from threading import Lock
from time import monotonic, thread_time
from typing import Any, NamedTuple, TypeVar

import regex

from explorer.engine.budget import TooSlow
from explorer.errors import InputError
from explorer.tables import read_toml
from explorer.text.code_points import OF_17_AND_18, after_16, code_points, in_brackets
from explorer.text.say import Text, worded

CHANGED = {"\u0295": "\u0296", "\U00011a3a": "\U00011a84"}
"""Characters whose properties changed: a lowercase letter (Ll), a Prepend → one that keeps the property."""

_PICTOGRAPHS = (
    "1F1AE 1F6D8-1F6D9 1F777-1F77A 1F7DA-1F7DB 1F7F1-1F7FF 1F8D0-1F8D8 1FA54-1FA57 1FA8A-1FA8E 1FAC8 1FACC-1FACD 1FADD "
    "1FAEA-1FAEB 1FAEF 1FAF9-1FAFA"
)
PICTOGRAPHS = code_points(_PICTOGRAPHS)
"""The new characters that were Extended_Pictographic before they were assigned."""

UNASSIGNED = 0x40000
"""Added to the code point of a new character: planes 4 to 7 have no characters."""

RESERVED = 0x1FC00
"""First code point of the stand-ins of pictographs: up to U+1FFFD all are unassigned and Extended_Pictographic."""

_BELOW_10000 = " ".join(part for part in OF_17_AND_18.split() if len(part.partition("-")[0]) < 5)
LIKELY = re.compile(f"[\u0295{in_brackets(_BELOW_10000)}\U00010000-\U0010ffff]")
"""Matches every new character, and others above U+FFFF. The exact ranges would take twenty times as long."""

_DIGITS = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
NAMED = re.compile(
    rf"\\p\{{Block=(?P<block>\w+)\}}|(?:(?P<low>{_DIGITS}|\\x[0-9A-Fa-f]{{2}}|\\?[^\\])-)?(?P<high>{_DIGITS}|[^\0-\x7f])",
    re.DOTALL,
)
"""Ranges that end above ASCII, single non-ASCII characters, and blocks: all may include unassigned characters."""


def as_16(text: str) -> str:
    """The text with a stand-in for each character newer than Unicode 16.

    >>> [f"{ord(ch):X}" for ch in as_16("a\\U0003e784")]
    ['61', '7E784']
    """
    return _SEEN(text)


class StandIns:
    """Replaces newer characters for one pattern. spelled: the pattern, as the `regex` module runs it.

    >>> [f"{ord(ch):X}" for ch in StandIns("[\\u0530-\\u058f]")("a\\u0558\\U0003e784")]
    ['61', '530', '7E784']
    """

    def __init__(self, spelled: str) -> None:
        self.ranges = tuple(dict.fromkeys(map(_extent, NAMED.finditer(spelled))))
        """the ranges [low, high] that the pattern names"""

    def __call__(self, text: str) -> str:
        """The text as the pattern sees it."""
        if text.isascii():
            return text
        new = new_characters().intersection(LIKELY.findall(text))
        return text.translate({ord(ch): self.stand_in(ch) for ch in new}) if new else text

    def stand_in(self, ch: str) -> str:
        """The stand-in for a new character; the character itself if no other is in the same ranges."""
        code, found = ord(ch), CHANGED.get(ch) or plain_stand_in(ord(ch))
        inside = self.ranges_of(code)
        if inside == self.ranges_of(ord(found)):
            return found
        low = max((low for low, _ in inside), default=0)
        high = min((high for _, high in inside), default=-1)
        codes = _unassigned(code in PICTOGRAPHS) if ch not in CHANGED else []
        near = codes[bisect_left(codes, low) : bisect_right(codes, high)]
        return next((chr(code) for code in near if self.ranges_of(code) == inside), ch)

    def ranges_of(self, code: int) -> list[tuple[int, int]]:
        """The ranges that contain a code point."""
        return [each for each in self.ranges if each[0] <= code <= each[1]]


def _extent(found: re.Match[str]) -> tuple[int, int]:
    """The range of a match of `NAMED`."""
    if found["block"]:
        codes = list(map(ord, regex.findall(rf"\p{{Block={found['block']}}}", everything())))
        return min(codes, default=0), max(codes, default=-1)
    high = _code_of(found["high"])
    return _code_of(found["low"]) if found["low"] else high, high


def _code_of(spelled: str) -> int:
    """The code point of one character of a pattern.

    >>> [_code_of(each) for each in ("a", "\\\\-", "\\\\x00", "\\\\u0041")]
    [97, 45, 0, 65]
    """
    return int(spelled[2:], 16) if len(spelled) > 2 else ord(spelled[-1])


_SEEN = StandIns("")


def plain_stand_in(code: int) -> str:
    """The stand-in for a new character if the pattern does not name any."""
    return chr(RESERVED + (code - 2 & 0x3FF) if code in PICTOGRAPHS else UNASSIGNED + code)


@cache
def new_characters() -> frozenset[str]:
    """All characters that have a stand-in."""
    return frozenset(map(chr, after_16())) | CHANGED.keys()


@cache
def everything() -> str:
    """All characters in one text."""
    return "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)


@cache
def _unassigned(pictographs: bool) -> list[int]:
    """The code points that are unassigned in every version: pictographs, or all others."""
    kind = r"[\p{Cn}&&\p{ExtPict}]" if pictographs else r"[\p{Cn}--\p{ExtPict}]"
    found = map(ord, regex.findall(kind, everything(), regex.VERSION1))
    return [code for code in found if code not in after_16()]


FindSpans = Callable[[str], Iterable[tuple[int, int]]]
"""Finds the matches [start, end) in a text, from the left, empty ones included."""


class Alternative(NamedTuple):
    """One alternative of a pattern.

    regex: verbatim. says: what it matches, in one sentence. engine: the spelling for the `regex` module, empty for the
    same. rewritten: the model's own spelling, if the program that runs it has rewritten it and matches less.
    """

    regex: str
    says: str
    engine: str = ""
    rewritten: str = ""

    @property
    def runs(self) -> str:
        """The expression that is compiled."""
        return self.engine or self.regex


class Pattern(NamedTuple):
    """A pattern: its name, its source and its alternatives in order.

    nested_sets: it is in the syntax of the `regex` module's version 1, where sets may contain sets.
    """

    name: str
    source: str
    alternatives: tuple[Alternative, ...]
    nested_sets: bool = False

    @property
    def regex(self) -> str:
        """The whole pattern, as in its source."""
        return "|".join(alternative.regex for alternative in self.alternatives)


def cut(regex: str) -> list[str]:
    """The alternatives of a regular expression: the parts between its top-level `|`."""
    parts, depth, in_class, start, at = [], 0, False, 0, 0
    while at < len(regex):
        ch = regex[at]
        if ch == "\\":
            at += 1
        elif in_class:
            in_class = ch != "]"
        elif ch == "[":
            in_class = True
            # a ] that comes first, or directly after ^, is a literal
            at += regex[at + 1 : at + 2] == "^"
            at += regex[at + 1 : at + 2] == "]"
        elif ch in "()":
            depth += 1 if ch == "(" else -1
        elif ch == "|" and not depth:
            parts.append(regex[start:at])
            start = at + 1
        at += 1
    return [*parts, regex[start:]]


def runs(characters: Iterable[str]) -> list[list[int]]:
    """Characters as ranges of code points: first and last of each.

    >>> runs("xabc")
    [[97, 99], [120, 120]]
    """
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


core: Any = import_module("regex._regex_core")
"""A private module: a test checks every name used here, with the oldest allowed version, too."""

LONGEST, LONGEST_SPELLED = 5_000, 60_000
"""Maximum length of a pattern, as given and translated for the `regex` module, where `\\w` or `\\X` are long sets.

Those in use have up to about a thousand characters.
"""

NODES = 20_000
"""Maximum number of nodes with repeats expanded; each takes about 300 bytes, and 1 µs under the lock."""

LITERAL = 256
"""Maximum length of one literal. Its table takes about 4 ms, and those of all 20,000 nodes 0.3 s."""

GROUPS = 100
"""Maximum number of capturing groups: the matcher copies the state of all of them repeatedly."""

DEPTH, SETS_DEPTH = 50, 10
"""Maximum depth of parentheses, and of nested sets."""


TOO_LONG = "it is {0} characters long; give at most {1} characters"


class Excess(NamedTuple):
    """Why a pattern is refused. at: the index of the character in question, 0 if unknown."""

    at: int
    why: str


class Cost(NamedTuple):
    """The cost of a part of a pattern.

    literal: the longest run of literal characters in it. run: the length of the run that reaches its end.
    """

    nodes: int
    literal: int
    run: int


REFUSED = read_toml(__file__, "refused.toml")
"""A refused node → an expression that finds it in the pattern, and the reason."""

LEAVES = frozenset(
    "Any AnyAll AnyU Property Range RefGroup Grapheme GraphemeBoundary Boundary DefaultBoundary DefaultEndOfWord "
    "DefaultStartOfWord EndOfLine EndOfLineU EndOfString EndOfStringLine EndOfStringLineU EndOfWord Failure Keep "
    "Prune SearchAnchor Skip StartOfLine StartOfLineU StartOfString StartOfWord".split()
)
"""Nodes without children."""

CUTS = frozenset(("Any", "AnyAll", "AnyU", "Property", "RefGroup", "Grapheme"))
"""Leaves that always separate the literals before and after them."""

PARTS = read_toml(__file__, "parts.toml")
"""Nodes that have others within, and where."""

REPEATS = frozenset(("GreedyRepeat", "LazyRepeat", "PossessiveRepeat"))
SETS = frozenset(("SetUnion", "SetDiff", "SetInter", "SetSymDiff"))

QUANTIFIER = re.compile(r"\\.|\(\?|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<repeat>(?:[*+?]|\{\s*\d[^}]*\})[?+]?)", re.DOTALL)
PLAIN = re.compile(rf"[^\\\[\](){{}}.*+?|^$]{{{LITERAL + 1},}}")


class _TooMuch(Exception):
    """Raised while measuring; becomes an Excess."""


def excess(pattern: str, version: int, longest: int = LONGEST) -> Excess | None:
    """Why a pattern costs too much, or None. version: the version of the module's syntax.

    Raises the module's error for a pattern that is wrong, and RecursionError.

    >>> excess("(?:ab{3})+|c", regex.VERSION0)
    >>> excess("x(?R)?", regex.VERSION0)
    Excess(at=1, why='a recursive group is not supported; write it out')
    >>> excess("(?:a{1000}){1000}", regex.VERSION0)
    Excess(at=11, why='nested repeats make it too large; repeat less, or use *')
    """
    if len(pattern) > longest:
        return Excess(longest, Text(TOO_LONG, len(pattern), longest))
    tree, groups = parsed(pattern, version)
    if groups > GROUPS:
        return Excess(0, f"it has {groups} groups, and the maximum is {GROUPS}; write (?: for ( where possible")
    meter = _CostMeter()
    try:
        cost = meter.cost(tree, 0, 0)
    except _TooMuch as much:
        name, _, why = str(much).partition(" ")
        found = re.search(REFUSED[name][0], pattern) if name in REFUSED else None
        return Excess(found.start() if found else 0, REFUSED[name][1] if name in REFUSED else why)
    if cost.nodes > NODES:
        return Excess(meter.position(pattern), "nested repeats make it too large; repeat less, or use *")
    if cost.literal > LITERAL:
        plain = PLAIN.search(pattern)
        return Excess(
            plain.start() + LITERAL if plain else 0,
            f"a run of more than {LITERAL} literal characters takes too long to compile; shorten it",
        )
    return None


def parsed(pattern: str, version: int) -> tuple[Any, int]:
    """The module's parse tree of a pattern, and the number of its groups."""
    flags = version
    while True:
        source = core.Source(pattern)
        info = core.Info(flags, source.char_type, {})
        info.guess_encoding = regex.UNICODE
        source.ignore_space = bool(info.flags & regex.VERBOSE)
        try:
            tree = core._parse_pattern(source, info)
        except core._UnscopedFlagSet:
            flags = info.global_flags  # a flag such as (?x) applies from the beginning: parse again
        else:
            return tree, info.group_count


class _CostMeter:
    """Computes the cost of a parse tree."""

    def __init__(self) -> None:
        self.repeats = 0
        self.too_large = 0
        """the number of the repeat that makes the pattern too large, from 1 in the order of the pattern"""

    def cost(self, node: Any, depth: int, run: int) -> Cost:
        """The cost of a node. run: the number of literal characters directly before it."""
        kind = type(node).__name__
        if depth > DEPTH:
            raise _TooMuch(f"- its parentheses are nested more than {DEPTH} deep; use fewer")
        if kind == "Character":
            return Cost(1, run + 1, run + 1)
        if kind == "Sequence":
            return self.sequence(node.items, depth, run)
        if kind == "Branch":
            return self.branches(node.branches, depth, run)
        if kind in REPEATS:
            return self.repeat(node, depth, run)
        if kind in PARTS:
            return self.branches([getattr(node, part) for part in PARTS[kind]], depth, run, own=2)
        if kind in SETS:
            # a set of one character becomes that character
            return Cost(1 + _members(node, 0), run + 1, run + 1)
        if kind in LEAVES:
            return Cost(1, 0, 0) if kind in CUTS else Cost(1, run + 1, run + 1)  # an upper bound
        raise _TooMuch(kind if kind in REFUSED else f"- {kind} is not supported; rewrite it")

    def sequence(self, parts: Iterable[Any], depth: int, run: int) -> Cost:
        """The cost of nodes in sequence."""
        nodes, longest = 1, run
        for part in parts:
            cost = self.cost(part, depth + 1, run)
            nodes, longest, run = nodes + cost.nodes, max(longest, cost.literal), cost.run
        return Cost(nodes, longest, run)

    def branches(self, parts: Iterable[Any], depth: int, run: int, own: int = 1) -> Cost:
        """The cost of alternatives: a prefix they share may form one literal with the text before."""
        costs = [self.cost(part, depth, run) for part in parts]
        return Cost(
            own + sum(cost.nodes for cost in costs),
            max([run, *(cost.literal for cost in costs)]),
            max([run, *(cost.run for cost in costs)]),
        )

    def repeat(self, node: Any, depth: int, run: int) -> Cost:
        """The cost of a repeat with its body expanded."""
        once = (node.min_count, node.max_count) == (1, 1)
        body = self.cost(node.subpattern, depth, run if once else 0)
        self.repeats += 1
        nodes = 2 + body.nodes * (1 if once else node.min_count + 1)
        if nodes > NODES and not self.too_large:
            self.too_large = self.repeats
        return Cost(nodes, max(run, body.literal), body.run if once else 0)

    def position(self, pattern: str) -> int:
        """The index of the repeat that makes the pattern too large; 0 if only all of them together do."""
        found = [match.start() for match in QUANTIFIER.finditer(pattern) if match["repeat"]]
        return found[self.too_large - 1] if 0 < self.too_large <= len(found) else 0


def _members(node: Any, depth: int) -> int:
    """The number of members of a set, including those of nested sets."""
    if depth > SETS_DEPTH:
        raise _TooMuch(f"- its sets are nested more than {SETS_DEPTH} deep; use fewer")
    return sum(1 + (_members(each, depth + 1) if type(each).__name__ in SETS else 0) for each in node.items)


PATTERN_SECONDS = 2.0
"""Processor time for one pattern on one piece of up to 100,000 characters; longer pieces get proportionally more."""

SHORT = 64
"""Pieces with fewer characters are short."""


def seconds_for(text: str) -> float:
    """The seconds that a pattern may take on this text."""
    return PATTERN_SECONDS * max(1.0, len(text) / 100_000)


def too_costly(error: TimeoutError | MemoryError, what: str, text: str) -> InputError:
    """The error for a pattern that takes too long, or fills the matcher's stacks (`regex` allows each up to half a
    gigabyte). what: the pattern, for the message.
    """
    slow = isinstance(error, TimeoutError)
    much, does = ("long", "tries") if slow else ("much memory", "remembers")
    return (TooSlow if slow else InputError)(
        f"{what} took too {much} on {len(text)} characters of this text: it {does} too many ways to match; make it "
        "simpler (a possessive a++ instead of a+ does not backtrack), or give a shorter text"
    )


Match = TypeVar("Match")


def in_seconds(search: Callable[[float | None], Iterator[Match]], text: str, seconds: float) -> Iterator[Match]:
    """The matches of `search`, which takes the timeout of one match. Raises TimeoutError if all of them together take
    longer than `seconds` of this thread's processor time.

    The `regex` module counts the processor time of all threads. If other threads used some of it, the search starts
    again, and matches already yielded are skipped.

    >>> list(in_seconds(lambda timeout: iter("ab"), "ab" * 50, 1.0))
    ['a', 'b']
    """
    if seconds == inf:
        yield from search(None)
        return
    # reading the processor's clock takes as long as splitting a short piece, so it is read only if that takes long
    began = thread_time() if len(text) >= SHORT else None
    yielded, timeout = 0, seconds
    while True:
        next_check = monotonic() + seconds
        try:
            for match in islice(search(timeout), yielded, None):
                yielded += 1
                yield match
                if monotonic() >= next_check:
                    began = thread_time() if began is None else began
                    left = seconds - (thread_time() - began)
                    if left <= 0:
                        raise TimeoutError
                    next_check = monotonic() + left
            return
        except TimeoutError:
            began = thread_time() if began is None else began
            if thread_time() - began >= seconds:
                raise
            timeout *= 2


KEPT = 4_000_000
"""Characters of patterns after which the `regex` module's cache is purged: it records each one it compiles."""


class PatternError(InputError):
    """A pattern that cannot be used. at: the index of the wrong code point. what: what is wrong there. then: a template
    around it."""

    def __init__(self, at: int, what: str, then: str = "{0:t}") -> None:
        # one that quotes braces of the pattern is no template
        self.at, self.what = at, Text(then, what if "{" in what else worded(what))
        super().__init__("character {0:i} of the pattern: {1:t}", at + 1, self.what)

    def __reduce__(self) -> tuple[object, ...]:
        return PatternError, (self.at, self.what)


def compiled(pattern: str, flags: int = regex.VERSION0, longest: int = LONGEST) -> regex.Pattern[str]:
    """The pattern, compiled with the flags, which select one of the `regex` module's two versions. Raises PatternError.

    longest: the most characters it may have.

    >>> compiled(r"\\p{L}+").findall("ab, c")
    ['ab', 'c']
    >>> compiled("ab(c")
    Traceback (most recent call last):
    explorer.engine.regexes.safe.PatternError: character 5 of the pattern: missing ); complete or correct it there
    """
    try:
        too_much = excess(pattern, flags, longest)
        if too_much is not None:
            raise PatternError(*too_much)
        _purge_after(len(pattern))
        # not cached by the module, which would keep hundreds of half-typed patterns
        expression: regex.Pattern[str] = regex.compile(pattern, flags, cache_pattern=False)
    except regex.error as error:
        at, what = error.pos or 0, error.msg  # type: ignore[attr-defined]  # missing from the stubs
        raise PatternError(min(at, len(pattern)), what, "{0:t}; complete or correct it there") from None
    except RecursionError:
        raise PatternError(0, "its parentheses are nested too deeply; use fewer") from None
    except (ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        # Python does not parse numbers of more than 4,300 digits; its message suggests to raise that limit
        why = "a number in it has thousands of digits" if "digits" in str(error) else str(error)
        raise PatternError(0, why, "{0:t}; change the pattern") from None
    if expression.flags & regex.REVERSE:
        at = max(0, pattern.find("(?"))
        raise PatternError(at, "a text is read from its beginning, not from its end; remove the flag r")
    return expression


_compiled = 0
_lock = Lock()


def _purge_after(size: int) -> None:
    """Counts the characters of a pattern, and purges the module's cache when there are too many."""
    global _compiled
    with _lock:
        _compiled += size
        full = _compiled > KEPT
        if full:
            _compiled = 0
    if full:
        regex.purge()

"""What a regular expression costs the `regex` module, counted before it is compiled.

The module compiles, and builds its search tables, while it holds the interpreter's lock, where no time limit reaches
it. Three of its ways grow faster than the pattern:

- a repeat is written out: its body once for each time it must occur, and once more for the loop. `a{9}` is ten nodes,
  and `(?:(?:(?:a+)+)+)+` doubles with every parenthesis;
- the table with which it searches for a run of literal characters takes the third power of its length to build
  (`build_fast_tables` in `_regex.c`): 16 s for 5,000 characters;
- a group that calls itself, and a match that may contain errors, fill the stacks of the matcher.

So the module's own parser reads the pattern, which takes linear time, and its tree is measured: nodes with repeats
written out, the longest run of literals on any path, groups, depth. What is not known here is refused. As the tree is
the one that is compiled next, nothing depends on reading the syntax a second time in the same way.

Left out: how long a match takes. The matcher lets go of the lock and obeys a time limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, Final, NamedTuple

import regex

core: Final[Any] = import_module("regex._regex_core")
"""Private, so a test holds every name used here, with the oldest version allowed, too."""

LONGEST: Final = 5_000
"""Characters a pattern may have. Those in use have up to about a thousand."""

LONGEST_SPELLED: Final = 60_000
"""The same where it was rewritten for the `regex` module, which spells `\\w` or `\\X` as long sets."""

NODES: Final = 20_000
"""Nodes with repeats written out: about 300 bytes and 1 µs with the lock each."""

LITERAL: Final = 256
"""Characters of one literal. The table of one takes about 4 ms, and those of all 20,000 nodes 0.3 s."""

GROUPS: Final = 100
"""Groups that keep what they match: the matcher copies the state of all of them again and again."""

DEPTH: Final = 50
"""Parentheses within each other."""

SETS_DEPTH: Final = 10
"""Sets within each other."""


class Excess(NamedTuple):
    """Why a pattern is refused. at: how many of its characters come before the reason, as far as that is known."""

    at: int
    why: str


class Cost(NamedTuple):
    """What a part of a pattern comes to.

    literal: the longest run of literal characters within it. run: how long the run is that reaches its end.
    """

    nodes: int
    literal: int
    run: int


REFUSED: Final = {
    "CallGroup": (r"\(\?(?:R|[+-]?\d|&|P>)", "a group that is called again is not run here; write it out"),
    "Fuzzy": (r"\{", "a match with errors is not run here; leave out what stands in the braces"),
    "StringSet": (r"\\L", "a named list is not run here; write its members, as in (?:a|b)"),
}  # fmt: skip
"""A node that is refused → where to look for it in the pattern, and why."""

LEAVES: Final = frozenset(
    "Any AnyAll AnyU Property Range RefGroup Grapheme GraphemeBoundary Boundary DefaultBoundary DefaultEndOfWord "
    "DefaultStartOfWord EndOfLine EndOfLineU EndOfString EndOfStringLine EndOfStringLineU EndOfWord Failure Keep "
    "Prune SearchAnchor Skip StartOfLine StartOfLineU StartOfString StartOfWord".split()
)
"""Nodes without parts."""

CUTS: Final = frozenset(("Any", "AnyAll", "AnyU", "Property", "RefGroup", "Grapheme"))
"""Leaves that always take a place of their own, so that no literal reaches over them."""

PARTS: Final = {
    "Atomic": ("subpattern",), "Group": ("subpattern",), "LookAround": ("subpattern",),
    "Conditional": ("yes_item", "no_item"), "LookAroundConditional": ("subpattern", "yes_item", "no_item"),
}  # fmt: skip
REPEATS: Final = frozenset(("GreedyRepeat", "LazyRepeat", "PossessiveRepeat"))
SETS: Final = frozenset(("SetUnion", "SetDiff", "SetInter", "SetSymDiff"))

QUANTIFIER: Final = re.compile(
    r"\\.|\(\?|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<repeat>(?:[*+?]|\{\s*\d[^}]*\})[?+]?)", re.DOTALL
)
PLAIN: Final = re.compile(rf"[^\\\[\](){{}}.*+?|^$]{{{LITERAL + 1},}}")


class _TooMuch(Exception):
    """Raised within the walk; becomes an Excess."""


def excess(pattern: str, version: int, longest: int = LONGEST) -> Excess | None:
    """Why a pattern costs too much, or None. version: by which of the module's rules it is read.

    Raises what the module raises for a pattern that is wrong, and RecursionError.

    >>> excess("(?:ab{3})+|c", regex.VERSION0)
    >>> excess("x(?R)?", regex.VERSION0)
    Excess(at=1, why='a group that is called again is not run here; write it out')
    >>> excess("(?:a{1000}){1000}", regex.VERSION0)
    Excess(at=11, why='repeats within repeats make it too large; repeat less, or use *')
    """
    if len(pattern) > longest:
        return Excess(longest, f"it goes on to {len(pattern):,}; give at most {longest:,} characters")
    tree, groups = parsed(pattern, version)
    if groups > GROUPS:
        return Excess(0, f"it has {groups} groups, and at most {GROUPS} are kept; write (?: for ( where none is needed")
    walk = Walk()
    try:
        cost = walk.of(tree, 0, 0)
    except _TooMuch as much:
        name, _, why = str(much).partition(" ")
        found = re.search(REFUSED[name][0], pattern) if name in REFUSED else None
        return Excess(found.start() if found else 0, REFUSED[name][1] if name in REFUSED else why)
    if cost.nodes > NODES:
        return Excess(walk.place(pattern), "repeats within repeats make it too large; repeat less, or use *")
    if cost.literal > LITERAL:
        plain = PLAIN.search(pattern)
        return Excess(
            plain.start() + LITERAL if plain else 0,
            f"more than {LITERAL} literal characters in a row take too long to search for; give fewer",
        )
    return None


def parsed(pattern: str, version: int) -> tuple[Any, int]:
    """The tree the module makes of a pattern before it compiles it, and how many groups it has."""
    flags = version
    while True:
        source = core.Source(pattern)
        info = core.Info(flags, source.char_type, {})
        info.guess_encoding = regex.UNICODE
        source.ignore_space = bool(info.flags & regex.VERBOSE)
        try:
            tree = core._parse_pattern(source, info)
        except core._UnscopedFlagSet:
            flags = info.global_flags  # a flag such as (?x) holds from the beginning: read it again
        else:
            return tree, info.group_count


class Walk:
    """Measures a tree."""

    def __init__(self) -> None:
        self.repeats = 0
        self.too_large = 0
        """which repeat makes the pattern too large, counted from 1 in the order they are written"""

    def of(self, node: Any, depth: int, run: int) -> Cost:
        """What a node comes to where `run` literal characters come before it."""
        kind = type(node).__name__
        if depth > DEPTH:
            raise _TooMuch(f"- its parentheses are nested more than {DEPTH} deep; nest less")
        if kind == "Character":
            return Cost(1, run + 1, run + 1)
        if kind == "Sequence":
            return self.in_turn(node.items, depth, run)
        if kind == "Branch":
            return self.one_of(node.branches, depth, run)
        if kind in REPEATS:
            return self.repeat(node, depth, run)
        if kind in PARTS:
            return self.one_of([getattr(node, part) for part in PARTS[kind]], depth, run, own=2)
        if kind in SETS:
            # a set of one character becomes that character
            return Cost(1 + members(node, 0), run + 1, run + 1)
        if kind in LEAVES:
            return Cost(1, 0, 0) if kind in CUTS else Cost(1, run + 1, run + 1)  # more than the truth, and never less
        raise _TooMuch(kind if kind in REFUSED else f"- {kind} is not run here; write it in another way")

    def in_turn(self, parts: Iterable[Any], depth: int, run: int) -> Cost:
        nodes, longest = 1, run
        for part in parts:
            cost = self.of(part, depth + 1, run)
            nodes, longest, run = nodes + cost.nodes, max(longest, cost.literal), cost.run
        return Cost(nodes, longest, run)

    def one_of(self, parts: Iterable[Any], depth: int, run: int, own: int = 1) -> Cost:
        """Parts that begin at the same place: a beginning they share may become one literal with what is before."""
        costs = [self.of(part, depth, run) for part in parts]
        return Cost(
            own + sum(cost.nodes for cost in costs),
            max([run, *(cost.literal for cost in costs)]),
            max([run, *(cost.run for cost in costs)]),
        )

    def repeat(self, node: Any, depth: int, run: int) -> Cost:
        once = (node.min_count, node.max_count) == (1, 1)
        body = self.of(node.subpattern, depth, run if once else 0)
        self.repeats += 1
        nodes = 2 + body.nodes * (1 if once else node.min_count + 1)
        if nodes > NODES and not self.too_large:
            self.too_large = self.repeats
        return Cost(nodes, max(run, body.literal), body.run if once else 0)

    def place(self, pattern: str) -> int:
        """Where the repeat stands that makes the pattern too large; its beginning where all of them do together."""
        found = [match.start() for match in QUANTIFIER.finditer(pattern) if match["repeat"]]
        return found[self.too_large - 1] if 0 < self.too_large <= len(found) else 0


def members(node: Any, depth: int) -> int:
    """How many members a set has, with those of the sets in it."""
    if depth > SETS_DEPTH:
        raise _TooMuch(f"- its sets are nested more than {SETS_DEPTH} deep; nest less")
    return sum(1 + (members(each, depth + 1) if type(each).__name__ in SETS else 0) for each in node.items)


def known() -> Iterator[str]:
    """The names of all nodes this module knows."""
    yield from ("Character", "Sequence", "Branch", *REFUSED, *LEAVES, *PARTS, *REPEATS, *SETS)

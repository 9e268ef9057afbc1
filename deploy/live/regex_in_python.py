"""What the `regex` module has in C, in Python over `re`: for browsers, where there is no build of that C.

A live page has the module's own files with this one as `regex._regex` (`build.py`). The module parses a pattern as
ever, and its tree is written again as an expression of `re`: each property, set and case as the ranges of its
characters, from a table that the C wrote. So a pattern means what it means there, down to the version of Unicode.

Left out, and refused by name: look-behind of varying length, recursion, fuzzy matching, verbs, and properties that no
reader of `engine/regexes` lets through. Time limits do nothing: the page ends a worker that takes too long.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

MAGIC: Final = 20100116
END: Final = 0x110000
IGNORES_CASE: Final = re.IGNORECASE
LINE_BREAK: Final = r"[\n-\r\x85\u2028\u2029]"
Edges = Sequence[int]
"""Characters as edges: where a range of them begins, where it ends, and so on."""


@cache
def table() -> dict[str, Any]:
    """`properties`, as the C names them, and `edges` by the number of property and value, each from the one before."""
    read: dict[str, Any] = json.loads(Path(__file__).with_name("properties.json").read_text("utf-8"))
    return read


def get_code_size() -> int:
    return 4


def get_properties() -> dict[str, tuple[int, dict[str, int]]]:
    return table()["properties"]  # type: ignore[no-any-return]  # of JSON


@cache
def cases() -> dict[int, list[int]]:
    """Characters that differ from others by case alone, with these."""
    groups: dict[str, list[int]] = {}
    for code in range(0x1F000):  # none is beyond
        groups.setdefault(chr(code).casefold(), []).append(code)
    return {code: group for group in groups.values() if len(group) > 1 for code in group}


def get_all_cases(flags: int, code: int) -> list[int]:
    return [code, *(each for each in cases().get(code, ()) if each != code)]


def get_expand_on_folding() -> tuple[str, ...]:
    return tuple(chr(code) for code in range(0x1F000) if len(chr(code).casefold()) > 1)


def fold_case(flags: int, text: str) -> str:
    return text.casefold()


def has_property_value(value: int, code: int) -> bool:
    return inside(of_value(value), code)


def inside(edges: Edges, code: int) -> bool:
    """Whether a set has a character."""
    return bisect_right(edges, code) % 2 == 1


@cache
def of_value(value: int) -> Edges:
    """The characters of a property's value. Raises the module's error for one that is not in the table."""
    if str(value) not in table()["edges"]:
        raise refusal("this property")
    return list(accumulate(table()["edges"][str(value)]))


def refusal(what: str) -> Exception:
    """The module's error."""
    from regex import error

    return error(f"{what} is not available in a browser")


def combined(first: Edges, second: Edges, keeps: Callable[[bool, bool], bool]) -> Edges:
    """Two sets as one. keeps: by whether a character is in the first, and in the second.

    >>> combined([97, 100], [98, 99], lambda first, second: first and not second)
    [97, 98, 99, 100]
    """
    edges: list[int] = []
    for at in sorted({0, *first, *second} - {END}):
        if keeps(inside(first, at), inside(second, at)) != len(edges) % 2:
            edges.append(at)
    return edges


def together(sets: Iterable[Edges]) -> Edges:
    """Several sets as one: a set may have thousands of members.

    >>> together([[97, 99], [98, 100], [102, 103]])
    [97, 100, 102, 103]
    """
    ranges = sorted(each for edges in sets for each in pairs(edges))
    joined: list[int] = []
    for start, end in ranges:
        if joined and start <= joined[-1]:
            joined[-1] = max(joined[-1], end)
        else:
            joined += (start, end)
    return joined[:-1] if joined[-1:] == [END] else joined


def pairs(edges: Edges) -> Iterable[tuple[int, int]]:
    """The ranges of a set: where each begins, and where it ends."""
    ends = [*edges, END] if len(edges) % 2 else edges
    return zip(ends[::2], ends[1::2], strict=True)


def all_cases(edges: Edges) -> Edges:
    """A set with the other cases of its characters."""
    more = {other for code, group in cases().items() if inside(edges, code) for other in group}
    return together([edges, *([code, code + 1] for code in more)]) if more else edges


def spelled(edges: Edges) -> str:
    """A set as `re` writes it.

    >>> spelled([97, 98]), spelled([97, 100]), spelled([])
    ('a', '[\\\\U00000061-\\\\U00000063]', '(?!)')
    """
    if len(edges) == 2 and edges[1] == edges[0] + 1:
        return re.escape(chr(edges[0]))
    ranges = "".join(rf"\U{start:08x}-\U{end - 1:08x}" for start, end in pairs(edges))
    return f"[{ranges}]" if ranges else "(?!)"


SETS: Final[Mapping[str, Callable[[bool, bool], bool]]] = {
    "SetDiff": lambda first, second: first and not second,
    "SetInter": lambda first, second: first and second,
    "SetSymDiff": lambda first, second: first != second,
}
LEAVES: Final[Mapping[str, Callable[[Any], Edges]]] = {
    "Character": lambda node: [node.value, node.value + 1],
    "Range": lambda node: [node.lower, node.upper + 1],
    "Any": lambda node: [0, 10, 11],
    "AnyAll": lambda node: [0],
    "AnyU": lambda node: [0, 0x0A, 0x0E, 0x85, 0x86, 0x2028, 0x202A],
}


def members(node: Any) -> Edges | None:
    """The characters that a node of the tree matches; None if it is no set of characters."""
    kind = type(node).__name__
    if kind == "Property":
        edges = of_value(node.value)
        if node.encoding == 1:  # ASCII
            edges = combined(edges, [0, 128], lambda first, second: first and second)
    elif kind == "SetUnion":
        edges = together(members(each) or [] for each in node.items)
    elif kind in SETS:
        edges, *others = [members(each) or [] for each in node.items]
        for each in others:
            edges = combined(edges, each, SETS[kind])
    elif kind in LEAVES:
        edges = LEAVES[kind](node)
    else:
        return None
    if getattr(node, "case_flags", 0) & IGNORES_CASE:
        edges = all_cases(edges)
    return edges if getattr(node, "positive", True) else combined(edges, [], lambda first, _: not first)


def named(name: str, value: str = "Y") -> str:
    """A property's value as `re` writes it."""
    number, values = get_properties()[name]
    return spelled(of_value(number << 16 | values[value]))


def edge_of(within: str) -> str:
    """Where a set begins or ends in a text."""
    return f"(?:(?<={within})(?!{within})|(?<!{within})(?={within}))"


@cache
def grapheme() -> str:
    """A grapheme, as Unicode's annex 29 has it."""
    kinds = "CONTROL PREPEND EXTEND ZWJ SPACINGMARK REGIONALINDICATOR L V T LV LVT".split()
    of = {each: named("GRAPHEMECLUSTERBREAK", each) for each in kinds}
    of |= {f"IN{each}": named("INDICCONJUNCTBREAK", each) for each in ("CONSONANT", "EXTEND", "LINKER")}
    of["PICTURE"] = named("EXTENDEDPICTOGRAPHIC")
    core = (
        "{REGIONALINDICATOR}{REGIONALINDICATOR}|{L}*+(?:{V}++|{LV}{V}*+|{LVT}){T}*+|{L}++|{T}++"
        "|{INCONSONANT}(?:(?:{INEXTEND}|{INLINKER})*?{INLINKER}(?:{INEXTEND}|{INLINKER})*+{INCONSONANT})++"
        r"|{PICTURE}(?:{EXTEND}*+{ZWJ}{PICTURE})*+|(?!{CONTROL}|[\r\n])[\s\S]"
    )
    whole = r"(?>\r\n|{PREPEND}*+(?:" + core + r")(?:{EXTEND}|{ZWJ}|{SPACINGMARK})*+|{PREPEND}++|[\s\S])"
    return whole.format_map(of)


PLACES: Final[Mapping[str, str]] = {
    "StartOfString": r"\A",
    "EndOfString": r"\Z",
    "StartOfLine": "(?m:^)",
    "EndOfLine": "(?m:$)",
    "EndOfStringLine": "$",
    "Failure": "(?!)",
    "StartOfLineU": rf"(?:\A|(?<={LINE_BREAK}))(?!(?<=\r)\n)",
    "EndOfLineU": rf"(?:\Z|(?={LINE_BREAK}))(?!(?<=\r)\n)",
    "EndOfStringLineU": rf"(?=(?:\r\n|{LINE_BREAK})?\Z)",
}
GREED: Final = {"GreedyRepeat": "", "LazyRepeat": "?", "PossessiveRepeat": "+"}


class Writer:
    """Writes a tree as an expression of `re`. names: of groups, by their numbers."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names

    def all(self, nodes: Iterable[Any], between: str = "") -> str:
        return between.join(map(self.written, nodes))

    def written(self, node: Any) -> str:
        """A node. Raises the module's error for one that `re` doesn't have."""
        kind, edges = type(node).__name__, members(node)
        if edges is not None:
            return f"(?={spelled(edges)})" if getattr(node, "zerowidth", False) else spelled(edges)
        if kind == "String":
            folds = node.case_flags & IGNORES_CASE
            return "".join(
                spelled(all_cases([each, each + 1]) if folds else [each, each + 1]) for each in node.characters
            )
        if kind == "Sequence":
            return self.all(node.items)
        if kind == "Branch":
            return f"(?:{self.all(node.branches, '|')})"
        if kind in GREED:
            most = "" if node.max_count is None else node.max_count
            return f"(?:{self.written(node.subpattern)}){{{node.min_count},{most}}}{GREED[kind]}"
        if kind == "Atomic":
            return f"(?>{self.written(node.subpattern)})"
        if kind == "Group":
            name = self.names.get(node.group)
            return f"({f'?P<{name}>' if name else ''}{self.written(node.subpattern)})"
        if kind == "LookAround":
            return f"(?{'<' * node.behind}{'=' if node.positive else '!'}{self.written(node.subpattern)})"
        if kind == "RefGroup" and not node.case_flags & IGNORES_CASE:
            return rf"(?:\{node.group})"
        if kind == "Boundary":
            return f"(?{'=' if node.positive else '!'}{edge_of(named('WORD'))})"
        if kind == "Grapheme":
            return grapheme()
        if kind in PLACES:
            return PLACES[kind] if node.positive else f"(?!{PLACES[kind]})"
        raise refusal(kind)


class Pattern:
    """A pattern over `re`'s, with the arguments that the module passes. Limits of time are taken, and do nothing."""

    def __init__(self, pattern: str, flags: int, compiled: re.Pattern[str]) -> None:
        self.pattern, self.flags, self.compiled = pattern, flags, compiled
        self.groups, self.groupindex = compiled.groups, compiled.groupindex
        self.split = compiled.split

    def sub(self, replacement: Any, text: str, count: int = 0, *_: Any, **__: Any) -> str:
        return self.compiled.sub(replacement, text, count)


def searching(name: str) -> Callable[..., Any]:
    """A method of `re`'s pattern that takes a part of a text."""

    def method(self: Pattern, text: str, pos: int | None = None, endpos: int | None = None, *_: Any, **__: Any) -> Any:
        return getattr(self.compiled, name)(text, pos or 0, len(text) if endpos is None else endpos)

    return method


for _name in ("match", "fullmatch", "search", "finditer", "findall"):
    setattr(Pattern, _name, searching(_name))


def compile(pattern: str, flags: int, code: Any, group_index: Any, index_group: Mapping[int, str], *_: Any) -> Pattern:
    """The pattern over `re`'s. code: what the C would run. Raises the module's error."""
    core: Any = import_module("regex._regex_core")
    # as `engine.regexes.safe.parsed` does, which imports the module that is being imported here
    given = flags
    while True:
        source = core.Source(pattern)
        info = core.Info(given, source.char_type, {})
        info.guess_encoding = core.UNICODE
        source.ignore_space = bool(info.flags & core.VERBOSE)
        try:
            tree = core._parse_pattern(source, info)
            break
        except core._UnscopedFlagSet:
            given = info.global_flags  # it applies from the beginning
    tree.fix_groups(pattern, False, False)
    try:
        return Pattern(pattern, flags, re.compile(Writer(index_group).written(tree)))
    except re.error as wrong:
        raise refusal(wrong.msg) from None

"""What the `regex` module has in C, in Python over `re`: for browsers, where there is no build of that C.

A live page has the module's own files with this one as `regex._regex` (`saved/live.py`). The module parses a pattern as
ever, and its tree is written again as an expression of `re`: each property, set and case as the ranges of its
characters, from a table that the C wrote. So a pattern means what it means there, down to the version of Unicode.

Left out, and refused by name: look-behind of varying length, recursion, fuzzy matching, verbs, `(?w)`, and properties
that no reader of `engine/regexes` lets through. Time limits do nothing: the page ends a worker that takes too long.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from importlib import import_module
from itertools import cycle
from operator import and_, or_, xor
from pathlib import Path
from typing import Any

MAGIC = 20100116
ALL = (1 << 0x110000) - 1
"""All characters, as a set: a number with a bit for each of its characters."""
ASCII = (1 << 128) - 1


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
def cases() -> list[int]:
    """Sets of characters that differ by case alone."""
    groups: dict[str, int] = {}
    for code in range(0x1F000):  # none is beyond
        folded = chr(code).casefold()
        groups[folded] = groups.get(folded, 0) | 1 << code
    return [group for group in groups.values() if group.bit_count() > 1]


def get_all_cases(flags: int, code: int) -> list[int]:
    others = ranges(all_cases(1 << code) & ~(1 << code))
    return [code, *(each for start, end in others for each in range(start, end))]


def get_expand_on_folding() -> tuple[str, ...]:
    return tuple(chr(code) for code in range(0x1F000) if len(chr(code).casefold()) > 1)


def fold_case(flags: int, text: str) -> str:
    return text.casefold()


def has_property_value(value: int, code: int) -> bool:
    return bool(of_value(value) >> code & 1)


@cache
def of_value(value: int) -> int:
    """The characters of a property's value. Raises the module's error for one that is not in the table."""
    if str(value) not in table()["edges"]:
        raise refusal("this property")
    runs = zip(cycle("01"), table()["edges"][str(value)], strict=False)
    return int("0" + "".join(bit * size for bit, size in runs)[::-1], 2)


def refusal(what: str) -> Exception:
    """The module's error."""
    from regex import error

    return error(f"{what} is not available in a browser")


def ranges(characters: int) -> Iterator[tuple[int, int]]:
    """The ranges of a set: where each begins, and where it ends.

    >>> list(ranges(0b1101))
    [(0, 1), (2, 4)]
    """
    return (each.span() for each in re.finditer("1+", f"{characters:b}"[::-1]))


def all_cases(characters: int) -> int:
    """A set with the other cases of its characters."""
    return reduce(or_, (group for group in cases() if characters & group), characters)


def spelled(characters: int) -> str:
    """A set as `re` writes it.

    >>> spelled(1 << 97), spelled(0b111 << 97), spelled(0)
    ('a', '[\\\\U00000061-\\\\U00000063]', '(?!)')
    """
    if characters.bit_count() == 1:
        return re.escape(chr(characters.bit_length() - 1))
    body = "".join(rf"\U{start:08x}-\U{end - 1:08x}" for start, end in ranges(characters))
    return f"[{body}]" if body else "(?!)"


SETS: Mapping[str, Callable[[int, int], int]] = {
    "SetUnion": or_,
    "SetInter": and_,
    "SetSymDiff": xor,
    "SetDiff": lambda first, second: first & ~second,
}
LEAVES: Mapping[str, Callable[[Any], int]] = {
    "Property": lambda node: of_value(node.value) & (ASCII if node.encoding == 1 else ALL),
    "Character": lambda node: 1 << node.value,
    "Range": lambda node: (1 << node.upper + 1) - (1 << node.lower),
    "Any": lambda node: ALL ^ 1 << 10,
    "AnyAll": lambda node: ALL,
}


def members(node: Any) -> int | None:
    """The characters that a node of the tree matches; None if it is no set of characters."""
    kind = type(node).__name__
    if kind in SETS:
        characters = reduce(SETS[kind], (members(each) or 0 for each in node.items))
    elif kind in LEAVES:
        characters = LEAVES[kind](node)
    else:
        return None
    if getattr(node, "case_flags", 0) & re.IGNORECASE:
        characters = all_cases(characters)
    return characters if getattr(node, "positive", True) else ALL ^ characters


def named(name: str, value: str = "Y") -> str:
    """A property's value as `re` writes it."""
    number, values = get_properties()[name]
    return spelled(of_value(number << 16 | values[value]))


@cache
def grapheme() -> str:
    """A grapheme, as Unicode's annex 29 has it; as in the C, a linker joins a consonant to whatever it follows."""
    kinds = "CONTROL PREPEND EXTEND ZWJ SPACINGMARK REGIONALINDICATOR L V T LV LVT".split()
    of = {each: named("GRAPHEMECLUSTERBREAK", each) for each in kinds}
    of |= {f"IN{each}": named("INDICCONJUNCTBREAK", each) for each in ("CONSONANT", "EXTEND", "LINKER")}
    of["PICTURE"] = named("EXTENDEDPICTOGRAPHIC")
    join = "(?:{INEXTEND}|{INLINKER})*?{INLINKER}(?:{INEXTEND}|{INLINKER})*+{INCONSONANT}"
    core = (
        "{REGIONALINDICATOR}{REGIONALINDICATOR}|{L}*+(?:{V}++|{LV}{V}*+|{LVT}){T}*+|{L}++|{T}++"
        r"|{PICTURE}(?:{EXTEND}*+{ZWJ}{PICTURE})*+|(?!{CONTROL}|[\r\n])[\s\S]"
    )
    more = f"(?={{EXTEND}}|{{ZWJ}}){join}|{{EXTEND}}|{{ZWJ}}|{{SPACINGMARK}}"
    whole = rf"(?>\r\n|{{PREPEND}}*+(?:{join}|{core})(?:{more})*+|{{PREPEND}}++|[\s\S])"
    return whole.format_map(of)


PLACES: Mapping[str, str] = {
    "StartOfString": r"\A",
    "EndOfString": r"\Z",
    "StartOfLine": "(?m:^)",
    "EndOfLine": "(?m:$)",
    "EndOfStringLine": "$",
    "Failure": "(?!)",
}
GREED = {"GreedyRepeat": "", "LazyRepeat": "?", "PossessiveRepeat": "+"}


def written(node: Any, names: Mapping[int, str]) -> str:
    """A tree as an expression of `re`. names: of groups, by their numbers. Raises the module's error where none is."""
    kind, characters = type(node).__name__, members(node)
    if characters is not None:
        return f"(?={spelled(characters)})" if getattr(node, "zerowidth", False) else spelled(characters)
    if kind in PLACES:
        return PLACES[kind] if node.positive else f"(?!{PLACES[kind]})"
    if kind == "String":
        other = all_cases if node.case_flags & re.IGNORECASE else int
        return "".join(spelled(other(1 << each)) for each in node.characters)
    if kind == "RefGroup" and not node.case_flags & re.IGNORECASE:
        return rf"(?:\{node.group})"
    if kind == "Boundary":
        word = named("WORD")
        return f"(?{'=' if node.positive else '!'}(?:(?<={word})(?!{word})|(?<!{word})(?={word})))"
    if kind == "Grapheme":
        return grapheme()
    if kind == "Sequence":
        return "".join(written(each, names) for each in node.items)
    if kind == "Branch":
        return f"(?:{'|'.join(written(each, names) for each in node.branches)})"
    if not hasattr(node, "subpattern"):
        raise refusal(kind)
    body = written(node.subpattern, names)
    if kind in GREED:
        most = "" if node.max_count is None else node.max_count
        return f"(?:{body}){{{node.min_count},{most}}}{GREED[kind]}"
    if kind == "Atomic":
        return f"(?>{body})"
    if kind == "Group":
        name = names.get(node.group)
        return f"({f'?P<{name}>' if name else ''}{body})"
    if kind == "LookAround":
        return f"(?{'<' * node.behind}{'=' if node.positive else '!'}{body})"
    raise refusal(kind)


@dataclass(eq=False)
class Pattern:
    """A pattern over `re`'s, with the arguments that the module passes. Limits of time are taken, and do nothing."""

    pattern: str
    flags: int
    compiled: re.Pattern[str]

    def __class_getitem__(cls, of: Any) -> Any:
        return cls  # in annotations

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.compiled, name)
        # after a text come its part, None for all of it, and what `re` doesn't have
        return (lambda *of, **_: method(*filter(lambda each: each is not None, of[:3]))) if callable(method) else method


def compile(pattern: str, flags: int, code: Any, group_index: Any, index_group: Mapping[int, str], *_: Any) -> Pattern:
    """The pattern over `re`'s. code: what the C would run. Raises the module's error."""
    if not pattern:  # the module's own, while it is imported
        return Pattern("", flags, re.compile(""))
    # it imports the module that imports this one
    tree = import_module("explorer.engine.regexes.safe").parsed(pattern, flags)[0]
    tree.fix_groups(pattern, False, False)
    try:
        return Pattern(pattern, flags, re.compile(written(tree, index_group)))
    except re.error as wrong:
        raise refusal(wrong.msg) from None

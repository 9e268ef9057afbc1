"""Patterns made up to cost as much as they can: constructs of the `regex` module, grown, nested and mixed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Final

ATOMS: Final = (*"ab.ß字^$", "ab", r"\w", r"\s", r"\p{L}", "[ab]", "[^b]", r"\X", "(?:)", r"\b", "")
"""What a pattern is made of."""

AROUND: Final = (
    "({})", "(?:{})", "(?>{})", "(?={})", "(?!{})", "(?<={})", "(?<!{})", "(?i:{})", "(?P<x>{})", "(?|{})", "{}|a",
    "b|{}", "(?:{})+", "(?:{})*", "(?:{})?", "(?:{})*?", "(?:{})++", "(?:{}){{2}}", "(?:{}){{1,9}}", "(?:{}){{0,9}}",
    "(?:{}){{50}}", "(?:{}|{})", "(?:{}{})", "(a)?(?(1){}|b)", "a{}", "{}b", "(?:{}){{e<=1}}", "(?:{}(?R)?)",
    "(?x:{} )",
)  # fmt: skip
"""What is put around a pattern to make another."""

GROWN: Final[Mapping[str, Callable[[int], str]]] = {
    "a literal": lambda n: "b" * n,
    "a literal of two": lambda n: "ab" * (n // 2),
    "a literal in any case": lambda n: "(?i)" + "b" * (n - 4),
    "a literal in pieces": lambda n: "(?:b)(?#)" * (n // 9),
    "a literal through alternatives": lambda n: "(?:bb|bc)" * (n // 9),
    "a literal of sets": lambda n: "[b]" * (n // 3),
    "octal": lambda n: r"\101" * (n // 4),
    "behind": lambda n: f"(?<={'b' * (n - 5)})",
    "open brackets": lambda n: "[" * n,
    "closed brackets": lambda n: "[" * (n // 2) + "a" + "]" * (n // 2 - 1),
    "parentheses": lambda n: "(?:" * (n // 5) + "a" + ")" * (n // 5),
    "repeats of repeats": lambda n: "(?:" * (n // 6) + "a" + "+)+" * (n // 6),
    "a few repeats of repeats": lambda n: "(?:" * 40 + "a" + "+)+" * 40,
    "fixed repeats of repeats": lambda n: "(?:" * 6 + "a" + "{99})" * 6,
    "one large repeat": lambda n: "a{99999999}",
    "recursion": lambda n: "(?R)|a",
    "recursion by number": lambda n: "(a(?1)?b)",
    "recursion by name": lambda n: "(?<x>a(?&x)?b)",
    "recursion as Python spells it": lambda n: "(?P<x>a(?P>x)?b)",
    "recursion to the next": lambda n: "(?+1)(a)",
    "errors allowed": lambda n: "(?:" + "ab" * (n // 2 - 8) + "){e<=3}",
    "the best of errors": lambda n: "(?b)(?:" + "ab" * (n // 2 - 8) + "){e}",
    "a named list": lambda n: r"\L<words>",
    "groups": lambda n: "()" * (n // 2),
    "alternatives": lambda n: "x|" * (n // 2),
    "conditions": lambda n: "(a)?" + "(?(1)" * 60 + "a" + ")" * 60,
    "graphemes": lambda n: r"\X" * (n // 2),
}
"""Constructs that grow with a length."""


def generated(seed: int, count: int) -> Iterator[str]:
    """Random patterns of up to 5,000 characters, many of them wrong.

    >>> len(list(generated(1, 5)))
    5
    """
    choose = random.Random(seed)
    for _ in range(count):
        pattern = choose.choice(ATOMS) * choose.choice((1, 1, 2, 40, 400))
        for _ in range(choose.choice((1, 3, 8, 20, 45))):
            around = choose.choice(AROUND)
            pattern = around.replace("{}", pattern).replace("{{", "{").replace("}}", "}")
            if len(pattern) > 5_000:
                break
        yield pattern[:5_000]

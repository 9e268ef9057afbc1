"""Patterns designed to cost as much as possible: constructs of the `regex` module, grown, nested and mixed.

`python -m tests.hostile.patterns [COUNT]` runs them on long texts; exit status 1 where one exceeds its budget.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, cycle, islice
from typing import Final, NamedTuple

import explorer
from explorer.engine import budget
from explorer.engine.pre_tokenizers.custom_pattern import typed_pattern
from explorer.engine.regexes.safe import PATTERN_SECONDS
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.implementations.opened import with_pattern

ATOMS: Final = (*"ab.ß字^$", "ab", r"\w", r"\s", r"\p{L}", "[ab]", "[^b]", r"\X", "(?:)", r"\b", "")
"""The elements of a pattern."""

AROUND: Final = (
    "({})", "(?:{})", "(?>{})", "(?={})", "(?!{})", "(?<={})", "(?<!{})", "(?i:{})", "(?P<x>{})", "(?|{})", "{}|a",
    "b|{}", "(?:{})+", "(?:{})*", "(?:{})?", "(?:{})*?", "(?:{})++", "(?:{}){{2}}", "(?:{}){{1,9}}", "(?:{}){{0,9}}",
    "(?:{}){{50}}", "(?:{}|{})", "(?:{}{})", "(a)?(?(1){}|b)", "a{}", "{}b", "(?:{}){{e<=1}}", "(?:{}(?R)?)",
    "(?x:{} )",
)  # fmt: skip
"""Constructs put around a pattern."""

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


TEXTS: Final[Mapping[str, Callable[[int], str]]] = {
    "one letter": lambda n: "a" * n,
    "one letter and another": lambda n: "a" * (n - 1) + "c",
    "two letters": lambda n: "ab" * (n // 2),
    "words": lambda n: ("ab ba bab aba ß字 " * n)[:n],
    "lines": lambda n: "\n".join(["a" * 30] * (n // 31)),
    "marks": lambda n: "a" + "\u0301" * (n - 1),
}
"""Texts on which patterns take long, by their length."""


class Outcome(NamedTuple):
    """The outcome of a pattern on a text.

    said: the error, empty where it ran to the end. stopped: whether it had run before. seconds: processor time.
    """

    said: str
    stopped: bool
    seconds: float


def tried(pattern: str, text: str, tokenizer: Tokenizer) -> Outcome:
    """Runs a tokenizer with this pattern on a text."""
    began = time.thread_time()
    mine, said = None, ""
    try:
        mine = with_pattern(tokenizer, pattern)
        mine.encode(text)
    except InputError as error:
        said = str(error)
    return Outcome(said, mine is not None and bool(said), time.thread_time() - began)


def pairs(seed: int, count: int, size: int) -> Iterator[tuple[str, str]]:
    """The growing patterns and `count` valid generated ones, each with one of the texts in turn."""
    readable = (pattern for pattern in generated(seed, 100 * count) if is_readable(pattern))
    patterns = chain((make(200) for make in GROWN.values()), islice(readable, count))
    yield from zip(patterns, cycle([make(size) for make in TEXTS.values()]), strict=False)


def is_readable(pattern: str) -> bool:
    with suppress(InputError):
        return bool(typed_pattern(pattern))
    return False


def main(arguments: list[str]) -> int:
    """Runs patterns on texts of 100,000 characters and prints how long the slowest took."""
    count = int(arguments[0]) if arguments else 1_000
    budget.SECONDS, budget.SECONDS_A_CHARACTER = 3.0, 0.0  # so that a thousand take an hour at most
    tokenizers = [explorer.load(spec) for spec in ("gpt-2@llama.cpp", "gpt-2")]
    worst, ran, stopped, refused = Outcome("", False, 0.0), 0, 0, 0
    for number, (pattern, text) in enumerate(pairs(1, count, 100_000)):
        outcome = tried(pattern, text, tokenizers[number % 2])
        ran, stopped = ran + (not outcome.said), stopped + outcome.stopped
        refused += bool(outcome.said) and not outcome.stopped
        if outcome.seconds > worst.seconds:
            worst = outcome
            print(f"{outcome.seconds:6.2f} s  {pattern[:60]!r}  {outcome.said[:60]}", flush=True)
        if outcome.stopped and "too long" not in outcome.said and "too much memory" not in outcome.said:
            print(f"stopped by another error: {pattern[:60]!r}: {outcome.said}", flush=True)
    print(f"{ran} ran to the end, {stopped} were stopped, {refused} were refused")
    print(f"the longest took {worst.seconds:.2f} s of processor time, with a budget of {budget.SECONDS:g} s")
    # a pattern may run up to its own limit once more between two checks
    return int(worst.seconds > budget.SECONDS + 2 * PATTERN_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

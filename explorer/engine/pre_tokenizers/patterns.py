"""Pre-tokenizer patterns, verbatim, each with its source and one plain sentence per alternative.

A pattern is an ordered list of alternatives: at each position the first one that matches wins, even if a later one
would match more. Joined by `|` they are the original's text, character by character; `engine` is the spelling for the
`regex` module where it differs. Which characters are letters (`\\p{L}`), numbers (`\\p{N}`), marks (`\\p{M}`) or white
space (`\\s`) depends on the version of Unicode, 16 in the originals (`unicode.stand_ins`). patterns.toml has them, and
llama.cpp's (`patterns_llama_cpp.py`).
"""

from collections.abc import Sequence

from explorer.engine.regexes.safe import Alternative, Pattern
from explorer.tables import Record, read_toml

_TABLE: Record = read_toml(__file__, "patterns.toml")
ALTERNATIVES = {name: Alternative(*fields) for name, fields in _TABLE["alternatives"].items()}
"""The alternatives that several patterns have."""


def read(table: str) -> dict[str, tuple[dict[str, str], tuple[Alternative, ...]]]:
    """The rows of a table of patterns, each with its alternatives."""
    return {
        key: (row, tuple(ALTERNATIVES[of] if isinstance(of, str) else Alternative(*of) for of in row["alternatives"]))
        for key, row in _TABLE[table].items()
    }


KNOWN = {key: Pattern(row["name"], row["source"], each) for key, (row, each) in read("patterns").items()}
"""Row of the table → its pattern."""


def __getattr__(name: str) -> Pattern:
    """A pattern by its row, such as `patterns.GPT2`."""
    if name not in KNOWN:
        raise AttributeError(f"patterns.toml has no row {name}")
    return KNOWN[name]


PATTERNS = {pattern.name: pattern for pattern in KNOWN.values()}
"""All patterns by name."""

BY_REGEX = {pattern.regex: pattern for pattern in PATTERNS.values()}
"""All patterns by their text in a vocabulary file."""

SENTENCES = {each.regex: each.says for pattern in BY_REGEX.values() for each in pattern.alternatives}
"""Regex of a known alternative → its sentence."""

MOST_ALTERNATIVES = 32
"""More are traced as one, because each that fails at a position is an event. Known patterns have up to 15."""


def few(alternatives: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """The alternatives, joined into one if there are too many; those that are known have their sentences.

    >>> [len(few([Alternative("a", "")] * count)) for count in (2, 32, 33)]
    [2, 32, 1]
    """
    if len(alternatives) <= MOST_ALTERNATIVES:
        return tuple(each._replace(says=SENTENCES.get(each.regex, "")) for each in alternatives)
    spelled = any(each.engine for each in alternatives)
    return (
        Alternative(
            "|".join(each.regex for each in alternatives), "", "|".join(each.runs for each in alternatives) * spelled
        ),
    )

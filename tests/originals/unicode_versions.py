"""Which texts every program reads alike, whatever its Unicode version.

Python's `unicodedata`, the `regex` module, Oniguruma (in Hugging Face's tokenizers), Rust's `regex` (in tiktoken) and
llama.cpp each carry tables of another year. A code point that came between them is a letter to one and unassigned to
the other, and a text with it is cut otherwise: a known difference, and not what the comparisons are about.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import regex

ASSIGNED = regex.compile(r"\P{Cn}")
LETTER = regex.compile(r"\p{L}")
NUMBER = regex.compile(r"\p{N}")


@cache
def same_to_all(ch: str) -> bool:
    """Whether the oldest and the newest tables at hand class a character alike."""
    category = unicodedata.category(ch)
    return (
        bool(ASSIGNED.match(ch)) == (category != "Cn")
        and bool(LETTER.match(ch)) == (category[0] == "L")
        and bool(NUMBER.match(ch)) == (category[0] == "N")
    )


def settled(text: str) -> bool:
    """Whether all characters of a text are classed alike."""
    return all(map(same_to_all, text))

"""Questions about pre-tokenizing, each with an answer of a sentence: shown beside the pre-tokens on the level Story."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

WHY_CUT: Final = (
    "Why cut before the model runs?",
    "Without cuts, dog. and dog! would become tokens of their own beside dog.",
)
OF_PATTERNS: Final = (
    (
        "Whose idea was the pattern?",
        "GPT-2's, in 2019: merges stay within letters, numbers or signs, except that a space goes with its word.",
    ),
    (
        "Why do without a regex engine?",
        "llama.cpp scans by hand: a loop over code points is faster, C++'s std::regex knows no classes such as \\p{L}, "
        "and another library would be one more dependency.",
    ),
)
LETTERS: Final = r"\p{L}"
"""In every pattern that descends from GPT-2's, and in no other pre-tokenizer's."""


def answers(patterns: Iterable[str]) -> tuple[tuple[str, str], ...]:
    r"""The questions for a pre-tokenizer with these alternatives.

    >>> len(answers([r" ?\p{L}+"])), len(answers([r"\s"]))
    (3, 1)
    """
    return (WHY_CUT, *OF_PATTERNS) if any(LETTERS in each for each in patterns) else (WHY_CUT,)

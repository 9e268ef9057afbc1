"""Questions about pre-tokenizing, each with an answer of a sentence: shown beside the pieces on the level Story."""

from __future__ import annotations

from typing import Final

ANSWERS: Final = (
    (
        "Why cut before the model runs?",
        "Without cuts, dog. and dog! would become tokens of their own beside dog; and short pieces are fast to merge.",
    ),
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

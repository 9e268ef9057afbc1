"""Corpora to train on: hostile ones by name, and generated ones."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hypothesis import strategies as st

from tests.originals import corpus, generators


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with its line feed: what a file gives to Hugging Face's trainers."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]


NOTES: Final = ("The quick brown fox jumps over the lazy dog.", "A quick brown dog jumps over the lazy fox.")
"""Two lines that are trained on by hand."""

HOSTILE: Final[dict[str, tuple[str, ...]]] = {
    "no text": (),
    "empty lines": ("", "", ""),
    "one letter": ("a",),
    "one word": ("word",),
    "one word, often": ("word word word word",) * 5,
    "a run of one letter": ("a" * 100,),
    "runs of one letter": tuple("a" * size for size in range(1, 30)),
    "two letters in turn": ("ab" * 40, "ba" * 40),
    "equal counts": ("ab cd ef gh ij kl mn op qr st uv wx yz",) * 3,
    "every pair ties": ("abcdefghijklmnopqrstuvwxyz",),
    "white space": (" ", "  ", "\t \n", "\u3000\u2003", " \u2028 "),
    "control characters": ("\0a\0a\0", "\x01\x02 \x7f\x80", "\ufeffa\ufeffa"),
    "the prefix in the text": ("#a ##a ###a a#a", "## ##a"),
    "special tokens in the text": ("<s>a</s> <s>b</s> [UNK] <s><s>", "a<s>b"),
    "kanji": ("吾輩は猫である。名前はまだ無い。", "猫である猫である"),
    "emoji": ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦 🇩🇪🇫🇷🇩🇪 👍🏽👍👍🏿", "🏳️‍🌈🏳️‍🌈"),
    "combining marks": ("e\u0301e\u0301 é é A\u030aÅ", "क्षि नी क्षि", "กำ กำ"),
    "right to left": ("שלום שלום العربية العربية مرحبا",),
    "numbers": ("1 22 333 4444 1984 1984 3.14 ３３ ١٢٣",),
    "planes": ("\U00010330\U00010330 \U0010fffd\U0010fffd \U00020000\U00020001\U00020000",),
    "long words": ("antidisestablishmentarianism" * 5, "floccinaucinihilipilification"),
    "code": ("def f(x):\n\treturn x+1\n", "    if (a&&b) { return a->b; }\r\n", "a_b_c camelCase a_b_c"),
    "the notes' two lines": NOTES,
    "prose": corpus.LINES,
}

ALPHABETS: Final = ("a", "ab", "abc", "abcdefgh", "lower west", "猫犬は ", "é e\u0301", "👍🏽👍🏿 ", "aA1. ", "#a ")


def generated(seed: int) -> list[str]:
    """A corpus, the same for the same seed: few letters, so that pairs repeat and tie, or nasty texts."""
    choose = random.Random(seed)
    make: Callable[[], list[str]] = choose.choice(
        [lambda: _letters(choose), lambda: _words(choose), lambda: _nasty(choose)]
    )
    return make()


def _letters(choose: random.Random) -> list[str]:
    letters = choose.choice(ALPHABETS)
    return ["".join(choose.choices(letters, k=choose.randint(0, 60))) for _ in range(choose.randint(1, 6))]


def _words(choose: random.Random) -> list[str]:
    """Words with the frequencies of a language, nearly."""
    known = ["".join(choose.choices("abcdeilnorst", k=choose.randint(1, 9))) for _ in range(choose.randint(2, 40))]
    weights = [1 / (place + 1) for place in range(len(known))]
    return [" ".join(choose.choices(known, weights, k=choose.randint(1, 25))) for _ in range(choose.randint(1, 12))]


def _nasty(choose: random.Random) -> list[str]:
    listed = len(generators.PIECES) + 1
    return generators.all_strings(choose.randrange(2**32), listed + choose.randint(1, 20))[listed:]


def many_pairs(seed: int) -> list[str]:
    """Words of random characters, a line each: thousands of different pairs, most of them equally rare."""
    choose = random.Random(seed)
    letters = [chr(0x4E00 + number) for number in range(choose.choice((60, 90, 150)))]
    words = ["".join(choose.choices(letters, k=choose.randint(2, 4))) for _ in range(choose.choice((1_500, 3_000)))]
    return words + choose.choices(words, k=choose.choice((0, 30, 300)))


def corpora() -> st.SearchStrategy[list[str]]:
    """The same for hypothesis, which shrinks."""
    few = st.sampled_from(ALPHABETS).flatmap(lambda letters: st.lists(st.text(st.sampled_from(letters), max_size=40)))
    return st.one_of(few, st.lists(generators.texts(), max_size=6))


def standard_library(size: int) -> str:
    """So many characters of real text: comments and code of the modules that come with Python."""
    found, held = [], 0
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        found.append(path.read_text("utf-8"))
        held += len(found[-1])
        if held >= size:
            break
    return "".join(found)[:size]

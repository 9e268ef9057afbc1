"""Worst cases do not blow up: from 10,000 to 100,000 of the same, or of random characters, time grows like the text.

Run with -s to see the figures.
"""

from __future__ import annotations

import random
import time

import pytest

import explorer

choose = random.Random(1)
CASES = {
    "a": "a" * 100_000,
    "A": "A" * 100_000,
    "spaces": " " * 100_000,
    "spaces and a letter": " " * 99_999 + "x",
    "newlines": "\n" * 100_000,
    "blank lines": " \n" * 50_000,
    "Han": "".join(chr(choose.randint(0x4E00, 0x9FFF)) for _ in range(100_000)),
    "marks": "e" + "\u0301" * 99_999,
    "jamo": "\u1100\u1161" * 50_000,
    "digits": "7" * 100_000,
    "openings": "<|" * 50_000,
    "apostrophes": "'" * 100_000,
}


def seconds(tok: explorer.Tokenizer, text: str) -> float:
    start = time.process_time()
    tok.encode(text)
    return time.process_time() - start


@pytest.mark.parametrize("name", ["gpt-2", "llama-3", "qwen2.5", "cl100k_base", "o200k_base", "qwen2.5@llama.cpp"])
def test_time_is_close_to_linear(name: str) -> None:
    tok = explorer.load(name)
    tok.encode("warm up: the lookups are built when they are first needed")
    for case, text in CASES.items():
        small = seconds(tok, text[:10_000])
        large = seconds(tok, text)
        print(f"{name:<20}{case:<22}{small * 1000:8.1f} ms {large * 1000:8.1f} ms")
        # ten times the text: quadratic would be a hundred times; the floor is for what is too short to be timed
        assert large < 40 * max(small, 0.005), case

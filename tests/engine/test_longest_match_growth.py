"""Worst cases of longest match: ten times the text takes about ten times the decisions."""

from __future__ import annotations

import random

import pytest

from tests.bundled import bundled

HAN = random.Random(61)
WORST = {
    "a": "a".__mul__,
    "spaces": " ".__mul__,
    "newlines": "\n".__mul__,
    "random Han": lambda count: "".join(chr(HAN.randint(0x4E00, 0x9FFF)) for _ in range(count)),
    "marks": "\u0323\u0301".__mul__,
    "words of 100": lambda count: ("a" * 100 + " ") * (count // 101),
    "never a piece": "\ue000".__mul__,
    "Hangul": "각".__mul__,
    "equal signs": "=".__mul__,
}


@pytest.mark.parametrize("name", ["bert-uncased", "bert-uncased@llama.cpp", "rwkv-world", "rwkv-world@first-miss"])
@pytest.mark.parametrize("kind", WORST)
def test_growth(name: str, kind: str) -> None:
    tok = bundled(name)
    decisions = []
    for count in (1_000, 10_000):
        trace = tok.trace(WORST[kind](count))
        decisions.append(sum(len(stage.events) for stage in trace.stages) + len(trace.ids))
    assert decisions[1] <= 11 * decisions[0] + 100

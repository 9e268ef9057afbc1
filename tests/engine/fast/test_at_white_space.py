"""The normalized characters of BERT's strategy, against the stages."""

from __future__ import annotations

import random

import pytest

from explorer.engine.fast.piece_encoder import texts_after
from explorer.engine.fast.strategies import IN_CONTEXT, WHITE, WORDS, AtWhiteSpace
from explorer.engine.part import Segment
from tests.bundled import bundled

CODES = [code for code in range(0x20000) if not 0xD800 <= code < 0xE000 and chr(code) not in WHITE]


def strategy_of(spec: str) -> AtWhiteSpace:
    strategy = bundled(spec).untraced.strategy
    assert isinstance(strategy, AtWhiteSpace)
    return strategy


def differs(strategy: AtWhiteSpace, text: str) -> bool:
    now = text.translate(strategy.characters)
    return IN_CONTEXT not in now and WORDS.findall(now) != texts_after(strategy.stages, Segment.of(text))


@pytest.mark.long
@pytest.mark.parametrize("spec", ["bert-uncased@huggingface", "bert-uncased@llama.cpp"])
def test_characters_and_runs_of_marks_are_normalized_as_by_the_stages(spec: str) -> None:
    strategy, choose = strategy_of(spec), random.Random(3)
    # similar characters are adjacent, so every seventh is enough beyond the first blocks
    assert [code for code in CODES if (code < 0x3000 or not code % 7) and differs(strategy, f"a{chr(code)}b")] == []
    marks = [chr(code) for code in CODES if strategy.characters[code] in ("", IN_CONTEXT)]
    for _ in range(3_000):
        others = [chr(choose.choice(CODES)), "É", "각", "ế", "a"]
        text = "".join(choose.choices([*choose.choices(marks, k=3), *others], k=6))
        assert not differs(strategy, text), ascii(text)
    assert sum(strategy.characters[code] == IN_CONTEXT for code in CODES) < 200, "most characters are looked up"

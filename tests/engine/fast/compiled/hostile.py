"""Texts that scanners and memories get wrong most easily, and tokenizers whose every text is encoded at once."""

from __future__ import annotations

import random

from explorer.engine.fast import FastPath
from explorer.engine.fast.batches import Batches
from explorer.engine.fast.compiled import build
from explorer.engine.fast.compiled.way import CompiledWay
from explorer.engine.part import Part
from tests.originals.generators import strings

CHARACTERS = (
    *"aAbBsSlLtTdDrReEvVmM'''  \n\n\r\t/.!?-01\0²٣éÉǅß中あ한ſK",
    *"\u0301\u0903\u200b\u00a0\u3000\u2028\x85\x1c\u0378\ufeff\ufffd",
    *"▁\u200d\u0308Ａﬁ´\ue000\U0001f600\U00010400\U00010428\U0001d7d8\U000323b0\U0010ffff",
    "'s", "'ll", "'LL", "'ſ", " \n", "  ", "<|endoftext|>", "<|", "<0x41>", "of", " the", " The", "ing",
)  # fmt: skip
"""All that the patterns distinguish, characters newer than Unicode 16, and special tokens."""


def hostile(seed: int, count: int) -> list[str]:
    """So many texts: short ones of CHARACTERS, generated ones, repetitions, and some longer ones of all these."""
    choose = random.Random(seed)
    made = ["".join(choose.choices(CHARACTERS, k=choose.randrange(12))) for _ in range(count // 2)]
    made += strings(seed, count // 4)
    made += ["".join(choose.choices(CHARACTERS, k=choose.randrange(1, 4))) * choose.randrange(300) for _ in range(9)]
    return made + ["".join(choose.choices(made, k=9)) for _ in range(count // 4)]


def batches(parts: tuple[Part, ...], functions: build.Functions, slots: int) -> Batches:
    """The batches of a tokenizer whose compiled way is made, from these functions, with a memory of so many slots."""
    made = Batches(FastPath(parts))
    made._way = CompiledWay.of(made.parts(), functions, slots)
    return made

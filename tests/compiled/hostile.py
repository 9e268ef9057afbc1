"""Texts that scanners and memories get wrong most easily; tokenizers whose every text is encoded at once, and what
the stages make of them."""

from __future__ import annotations

import random
from itertools import pairwise

from explorer.compiled import build
from explorer.engine.fast import FastPath
from explorer.engine.fast.compiling.encoder import CompiledEncoder
from explorer.engine.fast.encoder import Batches
from explorer.engine.part import Options, Part
from explorer.engine.tokenizer import Tokenizer
from tests.originals.generators import strings

COMPILED = (
    "gpt-2@huggingface", "gpt-2@llama.cpp", "llama-3@huggingface", "llama-3@llama.cpp", "qwen2.5@huggingface",
    "qwen2.5@llama.cpp", "cl100k_base@tiktoken", "o200k_base@tiktoken", "llama-2@llama.cpp", "mistral-v1@sentencepiece",
    "xlm-r@llama.cpp", "bert-uncased@huggingface", "bert-uncased@llama.cpp", "rwkv-world@rwkv",
)  # fmt: skip
"""The bundled tokenizers that run compiled: all of them but the first-miss loop."""

CHARACTERS = (
    *"aAbBsSlLtTdDrReEvVmM'''  \n\n\r\t/.!?-01\0²٣éÉǅß中あ한ſK",
    *"\u0301\u0903\u200b\u00a0\u3000\u2028\x85\x1c\u0378\ufeff\ufffd",
    *"▁\u200d\u0308Ａﬁ´\ue000\U0001f600\U00010400\U00010428\U0001d7d8\U000323b0\U0010ffff",
    "'s", "'ll", "'LL", "'ſ", " \n", "  ", "<|endoftext|>", "<|", "<0x41>", "of", " the", " The", "ing",
)  # fmt: skip
"""All that the patterns distinguish, characters newer than Unicode 16, and special tokens."""


ASCII = (
    *(each for each in CHARACTERS if each.isascii()), *"BcZ@[`{(,\x1f\x7f\x0b",
    "fooBar", " World", "    ", "12345", "//",
)  # fmt: skip
"""What the patterns distinguish in ASCII, which is scanned 64 bytes at a time."""


def hostile(seed: int, count: int) -> list[str]:
    """So many texts: short ones of CHARACTERS, generated ones, repetitions, mixtures, long ones of ASCII."""
    choose = random.Random(seed)
    made = ["".join(choose.choices(CHARACTERS, k=choose.randrange(12))) for _ in range(count // 2)]
    made += strings(seed, count // 4)
    made += ["".join(choose.choices(CHARACTERS, k=choose.randrange(1, 4))) * choose.randrange(300) for _ in range(9)]
    made += ["".join(choose.choices(made, k=9)) for _ in range(count // 4)]
    return made + ["".join(choose.choices(ASCII, k=choose.randrange(40, 120))) for _ in range(count // 8)]


def batches(parts: tuple[Part, ...], functions: build.Functions, slots: int) -> Batches:
    """The batches of a tokenizer whose compiled way is made, from these functions, with a memory of so many slots."""
    made = Batches(FastPath(parts))
    made._encoder = CompiledEncoder.of(made.parts(), functions, slots)
    return made


def expected(tok: Tokenizer, texts: list[str], options: Options) -> list[list[int]]:
    """The ids of the stages."""
    return [[token.id for token in tok.encode(text, **options._asdict()).tokens] for text in texts]


def found(together: Batches, texts: list[str], options: Options) -> list[list[int]]:
    """The ids of texts encoded at once."""
    made = together.encode(texts, options)
    assert made is not None
    ids, offsets = made
    return [ids[start:end].tolist() for start, end in pairwise(offsets)]

"""Texts for questions when nobody gives any: between them they allow every kind."""

from __future__ import annotations

from typing import Final

TEXTS: Final = (
    "What is LoRA?",
    "A tokenizer tokenizes unaffable texts.",
    "He's going to @World 123 times!!",
    "the theme of the thesis",
    "Ångström, Straße, ﬁne, e\u0301",
    "Hello, こんにちは! 😊 🦙",
    "吾輩は猫である。",
    "lower, lowest, 3.14159",
    "Donaudampfschifffahrt",
    "def f(x):\n\treturn x",
)

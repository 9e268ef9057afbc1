"""Example texts: each shows one thing that may surprise you."""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """An example. label: its name on the page. text: the exact text. shows: what to look for."""

    label: str
    text: str
    shows: str


PRESETS = (
    Preset("A question", "What is LoRA?", "A short question with a word that few vocabularies contain whole."),
    Preset("An accent", "ÅWhat is LoRA?", "Is the ring kept, composed or dropped? BERT drops it."),
    Preset("Special tokens", "<s>What is LoRA?</s>",
           "Text spelled like special tokens. Does the tokenizer have them, and does it parse them?"),
    Preset("Many scripts", "Hello, こんにちは! 😊",
           "A character without a piece costs one token per byte, or becomes the unknown token."),
    Preset("An emoji", "👨‍👩‍👧‍👦", "One picture, seven code points, 25 bytes."),
    Preset("Devanagari", "नमस्ते दुनिया", "Marks are separate code points; some tokenizers split or drop them."),
    Preset("Arabic", "مرحبا بالعالم", "Right-to-left text: its first character is on the right."),
    Preset("Code", "def f(x):\n\treturn x  # twice\n\n\tpass",
           "Tabs and line breaks: bytes, separate tokens, or dropped?"),
    Preset("Marks", "Å Å e\u0301 é",
           "One letter, composed and decomposed: different code points, and mostly different tokens."),
    Preset("Numbers", "3.14159 2026-11-21 1,000,000",
           "Digits one by one, in groups of three, or in runs?"),
    Preset("A long word", "Donaudampfschifffahrtsgesellschaft", "A long compound word, built from parts."),
    Preset("Markup", "<script>alert(1)</script> &amp; **bold** $x$", "Markup is ordinary text."),
    Preset("Invisible", "a\u200bb\u202ec\ufeffd\u00a0e", "Invisible characters still cost tokens."),
    Preset("Spaces", "     ", "Are spaces kept, merged or dropped?"),
    Preset("Nothing", "", "An empty text: only the tokens that a model adds around it remain."),
)  # fmt: skip

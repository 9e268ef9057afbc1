"""Texts worth a look: each shows one thing that surprises."""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """label: what the page calls it. text: the text, exactly. shows: what there is to see."""

    label: str
    text: str
    shows: str


PRESETS = (
    Preset("A question", "What is LoRA?", "A short question, with a word that few vocabularies have whole."),
    Preset("An accent", "ÅWhat is LoRA?", "Is the ring kept, composed or taken off? BERT takes it off."),
    Preset(
        "Special tokens",
        "<s>What is LoRA?</s>",
        "Spelled like special tokens. Does the tokenizer look for them, and does it have them?",
    ),
    Preset(
        "Many scripts",
        "Hello, こんにちは! 😊",
        "What the vocabulary lacks costs a token a byte, or becomes the unknown token.",
    ),
    Preset("An emoji", "👨‍👩‍👧‍👦", "One picture, seven code points, 25 bytes."),
    Preset("Devanagari", "नमस्ते दुनिया", "Marks are code points of their own; some cut or drop them."),
    Preset("Arabic", "مرحبا بالعالم", "Right-to-left text: the first character of the text stands on the right."),
    Preset(
        "Code",
        "def f(x):\n\treturn x  # twice\n\n\tpass",
        "Tabs and line breaks: bytes, tokens of their own, or dropped?",
    ),
    Preset(
        "Marks",
        "Å Å e\u0301 é",
        "One letter, composed and decomposed: other code points, and mostly other tokens.",
    ),
    Preset(
        "Numbers",
        "3.14159 2026-11-21 1,000,000",
        "Digits one by one, by threes, or as they come?",
    ),
    Preset("A long word", "Donaudampfschifffahrtsgesellschaft", "A long word, put together from parts."),
    Preset("Markup", "<script>alert(1)</script> &amp; **bold** $x$", "Markup is text like any other."),
    Preset("Invisible", "a\u200bb\u202ec\ufeffd\u00a0e", "What cannot be seen may still cost tokens."),
    Preset("Spaces", "     ", "Are spaces kept, merged or dropped?"),
    Preset("Nothing", "", "Nothing goes in; what a model adds around a text is there all the same."),
)

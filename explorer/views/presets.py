"""Texts worth a look: each shows one thing that surprises."""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """label: what the page calls it. text: the text, exactly. shows: what there is to see."""

    label: str
    text: str
    shows: str


PRESETS = (
    Preset("A question", "What is LoRA?", "The merge queue at its plainest, and a word the vocabulary does not have."),
    Preset("An accent in front", "ÅWhat is LoRA?", "BERT takes the ring off the Å, and the word begins as ▁aw."),
    Preset("Special tokens", "<s>What is LoRA?</s>", "The spelling of a special token becomes that token."),
    Preset("Many scripts", "Hello, こんにちは! 😊", "An emoji the vocabulary lacks costs one token for each byte."),
    Preset("Emoji family", "👨‍👩‍👧‍👦", "One picture, seven code points, 25 bytes."),
    Preset("Devanagari", "नमस्ते दुनिया", "Marks are code points of their own; few of them merge."),
    Preset("Arabic", "مرحبا بالعالم", "Right-to-left text: the first character of the text stands on the right."),
    Preset("Code with tabs", "def f(x):\n\treturn x  # twice\n\n\tpass", "Tabs are bytes, runs of spaces are tokens."),
    Preset("Combining marks", "Å Å e\u0301 é", "One letter, composed and decomposed: other tokens."),
    Preset("Numbers", "3.14159 2026-11-21 1,000,000", "Every digit is a token of its own."),
    Preset("A word of its own", "Donaudampfschifffahrtsgesellschaft", "A long word is merged from the inside out."),
    Preset("Markup", "<script>alert(1)</script> &amp; **bold** $x$", "Markup is text like any other."),
    Preset("Invisible", "a\u200bb\u202ec\ufeffd\u00a0e", "What cannot be seen still costs tokens."),
    Preset("Only spaces", "     ", "Spaces merge to pieces of many spaces."),
    Preset("Empty text", "", "Nothing goes in; the token in front is added all the same."),
)

"""Classes of `transformers` that are not run here, and why: what each does that no tokenizer.json can say."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from explorer.formats.no_vocabulary import CLASSES

LEFT_OUT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "MarianTokenizer": "it cuts a text with source.spm and numbers the pieces by vocab.json; @sentencepiece runs "
        "source.spm alone, with other ids",
        "M2M100Tokenizer": "it cuts a text with sentencepiece.bpe.model and numbers the pieces by vocab.json; "
        "@sentencepiece runs the model alone, with other ids",
    }
)  # fmt: skip
"""Class, without "Fast" → what it does."""
WITHOUT_VOCABULARY: Final = "it has no vocabulary file, and this folder has one; remove that file, or the class"
"""Why a folder with both is refused."""


def why(class_name: str) -> str:
    """What a class does that is not supported, as the end of a sentence; empty if nothing is known of it.

    >>> why("MarianTokenizer")[:33]
    ': it cuts a text with source.spm '
    """
    name = class_name.removesuffix("Fast")
    found = WITHOUT_VOCABULARY if name in CLASSES else LEFT_OUT.get(name)
    return f": {found}" if found else ""

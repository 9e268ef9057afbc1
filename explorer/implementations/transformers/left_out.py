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
        "Wav2Vec2CTCTokenizer": "it cuts a text into characters, each one a piece of vocab.json and a space its "
        "word_delimiter_token; its decoding drops repeats and padding",
        "BertJapaneseTokenizer": "MeCab or a program like it cuts the text into words, with a dictionary that the "
        "folder doesn't contain. What comes before is the text in NFKC, unless mecab_kwargs.normalize_text is false; "
        "what comes after is WordPiece or characters of vocab.txt",
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

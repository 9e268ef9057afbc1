"""Classes of `transformers` that are not run here, and why: what each does that no tokenizer.json can say."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LEFT_OUT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "ByT5Tokenizer": "it has no vocabulary file: a byte's id is its value plus 3, after <pad>, </s> and <unk>",
        "CanineTokenizer": "it has no vocabulary file: a character's id is its code point, and U+E000 and U+E001 are "
        "[CLS] and [SEP]",
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


def why(class_name: str) -> str:
    """What a class does that is not supported, as the end of a sentence; empty if nothing is known of it.

    >>> why("ByT5Tokenizer")[:33]
    ': it has no vocabulary file: a by'
    """
    found = LEFT_OUT.get(class_name.removesuffix("Fast"))
    return f": {found}" if found else ""

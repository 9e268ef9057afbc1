"""Names that people know: of the kinds of tokenizers, of the implementations. Models have theirs in the catalog."""

from __future__ import annotations

from typing import Final

KINDS: Final = {
    "SPM": "SentencePiece BPE",
    "BPE": "byte-level BPE",
    "WordPiece": "WordPiece",
    "Unigram": "Unigram",
    "RWKV": "longest match in a trie",
}
"""The kind of a tokenizer by its `family` in the catalog."""

IMPLEMENTATIONS: Final = {
    "huggingface": "Hugging Face",
    "transformers-5": "transformers 5",
    "transformers-4": "transformers 4",
    "rwkv": "RWKV",
    "first-miss": "the first-miss loop",
}
"""The name of an implementation, if it differs from its identifier."""


def implementation_title(implementation: str) -> str:
    """The name of an implementation.

    >>> implementation_title("huggingface"), implementation_title("llama.cpp")
    ('Hugging Face', 'llama.cpp')
    """
    return IMPLEMENTATIONS.get(implementation, implementation)

"""Names that people know: of the kinds of tokenizers, of the implementations. Models have theirs in the catalog."""

from __future__ import annotations

from typing import Final

from explorer.engine.models.bpe import Bpe, Bytes
from explorer.engine.tokenizer import Tokenizer
from explorer.stages.spelling import How, spelling_of

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


BPE_KINDS: Final = {How.PRINTABLE: KINDS["BPE"], How.ESCAPED: KINDS["SPM"]}
"""What a BPE is called by how it spells. Any other merges characters."""


def kind_of(tokenizer: Tokenizer) -> str:
    """What people call the kind of a tokenizer: of a BPE, by what it merges.

    >>> import explorer
    >>> [kind_of(explorer.load(name)) for name in ("llama-2", "cl100k_base", "bert-uncased")]
    ['SentencePiece BPE', 'byte-level BPE', 'WordPiece']
    """
    if tokenizer.family != "BPE":
        return KINDS.get(tokenizer.family, tokenizer.family)
    if any(isinstance(part, Bpe) and isinstance(part.initial, Bytes) for part in tokenizer.parts):
        return KINDS["BPE"]
    return BPE_KINDS.get(spelling_of(tokenizer).how, "BPE on characters")

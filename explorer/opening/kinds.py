"""The kind of an opened tokenizer as people call it: of a BPE, by what it merges."""

from __future__ import annotations

from typing import Final

from explorer.engine.models.bpe import Bpe, Bytes
from explorer.engine.tokenizer import Tokenizer
from explorer.opening.titles import KINDS
from explorer.stages.spelling import How, spelling_of

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

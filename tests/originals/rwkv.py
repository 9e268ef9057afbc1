"""RWKV's own tokenizer, for comparison: `TRIE_TOKENIZER` of the package `rwkv`, plain Python without PyTorch.

It evaluates each line of the vocabulary file, so give it only the bundled file.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from rwkv.rwkv_tokenizer import TRIE_TOKENIZER


class Rwkv:
    """The original on a vocabulary file."""

    def __init__(self, path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the original evaluates the file; its warnings would be errors here
            self.tokenizer = TRIE_TOKENIZER(str(path))

    def encode(self, data: bytes) -> list[int]:
        return list(self.tokenizer.encodeBytes(data))

    def decode(self, ids: Sequence[int]) -> bytes:
        return bytes(self.tokenizer.decodeBytes(ids))

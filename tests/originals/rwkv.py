"""RWKV's own tokenizer, to compare with: `TRIE_TOKENIZER` of the package `rwkv`, plain Python without PyTorch.

It evaluates each line of the vocabulary file, so it is given the bundled file only, which is checked before.
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
            warnings.simplefilter("ignore")  # the file is evaluated, and the original's class is what it is
            self.tokenizer = TRIE_TOKENIZER(str(path))

    def encode(self, data: bytes) -> list[int]:
        return list(self.tokenizer.encodeBytes(data))

    def decode(self, ids: Sequence[int]) -> bytes:
        return bytes(self.tokenizer.decodeBytes(ids))

"""Hugging Face's `tokenizers`, to compare with: the same file, nothing cut off and nothing filled up."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Encoding, Tokenizer


class HuggingFace:
    """A tokenizer.json in the original. Its truncation and padding are switched off."""

    def __init__(self, path: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(path))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode(self, text: str, add_special: bool = True, parse_special: bool = True) -> Encoding:
        self.tokenizer.encode_special_tokens = not parse_special
        return self.tokenizer.encode(text, add_special_tokens=add_special)

    def decode(self, ids: list[int], skip_special: bool = False) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=skip_special))

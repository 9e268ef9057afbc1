"""Hugging Face's `tokenizers` on the same file, for comparison, with truncation and padding off."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers import Encoding, Tokenizer

import explorer
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from tests.refusals import refusal


def refusal_of(file: object) -> str:
    """The message of the InputError for a tokenizer.json, opened as bad.json."""
    return refusal(lambda: from_tokenizer_json(read(json.dumps(file).encode(), "bad.json"), "bad.json"))


class HuggingFace:
    """A tokenizer.json in the original, with truncation and padding off."""

    def __init__(self, path: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(path))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def encode(self, text: str, add_special: bool = True, parse_special: bool = True) -> Encoding:
        self.tokenizer.encode_special_tokens = not parse_special
        return self.tokenizer.encode(text, add_special_tokens=add_special)

    def decode(self, ids: list[int], skip_special: bool = False) -> str:
        return str(self.tokenizer.decode(ids, skip_special_tokens=skip_special))


class Both(NamedTuple):
    """One tokenizer.json in the original and in this engine."""

    ours: explorer.Tokenizer
    theirs: Tokenizer

    def differences(
        self, texts: Iterable[str], add_special: bool = True, parse_special: bool = True, offsets: bool = True
    ) -> list[object]:
        """Texts whose ids or offsets differ, with both; traced and untraced tokens must agree, too."""
        self.theirs.encode_special_tokens = not parse_special
        found: list[object] = []
        for text in texts:
            theirs = self.theirs.encode(text, add_special_tokens=add_special)
            want = list(zip(theirs.ids, theirs.offsets if offsets else theirs.ids, strict=True))
            ours = self.ours.encode(text, add_special=add_special, parse_special=parse_special)
            asked = {"add_special": add_special, "parse_special": parse_special}
            spans = explorer.offsets(self.ours, text, **asked) if offsets else ours.ids
            assert spans is not None
            got = list(zip(ours.ids, spans, strict=True))
            traced = self.ours.trace(text, add_special=add_special, parse_special=parse_special).encoding
            if not (got == want and traced.tokens == ours.tokens):
                found.append((text, want, got, traced.ids))
        return found

    def decode_differences(self, lists: Iterable[Sequence[int]]) -> list[object]:
        """Lists of ids whose decoded texts differ, with both; each id must have its bytes."""
        found: list[object] = []
        for ids in lists:
            for skip in (False, True):
                want = self.theirs.decode(list(ids), skip_special_tokens=skip)
                decoded = self.ours.trace_decode(ids, remove_special=False, unparse_special=not skip)
                if decoded.text != want or len(decoded.parts) != len(ids):
                    found.append((ids, skip, want, decoded.text))
        return found


def whole(content: Mapping[str, Any]) -> dict[str, Any]:
    """A tokenizer.json with every key the original requires."""
    parts = dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder"))
    file = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], **parts, **content}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    file["added_tokens"] = [flags | token for token in file["added_tokens"]]
    return file


def both(content: Mapping[str, Any]) -> Both:
    """Opens a content in both, with missing keys filled in."""
    text = json.dumps(whole(content))
    return Both(from_tokenizer_json(read(text.encode(), "toy"), "toy"), Tokenizer.from_str(text))


def trained(tokenizer: Tokenizer) -> dict[str, Any]:
    """The content of the file that the original writes."""
    content: dict[str, Any] = json.loads(tokenizer.to_str())
    return content

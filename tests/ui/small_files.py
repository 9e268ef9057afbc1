"""Small tokenizer files for the tests of the app."""

from __future__ import annotations

import base64
import json
from typing import Any


def tokenizer_json(**changes: Any) -> bytes:
    """A tokenizer.json that knows a few letters: ab is 3, abc is 4."""
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "<unk>": 5}
    file = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": 6, "content": "<s>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
             "special": True},
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"\s+"}, "behavior": "Removed", "invert": False},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": vocab, "merges": ["a b", "ab c"],
        },
    }  # fmt: skip
    return json.dumps(file | changes).encode()


SMALL = tokenizer_json()
OTHER = tokenizer_json(normalizer={"type": "NFC"})
"""Another file, with the same ids."""

VOCAB_JSON = b'{"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}'
MERGES_TXT = b"#version: 0.2\na b\nab c\n"


def ranks(*merged: bytes) -> bytes:
    """A ranks file of all bytes and these merges; it doesn't name a pattern."""
    pieces = [*(bytes([byte]) for byte in range(256)), *merged]
    return b"".join(b"%s %d\n" % (base64.b64encode(piece), rank) for rank, piece in enumerate(pieces))

"""Recognizes common files that aren't vocabularies by their first bytes."""

from __future__ import annotations

import re

JSON_LIST = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[\s*(?:["{\[\]\d-]|true|false|null)')
"""A JSON list, but not [PAD], the first line of a BERT vocab.txt."""

_OWN = "give the tokenizer's own file"


def recognized(head: bytes) -> str | None:
    """What a file with these first bytes is, and what to do instead; None if unknown.

    >>> recognized(b"PK\\x03\\x04...")
    "this is a zip archive (PyTorch weights are one); give the tokenizer's own file"
    >>> recognized(b"[PAD]")
    """
    if not head:
        return "the file is empty; fetch it again"
    if not head.strip():
        return "the file begins with nothing but white space; fetch it again"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "this is text in UTF-16; save it in UTF-8"
    if JSON_LIST.match(head):
        return f"this is a JSON list, which no vocabulary is; {_OWN}"
    if head.startswith(b"version https://git-lfs"):
        return "this is a Git LFS pointer, not the file it points to; run: git lfs pull"
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:14].lower().startswith((b"<!doctype html", b"<html")):
        return "this is a web page; use the download link of the page"
    # a safetensors file begins with the length of its header, which is JSON
    if head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") < 1 << 32:
        return f"this is a safetensors file, which has weights but no tokenizer; {_OWN}"
    if head.startswith(b"PK\x03\x04"):
        return f"this is a zip archive (PyTorch weights are one); {_OWN}"
    if head[:1] == b"\x80" and head[1:2] in (b"\2", b"\3", b"\4", b"\5"):
        return f"this is a Python pickle, which is never opened; {_OWN}"
    if head[:4] in (b"lmgg", b"fmgg", b"tjgg", b"algg"):
        return "this is a GGML file, the format before GGUF; convert the model again with a newer llama.cpp"
    return None

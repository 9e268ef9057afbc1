"""Recognizes common files that aren't vocabularies by their first bytes."""

from __future__ import annotations

import re

JSON_LIST = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[\s*(?:["{\[\]\d-]|true|false|null)')
"""A JSON list, but not [PAD], the first line of a BERT vocab.txt."""

_OWN = "give the tokenizer's own file"

_SENTENCEPIECE_LIST = re.compile(rb"[^\t\n]+\t-?\d+(?:\.\d+)?(?:e-?\d+)?\r?\n")
"""A piece and its score, separated by a tab."""
_CODE_WITH_COUNT = re.compile(rb"\S+ \S+ \d+\r?\n")
"""A pair and how often it occurred."""
_ESM = (b"<cls>", b"<pad>", b"<eos>", b"<unk>", b"L", b"A")
"""The first lines of ESM's vocab.txt."""


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
    if (what := _list_of_pieces(head)) is not None:
        return what
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


def _list_of_pieces(head: bytes) -> str | None:
    """What a list of pieces or pairs is that holds less than a tokenizer; None if it is none."""
    lines = head.splitlines(keepends=True)[:20]
    whole = lines[: max(1, len(lines) - 1)]
    if tuple(line.rstrip() for line in lines[: len(_ESM)]) == _ESM:
        return (
            "this is the vocab.txt of ESM, where each amino acid is a token; transformers reads it with EsmTokenizer, "
            "which is not run here"
        )
    if len(lines) < 2:
        return None
    if all(map(_SENTENCEPIECE_LIST.fullmatch, whole)):
        return (
            "this is sentencepiece's .vocab, a list of pieces and scores for people to read; give the .model that was "
            "written with it"
        )
    if all(map(_CODE_WITH_COUNT.fullmatch, whole)):
        return (
            "these are pairs with counts (fastBPE's codes, as PhoBERT's bpe.codes), which have no ids; give the folder "
            "with PhoBERT's vocab.txt and tokenizer_config.json"
        )
    return None

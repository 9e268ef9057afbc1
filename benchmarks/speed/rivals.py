"""The originals to measure against, each as a function from text to ids, single-threaded.

If an original has no file of a bundled vocabulary, one is made from ours: SentencePiece's BPE for `tokenizers` with the
merges its scores imply, Unigram with pieces, scores and character map. The pure-Python RWKV is a naive reference: a
trie of dicts and a loop over bytes.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import explorer
from explorer.engine.tokenizer import Tokenizer
from explorer.vocabulary import PieceKind
from tests.originals.llama_cpp import LlamaCpp

Encode = Callable[[str], list[int]]

LLAMA_CPP = {
    "llama-2": "ggml-vocab-llama-spm.gguf", "xlm-r": "ggml-vocab-nomic-bert-moe.gguf",
    "llama-3": "ggml-vocab-llama-bpe.gguf", "gpt-2": "ggml-vocab-gpt-2.gguf", "qwen2.5": "ggml-vocab-qwen2.gguf",
    "bert-uncased": "ggml-vocab-bert-bge.gguf",
}  # fmt: skip
"""The GGUF of each model; those that are not bundled are read from the user's folder."""


KNOWN = {
    ("mistral-v1", "tokenizers"): "runs of spaces: of two pairs that make the same piece sentencepiece merges the "
    "leftmost, tokenizers the one whose merge comes first in its file",
    ("xlm-r", "tokenizers"): "the file made of the pieces has no added tokens, so <s>, </s> and <unk> in a text are "
    "found as pieces; and tokenizers asks its character map for a short grapheme as a whole",
}
"""Why ids differ, by model and original."""


def rivals(spec: str, folder: Path | None) -> Iterator[tuple[str, Encode]]:
    """The originals of a bundled tokenizer, by name. folder: of more GGUFs."""
    name, _, implementation = spec.partition("@")
    model, tok = explorer.catalog()[name], explorer.load(spec)
    if implementation == "huggingface":
        yield "tokenizers", of_tokenizers(model.path.read_text("utf-8"))
    if name == "xlm-r":
        yield "tokenizers", of_tokenizers(json.dumps(as_unigram(tok)))
    if name in ("mistral-v1", "llama-2"):
        yield "tokenizers", of_tokenizers(json.dumps(as_bpe(tok)))
    if implementation == "sentencepiece":
        yield "sentencepiece", of_sentencepiece(model.path)
    if implementation == "tiktoken":
        yield "tiktoken", of_tiktoken(model.path, tok)
    if implementation == "rwkv":
        yield "python", DumbTrie(tok).encode
    if implementation == "llama.cpp":
        bundled = model.path.parent / LLAMA_CPP[name]
        path = bundled if bundled.exists() or folder is None else folder / LLAMA_CPP[name]
        if path.exists():
            yield "llama.cpp", of_llama_cpp(path)


def of_tokenizers(file: str) -> Encode:
    import tokenizers

    original = tokenizers.Tokenizer.from_str(file)
    original.no_truncation()
    original.no_padding()

    def encode(text: str) -> list[int]:
        ids: list[int] = original.encode(text, add_special_tokens=False).ids
        return ids

    return encode


def of_sentencepiece(path: Path) -> Encode:
    import sentencepiece

    original = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return lambda text: original.encode(text)  # type: ignore[no-any-return]


def of_tiktoken(path: Path, tok: Tokenizer) -> Encode:
    import tiktoken

    lines = (line.split() for line in path.read_bytes().splitlines() if line)
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in lines}
    pattern = next(part for part in tok.parts if part.name == "pre-tokenize").splitters[0].pattern.regex  # type: ignore[attr-defined]
    return tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}).encode_ordinary


def of_llama_cpp(path: Path) -> Encode:
    original = LlamaCpp(path)
    return lambda text: original.tokenize(text, add_special=False, parse_special=False)


def text_of(piece: bytes) -> str:
    return piece.decode("utf-8", "replace")


def as_bpe(tok: Tokenizer) -> dict[str, Any]:
    """A tokenizer.json for SentencePiece's BPE: every pair of pieces that joins to a piece, best score first."""
    vocabulary = tok.vocabulary
    ids = {text_of(piece): id for id, piece in enumerate(vocabulary.pieces)}
    found = []
    for id, piece in enumerate(vocabulary.pieces):
        text = text_of(piece)
        if vocabulary.kinds[id] != PieceKind.NORMAL:
            continue
        pairs = [(text[:at], text[at:]) for at in range(1, len(text)) if text[:at] in ids and text[at:] in ids]
        found += [(-vocabulary.scores[id], ids[left], ids[right], [left, right]) for left, right in pairs]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "post_processor": None,
        "pre_tokenizer": None, "decoder": None,
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": ids,
                  "merges": [pair for *_, pair in sorted(found)]},
    }  # fmt: skip


def as_unigram(tok: Tokenizer) -> dict[str, Any]:
    """A tokenizer.json for a Unigram vocabulary, with its character map."""
    vocabulary = tok.vocabulary
    stage = next(part for part in tok.parts if part.name == "normalize")
    charsmap = stage.charsmap  # type: ignore[attr-defined]
    data = (4 * len(charsmap.units)).to_bytes(4, "little") + charsmap.units.tobytes() + charsmap.strings
    model = next(part for part in tok.parts if part.name == "model")
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "post_processor": None,
        "decoder": None,
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}]},
        "model": {"type": "Unigram", "unk_id": model.unknown, "byte_fallback": False,  # type: ignore[attr-defined]
                  "vocab": [[text_of(piece), score] for piece, score in
                            zip(vocabulary.pieces, vocabulary.scores, strict=True)]},
    }  # fmt: skip


class DumbTrie:
    """RWKV as a loop over bytes and dicts: the longest token, repeatedly."""

    def __init__(self, tok: Tokenizer) -> None:
        self.root: dict[int, Any] = {}
        for id, piece in enumerate(tok.vocabulary.pieces):
            if tok.vocabulary.kinds[id] == PieceKind.NORMAL:
                node = self.root
                for byte in piece:
                    node = node.setdefault(byte, {})
                node[-1] = id

    def encode(self, text: str) -> list[int]:
        data, at, ids = text.encode(), 0, []
        while at < len(data):
            node, end, best, index = self.root, at, 0, at
            while index < len(data) and data[index] in node:
                node = node[data[index]]
                index += 1
                if -1 in node:
                    best, end = node[-1], index
            ids.append(best)
            at = end
        return ids

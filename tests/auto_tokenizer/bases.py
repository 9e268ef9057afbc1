"""Vocabularies for the folders: the bundled ones, truncated so that many folders open quickly, and toys.

A BPE with only its first merges is still a valid BPE, and so is a WordPiece or Unigram model without its last pieces.
The rest of each file is unchanged.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import explorer
from explorer.formats import gguf, sentencepiece_model
from tests.auto_tokenizer.class_bases import CLASS_BASES
from tests.formats import sentencepiece_writer as writer
from tests.fuzz import seeds

PIECES = 3000
"""How many entries of a vocabulary are kept."""

Whole = dict[str, Any]


@cache
def bundled(name: str) -> str:
    return explorer.catalog()[name].path.read_text("utf-8")


def byte_level(name: str) -> Whole:
    """A byte-level BPE with its first merges and the pieces they need, renumbered; its added tokens follow."""
    whole = json.loads(bundled(name))
    model = whole["model"]
    bytes_first = sorted((id, piece) for piece, id in model["vocab"].items() if len(piece) == 1)
    vocab = {piece: place for place, (_, piece) in enumerate(bytes_first)}
    merges = []
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        if left in vocab and right in vocab and len(vocab) < PIECES:
            vocab.setdefault(left + right, len(vocab))
            merges.append(merge)
    return cut(whole | {"model": model | {"vocab": vocab, "merges": merges}})


def cut(whole: Whole) -> Whole:
    """Keeps the first added tokens, renumbered after the vocabulary if they are not in it."""
    vocab = whole["model"]["vocab"]
    added, free = [], len(vocab)
    for entry in whole["added_tokens"][:8]:
        id = vocab.get(entry["content"]) if isinstance(vocab, dict) else None
        if id is None:
            id, free = free, free + 1
        added.append(entry | {"id": id})
    return whole | {"added_tokens": added}


def word_piece(name: str) -> Whole:
    whole = json.loads(bundled(name))
    model = whole["model"]
    kept = [piece for piece in model["vocab"] if not piece.startswith("[unused")][:PIECES]
    vocab = {piece: id for id, piece in enumerate(kept)}
    around = whole["post_processor"]["special_tokens"]
    special = {key: each | {"ids": [vocab[key]]} for key, each in around.items()}
    post = whole["post_processor"] | {"special_tokens": special}
    return cut(whole | {"model": model | {"vocab": vocab}, "post_processor": post})


def xlm_roberta() -> Whole:
    """The Unigram model of the bundled GGUF in the form of XLM-R's tokenizer.json."""
    found = gguf.read(explorer.catalog()["xlm-r"].path, lambda key: key.startswith("tokenizer."), "").metadata
    pieces, scores = found["tokenizer.ggml.tokens"], found["tokenizer.ggml.scores"]
    charsmap = bytes(byte & 0xFF for byte in found["tokenizer.ggml.precompiled_charsmap"])
    vocab = [[piece.decode(), score] for piece, score in zip(pieces, scores, strict=True)][: 4 * PIECES]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    special = {name: {"id": name, "ids": [id], "tokens": [name]} for name, id in (("<s>", 0), ("</s>", 2))}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    first, last = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ("<s>", "</s>"))
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": id, "content": vocab[id][0]} | flags for id in range(4)],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap).decode()},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "post_processor": {"type": "TemplateProcessing", "single": [first, text, last],
                           "pair": [first, text, last, last, {"Sequence": {"id": "B", "type_id": 0}}, last],
                           "special_tokens": special},
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": False},
    }  # fmt: skip


def llama() -> Whole:
    """The bundled SentencePiece BPE in the form of Llama 2's tokenizer.json, with merges derived from the scores."""
    model = sentencepiece_model.read(explorer.catalog()["mistral-v1"].path.read_bytes(), "mistral-v1")
    spelled = [piece.decode() for piece in model.pieces]
    kept = [id for id, piece in enumerate(spelled) if id < PIECES or (len(piece) == 1 and id % 3 == 0)]
    vocab = {spelled[id]: place for place, id in enumerate(kept)}
    pairs = []
    for piece, id in vocab.items():
        halves = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
        known = [(left, right) for left, right in halves if left in vocab and right in vocab]
        known.sort(key=lambda pair: (vocab[pair[0]], vocab[pair[1]]))
        pairs += [(-model.scores[kept[id]], left, right) for left, right in known]
    merges = [f"{left} {right}" for _, left, right in sorted(pairs, key=lambda pair: pair[0])]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    first, text = {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": id, "content": spelled[id]} | flags for id in range(3)],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, spaces]},
        "pre_tokenizer": None,
        "post_processor": {"type": "TemplateProcessing",
                           "single": [first, text],
                           "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                           "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": vocab,
                  "merges": merges},
    }  # fmt: skip


def toy(kind: str) -> Callable[[], Whole]:
    """The fuzzing seed with this type of model."""

    def made() -> Whole:
        whole = (json.loads(files["tokenizer.json"]) for files in seeds.tokenizer_json())
        return next(each for each in whole if each["model"]["type"] == kind)

    return made


BASES: Mapping[str, Callable[[], Whole]] = {
    "gpt2": lambda: byte_level("gpt-2"),
    "qwen2": lambda: byte_level("qwen2.5"),
    "llama3": lambda: byte_level("llama-3"),
    "llama": llama,
    "bert": lambda: word_piece("bert-uncased"),
    "xlm-r": xlm_roberta,
    "unigram": toy("Unigram"),
}
"""Name → a function that builds the tokenizer.json."""


@cache
def base(name: str) -> bytes:
    """The tokenizer.json of a base."""
    made = CLASS_BASES[name](base) if name in CLASS_BASES else BASES[name]()
    return json.dumps(made, ensure_ascii=False).encode()


# --- the files of slow tokenizers ----------------------------------------------------------------------------------


@cache
def slow(name: str) -> Mapping[str, bytes]:
    """The files of a slow tokenizer, by name."""
    return SLOW[name]()


def vocab_and_merges(name: str) -> dict[str, bytes]:
    model = json.loads(base(name))["model"]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    lines = "".join(f"{line}\n" for line in ("#version: 0.2", *merges))
    return {"vocab.json": json.dumps(model["vocab"]).encode(), "merges.txt": lines.encode()}


def sentencepiece(name: str) -> dict[str, bytes]:
    """The bundled BPE, truncated like its tokenizer.json."""
    found = sentencepiece_model.read(explorer.catalog()["mistral-v1"].path.read_bytes(), "mistral-v1")
    kept = json.loads(base("llama"))["model"]["vocab"]
    rows = zip(found.pieces, found.scores, found.kinds, strict=True)
    pieces = [(piece.decode(), score, kind) for piece, score, kind in rows if piece.decode() in kept]
    pieces.insert(300, ("[u]", 0.0, 4))
    return {name: writer.model(*pieces, trainer=writer.message(f3=2, f35=1))}


def xlm_roberta_model() -> dict[str, bytes]:
    """The Unigram model in the form of fairseq's SentencePiece model: without <pad>, and with <unk> first."""
    whole = json.loads(base("xlm-r"))
    special = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    pieces = [(piece, score, 1) for piece, score in whole["model"]["vocab"][4:]]
    charsmap = b64decode(whole["normalizer"]["precompiled_charsmap"])
    normalizer = writer.message(f1=b"nmt_nfkc", f2=charsmap)
    data = writer.model(*special, *pieces, trainer=writer.message(f3=1), normalizer=normalizer)
    return {"sentencepiece.bpe.model": data}


def vocab_txt() -> dict[str, bytes]:
    vocab = json.loads(base("bert"))["model"]["vocab"]
    return {"vocab.txt": "".join(f"{piece}\n" for piece in vocab).encode()}


def whisper_files() -> dict[str, bytes]:
    """GPT-2's files, with Whisper's tokens in added_tokens.json."""
    added = json.loads(base("whisper"))["added_tokens"]
    ids = {entry["content"]: entry["id"] for entry in added}
    return vocab_and_merges("whisper") | {"added_tokens.json": json.dumps(ids).encode()}


SLOW: Mapping[str, Callable[[], Mapping[str, bytes]]] = {
    "slow-gpt2": lambda: vocab_and_merges("gpt2"),
    "slow-qwen2": lambda: vocab_and_merges("qwen2"),
    "slow-clip": lambda: vocab_and_merges("clip"),
    "slow-whisper": whisper_files,
    "slow-bert": vocab_txt,
    "slow-llama": lambda: sentencepiece("tokenizer.model"),
    "slow-xlm-r": xlm_roberta_model,
}
"""Name → a function that builds the files."""

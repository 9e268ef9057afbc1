"""Small valid files for every reader: the seeds of the fuzzing."""

from __future__ import annotations

import json
from array import array
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from explorer.engine.pre_tokenizers.patterns import LLAMA3, TEKKEN
from explorer.vocabulary import PRINTABLE
from tests.engine.charsmap_writer import charsmap
from tests.formats.gguf_writer import written
from tests.formats.sentencepiece_writer import field, message, model

Files: TypeAlias = Mapping[str, bytes]
"""The file that is opened and the files next to it, by name."""

LETTERS = "abcdehlorwt"
PIECES = [("▁", -2.0), ("▁a", -3.0), ("ab", -2.5), ("▁the", -4.0), ("he", -3.5), ("th", -3.6), ("wor", -7.0)]
BYTES = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
MAP = charsmap({"…": "  ", "A": "a", "A\u030a": "å", "\u0301": "", "\t": " "})


def normal() -> list[tuple[str, float, int]]:
    return [*((piece, score, 1) for piece, score in PIECES), *((ch, -9.0, 1) for ch in LETTERS)]


@cache
def sentencepiece() -> list[Files]:
    head, user = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)], [("[u]", 0.0, 4), ("wo", -6.0, 5)]
    made = []
    for kind in (1, 2, 3, 4):
        for fallback in (0, 1):
            trainer = message(f3=kind, f4=400, f24=fallback, f35=fallback, f44=b" ?? ")
            pieces = [*head, *(BYTES if fallback else ()), *normal(), *user]
            made.append(model(*pieces, trainer=trainer, normalizer=message(f1=b"own", f2=MAP)))
    made.append(model(*head, *normal(), trainer=message(f3=2)) + field(5, message(f2=MAP, f3=0, f5=0)))
    return [{"toy.model": data} for data in made]


def byte_ranks() -> dict[bytes, int]:
    more = (b"th", b"he", b"the", b" the", b" w", b"wor", "é".encode(), b"  ", b"12")
    return {token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *more])}


@cache
def tiktoken() -> list[Files]:
    lines = b"".join(b"%b %d\n" % (b64encode(token), rank) for token, rank in byte_ranks().items())
    return [{"toy.tiktoken": lines}, {"toy.tiktoken": lines.replace(b"\n", b"\r\n")}]


def tekken_json(version: int, special: list[Any] | None) -> dict[str, Any]:
    """A tekken.json with 30 special tokens, some of them named, and one rank to spare."""
    ranks = byte_ranks()
    vocab = [
        {"rank": rank, "token_bytes": b64encode(token).decode(), "token_str": None} for token, rank in ranks.items()
    ]
    config = {
        "pattern": TEKKEN.regex, "num_vocab_tokens": len(ranks), "default_vocab_size": len(ranks) + 29,
        "default_num_special_tokens": 30, "version": f"v{version}",
    }  # fmt: skip
    named = {} if special is None else {"special_tokens": special}
    return {"config": config, "vocab": vocab, **named, "image": {"image_patch_size": 16, "max_image_size": 1024}}


@cache
def tekken() -> list[Files]:
    special = [
        {"rank": rank, "token_str": text, "is_control": True} for rank, text in enumerate(("<unk>", "<s>", "</s>"))
    ]
    return [{"tekken.json": json.dumps(each).encode()} for each in (tekken_json(3, None), tekken_json(13, special))]


BERT = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *LETTERS,
    "the",
    "##e",
    "##llo",
    "he",
    "wor",
    "##ld",
    "!",
    "漢",
    "1",
]


@cache
def vocab_txt() -> list[Files]:
    return [
        {"vocab.txt": "\n".join(BERT).encode() + b"\n"},
        {"vocab.txt": "\r\n".join([*BERT, "Hello", "wörld"]).encode()},
    ]


@cache
def rwkv() -> list[Files]:
    tokens: list[str | bytes] = [bytes([byte]) for byte in range(256)]
    tokens = [token.decode() if isinstance(token, bytes) and token < b"\x80" else token for token in tokens]
    tokens += ["th", "the", " the", "漢", "é", b"\xe6\xbc", "'", '"', "\t\t", "wor"]
    seen = dict.fromkeys(tokens)
    lines = [
        f"{id} {token!r} {len(token.encode() if isinstance(token, str) else token)}" for id, token in enumerate(seen, 1)
    ]
    return [{"rwkv.txt": "\n".join(lines).encode() + b"\n"}]


@cache
def rwkv_json() -> list[Files]:
    tokens = {257: "th", 258: [255, 97], 259: "漢", 260: "'s"}
    whole = {id + 1: chr(id) if id < 128 else [id] for id in range(256)} | tokens
    return [{"rwkv.json": json.dumps(file).encode()} for file in (whole, tokens)]


def byte_level_vocab() -> tuple[dict[str, int], list[str]]:
    merges = ["t h", "th e", "Ġ the", "h e", "l l", "Ġ w", "o r", "Ġw or"]
    pieces = [*PRINTABLE, *(merge.replace(" ", "") for merge in merges), "<|endoftext|>"]
    return {piece: id for id, piece in enumerate(dict.fromkeys(pieces))}, merges


@cache
def vocab_merges() -> list[Files]:
    letters = [*LETTERS, *(f"{ch}</w>" for ch in LETTERS), "<unk>", "th", "the</w>", "he</w>", "wo", "wor"]
    models = (
        byte_level_vocab(),
        ({piece: id for id, piece in enumerate(letters)}, ["t h", "th e</w>", "h e</w>", "w o", "wo r"]),
    )
    return [
        {"vocab.json": json.dumps(vocab).encode(), "merges.txt": "\n".join(["#version: 0.2", *merges]).encode() + b"\n"}
        for vocab, merges in models
    ]


def added(*contents: str, first: int = 0) -> list[dict[str, Any]]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [{"id": id, "content": content, "special": True, **flags} for id, content in enumerate(contents, first)]


@cache
def tokenizer_json() -> list[Files]:
    files = [byte_level_json(), bert_json(), sentencepiece_bpe_json(), unigram_json()]
    return [{"tokenizer.json": json.dumps(each).encode()} for each in files]


def byte_level_json() -> dict[str, Any]:
    """A byte-level BPE with its own pattern and a template."""
    vocab, merges = byte_level_vocab()
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    split = {"type": "Split", "pattern": {"Regex": LLAMA3.regex}, "behavior": "Isolated", "invert": False}
    return {
            "version": "1.0",
            "truncation": None,
            "added_tokens": added("<|endoftext|>", first=vocab["<|endoftext|>"]),
            "normalizer": {"type": "NFC"},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level | {"use_regex": False}]},
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}},
                           {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {
                    "<|endoftext|>": {
                        "id": "<|endoftext|>", "ids": [vocab["<|endoftext|>"]], "tokens": ["<|endoftext|>"],
                    }
                },
            },
            "decoder": byte_level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "fuse_unk": False, "byte_fallback": False,
                      "ignore_merges": True, "vocab": vocab, "merges": [merge.split(" ") for merge in merges]},
    }  # fmt: skip


def bert_json() -> dict[str, Any]:
    """A BERT with truncation and padding."""
    return {
            "version": "1.0",
            "truncation": {"direction": "Left", "max_length": 9, "strategy": "LongestFirst", "stride": 2},
            "padding": {"strategy": {"Fixed": 16}, "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0,
                        "pad_type_id": 0, "pad_token": "[PAD]"},
            "added_tokens": added(*BERT[:5]),
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                           "strip_accents": None, "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": {piece: id for id, piece in enumerate(BERT)}},
    }  # fmt: skip


def sentencepiece_bpe_json() -> dict[str, Any]:
    """SentencePiece's BPE with byte fallback."""
    return {
            "version": "1.0",
            "added_tokens": added("<unk>", "<s>"),
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                           {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
            "pre_tokenizer": None,
            "post_processor": None,
            "decoder": {"type": "Sequence", "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
                {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
            "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
                      "vocab": {piece[0]: id for id, piece in enumerate(
                          [("<unk>",), ("<s>",), *BYTES, *normal()])},
                      "merges": ["▁ a", "a b", "h e", "t h"]},
    }  # fmt: skip


def unigram_json() -> dict[str, Any]:
    """A Unigram with a character map."""
    return {
            "version": "1.0",
            "added_tokens": added("<unk>"),
            "normalizer": {"type": "Precompiled", "precompiled_charsmap": b64encode(MAP).decode()},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            "post_processor": None,
            "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
            "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": False,
                      "vocab": [["<unk>", 0.0], *([piece, score] for piece, score, _ in normal())]},
    }  # fmt: skip


@cache
def gguf() -> list[Files]:
    head = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    vocab, merges = byte_level_vocab()

    def keys(kind: str, pieces: list[tuple[str, float, int]], **more: object) -> bytes:
        return written(
            {
                "general.architecture": "llama",
                "tokenizer.ggml.model": kind,
                "tokenizer.ggml.tokens": [piece.encode() for piece, _, _ in pieces],
                "tokenizer.ggml.scores": array("f", [score for _, score, _ in pieces]),
                "tokenizer.ggml.token_type": array("i", [each for _, _, each in pieces]),
            }
            | {f"tokenizer.ggml.{key}": value for key, value in more.items()}
        )

    around = {"bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0, "add_bos_token": True}
    bert = [(piece if piece[0] == "[" else piece[2:] if piece[:2] == "##" else f"▁{piece}", 0.0, 1) for piece in BERT]
    byte_level = [(piece, 0.0, 3 if piece == "<|endoftext|>" else 1) for piece in vocab]
    return [
        {"toy.gguf": data}
        for data in (
            keys("llama", [*head, *BYTES, *normal()], **around),
            keys("gpt2", byte_level, pre="gpt-2", merges=[each.encode() for each in merges],
                 bos_token_id=len(vocab) - 1),
            keys("bert", bert, bos_token_id=2, seperator_token_id=3, unknown_token_id=1),
            keys("t5", [*head, *normal()], precompiled_charsmap=array("b", [byte - 256 * (byte > 127) for byte in MAP]),
                 **around),
        )
    ]  # fmt: skip

"""Small tokenizer.json files of every type, and copies of each with a single setting changed.

`bases()` has four: byte-level BPE, BPE with byte fallback as converted from SentencePiece, Unigram, WordPiece. Their
vocabularies are not trained: they have the words of `WORDS` and parts of them, so that common texts have long pieces
and rare ones fall back.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from explorer.engine.tokenizer import Tokenizer
from explorer.opening.formats import open_bytes
from explorer.vocabulary import printable

Json = dict[str, Any]

WORDS = "hello world Hello the then he is it's don't été naïve Å fi 12 123 a b ab bab 漢 字 각".split()
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?'-\"éïÅﬁ漢字각▁"


def added(id: int, content: str, **flags: bool) -> Json:
    """An entry of added_tokens."""
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": id, "content": content, **plain, **flags}


def chain(words: list[list[str]], suffix: str = "") -> tuple[list[str], list[list[str]]]:
    """The pieces of words, merged from left to right, and the merges that make them."""
    pieces: dict[str, None] = {}
    merges: dict[tuple[str, str], None] = {}
    for symbols in words:
        made = symbols[0]
        for symbol in symbols[1:]:
            merges[made, symbol] = None
            made += symbol
            pieces[made] = None
    return list(pieces), [list(pair) for pair in merges]


def file(model: Json, **parts: Any) -> Json:
    """A tokenizer.json with these parts."""
    empty = {"truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": None,
             "post_processor": None, "decoder": None}  # fmt: skip
    return {"version": "1.0", **empty, **parts, "model": model}


def bpe(vocab: list[str], merges: list[list[str]], **settings: Any) -> Json:
    """The model of a BPE file."""
    rest = {"dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": False}  # fmt: skip
    numbered = {piece: id for id, piece in enumerate(dict.fromkeys(vocab))}
    return {"type": "BPE", **rest, **settings, "vocab": numbered, "merges": merges}


def byte_level() -> Json:
    words = [list(printable(f"{space}{word}".encode())) for word in WORDS for space in ("", " ")]
    pieces, merges = chain(words)
    vocab = [*(printable(bytes([byte])) for byte in range(256)), *pieces]
    model = bpe([*vocab, "<s>"], merges)
    parts = {"add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return file(model, pre_tokenizer={"type": "ByteLevel", **parts}, decoder={"type": "ByteLevel", **parts},
                added_tokens=[added(model["vocab"]["<s>"], "<s>")])  # fmt: skip


def converted() -> Json:
    words = [list(f"{space}{word}") for word in WORDS for space in ("▁", "")]
    pieces, merges = chain(words)
    vocab = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *LETTERS, *pieces]
    escape = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    normalizer = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, escape]}
    model = bpe(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    template = {"type": "TemplateProcessing", "single": [
        {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}  # fmt: skip
    return file(model, normalizer=normalizer, post_processor=template,
                added_tokens=[added(0, "<unk>"), added(1, "<s>"), added(2, "</s>")])  # fmt: skip


def unigram() -> Json:
    pieces = dict.fromkeys([*LETTERS, *(f"▁{word}"[:end] for word in WORDS for end in range(2, len(word) + 2))])
    vocab = [["<unk>", 0.0], ["<s>", 0.0], *([piece, -1.0 - number / 100] for number, piece in enumerate(pieces))]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return file({"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}, pre_tokenizer=metaspace,
                added_tokens=[added(0, "<unk>"), added(1, "<s>")])  # fmt: skip


def word_piece() -> Json:
    words = [word.lower() for word in WORDS]
    parts = [word[:end] for word in words for end in range(2, len(word) + 1)]
    letters = LETTERS.replace("▁", "_").lower()
    vocab = dict.fromkeys(["[UNK]", "[CLS]", *letters, *(f"##{letter}" for letter in letters), *parts])
    normalizer = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                  "lowercase": True}  # fmt: skip
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
             "max_input_chars_per_word": 100, "vocab": {piece: id for id, piece in enumerate(vocab)}}  # fmt: skip
    return file(model, normalizer=normalizer, pre_tokenizer={"type": "BertPreTokenizer"},
                added_tokens=[added(0, "[UNK]"), added(1, "[CLS]")])  # fmt: skip


BASES: dict[str, Callable[[], Json]] = {
    "byte-level": byte_level, "converted": converted, "unigram": unigram, "wordpiece": word_piece
}  # fmt: skip

Change = Callable[[Json], None]


def put(*path: str | int, to: Any) -> Change:
    """Sets one value."""

    def change(whole: Json) -> None:
        at: Any = whole
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = to

    return change


def before(normalizer: Json | None, *, last: bool = False) -> Change:
    """Adds a normalizer before or after the others."""

    def change(whole: Json) -> None:
        both = [each for each in (normalizer, whole["normalizer"]) if each is not None]
        whole["normalizer"] = {"type": "Sequence", "normalizers": both[::-1] if last else both}

    return change


def without_merge(number: int) -> Change:
    return lambda whole: whole["model"]["merges"].pop(number)


def without_piece(piece: str) -> Change:
    def change(whole: Json) -> None:
        del whole["model"]["vocab"][piece]
        whole["model"]["vocab"] = {each: id for id, each in enumerate(whole["model"]["vocab"])}

    return change


LOWER = {"type": "Lowercase"}
EVERYWHERE: dict[str, Change] = {
    "lowercase in front": before(LOWER), "lowercase last": before(LOWER, last=True),
    "NFD in front": before({"type": "NFD"}), "NFKC in front": before({"type": "NFKC"}),
    "strip": before({"type": "Strip", "strip_left": True, "strip_right": True}),
    "prepend": before({"type": "Prepend", "prepend": "▁"}),
    "spaces become one": before({"type": "Replace", "pattern": {"Regex": " +"}, "content": " "}),
    "a removed": before({"type": "Replace", "pattern": {"String": "a"}, "content": ""}),
    "no normalizer": put("normalizer", to=None),
    "digits": put("pre_tokenizer", to={"type": "Digits", "individual_digits": True}),
    "white space split": put("pre_tokenizer", to={"type": "WhitespaceSplit"}),
    "no pre-tokenizer": put("pre_tokenizer", to=None),
    "lstrip": put("added_tokens", 0, "lstrip", to=True), "rstrip": put("added_tokens", 0, "rstrip", to=True),
    "normalized": put("added_tokens", 0, "normalized", to=True),
    "single word": put("added_tokens", 0, "single_word", to=True),
    "no added tokens": put("added_tokens", to=[]),
}  # fmt: skip

OWN: dict[str, dict[str, Change]] = {
    "byte-level": {
        "prefix space": put("pre_tokenizer", "add_prefix_space", to=True),
        "no pattern": put("pre_tokenizer", "use_regex", to=False),
        "whole pieces": put("model", "ignore_merges", to=True),
        "a merge less": without_merge(3), "another merge less": without_merge(20),
    },
    "converted": {
        "no byte fallback": put("model", "byte_fallback", to=False),
        "unknown not fused": put("model", "fuse_unk", to=False),
        "a merge less": without_merge(3), "another merge less": without_merge(20),
        "metaspace": lambda whole: whole.update(normalizer=None, pre_tokenizer={
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}),
        "metaspace first": lambda whole: whole.update(normalizer=None, pre_tokenizer={
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}),
        "no template": put("post_processor", to=None),
    },
    "unigram": {
        "prepend never": put("pre_tokenizer", "prepend_scheme", to="never"),
        "prepend first": put("pre_tokenizer", "prepend_scheme", to="first"),
        "no split": put("pre_tokenizer", "split", to=False),
        "a score": put("model", "vocab", 60, 1, to=-30.0),
    },
    "wordpiece": {
        "case kept": put("normalizer", "lowercase", to=False),
        "accents kept": put("normalizer", "strip_accents", to=False),
        "Han kept": put("normalizer", "handle_chinese_chars", to=False),
        "not cleaned": put("normalizer", "clean_text", to=False),
        "short words": put("model", "max_input_chars_per_word", to=4),
        "a piece less": without_piece("##o"),
    },
}  # fmt: skip


@cache
def opened(base: str, setting: str = "") -> Tokenizer:
    """One of the files, with one setting changed if one is named."""
    whole = copy.deepcopy(BASES[base]())
    if setting:
        (EVERYWHERE | OWN[base])[setting](whole)
    return open_bytes(json.dumps(whole).encode(), f"{base}, {setting or 'as it is'}", "huggingface")


def settings() -> Iterator[tuple[str, str]]:
    """Every file with a changed setting: its base, and the setting."""
    for base in BASES:
        for setting in EVERYWHERE | OWN[base]:
            yield base, setting

"""Vocabularies of the classes that have a form of their own: the pieces of the other bases under the class's names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from explorer.implementations.transformers.arguments import languages

Whole = dict[str, Any]
KEPT = 2000
"""How many pieces of a base are kept."""

SPACES = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
WORDS = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, SPACES]}
TWO_SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}
STRIPPED = {"type": "Strip", "strip_left": False, "strip_right": True}


def entries(vocab: Mapping[str, int], names: Sequence[str]) -> list[Whole]:
    """Special tokens, with new ids for those that the vocabulary does not have."""
    flags = {"single_word": False, "rstrip": False, "normalized": False, "special": True}
    found, free = [], len(vocab)
    for name in names:
        id = vocab.get(name)
        if id is None:
            id, free = free, free + 1
        found.append({"id": id, "content": name, "lstrip": "mask" in name.lower()} | flags)
    return found


def template(whole: Whole, before: Sequence[str], after: Sequence[str]) -> Whole:
    """A template with tokens of the file."""
    ids = {each["content"]: each["id"] for each in whole["added_tokens"]}
    special = [{"SpecialToken": {"id": name, "type_id": 0}} for name in (*before, *after)]
    single = [*special[: len(before)], {"Sequence": {"id": "A", "type_id": 0}}, *special[len(before) :]]
    pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}]
    tokens = {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in (*before, *after)}
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens}


def unigram(
    base: Callable[[str], bytes], first: Sequence[str], last: Sequence[str] = (), *, unk: int, around: Any,
    normalizers: Sequence[Any] = (), cut: Whole = WORDS,
) -> Whole:  # fmt: skip
    """XLM-R's pieces between the special pieces of another class. around: the tokens before and after a text."""
    whole: Whole = json.loads(base("xlm-r"))
    pieces = [[name, 0.0] for name in first]
    pieces += [each for each in whole["model"]["vocab"][4:] if each[0] not in (*first, *last)][:KEPT]
    pieces += [[name, 0.0] for name in last]
    vocab = {piece: id for id, (piece, _) in enumerate(pieces)}
    steps = [*normalizers, whole["normalizer"], TWO_SPACES]
    whole |= {
        "added_tokens": entries(vocab, [*first, *last]),
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": cut,
        "decoder": SPACES,
        "model": {"type": "Unigram", "unk_id": unk, "vocab": pieces, "byte_fallback": False},
    }
    return whole | {"post_processor": template(whole, *around)}


def clip(base: Callable[[str], bytes]) -> Whole:
    """A byte-level BPE whose words end with </w>: every word of BERT's base is one piece, built from the left."""
    letters = sorted(piece for piece in json.loads(base("gpt2"))["model"]["vocab"] if len(piece) == 1)
    vocab = {piece: id for id, piece in enumerate([*letters, *(f"{letter}</w>" for letter in letters)])}
    merges = []
    # not of a document of this repository: what is recorded must stay true when that is edited
    for word in (piece for piece in json.loads(base("bert"))["model"]["vocab"] if piece.isascii() and piece.isalnum()):
        rest = [*word[1:-1], f"{word[-1]}</w>"] if len(word) > 1 else []
        left = word[0]
        for right in rest:
            if left + right not in vocab:
                vocab[left + right] = len(vocab)
                merges.append(f"{left} {right}")
            left += right
    for name in ("<|startoftext|>", "<|endoftext|>"):
        vocab[name] = len(vocab)
    ids = [["<|endoftext|>", len(vocab) - 1], ["<|startoftext|>", len(vocab) - 2]]
    regex = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    cut = {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Removed", "invert": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    space = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": entries(vocab, ["<|startoftext|>", "<|endoftext|>"]),
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, space, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [cut, byte_level]},
        "post_processor": {"type": "RobertaProcessing", "sep": ids[0], "cls": ids[1], "trim_offsets": False,
                           "add_prefix_space": False},
        "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": "<|endoftext|>", "continuing_subword_prefix": "",
                  "end_of_word_suffix": "</w>", "fuse_unk": False, "byte_fallback": False, "vocab": vocab,
                  "merges": merges},
    }  # fmt: skip


def whisper(base: Callable[[str], bytes]) -> Whole:
    """GPT-2's pieces with Whisper's tokens."""
    whole: Whole = json.loads(base("gpt2"))
    codes = [f"<|{code}|>" for code in languages("whisper")]
    names = ["<|endoftext|>", "<|startoftranscript|>", *codes, "<|translate|>", "<|transcribe|>", "<|startoflm|>",
             "<|startofprev|>", "<|nocaptions|>", "<|notimestamps|>"]  # fmt: skip
    whole["added_tokens"] = entries(whole["model"]["vocab"], names)
    first = len(whole["model"]["vocab"]) + len(names)
    whole["added_tokens"] += [
        {"id": first + at, "content": f"<|{at * 0.02:.2f}|>", "lstrip": False, "single_word": False, "rstrip": False,
         "normalized": True, "special": False}
        for at in range(60)
    ]  # fmt: skip
    around = (["<|startoftranscript|>", "<|notimestamps|>"], ["<|endoftext|>"])
    return whole | {"post_processor": template(whole, *around)}


def nllb(base: Callable[[str], bytes]) -> Whole:
    """Llama's BPE with NLLB's special tokens."""
    whole: Whole = json.loads(base("llama"))
    first = ["<s>", "<pad>", "</s>", "<unk>"]
    rest = [piece for piece in whole["model"]["vocab"] if piece not in first and not piece.startswith("<0x")]
    vocab = {piece: id for id, piece in enumerate([*first, *rest])}
    merges = [each for each in whole["model"]["merges"] if set(each.split(" ")) <= vocab.keys()]
    whole["model"] |= {"vocab": vocab, "merges": merges, "byte_fallback": False}
    charsmap = json.loads(base("xlm-r"))["normalizer"]
    whole |= {
        "added_tokens": entries(vocab, [*first, *languages("nllb"), "<mask>"]),
        "normalizer": {"type": "Sequence", "normalizers": [charsmap, TWO_SPACES | {"content": " "}]},
        "pre_tokenizer": SPACES,
        "decoder": SPACES,
    }
    return whole | {"post_processor": template(whole, ["eng_Latn"], ["</s>"])}


QUOTES = [{"type": "Replace", "pattern": {"String": each}, "content": '"'} for each in ("``", "''")]
PLAIN = [*QUOTES, {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]

CLASS_BASES: Mapping[str, Callable[[Callable[[str], bytes]], Whole]] = {
    "clip": clip,
    "whisper": whisper,
    "albert": lambda base: unigram(
        base, ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"], unk=1, around=(["[CLS]"], ["[SEP]"]), normalizers=PLAIN
    ),
    "xlnet": lambda base: unigram(
        base, ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"], unk=0,
        around=([], ["<sep>", "<cls>"]), normalizers=PLAIN[:-1],
    ),
    "camembert": lambda base: unigram(
        base, ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"], ["<mask>"], unk=3,
        around=(["<s>"], ["</s>"]),
    ),
    "deberta-v2": lambda base: unigram(
        base, ["[PAD]", "[CLS]", "[SEP]", "[UNK]"], ["[MASK]"], unk=3, around=(["[CLS]"], ["[SEP]"]),
        normalizers=[STRIPPED], cut=SPACES,
    ),
    "mbart": lambda base: unigram(
        base, ["<s>", "<pad>", "</s>", "<unk>"], [*languages("mbart"), "<mask>"], unk=3, around=([], ["</s>", "en_XX"])
    ),
    "mbart50": lambda base: unigram(
        base, ["<s>", "<pad>", "</s>", "<unk>"], [*languages("mbart50"), "<mask>"], unk=3,
        around=(["en_XX"], ["</s>"]), cut=SPACES,
    ),
    "nllb": nllb,
    "pegasus": lambda base: unigram(
        base, ["<pad>", "</s>", "<mask_1>", "<mask_2>", *(f"<unk_{id}>" for id in range(2, 103)), "<unk>"], unk=105,
        around=([], ["</s>"]), cut=SPACES,
    ),
    "big-bird": lambda base: unigram(
        base, ["<pad>", "</s>", "<s>", *(f"<own_{id}>" for id in range(62)), "[CLS]", "[SEP]", "[MASK]"], ["<unk>"],
        unk=KEPT + 68, around=(["[CLS]"], ["[SEP]"]), cut=SPACES,
    ),
}  # fmt: skip
"""Name → a function that builds the tokenizer.json from another base's."""

"""Hugging Face's trainers beside ours: the same texts, cut by the same parts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from tokenizers import Tokenizer, models, trainers

from explorer.training import words
from explorer.training.huggingface import bpe, word_level
from explorer.training.training import Train, Training
from tests.originals.hugging_face_parts import parts

Part = Mapping[str, Any]

CUTS: dict[str, tuple[Part | None, Part | None]] = {
    "nothing": (None, None),
    "white space": (None, {"type": "Whitespace"}),
    "only white space": (None, {"type": "WhitespaceSplit"}),
    "bytes": (None, {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}),
    "bytes uncut": (None, {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False}),
    "metaspace": (None, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}),
    "bert": (
        {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
         "lowercase": True},
        {"type": "BertPreTokenizer"},
    ),
    "compatibility forms": ({"type": "NFKC"}, {"type": "Punctuation", "behavior": "Isolated"}),
}  # fmt: skip
"""Normalizer and pre-tokenizer."""


class Theirs(NamedTuple):
    """What the original learned."""

    vocab: dict[str, int]
    merges: list[tuple[str, str]]


def cut(name: str) -> words.Cut:
    """Ours, by the name in CUTS."""
    return words.by_parts(parts(*CUTS[name]))


def original(texts: Sequence[str], name: str, options: bpe.Options | word_level.Options) -> Theirs:
    """The original's training with the same options."""
    given = {key: value for key, value in asdict(options).items() if value not in (None, ())}
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    if isinstance(options, bpe.WordPieceOptions):
        model, make = models.WordPiece(unk_token="[UNK]"), trainers.WordPieceTrainer
        given.pop("max_token_length", None)
    elif isinstance(options, bpe.Options):
        model, make = models.BPE(), trainers.BpeTrainer
    else:
        model, make = models.WordLevel(unk_token="[UNK]"), trainers.WordLevelTrainer
    tokenizer = Tokenizer(model)
    whole = json.loads(tokenizer.to_str())
    whole["normalizer"], whole["pre_tokenizer"] = CUTS[name]
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    tokenizer.train_from_iterator(list(texts), make(show_progress=False, **given))
    learned = json.loads(tokenizer.to_str())["model"]
    return Theirs(learned["vocab"], [(left, right) for left, right in learned.get("merges", [])])


def affixed(training: Training[str], vocab: Mapping[str, int]) -> list[str]:
    """The characters with a prefix or suffix, in the order in which the original numbered them."""
    ours = [training.learned.symbols[row.n] for row in training.events if row.kind == Train.AFFIXED]
    return sorted(ours, key=lambda text: vocab[text])


def pairs_merged(training: Training[str]) -> list[tuple[str, str]]:
    """Ours as the original's model keeps them: of a pair that is merged twice only the last merge."""
    return list(reversed(dict.fromkeys(reversed(training.learned.pairs))))

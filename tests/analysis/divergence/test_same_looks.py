"""Differences that hide: a space before a space, ▁ before ▁, and tokens that look alike."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

import explorer
from explorer.analysis.divergence.result import DifferenceKind
from explorer.engine.models.bpe import Bpe, MergeList
from explorer.engine.models.longest_match import TrieMatch
from explorer.opening.formats import open_files
from explorer.vocabulary import Vocabulary
from tests.analysis.pairs import against
from tests.analysis.toy_tokenizers import toy


def sentencepiece(*, prefix: bool) -> explorer.Tokenizer:
    """A tokenizer.json in the form of Llama 2's, with or without its prefix space."""
    pieces = ["<unk>", "<s>", "▁", "3", "a", "x", "▁3"]
    put, spaces = {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    file: dict[str, Any] = {
        "version": "1.0", "truncation": None, "padding": None, "pre_tokenizer": None, "post_processor": None,
        "added_tokens": [{"id": 1, "content": "<s>"} | flags],
        "normalizer": {"type": "Sequence", "normalizers": [put, spaces] if prefix else [spaces]},
        "decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": False, "ignore_merges": False,
            "vocab": {piece: id for id, piece in enumerate(pieces)}, "merges": [["▁", "3"]],
        },
    }  # fmt: skip
    return open_files({"toy.json": json.dumps(file).encode()}, None)


@pytest.mark.parametrize("text", ["3", " 3", "  3", "▁3", " ", "a<s> 3", "a<s>3", "<s>  x"])
@pytest.mark.sample(8)
def test_the_prefix_space_is_named_before_a_space_too(text: str) -> None:
    found = against(sentencepiece(prefix=True), sentencepiece(prefix=False), text)
    assert found.divergences
    for each in found.divergences:
        assert each.kind == DifferenceKind.PREFIX_SPACE, each.sentence
        assert (each.left.does, each.right.does) == ("adds a prefix space", "adds no prefix space")


def test_tokens_that_look_alike_have_their_ids() -> None:
    """Two ids of one vocabulary with the same content: each model takes another one."""
    pieces = (b"a", b"b", b"ab", b"ab")
    ids = {piece: id for id, piece in reversed([*enumerate(pieces)])}
    one = Vocabulary(pieces, (), bytes([1] * 4), ids)
    other = replace(one, ids={**ids, b"ab": 3})
    merges = Bpe(one, MergeList([b"a b"]))
    (divergence,) = against(toy(one, merges), toy(other, TrieMatch(other)), "ab").divergences
    assert divergence.kind == DifferenceKind.ALGORITHM
    said = [re.search(r"gives (.*)", half.does) for half in (divergence.left, divergence.right)]
    assert [found and found[1] for found in said] == ["“ab” (2)", "“ab” (3)"]

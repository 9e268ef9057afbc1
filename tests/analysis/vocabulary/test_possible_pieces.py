"""Tokens that no merge makes are asked for once, with the same answers as if they were asked for in every way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.analysis.vocabulary import reach
from explorer.analysis.vocabulary.index import TokenClass, index_of
from explorer.analysis.vocabulary.reach import Asking, sweep
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.implementations.llama_cpp import from_gguf
from explorer.implementations.opened import Opened
from explorer.vocabulary import PRINTABLE
from tests.auto_tokenizer.bases import base
from tests.implementations.llama_cpp.toys import BYTES, CONTROL, NORMAL, USER, keys_of

WORDS = ("▁", "▁a", "▁the", "the", "th", "he", "▁é", "Ã©", "Ġa", "Ġ▁", "中", "▁中")


def odd_gguf(pre: str) -> Opened:
    """Pieces of SentencePiece, run as byte-level."""
    pieces = [("<s>", 0.0, CONTROL), *BYTES, *((word, 0.0, NORMAL) for word in WORDS)]
    pieces += [(ch, 0.0, NORMAL) for ch in PRINTABLE] + [("▁user", 0.0, USER)]
    merges = [b"t h", b"h e", "▁ a".encode(), b"th e", "▁ the".encode(), "Ã ©".encode(), "Ġ a".encode(), "▁ é".encode()]
    keys: Any = keys_of("gpt2", pieces, merges=merges, pre=pre, bos_token_id=0, add_bos_token=False)
    return from_gguf(Gguf(3, 0, keys), "toy.gguf")


def changed_json(name: str, **model: Any) -> Opened:
    """A tokenizer.json with other keys in its model."""
    whole = json.loads(base(name))
    whole["model"] |= model
    return from_tokenizer_json(read(json.dumps(whole).encode()), name)


TOKENIZERS = {
    "gpt-2": lambda: odd_gguf("gpt-2"),
    "llama-bpe": lambda: odd_gguf("llama-bpe"),
    "gemma4": lambda: odd_gguf("gemma4"),
    "no merges": lambda: changed_json("gpt2", merges=[]),
    "whole": lambda: changed_json("llama3", merges=[], ignore_merges=True),
    "spaces": lambda: changed_json("llama", merges=[]),
    "half": lambda: changed_json("qwen2", merges=json.loads(base("qwen2"))["model"]["merges"][::2]),
}


@pytest.mark.parametrize("name", TOKENIZERS)
def test_what_no_merge_makes_comes_from_no_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of(TOKENIZERS[name]())
    asked = Asking(index)
    calls: list[str] = []
    encoded = Asking.encoded
    monkeypatch.setattr(Asking, "encoded", lambda self, text: (calls.append(text), encoded(self, text))[1])
    wanted = range(0, len(index), 1 + len(index) // 600)
    shortened = sweep(index, ids=wanted)
    fewer = len(calls)
    searched = (TokenClass.SPECIAL, TokenClass.ADDED)
    impossible = {id for id in wanted if index.classes[id] not in searched and not asked.is_possible(id)}
    assert bool(impossible) == (name != "whole")
    monkeypatch.setattr(Asking, "is_possible", lambda self, id: True)
    monkeypatch.setattr(reach, "certain_tokens", lambda *given: set())
    calls.clear()
    whole = sweep(index, ids=wanted)
    assert set(shortened.unreached) == set(whole.unreached)
    assert not {id for id in impossible if asked.reached(id).outcome is reach.Outcome.ITSELF}
    if len(impossible) > 10:
        assert len(calls) - fewer > 5 * len(impossible & set(whole.unreached)), "each in one way instead of many"

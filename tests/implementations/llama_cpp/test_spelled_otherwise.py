"""A GGUF whose pieces are spelled as SentencePiece spells them, run as byte-level: none of them occurs."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.engine.unicode.byte_map import PRINTABLE
from explorer.facts import FactKind
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from tests.implementations.llama_cpp.toys import BYTES, NORMAL, keys_of


@pytest.mark.parametrize("pre", ["gpt-2", "llama-bpe", "qwen2", "gemma4"])
@pytest.mark.parametrize("marked", [True, False])
def test_pieces_with_a_space_mark_are_named_where_no_text_gives_them(marked: bool, pre: str) -> None:
    pieces = [(ch, 0.0, NORMAL) for ch in PRINTABLE] + BYTES
    pieces += [("▁", 0.0, NORMAL), ("▁a", 0.0, NORMAL)] if marked else []
    keys: Any = keys_of("gpt2", pieces, merges=["▁ a".encode()] if marked else [b"a b"], pre=pre, bos_token_id=1)
    tokenizer = from_gguf(Gguf(3, 0, keys), "toy.gguf")
    warned = [
        fact.says for fact in tokenizer.facts if fact.kind == FactKind.WARNING and "run as byte-level" in fact.says
    ]
    assert bool(warned) == (marked and pre != "gemma4")
    if warned:
        assert "2 pieces with ▁ and 256 pieces" in warned[0]
        assert not {len(pieces) - 2, len(pieces) - 1} & set(tokenizer.encode(" a ▁a", add_special=False).ids)

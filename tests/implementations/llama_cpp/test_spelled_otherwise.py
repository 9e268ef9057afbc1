"""A GGUF whose pieces are spelled as SentencePiece spells them, run as byte-level: none of them occurs."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import runs
from explorer.analysis.notes import notes
from explorer.facts import FactKind
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.text.say import plain
from explorer.vocabulary import PRINTABLE
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


def test_comparing_names_the_spelling_where_the_other_side_gives_such_a_piece() -> None:
    pieces = [("<unk>", 0.0, 2), *BYTES, *((ch, -9.0, NORMAL) for ch in PRINTABLE), ("▁", -3.0, NORMAL),
              ("▁a", -1.0, NORMAL)]  # fmt: skip
    more: Any = {"bos_token_id": 0, "unknown_token_id": 0, "add_bos_token": False}
    spm: Any = keys_of("llama", pieces, **more)
    odd: Any = keys_of("gpt2", pieces, merges=["▁ a".encode()], pre="gpt-2", **more)
    both = [from_gguf(Gguf(3, 0, keys), name) for keys, name in ((spm, "spm"), (odd, "odd"))]
    for text, named in (("a", True), ("", False)):
        found = compare(*runs(both, text))
        assert any("run as byte-level" in plain(each) and "odd" in plain(each) for each in notes(found)) == named

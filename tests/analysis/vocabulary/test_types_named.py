"""A token whose type keeps text from giving it: the type is the cause, and no piece is missed."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.analysis.vocabulary.index import index_of
from explorer.analysis.vocabulary.reach import dossier
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.text.say import plain
from tests.implementations.llama_cpp.toys import BYTE, BYTES, NORMAL, UNKNOWN, UNUSED, keys_of


@pytest.mark.parametrize("text", ["hello", "<x>", "▁hello"])
@pytest.mark.parametrize(("kind", "word"), [(BYTE, "type is byte"), (UNUSED, "unused"), (NORMAL, "")])
def test_the_type_is_the_cause(kind: int, word: str, text: str) -> None:
    letters = [(ch, -9.0, NORMAL) for ch in "helo▁<x>"]
    pieces = [("<unk>", 0.0, UNKNOWN), *BYTES, *letters, (text, -1.0, kind)]
    keys: Any = keys_of("llama", pieces, bos_token_id=0, unknown_token_id=0, add_bos_token=False)
    tokenizer = from_gguf(Gguf(3, 0, keys), "toy.gguf")
    said = plain(dossier(index_of(tokenizer), len(pieces) - 1).verdict)
    assert ("type is byte" in said or "unused" in said) == bool(word)
    assert word in said
    if word:
        assert "would have to be a piece" not in said
        assert len(pieces) - 1 not in tokenizer.encode(f"{text} {text}").ids

"""The fast path of `decode` gives the text that the stages give, or leaves the ids to them."""

from __future__ import annotations

import random
from typing import Any

import pytest

import explorer
from explorer.engine.decoders.pieces import PieceDecoder, raw
from explorer.engine.fast.decoding import fast_decoder
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary

FAST = ("gpt-2", "llama-3", "qwen2.5", "cl100k_base", "o200k_base", "llama-2", "xlm-r", "rwkv-world")
MODELS = (*FAST, "mistral-v1", "bert-uncased", "bert-uncased@llama.cpp", "gpt-2@llama.cpp", "qwen2.5@llama.cpp")


@pytest.mark.parametrize("name", FAST)
def test_these_models_have_one(name: str) -> None:
    assert explorer.load(name).fast_decoder is not None


@pytest.mark.parametrize("name", MODELS)
def test_the_text_is_that_of_the_stages(name: str) -> None:
    tok, chance = explorer.load(name), random.Random(7)
    present = [id for id in range(len(tok.vocabulary)) if tok.vocabulary.has(id)]
    ends = [id for id in present if tok.vocabulary.kinds[id] != 1] or present
    added = list(tok.encode("", add_special=True).ids)
    for _ in range(400):
        ids = [chance.choice(ends if chance.random() < 0.2 else present) for _ in range(chance.randrange(9))]
        ids = chance.choice([ids, [*added, *ids], [*ids, *added], [*added, *ids, *added]])
        for switches in ({}, {"remove_special": False}, {"unparse_special": False}):
            assert tok.decode(ids, **switches) == tok.trace_decode(ids, **switches).text, (ids, switches)


@pytest.mark.parametrize("name", ["llama-2", "gpt-2", "rwkv-world"])
@pytest.mark.parametrize("ids", [[True], [1.0], [-1], [10**9], ["1"], [None], [[1]], (262, 263), range(262, 265), []])
def test_what_is_no_list_of_ids_is_judged_by_the_stages(name: str, ids: Any) -> None:
    tok = explorer.load(name)

    def said(decode: Any) -> str:
        try:
            return str(decode())
        except InputError as error:
            return f"error: {error}"

    expected = said(lambda: tok.trace_decode(ids).text)
    assert said(lambda: tok.decode(ids)) == expected


def test_a_long_token_takes_the_stages_which_know_how_much_is_too_much() -> None:
    vocabulary = Vocabulary.of([b"a", b"b" * 1000])
    decoder = fast_decoder(PieceDecoder(vocabulary, raw), vocabulary)
    assert decoder is not None
    assert decoder.text([0], True) == "a"
    assert decoder.text([0, 1], True) is None


def test_clean_up_of_spaces_looks_at_neighbors() -> None:
    vocabulary = Vocabulary.of([b"a", b" ."])
    assert fast_decoder(PieceDecoder(vocabulary, raw, clean_spaces=True), vocabulary) is None

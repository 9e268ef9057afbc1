"""A spelling is no loss: of a vocabulary that lacks letters, the model drops characters, whatever spells them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

import explorer
from explorer.analysis.inputs import Line
from explorer.analysis.round_trip import Failure, failure_of, sentences
from explorer.engine.part import Options
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.opening.formats import open_files
from explorer.vocabulary import PRINTABLE
from tests.implementations.llama_cpp.toys import NORMAL, keys_of
from tests.tiers import amount

TEXT = "Zoë: 5 €, ça\té▁漢字 naïve 😊 Ã« – Ġa\n"
BYTE_LEVEL: Any = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True, "trim_offsets": True}
MARK: Any = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True}


def of_json(alphabet: list[str], part: Any) -> explorer.Tokenizer:
    file = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": part,
        "decoder": part,
        "model": {"type": "BPE", "vocab": {ch: id for id, ch in enumerate(alphabet)}, "merges": []},
    }
    return open_files({"tokenizer.json": json.dumps(file).encode()}, None)


def of_gguf(alphabet: list[str], pre: str) -> explorer.Tokenizer:
    keys: Any = keys_of("gpt2", [(ch, 0.0, NORMAL) for ch in alphabet], merges=[b"a b"], pre=pre, add_bos_token=False)
    return from_gguf(Gguf(3, 0, {**keys, "tokenizer.ggml.add_bos_token": False}), "toy.gguf")


def of_two_files(alphabet: list[str], encoder: str) -> explorer.Tokenizer:
    files = {"vocab.json": json.dumps({ch: id for id, ch in enumerate(alphabet)}).encode(), "merges.txt": b""}
    return open_files({**files, "merges.txt": b"#version: 0.2\n"}, None, {"encoder": encoder})


def failure(tokenizer: explorer.Tokenizer, text: str) -> Failure | None:
    return failure_of(tokenizer, Line("x", 1, text), Options())


FORMS: Any = {
    "tokenizer.json": lambda letters: of_json(letters, BYTE_LEVEL),
    "GGUF, gpt-4o": lambda letters: of_gguf(letters, "gpt-4o"),
    "GGUF, qwen2": lambda letters: of_gguf(letters, "qwen2"),
    "vocab.json": lambda letters: of_two_files(letters, "byte-level"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_model_loses_what_an_alphabet_of_bytes_lacks(form: str) -> None:
    chance = Random(form)
    partly = 0
    for share in [chance.random() for _ in range(amount(30))]:
        kept = {byte for byte in range(256) if chance.random() < share} | {ord("a")}
        tokenizer = FORMS[form]([PRINTABLE[byte] for byte in sorted(kept)])
        lost = {at for at, ch in enumerate(TEXT) if not kept.issuperset(ch.encode())}
        found = failure(tokenizer, TEXT)
        assert (found is None) == (not lost)
        if found is None:
            continue
        assert {each.stage for each in found.lost} == {"model"}
        at = {each.at for each in found.lost}
        assert at == lost if form.startswith("GGUF") else lost <= at, (
            "Hugging Face's spans shift where a byte is dropped"
        )
        for each in found.lost:
            text = TEXT[each.start : each.end]
            assert set(each.became) <= {*found.decoded, "\ufffd"}, "what is left is shown, not how it is spelled"
            partly += bool(each.became)
            lacking = [f"{byte:02X}" for byte in text.encode() if byte not in kept]
            if not each.became and lacking:
                assert found.lacking[each.start].split()[1:] == lacking
                assert any(" ".join(lacking) in said for said in sentences(found))
    assert partly


def test_the_model_loses_what_an_alphabet_of_characters_lacks() -> None:
    chance = Random(5)
    for _ in range(amount(30)):
        kept = [ch for ch in dict.fromkeys(TEXT.replace(" ", "▁")) if chance.random() < 0.6]
        found = failure(of_json([*kept, "x"], MARK), TEXT.replace("▁", ""))
        assert found is not None
        assert {each.stage for each in found.lost} == {"model"}


def test_an_alphabet_of_the_letters_of_a_training() -> None:
    """Twelve letters and Ġ: both bytes of ë are missing, and the letters of its spelling, too."""
    letters = [*".acdefghmnorst", "Ċ", "Ġ"]
    found = failure(of_json(letters, BYTE_LEVEL), "Zoë: 5 €")
    assert found is not None
    said = list(sentences(found))
    assert all(each.startswith("model") for each in said)
    assert "C3 AB" in next(each for each in said if "ë" in each)
    assert not any("Ã" in each for each in said)

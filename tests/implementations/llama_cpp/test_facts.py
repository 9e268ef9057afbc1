"""The facts about a GGUF file: one for each setting in force, with its key, and one for each unused key."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.facts import Fact, FactKind
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from tests.bundled import bundled
from tests.implementations.llama_cpp import toys
from tests.implementations.llama_cpp.test_pre_tokenizers import metadata

KEYS = {
    "spm": toys.spm("[u]", kind=toys.USER), "gemma4": toys.keys_of(
        "gemma4", toys.GEMMA, bos_token_id=2, merges=toys.GEMMA_MERGES),
    "dna": toys.keys_of("hybriddna", toys.DNA, merges=[b"a b"], pre="gpt-2"),
    "words": toys.keys_of("whitespace", toys.WORDS, merges=[b"a b"], pre="whitespace"),
    "rwkv": toys.keys_of("rwkv", toys.RWKV, eot_token_id=3), "plamo2": toys.keys_of("plamo2", toys.PLAMO),
}  # fmt: skip


def facts(keys: dict[str, object], **choices: str) -> tuple[Fact, ...]:
    return from_gguf(Gguf(3, 0, keys), "toy", choices).facts  # type: ignore[arg-type]


def place(found: tuple[Fact, ...], key: str) -> list[str]:
    return [fact.says for fact in found if fact.place == f"tokenizer.ggml.{key}"]


@pytest.mark.parametrize("name", KEYS)
def test_every_key_has_a_fact_and_every_fact_a_key_of_the_file(name: str) -> None:
    found = facts(KEYS[name] | {"tokenizer.chat_template": "x", "tokenizer.ggml.new_key": 1})
    used = {fact.place for fact in found if fact.kind != FactKind.UNUSED}
    unused = {fact.place for fact in found if fact.kind == FactKind.UNUSED}
    of_file = {key for key in KEYS[name] if key.startswith("tokenizer.")}
    assert unused >= {"tokenizer.chat_template", "tokenizer.ggml.new_key"}
    # scores need no fact if merges are ranked by them
    assert of_file <= used | unused | ({"tokenizer.ggml.scores"} if name in ("spm", "plamo2") else set())
    assert used <= {"", *KEYS[name]}
    assert not used & unused
    for fact in found:
        assert fact.says[0].isupper() or fact.says.startswith(("llama.cpp", "▁"))
        assert fact.says.endswith(".")
        assert fact.topic


@pytest.mark.parametrize("pre", PRE)
def test_the_patterns_in_force_are_shown_verbatim(pre: str) -> None:
    found = facts(metadata(pre, **{"tokenizer.ggml.bos_token_id": 0}))
    patterns = [fact.code for fact in found if "by this pattern" in fact.says]
    assert patterns == [pattern.regex for pattern in PRE[pre].patterns]
    assert f"The pre-tokenizer is {pre}." in place(found, "pre")
    used_whole = any("used whole" in fact.says for fact in found)
    assert used_whole == (PRE[pre].ignore_merges or PRE[pre].line_feeds_whole)


ENDS: list[tuple[dict[str, Any], str, list[str]]] = [
    ({}, "bos_token_id", []),
    ({"bos_token_id": 1}, "bos_token_id", ["BOS is <s>, id 1."]),
    (
        {"bos_token_id": 9_999},
        "bos_token_id",
        ["BOS is <s>, id 1: the id in the file, 9999, is outside the vocabulary."],
    ),
    ({"add_bos_token": True}, "add_bos_token", ["BOS is put in front of a text."]),
    ({"add_bos_token": False}, "add_bos_token", ["No BOS is put in front of a text."]),
    ({"add_eos_token": True}, "add_eos_token", ["EOS is put after a text."]),
    ({"add_space_prefix": False}, "add_space_prefix", ["No space is put in front of the text."]),
    ({"unknown_token_id": 0}, "unknown_token_id", ["The unknown token is <unk>, id 0."]),
]


@pytest.mark.parametrize(("more", "key", "says"), ENDS)
def test_where_bos_and_eos_come_from(more: dict[str, Any], key: str, says: list[str]) -> None:
    assert place(facts(toys.spm("x", **more)), key) == says


def test_a_fact_about_a_default_has_no_key() -> None:
    found = facts(toys.spm("x"))
    assert Fact("special tokens", "BOS is <s>, id 1, llama.cpp's default for this kind of vocabulary.") in found
    assert Fact("flags", "BOS is put in front of a text.") in found


def test_kinds_are_counted_after_the_corrections() -> None:
    found = place(facts(toys.spm("<|im_end|>", "<|start|>")), "token_type")
    assert found[0].startswith("llama.cpp gives these tokens another kind than the file")
    assert "Control tokens, found in a text if special tokens are parsed: 2." in found
    assert "User-defined tokens, always found in a text first: 1." in found


def test_forced_and_odd_settings_are_warnings() -> None:
    gemma = KEYS["gemma4"] | {"tokenizer.ggml.add_bos_token": False, "tokenizer.ggml.add_space_prefix": True}
    warnings = [fact.place for fact in facts(gemma) if fact.kind == FactKind.WARNING]
    assert warnings == ["tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_space_prefix"]


def test_the_cards_of_the_bundled_files() -> None:
    assert {fact.place for fact in bundled("llama-2").facts if fact.kind == FactKind.UNUSED} >= {"tokenizer.ggml.pre"}
    xlmr = bundled("xlm-r").facts
    assert any("character map of" in fact.says for fact in xlmr)
    assert any(fact.place == "general.architecture" and "<mask> absorbs" in fact.says for fact in xlmr)

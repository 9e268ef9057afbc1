"""The patterns are those of the originals, character by character."""

from __future__ import annotations

import json

import pytest
import regex
from tiktoken_ext import openai_public

import explorer
from explorer.engine.pre_tokenizers.patterns import BY_REGEX, CL100K_BASE, GPT2, LLAMA3, O200K_BASE, PATTERNS, QWEN2
from explorer.engine.regexes.safe import Pattern, cut


def in_file(model: str) -> str:
    parts = json.loads(explorer.catalog()[model].path.read_text("utf-8"))["pre_tokenizer"]["pretokenizers"]
    return str(parts[0]["pattern"]["Regex"])


def test_patterns_are_verbatim() -> None:
    assert in_file("llama-3") == LLAMA3.regex
    assert in_file("qwen2.5") == QWEN2.regex
    assert GPT2.regex == r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def test_patterns_of_tiktoken_are_verbatim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **kwargs: {})
    assert openai_public.cl100k_base()["pat_str"] == CL100K_BASE.regex
    assert openai_public.o200k_base()["pat_str"] == O200K_BASE.regex


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=lambda pattern: pattern.name)
def test_every_alternative_has_a_sentence_and_compiles(pattern: Pattern) -> None:
    assert pattern.source
    for alternative in pattern.alternatives:
        assert alternative.says.endswith(".")
        assert regex.compile(alternative.runs)
    assert BY_REGEX[pattern.regex] is pattern


def test_an_unknown_pattern_is_split_at_its_top_level_bars() -> None:
    assert cut(r"a|(?:b|c)+|[|]|[]|]|[^]|]|\||d") == ["a", "(?:b|c)+", "[|]", "[]|]", "[^]|]", r"\|", "d"]
    assert cut("") == [""]
    for known in (LLAMA3, CL100K_BASE, O200K_BASE):
        assert cut(known.regex) == [each.regex for each in known.alternatives]

"""Expected ids that come from the same vocabulary under another pattern: the pattern is named.

The oracles are the originals themselves: Hugging Face's `tokenizers` with the pattern in the file, tiktoken with the
pattern as `pat_str`, and llama.cpp's patterns as their own parity tests check them.
"""

from __future__ import annotations

import json
import shlex
from functools import cache
from typing import Any

import pytest
import tiktoken
import tokenizers

import explorer
from explorer.analysis.expected.expected_ids import Explanation, Reason
from explorer.analysis.expected.explainer import explain
from explorer.analysis.what_if import BUDGET, with_splitters
from explorer.engine.pre_tokenizers.patterns import PATTERNS
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from explorer.implementations.opened import with_pattern
from explorer.opening.catalog import catalog
from explorer.opening.formats import open_files
from tests.bundled import bundled
from tests.meaning import mentions

TEXTS = (
    "2023", "In 2023, 1234567 of 99 users", "camelCaseWord HTTPServer iPhone", "I'm SURE we'LL see", "a/b/c //x/y",
    "x = [1, 2, 3];\n\n\tprint(x)\r\n", "   indented   text  \n \n", "naïve café ÅNGSTRÖM", "吾輩は猫である。",
    "हिन्दी 2024",
    "!!!???...", "don't can't", "e.g. 3.14159, $100,000", "ʼtis x²³", "Привет, мир! 100%",
)  # fmt: skip


def checked(found: Explanation) -> Explanation:
    """Checks that what is said as a fact gives exactly the expected ids."""
    assert found.recipe is not None, found.sentence
    assert found.recipe.ids() == list(found.expected)
    return found


def named(tokenizer: explorer.Tokenizer, text: str, ids: list[int]) -> Explanation | None:
    """The explanation of ids, which names a pattern; None if they are the tokenizer's own."""
    if tokenizer.encode(text).ids == ids:
        return None
    found = checked(explain(tokenizer, text, ids, open_other=bundled))
    assert found.reason == Reason.PATTERN, found.sentence
    if found.pattern is not None:  # what a visitor types
        assert with_pattern(tokenizer, found.pattern).encode(text).ids == ids
    return found


@cache
def huggingface(name: str, pattern: str) -> tokenizers.Tokenizer:
    """Hugging Face's own library, with a model's file and another pattern."""
    file = json.loads(catalog()[name].path.read_bytes())
    split = {"type": "Split", "pattern": {"Regex": PATTERNS[pattern].regex}, "behavior": "Isolated", "invert": False}
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    file["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, last]}
    return tokenizers.Tokenizer.from_str(json.dumps(file))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", ["gpt-2", "llama-3", "qwen2.5"])
@pytest.mark.sample(2)
def test_the_pattern_of_another_model_in_a_tokenizer_json_is_named(name: str, pattern: str) -> None:
    original = huggingface(name, pattern)
    for text in TEXTS:
        named(bundled(name), text, original.encode(text).ids)


@cache
def ranks(name: str) -> tiktoken.Encoding:
    """tiktoken's encoding of bundled ranks; its `pat_str` is replaced by the tests."""
    from tiktoken.load import load_tiktoken_bpe

    return load_tiktoken_bpe(str(catalog()[name].path))  # type: ignore[return-value]


@pytest.mark.parametrize("pattern", ["gpt-2", "llama-3", "qwen-2", "cl100k_base", "o200k_base", "r50k_base"])
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
@pytest.mark.sample(2)
def test_the_pattern_of_other_ranks_is_named(name: str, pattern: str) -> None:
    made: Any = ranks(name)
    original = tiktoken.Encoding("other", pat_str=PATTERNS[pattern].regex, mergeable_ranks=made, special_tokens={})
    for text in TEXTS:
        named(bundled(name), text, original.encode(text))


@pytest.mark.long
@pytest.mark.parametrize("pre", dict.fromkeys(next(n for n in PRE if PRE[n] == each) for each in PRE.values()))
@pytest.mark.parametrize("spec", ["gpt-2@llama.cpp", "llama-3@llama.cpp", "qwen2.5"])
def test_every_pre_tokenizer_of_llama_cpp_is_named(spec: str, pre: str) -> None:
    if not PRE[pre].bytes_spelled:
        return  # another kind of vocabulary
    tok = bundled(spec)
    (other,) = with_splitters(tok, PRE[pre].splitters, PRE[pre].ignore_merges)
    for text in TEXTS:
        named(tok, text, other.encode(text).ids)


def test_the_years_of_gpt_2_are_a_fact_with_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    from explorer.cli.main import main

    found = checked(explain(bundled("llama-3"), "2023", [508, 1419], open_other=bundled))
    assert found.reason == Reason.PATTERN
    assert mentions(found.sentence, "the pattern of GPT-2")
    assert found.pattern == PATTERNS["gpt-2"].regex
    assert main(["compare", "-m", "llama-3", "--expect", "508 1419", "2023"]) == 1
    command = next(line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("explorer "))
    # as printed, it shows both
    words = shlex.split(command)[1:]
    assert main([*words, "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)["alignment"]["rows"]
    assert [row["ids"] for row in rows] == [[2366, 18], [508, 1419]]


def test_missing_special_tokens_hide_no_pattern() -> None:
    tok = bundled("llama-3@llama.cpp")
    found = checked(explain(tok, "2023", [508, 1419], open_other=bundled))
    assert "lack" in found.sentence
    assert "pre-tokenizer “gpt-2”" in found.sentence


def test_a_cut_that_gives_the_same_ids_is_said_too() -> None:
    tok = bundled("llama-3")
    ids = [*tok.encode("20").ids, *tok.encode("23").ids]
    found = checked(explain(tok, "2023", ids, open_other=bundled))
    assert (found.reason, "at character 2" in found.sentence) == (Reason.PATTERN, True)
    # no known pattern cuts within a word of small letters
    ids = [*tok.encode("unbe").ids, *tok.encode("lievable").ids]
    assert checked(explain(tok, "unbelievable", ids, open_other=bundled)).reason == Reason.PARTS


def test_a_pattern_that_another_setting_puts_before_a_literal_text_is_named() -> None:
    """As in a file of Gemma's whose pattern fix_mistral_regex sets: “!▁” becomes one piece, and “▁Hi” two."""
    pieces = ["<unk>", *"▁Hi!", "Hi", "▁Hi", "!▁"]
    file: dict[str, Any] = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "post_processor": None,
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": {
            "type": "Split", "pattern": {"String": "▁"}, "behavior": "MergedWithNext", "invert": False,
        },
        "decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": False, "ignore_merges": False,
            "vocab": {piece: id for id, piece in enumerate(pieces)},
            "merges": [["H", "i"], ["▁", "Hi"], ["!", "▁"]],
        },
    }  # fmt: skip
    tok = open_files({"small.json": json.dumps(file).encode()}, None)
    split = {"type": "Split", "pattern": {"Regex": PATTERNS["tekken"].regex}, "behavior": "Isolated", "invert": False}
    file["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, file["pre_tokenizer"]]}
    ids = tokenizers.Tokenizer.from_str(json.dumps(file)).encode("Hi! Hi").ids
    assert ids != tok.encode("Hi! Hi").ids
    assert "Tekken" in checked(explain(tok, "Hi! Hi", ids, open_other=bundled)).sentence


@pytest.mark.long
def test_a_long_text_is_searched_within_bounds() -> None:
    tok = bundled("llama-3")
    text = "The year 2023 is over. " * 2_000
    ids = huggingface("llama-3", "gpt-2").encode(text).ids
    assert "GPT-2" in checked(explain(tok, text, ids, open_other=bundled)).sentence
    # the only difference is at the end, after more characters than are searched: no claim
    text = "The year is over. " * (BUDGET // 18) + "2023"
    found = explain(tok, text, huggingface("llama-3", "gpt-2").encode(text).ids, open_other=bundled)
    assert found.recipe is None or found.recipe.ids() == list(found.expected)

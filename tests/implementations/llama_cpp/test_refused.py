"""GGUF files that llama.cpp refuses, and keys that are optional."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

import explorer
from explorer.errors import InputError
from tests.formats.gguf_writer import written
from tests.implementations.llama_cpp.toys import (
    BYTES,
    CONTROL,
    DNA,
    GEMMA,
    NORMAL,
    PLAMO,
    RWKV,
    UNKNOWN,
    USER,
    hold,
    keys_of,
    refused,
    refused_by_both,
)


@pytest.mark.parametrize(("more", "message"), [
    ({"add_bos_token": 1}, "add_bos_token is neither true nor false"),
    ({"add_space_prefix": "yes"}, "add_space_prefix is neither true nor false"),
    ({"bos_token_id": "1"}, "bos_token_id is 1, not a token id"),
    ({"pre": 3}, "pre is not a text"),
    ({"merges": 3}, "merges is missing or has no strings"),
    ({"merges": array("i", [1])}, "merges is missing or has no strings"),
    ({"token_type": array("f", [1.0] * 270)}, "token_type has no numbers of the type llama.cpp reads"),
    ({"scores": [b"x"] * 270}, "scores has no numbers of the type llama.cpp reads"),
    ({"token_type": array("i", [1])}, "entries in tokenizer.ggml.token_type"),
    ({"scores": array("f", [1])}, "entries in tokenizer.ggml.scores"),
    ({"tokens": 7}, "tokens is missing or has no strings"),
])  # fmt: skip
def test_files_the_original_refuses_are_refused(more: dict[str, object], message: str, tmp_path: Path) -> None:
    keys = keys_of("gpt2", GEMMA, **({"merges": [b"a b"], "pre": "gpt-2"} | more))
    assert message in refused_by_both(keys, tmp_path)


def test_an_empty_vocabulary_is_refused() -> None:
    assert "tokenizer.ggml.tokens has no tokens" in refused(keys_of("gpt2", [], merges=[]))


def test_kimi_k2_needs_no_merges(tmp_path: Path) -> None:
    keys = keys_of("gpt2", DNA, pre="kimi-k2")
    hold(keys, ["ab", "漢字ab 12"], tmp_path)
    assert "merges is missing" in refused_by_both(keys_of("gpt2", DNA, pre="qwen2"), tmp_path)


def test_scores_are_ignored_by_models_without_scores(tmp_path: Path) -> None:
    keys = keys_of("gpt2", [(piece, float("nan"), kind) for piece, _, kind in DNA], merges=[b"a b"], pre="gpt-2")
    assert hold(keys, ["ab abc"], tmp_path).vocabulary.scores == array("f")


@pytest.mark.parametrize(
    ("model", "pieces", "piece", "says"),
    [
        ("rwkv", RWKV, "a" * 3_000_000, "in total, at most 2097152 are read"),
        ("t5", [("<unk>", 0.0, UNKNOWN), ("</s>", 0.0, CONTROL)], "a" * 600_000, "together, at most 524288 are read"),
        ("plamo2", PLAMO, "a" * 20_000, "the pieces have more than 4194304 suffixes, or 67108864 characters in them"),
    ],
)
def test_tokens_that_would_exhaust_memory_are_refused(
    model: str, pieces: list[tuple[str, float, int]], piece: str, says: str
) -> None:
    message = refused(keys_of(model, [*pieces, (piece, 0.0, USER)]))
    assert message.startswith("toy.gguf: ")
    assert says in message


ABORTS = (
    "import sys; from pathlib import Path; from tests.originals.llama_cpp import LlamaCpp\n"
    "with LlamaCpp(Path(sys.argv[1])) as theirs: print(theirs.tokenize(sys.argv[2]))"
)
LETTERS = [
    ("<unk>", 0.0, UNKNOWN),
    ("<s>", 0.0, CONTROL),
    ("</s>", 0.0, CONTROL),
    ("▁", -1.0, NORMAL),
    ("a", -2.0, NORMAL),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("has", "text", "lacks"), [
    ([], "é", "C3"), ([], "b", "62"), ([], "a\n", "0A"), (BYTES[:0x80], "aé", "C3"),
    (BYTES[:9] + BYTES[10:], "\ta", "09"),
    (BYTES[:0xA9] + BYTES[0xAA:], "é", "A9"), (BYTES[0x80:], "漢a\t", "09"), ([("b", -3.0, NORMAL)], "b漢", "E6"),
    (BYTES, "é", ""), (BYTES[0x80:], "é漢", ""), ([("b", -3.0, NORMAL)], "ab", ""), ([], "a a", ""),
])  # fmt: skip
def test_a_byte_without_a_token_is_refused_where_llama_cpp_throws(
    has: list[tuple[str, float, int]], text: str, lacks: str, tmp_path: Path
) -> None:
    path = tmp_path / "toy.gguf"
    path.write_bytes(written(keys_of("llama", [*LETTERS, *has])))
    theirs = subprocess.run(
        [sys.executable, "-c", ABORTS, str(path), text], capture_output=True, text=True, check=False
    )
    ours = explorer.load(path)
    assert any("std::out_of_range" in fact.says for fact in ours.facts) == (has != BYTES)
    if not lacks:
        assert json.loads(theirs.stdout) == ours.encode(text).ids == ours.trace(text).ids
        return
    assert "out_of_range" in theirs.stderr
    for run in (ours.encode, ours.trace, lambda text: ours.encode_batch([text] * 3)):
        with pytest.raises(InputError, match=f"0x{lacks} .*llama.cpp throws"):
            run(text)

"""llama.cpp's ids: the same vocabulary and text in the original and in this engine."""

from __future__ import annotations

import itertools
from array import array
from pathlib import Path

import pytest
from hypothesis import given, settings

import explorer
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.views.examples import PRESETS
from tests.formats.gguf_writer import written
from tests.originals.generators import strings, texts
from tests.originals.ids import id_differences
from tests.originals.llama_cpp import LlamaCpp
from tests.refusals import refusal
from tests.tiers import amount

FLAGS = list(itertools.product((True, False), repeat=2))


def differences(ours: explorer.Tokenizer, theirs: LlamaCpp, samples: list[str], add: bool, parse: bool) -> list[object]:
    """Texts whose ids differ, with both; traced and untraced ids must agree, too."""
    return id_differences(
        ours, lambda text: theirs.tokenize(text, add_special=add, parse_special=parse), samples, add, parse
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize(("add", "parse"), FLAGS)
def test_ids_equal_the_originals_on_nasty_text(
    llama2: explorer.Tokenizer, original: LlamaCpp, add: bool, parse: bool
) -> None:
    assert differences(llama2, original, strings(seed=2, count=3_000 if add and parse else 1_000), add, parse) == []


def test_ids_equal_the_originals_on_the_presets(llama2: explorer.Tokenizer, original: LlamaCpp) -> None:
    assert differences(llama2, original, [preset.text for preset in PRESETS], True, True) == []


@given(text=texts())
@settings(max_examples=amount(300))
def test_ids_equal_the_originals_on_any_text(llama2: explorer.Tokenizer, original: LlamaCpp, text: str) -> None:
    assert differences(llama2, original, [text], True, True) == []


def test_decoding_equals_the_originals(llama2: explorer.Tokenizer, original: LlamaCpp) -> None:
    for text in strings(seed=3, count=1_000):
        ids = llama2.encode(text, add_special=False).ids
        for unparse in (True, False):
            want = original.detokenize(ids, remove_special=False, unparse_special=unparse)
            got = llama2.trace_decode(ids, remove_special=False, unparse_special=unparse)
            assert got.data == want, (text, unparse)


def test_every_single_token_decodes_like_the_original(llama2: explorer.Tokenizer, original: LlamaCpp) -> None:
    # after another token, so that a leading space is kept
    wrong = [
        id
        for id in range(len(llama2.vocabulary))
        if llama2.trace_decode([29874, id], remove_special=False).data
        != original.detokenize([29874, id], remove_special=False, unparse_special=True)
    ]
    assert wrong == []


# --- settings that Llama 2's vocabulary does not have ---------------------------------------------------------------

NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6
BYTES = [(f"<0x{byte:02X}>".encode(), 0.0, BYTE) for byte in range(256)]
PIECES = [
    (b"<unk>", 0.0, UNKNOWN), (b"<s>", 0.0, CONTROL), (b"</s>", 0.0, CONTROL), *BYTES,
    (b"<|endoftext|>", 0.0, CONTROL), (b"[user]", 0.0, USER), (b"[us", 0.0, USER), (b"<|end|>", 0.0, NORMAL),
    (b"<PRE>", 0.0, NORMAL),
    ("▁".encode(), -9.0, NORMAL), ("▁▁".encode(), -3.0, NORMAL), (b"a", -8.0, NORMAL), (b"b", -8.0, NORMAL),
    (b"c", -8.0, NORMAL), (b"ab", -2.0, NORMAL), (b"bc", -2.0, NORMAL), (b"ca", -2.0, NORMAL), (b"abc", -1.0, NORMAL),
    ("▁ab".encode(), -1.5, NORMAL), (b"", 0.0, NORMAL), ("é".encode(), -4.0, NORMAL), (b"cab", -2.0, 5),
]  # fmt: skip
VARIANTS = {
    "plain": {},
    "no prefix": {"tokenizer.ggml.add_space_prefix": False},
    "eos too": {"tokenizer.ggml.add_eos_token": True, "tokenizer.ggml.eos_token_id": 2},
    "no bos": {"tokenizer.ggml.add_bos_token": False},
    "other ids": {"tokenizer.ggml.bos_token_id": 2, "tokenizer.ggml.unknown_token_id": 0},
    "bad id": {"tokenizer.ggml.bos_token_id": 10**6},
    "phi-3": {"general.name": "Phi-3 mini"},
}


def metadata(**more: object) -> dict[str, object]:
    return {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [piece for piece, _, _ in PIECES],
        "tokenizer.ggml.scores": array("f", [score for _, score, _ in PIECES]),
        "tokenizer.ggml.token_type": array("i", [kind for _, _, kind in PIECES]),
    } | more


@pytest.mark.sample(2)
@pytest.mark.parametrize("variant", VARIANTS)
def test_settings_of_the_file_match_the_original(variant: str, tmp_path: Path) -> None:
    path = tmp_path / "toy.gguf"
    path.write_bytes(written(metadata(**VARIANTS[variant])))
    ours = explorer.load(path)
    samples = [
        "abc",
        " ab",
        "abcabc cab",
        "<s>abc</s> a",
        "[user] [us] [us",
        "<|end|>  a<PRE> b",
        "é ñ",
        "",
        "  ",
        "<|end|> \t x<s> y",
    ]
    samples += ["".join(letters) for letters in itertools.product("ab c", repeat=5)]
    with LlamaCpp(path) as theirs:
        for add, parse in FLAGS:
            assert differences(ours, theirs, samples, add, parse) == []
        for text in samples:
            ids = ours.encode(text, add_special=False).ids
            assert ours.trace_decode(ids, remove_special=False).data == theirs.detokenize(
                ids, remove_special=False, unparse_special=True
            )


# --- refused files --------------------------------------------------------------------------------------------------


def refused(**more: object) -> str:
    return refusal(from_gguf, Gguf(3, 0, metadata(**more)), "toy.gguf")  # type: ignore[arg-type]  # odd values


def test_missing_or_damaged_keys_are_named() -> None:
    assert "no tokenizer" in refused(**{"tokenizer.ggml.model": None})
    assert "no tokenizer (tokenizer.ggml.model is 'no_vocab')" in refused(**{"tokenizer.ggml.model": "no_vocab"})
    assert "'sphinx'; llama.cpp has: llama, gpt2" in refused(**{"tokenizer.ggml.model": "sphinx"})
    assert len(refused(**{"tokenizer.ggml.model": "s" * 9_000})) < 400
    assert "tokenizer.ggml.tokens" in refused(**{"tokenizer.ggml.tokens": 5})
    assert "tokenizer.ggml.scores" in refused(**{"tokenizer.ggml.scores": [b"x"]})
    assert "entries in tokenizer.ggml.token_type" in refused(**{"tokenizer.ggml.token_type": array("i", [1])})
    assert "both spelled 'a'" in refused(**{"tokenizer.ggml.tokens": [b"a"] * len(PIECES)})
    assert "NaN" in refused(**{"tokenizer.ggml.scores": array("f", [float("nan")] * len(PIECES))})
    assert "toy.gguf" in refused(**{"tokenizer.ggml.tokens": [b"a"], "tokenizer.ggml.add_bos_token": True,
                                   "tokenizer.ggml.scores": array("f", [0.0])})  # fmt: skip

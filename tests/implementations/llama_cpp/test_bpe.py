"""llama.cpp's ids for BPE vocabularies: bundled tokenizer.json files, and toy files for every setting."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

import explorer
from explorer.errors import InputError
from explorer.formats import tokenizer_json
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.implementations.llama_cpp.conversion import converted
from explorer.vocabulary import PRINTABLE
from tests.bundled import bundled
from tests.formats.gguf_writer import written
from tests.implementations.llama_cpp.test_llama_cpp import FLAGS, differences
from tests.originals.generators import strings, texts
from tests.originals.llama_cpp import LlamaCpp
from tests.refusals import refusal
from tests.tiers import amount

MODELS = ("gpt-2", "llama-3", "qwen2.5")


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[object, ...]]:
    """One vocabulary file run like llama.cpp, and llama.cpp on the GGUF file that a converter would write from it."""
    file = tokenizer_json.read(explorer.catalog()[request.param].path)
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    path.write_bytes(written({"general.architecture": "llama"} | converted(file).metadata))
    with LlamaCpp(path) as theirs:
        yield bundled(f"{request.param}@llama.cpp"), theirs


@pytest.mark.sample(1)
@pytest.mark.parametrize(("add", "parse"), FLAGS)
def test_ids_equal_the_originals_on_nasty_text(
    pair: tuple[explorer.Tokenizer, LlamaCpp], add: bool, parse: bool
) -> None:
    samples = strings(seed=2, count=3_600 if add and parse else 1_200)
    assert len(samples) > amount(3_000 if add and parse else 1_000)
    assert differences(*pair, samples, add, parse) == []


@pytest.mark.sample(1)
@given(text=texts())
@settings(max_examples=amount(150))
def test_ids_equal_the_originals_on_any_text(pair: tuple[explorer.Tokenizer, LlamaCpp], text: str) -> None:
    assert differences(*pair, [text], True, True) == []


@pytest.mark.sample(1)
def test_decoding_equals_the_originals(pair: tuple[explorer.Tokenizer, LlamaCpp]) -> None:
    ours, theirs = pair
    for text in strings(seed=3, count=1_000):
        ids = ours.encode(text).ids
        for remove, unparse in FLAGS:
            want = theirs.detokenize(ids, remove_special=remove, unparse_special=unparse)
            got = ours.trace_decode(ids, remove_special=remove, unparse_special=unparse)
            assert got.data == want, (text, remove, unparse)


def test_two_implementations_of_one_file_differ_in_normalization() -> None:
    ours, theirs = bundled("qwen2.5"), bundled("qwen2.5@llama.cpp")
    assert ours.encode("caf\u00e9").ids == theirs.encode("caf\u00e9").ids == ours.encode("cafe\u0301").ids
    assert theirs.encode("cafe\u0301").ids != ours.encode("cafe\u0301").ids
    # Llama 3: llama.cpp adds BOS because of the pre-tokenizer's name; no part of the file adds it in Hugging Face
    assert bundled("llama-3@llama.cpp").encode("a").ids == [128000, 64]
    assert bundled("llama-3").encode("a").ids == [64]


# --- toy files ----------------------------------------------------------------------------------------------------

MERGES = ["a b", "b c", "ab c", "Ġ a", "1 2", "12 3", "Ġ Ġ", "' s", "Ġ 1", "! !", "a b", "x y", "Ã ©"]
PIECES = [
    *PRINTABLE, *dict.fromkeys(merge.replace(" ", "") for merge in MERGES if merge != "x y"), "abcd", "<s>", "</s>",
    "[user]", "<|endoftext|>", "[gone]", "Ġabc1",
]  # fmt: skip
KIND = {"<s>": 3, "</s>": 3, "[user]": 4, "[gone]": 5, "<|endoftext|>": 1}
SAMPLES = [
    "", "abcd", "abc d", "He's  IT'S 'ſ", "1234567 12a3", " ,.!! (a)", "a  \n\n b", "é日本x１２３",
    "<s>abc</s> [user] [gone]", "<|endoftext|>", "$a+b=`c`^2~|<>", "xyxy",
    "\u3000\u2003a", "a\u0301 \r\n", "it 's a ? ' b .", "Ġabc1 abc1",
]  # fmt: skip


def metadata(**more: object) -> dict[str, object]:
    return {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": [piece.encode() for piece in PIECES],
        "tokenizer.ggml.token_type": array("i", [KIND.get(piece, 1) for piece in PIECES]),
        "tokenizer.ggml.merges": [merge.encode() for merge in MERGES],
    } | more


VARIANTS: dict[str, dict[str, object]] = {
    "plain": {},
    "bos and eos": {
        "tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.add_eos_token": True,
        "tokenizer.ggml.bos_token_id": PIECES.index("<s>"), "tokenizer.ggml.eos_token_id": PIECES.index("</s>"),
    },
    "default ids": {"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.add_eos_token": True},
    "no bos": {"tokenizer.ggml.pre": "llama-bpe", "tokenizer.ggml.add_bos_token": False},
    "bad id": {"tokenizer.ggml.pre": "llama-bpe", "tokenizer.ggml.bos_token_id": 10**6},
    "space prefix": {"tokenizer.ggml.add_space_prefix": True},
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("variant", VARIANTS)
def test_settings_of_the_file_match_the_original(variant: str, tmp_path: Path) -> None:
    path = tmp_path / "toy.gguf"
    path.write_bytes(written(metadata(**VARIANTS[variant])))
    ours = explorer.load(path)
    samples = [
        *SAMPLES,
        *("".join(parts) for parts in itertools.product(["a", "b", "c", " ", "1", "'s", "!"], repeat=3)),
    ]
    with LlamaCpp(path) as theirs:
        for add, parse in FLAGS:
            assert differences(ours, theirs, samples, add, parse) == []
        for text in SAMPLES:
            ids = ours.encode(text).ids
            for remove, unparse in FLAGS:
                assert ours.trace_decode(ids, remove_special=remove, unparse_special=unparse).data == theirs.detokenize(
                    ids, remove_special=remove, unparse_special=unparse
                )


# --- refused files --------------------------------------------------------------------------------------------------


def refused(**more: object) -> str:
    return refusal(from_gguf, Gguf(3, 0, metadata(**more)), "toy.gguf")  # type: ignore[arg-type]  # odd values


def test_missing_or_unknown_keys_are_named() -> None:
    assert "tokenizer.ggml.pre is 'tiktoken'" in refused(**{"tokenizer.ggml.pre": "tiktoken"})
    assert "tokenizer.ggml.pre is not a text" in refused(**{"tokenizer.ggml.pre": 5})
    assert "tokenizer.ggml.merges is missing" in refused(**{"tokenizer.ggml.merges": None})
    few = {"tokenizer.ggml.tokens": [b"a"], "tokenizer.ggml.token_type": array("i", [1])}
    assert "BOS" in refused(**few, **{"tokenizer.ggml.add_bos_token": True})
    assert "EOS" in refused(**few, **{"tokenizer.ggml.add_eos_token": True})


def test_a_tokenizer_json_llama_cpp_cannot_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}')
    with pytest.raises(InputError, match="it has no pattern"):
        explorer.load(path, "llama.cpp")
    path.write_text('{"model": {"type": "WordLevel", "vocab": {"a": 0}}}')
    with pytest.raises(InputError, match=r"'WordLevel', which llama\.cpp's converter does not support"):
        explorer.load(path, "llama.cpp")


def test_holes_and_pairs_are_written_as_the_converter_does() -> None:
    content = b"""{"model": {"type": "BPE", "vocab": {"a": 0, "b": 3}, "merges": [["a", "b c"]]},
        "added_tokens": [{"id": 1, "content": "<|x|>"}, {"id": 4, "content": "<t>"}],
        "pre_tokenizer": {"type": "ByteLevel"}}"""
    keys = converted(tokenizer_json.read(content)).metadata
    assert keys["tokenizer.ggml.tokens"] == [b"a", b"<|x|>", b"[PAD2]", b"b", b"<t>"]
    assert list(keys["tokenizer.ggml.token_type"]) == [1, 3, 5, 1, 4]  # type: ignore[arg-type]
    assert keys["tokenizer.ggml.merges"] == ["a bĠc".encode()]

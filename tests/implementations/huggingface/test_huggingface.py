"""Hugging Face's ids: the same tokenizer.json and text in the original and in this engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from tokenizers import Tokenizer as Original

import explorer
from explorer.errors import InputError
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from tests.bundled import bundled
from tests.originals.generators import strings, texts
from tests.originals.ids import id_differences
from tests.tiers import amount

MODELS = ("gpt-2", "llama-3", "qwen2.5")


@pytest.fixture(scope="module", params=MODELS)
def pair(request: pytest.FixtureRequest) -> tuple[explorer.Tokenizer, Original]:
    path = explorer.catalog()[request.param].path
    return bundled(request.param), Original.from_file(str(path))


def differences(ours: explorer.Tokenizer, theirs: Original, samples: list[str], add: bool, parse: bool) -> list[object]:
    """Texts whose ids differ, with both; traced and untraced ids must agree, too."""
    theirs.encode_special_tokens = not parse
    return id_differences(ours, lambda text: theirs.encode(text, add_special_tokens=add).ids, samples, add, parse)


@pytest.mark.sample(2)
@pytest.mark.parametrize("parse", [True, False])
def test_ids_equal_the_originals_on_nasty_text(pair: tuple[explorer.Tokenizer, Original], parse: bool) -> None:
    samples = strings(seed=2, count=3_600 if parse else 1_200)
    assert len(samples) > amount(3_000 if parse else 1_000)
    assert differences(*pair, samples, True, parse) == []


@pytest.mark.sample(1)
@given(text=texts())
@settings(max_examples=amount(150))
def test_ids_equal_the_originals_on_any_text(pair: tuple[explorer.Tokenizer, Original], text: str) -> None:
    assert differences(*pair, [text], True, True) == []


@pytest.mark.sample(1)
def test_decoding_equals_the_originals(pair: tuple[explorer.Tokenizer, Original]) -> None:
    ours, theirs = pair
    for text in strings(seed=3, count=1_000):
        ids = ours.encode(text).ids
        # sliced anywhere, so that incomplete characters occur
        for part in (ids, ids[1:], ids[:-1]):
            for unparse in (True, False):
                want = theirs.decode(part, skip_special_tokens=not unparse)
                assert ours.decode(part, unparse_special=unparse) == want


@pytest.mark.sample(1)
def test_decoding_restores_the_normalized_text(pair: tuple[explorer.Tokenizer, Original]) -> None:
    ours, _ = pair
    lossless = all(part.name != "normalize" for part in ours.parts)
    for text in strings(seed=4, count=1_000):
        trace = ours.trace(text)
        if lossless or not trace.stage("normalize").events:
            assert ours.decode(trace.ids) == text


def test_offsets_match_the_originals(pair: tuple[explorer.Tokenizer, Original]) -> None:
    ours, theirs = pair
    theirs.encode_special_tokens = False
    for text in strings(seed=6, count=500):
        assert explorer.offsets(ours, text) == theirs.encode(text).offsets


# --- settings that no bundled file has ------------------------------------------------------------------------------

BYTES = {f"<0x{byte:02X}>": byte + 3 for byte in range(256)}
SENTENCEPIECE = {
    "added_tokens": [
        {"id": 0, "content": "<unk>", "special": True},
        {"id": 1, "content": "<s>", "special": True},
        {"id": 2, "content": "</s>", "special": True},
    ],
    "normalizer": {
        "type": "Sequence",
        "normalizers": [
            {"type": "Prepend", "prepend": "▁"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        ],
    },
    "pre_tokenizer": None,
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
    },
    "decoder": {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
    "model": {
        "type": "BPE",
        "dropout": None,
        "unk_token": "<unk>",
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": True,
        "vocab": {"<unk>": 0, "<s>": 1, "</s>": 2}
        | BYTES
        | {piece: 259 + place for place, piece in enumerate(["▁", "a", "b", "c", "ab", "▁ab", "bc", "abc"])},
        "merges": ["a b", "▁ ab", "b c", "ab c"],
    },
}
"""A small version of Llama 2's own tokenizer.json."""

LETTERS = {ch: place for place, ch in enumerate("abc123 ,Ġ")} | {"ab": 9, "é": 10}


def toy(**parts: object) -> dict[str, object]:
    base: dict[str, object] = {"model": {"type": "BPE", "vocab": LETTERS, "merges": ["a b"]}, "version": "1.0"}
    return base | parts


FILES = {
    "sentencepiece": SENTENCEPIECE,
    "no byte fallback": SENTENCEPIECE | {"model": SENTENCEPIECE["model"] | {"byte_fallback": False}},  # type: ignore[operator]
    "unknown apart": SENTENCEPIECE
    | {"model": SENTENCEPIECE["model"] | {"byte_fallback": False, "fuse_unk": False}},  # type: ignore[operator]
    "nothing for unknown": toy(),
    "digits": toy(pre_tokenizer={"type": "Digits", "individual_digits": True}),
    "split removed": toy(
        pre_tokenizer={"type": "Split", "pattern": {"String": ","}, "behavior": "Removed", "invert": False}
    ),
    "split by a pattern": toy(
        pre_tokenizer={
            "type": "Split", "pattern": {"Regex": "[a-b]+|(?:1|2)"}, "behavior": "Isolated", "invert": False
        }
    ),
    "prefix space": toy(pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True, "use_regex": True}),
    "forms": toy(normalizer={"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "NFC"}]}),
    "words": toy(
        added_tokens=[
            {"id": 11, "content": "ac", "single_word": True, "special": False, "normalized": False},
            {"id": 12, "content": "c,", "lstrip": True, "special": True, "normalized": False},
            {"id": 10, "content": "é", "rstrip": True, "special": False, "normalized": True},
        ],
        normalizer={"type": "NFC"},
    ),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FILES)
def test_settings_of_the_file_match_the_original(name: str, tmp_path: Path) -> None:
    content = json.loads(json.dumps({"version": "1.0", "truncation": None, "padding": None} | FILES[name]))
    for token in content.setdefault("added_tokens", []):
        for flag in ("single_word", "lstrip", "rstrip", "normalized", "special"):
            token.setdefault(flag, False)
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        content.setdefault(part, None)
    if isinstance(content["pre_tokenizer"], dict) and content["pre_tokenizer"]["type"] == "ByteLevel":
        content["pre_tokenizer"].setdefault("trim_offsets", True)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(content), "utf-8")
    ours, theirs = explorer.load(path), Original.from_file(str(path))
    pieces = ["a", "b", "c", "ab", " ", "1", "2", ",", "é", "e\u0301", "日", "<s>", "ac c,", "\n", "x"]
    samples = [*pieces, *(a + b + c for a in pieces for b in pieces for c in pieces)]
    for add in (True, False):
        assert differences(ours, theirs, samples, add, True) == []
    if content["decoder"]:
        for text in samples[:400]:
            ids = ours.encode(text).ids
            assert ours.decode(ids, remove_special=False) == theirs.decode(ids, skip_special_tokens=False)


# --- refused files --------------------------------------------------------------------------------------------------


def refused(**parts: object) -> str:
    with pytest.raises(InputError) as caught:
        from_tokenizer_json(read(json.dumps(toy(**parts)).encode(), "toy"), "toy")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def model(**settings: object) -> dict[str, object]:
    return {"type": "BPE", "vocab": LETTERS, "merges": []} | settings


def test_unknown_types_are_named_with_their_path() -> None:
    assert "model.type is 'Other'; this version runs: BPE" in refused(model=model(type="Other"))
    within = {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Magic"}]}
    assert "normalizer.normalizers[1]: the normalizer 'Magic' is unknown" in refused(normalizer=within)
    assert "pre_tokenizer: the pre_tokenizer 'Magic' is unknown" in refused(pre_tokenizer={"type": "Magic"})
    assert "post_processor: the post_processor 'Magic' is unknown" in refused(post_processor={"type": "Magic"})
    assert "decoder: the decoder 'Magic' is unknown" in refused(decoder={"type": "Magic"})

"""A tokenizer.json run like llama.cpp: the keys its converter would write, and llama.cpp's ids on them."""

from __future__ import annotations

import json
from array import array
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.errors import ChoiceNeeded, InputError
from explorer.formats import tokenizer_json
from explorer.implementations.huggingface.reading import flat
from explorer.implementations.llama_cpp import from_tokenizer_json
from explorer.implementations.llama_cpp.conversion import PRE_OF_PATTERNS, SIGNATURES, converted, patterns_of, plain
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from tests.bundled import bundled
from tests.engine.charsmap_writer import charsmap
from tests.formats.gguf_writer import ARRAY, U8, Writer, written
from tests.implementations.llama_cpp.test_pre_tokenizers import spelled, unspelled
from tests.originals.generators import strings
from tests.originals.llama_cpp import LlamaCpp

SAMPLES = strings(seed=92, count=1_000)[-120:]
BYTE_LEVEL = {"type": "ByteLevel", "use_regex": False}


def split(regex: str, **more: object) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": False} | more


def sequence(*parts: object) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(parts)}


def patterns(part: dict[str, Any] | None) -> list[str]:
    return list(patterns_of(flat(part, "pre_tokenizer", "pretokenizers")))


def part_of(pattern: str) -> dict[str, Any]:
    return {"type": "Punctuation", "behavior": "Contiguous"} if pattern == "Punctuation" else split(pattern)


def bpe(pre_tokenizer: object, **more: object) -> dict[str, Any]:
    """A tokenizer.json with the vocabulary that the other tests use."""
    pieces, _, merges = spelled()
    vocab = {piece.decode(): id for id, piece in enumerate(pieces)}
    model = {"type": "BPE", "vocab": vocab, "merges": [merge.decode() for merge in merges]}
    return {"model": model | more, "pre_tokenizer": pre_tokenizer}


def read(content: dict[str, Any]) -> tokenizer_json.TokenizerJson:
    return tokenizer_json.read(json.dumps(content).encode(), "toy")


def keys_of(content: dict[str, Any], **choices: str) -> dict[str, Any]:
    found = converted(read(content), choices).metadata
    return {key.removeprefix("tokenizer.ggml."): value for key, value in found.items()}


def hold(content: dict[str, Any], folder: Path, samples: list[str] = SAMPLES) -> explorer.Tokenizer:
    """Asserts that the tokenizer.json gives the ids of llama.cpp on a GGUF file with the converted keys."""
    keys = dict(converted(read(content)).metadata)
    table = keys.pop("tokenizer.ggml.precompiled_charsmap", None)
    body = written({"general.architecture": "llama"} | keys)
    if isinstance(table, array):
        pair = Writer().pair(b"tokenizer.ggml.precompiled_charsmap", ARRAY, U8, list(table))
        body = body[:16] + Writer().number("Q", len(keys) + 2) + body[24:] + pair
    path = folder / "toy.gguf"
    path.write_bytes(body)
    ours = from_tokenizer_json(read(content), "toy")
    with LlamaCpp(path) as theirs:
        for text in samples:
            assert ours.encode(text).ids == theirs.tokenize(text), ascii(text)
    return ours


@pytest.mark.sample(3)
@pytest.mark.parametrize(("pre", "patterns"), SIGNATURES)
def test_patterns_determine_the_name(pre: str, patterns: tuple[str, ...], tmp_path: Path) -> None:
    content = bpe(sequence(*map(part_of, patterns), BYTE_LEVEL), ignore_merges=PRE[pre].ignore_merges)
    assert keys_of(content)["pre"] == pre
    hold(content, tmp_path, SAMPLES[:30])


def test_no_two_names_have_the_same_patterns() -> None:
    assert len(PRE_OF_PATTERNS) == len(SIGNATURES)
    assert {name for name, _ in SIGNATURES} <= set(PRE)


def test_parts_equivalent_to_patterns() -> None:
    byte_level, digits = {"type": "ByteLevel"}, {"type": "Digits", "individual_digits": True}
    assert keys_of(bpe(byte_level))["pre"] == "gpt-2"
    assert keys_of(bpe(sequence(digits, byte_level)))["pre"] == "starcoder"
    llama3 = explorer.catalog()["llama-3"].path
    pattern = json.loads(llama3.read_text("utf-8"))["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    assert keys_of(bpe(split(pattern), ignore_merges=True))["pre"] == "llama-bpe"
    assert keys_of(bpe(split(pattern)))["pre"] == "smaug-bpe"
    assert keys_of(bpe(split(pattern, behavior="Removed", invert=True)))["pre"] == "smaug-bpe"
    assert patterns(split(pattern, behavior="Removed")) == ["Split"]
    assert patterns({"type": "Split", "pattern": {"String": " "}, "behavior": "Isolated"}) == ["Split"]
    assert patterns(split("a\r\n")) == [r"a\r\n"] == [plain("a\r\n")]
    assert patterns(None) == patterns(sequence()) == []


@pytest.mark.parametrize("part", [None, split("x+"), {"type": "UnicodeScripts"}, sequence(split("a"), split("b"))])
def test_without_a_name_a_choice_is_needed(part: object) -> None:
    with pytest.raises(ChoiceNeeded, match=r"llama\.cpp's converter has no name") as caught:
        keys_of(bpe(part))
    assert caught.value.key == "pre"
    assert set(caught.value.options) == set(PRE)
    with pytest.raises(ChoiceNeeded):
        keys_of(bpe(part), pre="nothing")
    assert keys_of(bpe(part), pre="qwen2")["pre"] == "qwen2"
    assert keys_of(bpe({"type": "ByteLevel"}), pre="qwen2")["pre"] == "gpt-2"


def test_the_choice_is_given_when_opening(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(bpe(split("x+"))), "utf-8")
    with pytest.raises(ChoiceNeeded):
        explorer.load(path, "llama.cpp")
    assert len(explorer.load(path, "llama.cpp", pre="qwen2").encode("123").ids) == 3


# --- added tokens, BOS and EOS --------------------------------------------------------------------------------------


def added(*entries: tuple[int, str, bool]) -> list[dict[str, Any]]:
    return [{"id": id, "content": content, "special": special} for id, content, special in entries]


TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[B]"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "[E]"}}],
}


@pytest.mark.parametrize(("processor", "found"), [
    (TEMPLATE, {"add_bos_token": True, "add_eos_token": True, "bos_token_id": 4000, "eos_token_id": 4001}),
    ({"type": "Sequence", "processors": [{"type": "ByteLevel"}, TEMPLATE | {"single": TEMPLATE["single"][:2]}]},
     {"add_bos_token": True, "bos_token_id": 4000}),
    ({"type": "RobertaProcessing", "cls": ["[B]", 4000], "sep": ["[E]", 4001]},
     {"add_bos_token": True, "add_eos_token": True, "bos_token_id": 4000, "eos_token_id": 4001}),
    ({"type": "ByteLevel"}, {}), (None, {}),
])  # fmt: skip
def test_the_template_names_bos_and_eos(processor: object, found: dict[str, object], tmp_path: Path) -> None:
    content = bpe({"type": "ByteLevel"}) | {
        "post_processor": processor, "added_tokens": added((4000, "[B]", True), (4001, "[E]", True)),
    }  # fmt: skip
    keys = keys_of(content)
    assert {key: keys[key] for key in keys if "bos" in key or "eos" in key} == found
    hold(content, tmp_path, ["", "a b", "[B]a[E]"])


def test_holes_and_pairs_are_written_as_the_converter_does() -> None:
    keys = keys_of({
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 3}, "merges": [["a", "b c"]]},
        "added_tokens": added((1, "<|x|>", False), (4, "<▁t>", False), (5, "<unused1>", False), (0, "a", True)),
        "pre_tokenizer": {"type": "ByteLevel"},
    })  # fmt: skip
    assert keys["tokens"] == [b"a", b"<|x|>", b"[PAD2]", b"b", b"< t>", b"<unused1>"]
    assert list(keys["token_type"]) == [3, 3, 5, 1, 4, 3]
    assert keys["merges"] == ["a bĠc".encode()]


# --- other models -----------------------------------------------------------------------------------------------------


def test_whitespace(tmp_path: Path) -> None:
    content = bpe({"type": "Whitespace"}) | {"normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}}
    keys = keys_of(content)
    assert (keys["model"], keys["pre"], keys["normalizer.lowercase"]) == ("whitespace", "whitespace", True)
    assert "normalizer.lowercase" not in keys_of(bpe({"type": "Whitespace"}))
    ours = hold(content, tmp_path)
    assert ours.encode("A b").ids == ours.encode("a").ids + ours.encode("b").ids


def sentencepiece(*more: str, **parts: object) -> dict[str, Any]:
    pieces, _, merges = unspelled()
    vocab = {piece: id for id, piece in enumerate([*more, *(piece.decode() for piece in pieces)])}
    model = {"type": "BPE", "vocab": vocab, "merges": [merge.decode().split(" ") for merge in merges],
             "byte_fallback": True}  # fmt: skip
    return {"model": model, "decoder": {"type": "Sequence", "decoders": []}} | parts


def test_gemma(tmp_path: Path) -> None:
    content = sentencepiece("<bos>", "<eos>", "<|tool_call>", added_tokens=added(
        (0, "<bos>", True), (1, "<eos>", True), (9000, "<end>", True), (9001, "[u]", False)))  # fmt: skip
    keys = keys_of(content)
    assert (keys["model"], keys["add_bos_token"], keys["bos_token_id"]) == ("gemma4", True, 0)
    assert [keys["token_type"][id] for id in (0, 1, 2, 3, -2, -1)] == [3, 3, 4, 6, 3, 4]
    hold(content, tmp_path)


def test_a_sentencepiece_bpe_loses_its_merges(tmp_path: Path) -> None:
    content = sentencepiece("<unk>", "<s>", "</s>", post_processor=TEMPLATE | {"single": [
        {"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}]})  # fmt: skip
    content["model"]["vocab"]["<0xF0>"] = len(content["model"]["vocab"])
    keys = keys_of(content)
    assert (keys["model"], keys["add_bos_token"], keys["bos_token_id"], "merges" in keys) == ("llama", True, 1, False)
    assert set(keys["scores"]) == {-1000.0}
    ours = hold(content, tmp_path)
    places = [fact.place for fact in ours.facts if fact.kind == "warning"]
    assert places == ["model.merges", ""], "and a BOS that is an ordinary piece, because no added token says otherwise"


def unigram(**more: object) -> dict[str, Any]:
    vocab = [["<s>", 0], ["<pad>", 0], ["</s>", 0], ["<unk>", 0], ["▁", -2.0], ["a", -3.0], ["▁ab", -4], ["b", -3.5],
             ["fi", -3.25], ["<mask>", 0]]  # fmt: skip
    parts: dict[str, Any] = {
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocab},
        "added_tokens": added(*((id, vocab[id][0], True) for id in (0, 1, 2, 3, 9))),
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap({"ﬁ": "fi"})).decode()},
        "pre_tokenizer": sequence({"type": "WhitespaceSplit"}, {"type": "Metaspace", "add_prefix_space": True}),
        "post_processor": {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2]},
    }
    return parts | more


def test_unigram(tmp_path: Path) -> None:
    keys = keys_of(unigram())
    assert (keys["model"], keys["add_space_prefix"], keys["remove_extra_whitespaces"]) == ("t5", True, True)
    assert keys["unknown_token_id"] == 3
    assert list(keys["token_type"]) == [3, 3, 3, 2, 1, 1, 1, 1, 1, 3]
    ours = hold(unigram(), tmp_path, [*SAMPLES, "ab ﬁ  a", "<mask> a"])
    assert ours.encode("ab").ids == [0, 6, 2]
    never = unigram(pre_tokenizer={"type": "Metaspace", "prepend_scheme": "never"})
    assert keys_of(never)["add_space_prefix"] is False
    hold(never, tmp_path)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"model": {"type": "WordLevel", "vocab": {"a": 0}}}, "'WordLevel', which llama.cpp's converter does not support"),
    (sentencepiece(decoder={"type": "ByteLevel"}), "its decoder is not a Sequence"),
    (sentencepiece() | {"model": sentencepiece()["model"] | {"vocab": {"a": 1}}}, "are not 0 to 0"),
    (unigram(normalizer=None), "not a Precompiled one"),
    (unigram(normalizer={"type": "Precompiled", "precompiled_charsmap": "!"}), "is not base64"),
    (unigram(model={"type": "Unigram", "vocab": [["a", "b"]]}), "model.vocab[0] is not a piece with a score"),
    (unigram(model={"type": "Unigram", "vocab": [["a", 1e999]]}), "Infinity is not a number in JSON"),
    (unigram(model={"type": "Unigram", "vocab": []}), "not a list of pieces and scores"),
    (unigram(normalizer={"type": "Precompiled", "precompiled_charsmap": "\ufeff"}), "is not base64"),
    (bpe({"type": "Sequence", "pretokenizers": 7}), "pre_tokenizer.pretokenizers is not a list"),
    (bpe(sequence(BYTE_LEVEL, 7)), "pre_tokenizer.pretokenizers[1] is not an object with a type"),
    (unigram(post_processor={"type": "TemplateProcessing", "single": 7}), "TemplateProcessing.single is 7"),
    (unigram(post_processor={"type": "TemplateProcessing", "single": [{"SpecialToken": "a"}]}), "single[0] is {"),
    (unigram(post_processor={"type": "BertProcessing", "cls": 7}), "BertProcessing.cls is 7"),
    (unigram(post_processor={"type": "BertProcessing", "cls": []}), "cls is [], not a spelling and an id"),
    (bpe({"type": "ByteLevel"}, merges=5), "model.merges is not a list"),
    (bpe({"type": "ByteLevel"}, vocab={"a": 999_999}), "but ids up to 999999"),
]


@pytest.mark.parametrize(("content", "message"), BAD, ids=range(len(BAD)))
def test_unconvertible_files_are_refused(content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        from_tokenizer_json(read(content), "toy")
    assert str(caught.value).startswith("toy: ")
    assert message in str(caught.value)


def test_the_card_lists_what_conversion_loses() -> None:
    facts = bundled("qwen2.5@llama.cpp").facts
    assert any(fact.place == "normalizer" and "NFC is lost" in fact.says for fact in facts)
    assert all(not fact.place.startswith("tokenizer.ggml") for fact in facts)
    toy = bpe({"type": "ByteLevel"}) | {"added_tokens": [added((4000, "[x]", False))[0] | {"lstrip": True}]}
    assert any("lstrip of 1 added" in fact.says for fact in from_tokenizer_json(read(toy), "toy").facts)

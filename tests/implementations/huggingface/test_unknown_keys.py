"""Keys of a tokenizer.json without a meaning: where the original ignores them, the card lists them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tokenizers import Tokenizer as Original

from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from tests.originals.hugging_face import both, whole

WORDS = {"type": "WordLevel", "vocab": {"a": 0, "<unk>": 1}, "unk_token": "<unk>"}
TEXT = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {}}  # fmt: skip
ENDS = {"cls": ["a", 0], "sep": ["a", 0]}
ODD = {"foo": 1}
TRIMS = {"add_prefix_space": True, "trim_offsets": True}

CASES: dict[str, tuple[dict[str, Any], str]] = {
    "BPE": ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], **ODD}}, "model.foo"),
    "WordPiece": (
        {"model": WORDS | {"type": "WordPiece", "continuing_subword_prefix": "##", "max_input_chars_per_word": 9}
         | ODD}, "model.foo"),
    "WordLevel": ({"model": WORDS | ODD}, "model.foo"),
    "Unigram": ({"model": {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": 0, **ODD}}, "model.foo"),
    "added token": ({"model": WORDS, "added_tokens": [{"id": 2, "content": "b", **ODD}]}, "added_tokens"),
    "normalizer": ({"model": WORDS, "normalizer": {"type": "NFC", **ODD}}, "normalizer.foo"),
    "normalizers": (
        {"model": WORDS, "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC", **ODD}]}},
        "normalizer.normalizers[0].foo"),
    "Sequence": ({"model": WORDS, "normalizer": {"type": "Sequence", "normalizers": [], **ODD}}, "normalizer.foo"),
    "pre-tokenizers": (
        {"model": WORDS, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}], **ODD}},
        "pre_tokenizer.foo"),
    "template": ({"model": WORDS, "post_processor": TEXT | ODD}, "post_processor.foo"),
    "processors": ({"model": WORDS, "post_processor": {"type": "Sequence", "processors": [TEXT | ODD]}},
                   "post_processor.processors[0].foo"),
    "Bert": ({"model": WORDS, "post_processor": {"type": "BertProcessing", "foo": 1, **ENDS}}, "post_processor.foo"),
    "Roberta": ({"model": WORDS, "post_processor": {"type": "RobertaProcessing", **ENDS, **TRIMS, **ODD}},
                "post_processor.foo"),
    "post ByteLevel": ({"model": WORDS, "post_processor": {"type": "ByteLevel", **TRIMS, **ODD}},
                       "post_processor.foo"),
    **{
        f"decoder {part['type']}": ({"model": WORDS, "decoder": {**part, **ODD}}, "decoder.foo")
        for part in (
            {"type": "ByteLevel", **TRIMS},
            {"type": "Replace", "pattern": {"String": "a"}, "content": "b"},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": "a", "start": 1, "stop": 0},
            {"type": "Metaspace", "replacement": "a", "prepend_scheme": "always"},
            {"type": "WordPiece", "prefix": "##", "cleanup": True},
            {"type": "BPEDecoder", "suffix": "</w>"},
            {"type": "CTC", "pad_token": "a", "word_delimiter_token": "|", "cleanup": True},
            {"type": "Sequence", "decoders": [{"type": "Fuse"}]},
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_ignored_keys_are_on_the_card(name: str) -> None:
    content, place = CASES[name]
    found = both(content)
    assert found.differences(["a", "a a"]) == []
    (fact,) = (fact for fact in found.ours.facts if "foo" in fact.says)
    assert (fact.kind, fact.place) == (FactKind.UNUSED, place)


@pytest.mark.parametrize("name", CASES)
def test_known_keys_are_not_reported(name: str) -> None:
    content = json.loads(json.dumps(CASES[name][0]).replace(', "foo": 1', "").replace('"foo": 1, ', ""))
    assert not [fact for fact in both(content).ours.facts if "no setting" in fact.says]


def test_bert_processing_ignores_only_trim_offsets() -> None:
    enclosing = {"type": "BertProcessing", **ENDS, "trim_offsets": True}
    facts = both({"model": WORDS, "post_processor": enclosing}).ours.facts
    assert [fact.place for fact in facts if "no setting" in fact.says] == ["post_processor.trim_offsets"]


def test_an_unknown_top_level_key_is_refused_like_the_original() -> None:
    text = json.dumps(whole({"model": WORDS}) | ODD)
    with pytest.raises(Exception, match="expected"):
        Original.from_str(text)
    with pytest.raises(InputError, match=r"^toy: a tokenizer\.json has no key 'foo', and the original refuses"):
        from_tokenizer_json(read(text.encode(), "toy"), "toy")

"""BERT against Hugging Face's `tokenizers`: ids, spans, text, and refused files."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

import explorer
from explorer.engine.normalizers.huggingface import bert_normalizers
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.part import Options, Segment, silent
from explorer.engine.pre_tokenizers.by_regex import PreTokenization
from explorer.engine.pre_tokenizers.huggingface import bert_pre_tokenizer
from explorer.engine.unicode.versions import NEWER, is_mark, is_punctuation
from explorer.errors import InputError
from explorer.formats import tokenizer_json
from explorer.implementations import llama_cpp
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.text import WHITE_SPACE
from tests.bundled import bundled
from tests.originals.generators import strings, texts
from tests.originals.hugging_face import HuggingFace
from tests.tiers import amount

BUNDLED = explorer.catalog()["bert-uncased"].path


@pytest.fixture(scope="module")
def original() -> HuggingFace:
    return HuggingFace(BUNDLED)


@pytest.fixture(scope="module")
def bert() -> explorer.Tokenizer:
    return bundled("bert-uncased")


@pytest.mark.sample(1)
@pytest.mark.parametrize("add_special", [True, False])
@pytest.mark.parametrize("parse_special", [True, False])
def test_ids_and_spans_match_the_original(
    bert: explorer.Tokenizer, original: HuggingFace, add_special: bool, parse_special: bool
) -> None:
    for text in strings(31, 4_000 if add_special and parse_special else 1_000):
        theirs = original.encode(text, add_special, parse_special)
        asked = {"add_special": add_special, "parse_special": parse_special}
        ours = bert.encode(text, **asked)
        assert ours.ids == theirs.ids, text
        assert ours.pieces == theirs.tokens, text
        assert explorer.offsets(bert, text, **asked) == theirs.offsets, text


@given(text=texts())
@settings(max_examples=amount(300))
def test_random_texts_match_traced_and_untraced(bert: explorer.Tokenizer, original: HuggingFace, text: str) -> None:
    theirs = original.encode(text)
    assert bert.encode(text).ids == theirs.ids == bert.trace(text).ids


def test_decoding_matches_the_original(bert: explorer.Tokenizer, original: HuggingFace) -> None:
    for text in strings(32, 1500):
        ids = original.encode(text).ids
        assert bert.decode(ids, remove_special=False) == original.decode(ids), text
        assert bert.decode(ids, unparse_special=False) == original.decode(ids, skip_special=True), text


def test_random_ids_decode_like_the_original(bert: explorer.Tokenizer, original: HuggingFace) -> None:
    import random

    choose = random.Random(33)
    apostrophes = [bert.vocabulary.ids[piece.encode()] for piece in "' . , ? ! s re ve m n t do not ##' ##.".split()]
    for _ in range(1500):
        ids = [choose.choice([*apostrophes, choose.randrange(len(bert.vocabulary))]) for _ in range(12)]
        assert bert.decode(ids, remove_special=False) == original.decode(ids)


@pytest.mark.long
def test_every_code_point_is_handled_like_the_original() -> None:
    """Controls, marks, punctuation and decompositions of all of Unicode; lower case of letters that both know."""
    clean = BertNormalizer(handle_chinese_chars=False, strip_accents=False, lowercase=False)
    strip = BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    lower = BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=True)
    cleaning = Normalization(bert_normalizers(handle_chinese_chars=False, strip_accents=False, lowercase=False))
    stripping = Normalization(bert_normalizers(clean_text=False, handle_chinese_chars=False, strip_accents=True,
                                               lowercase=False))  # fmt: skip
    pre = BertPreTokenizer()
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000:
            continue
        ch = chr(code)
        if code < 0x20000 or not code % 97:  # later planes are mostly Han and private use; a sample is enough
            for ours, theirs in ((cleaning, clean), (stripping, strip)):
                (segment,) = ours.run([Segment.of(ch)], Options(), silent) or (Segment.of(""),)
                assert isinstance(segment, Segment)
                assert segment.text == theirs.normalize_str(ch), hex(code)
            alone = len(pre.pre_tokenize_str(f"a{ch}b"))
            assert alone == (2 if code in WHITE_SPACE else 3 if is_punctuation(ch) else 1), hex(code)
            if unicodedata.category(ch) != "Cn":
                assert lower.normalize_str(ch) == ch.lower(), hex(code)
    assert all(not is_mark(chr(code)) and not is_punctuation(chr(code)) for code in NEWER - {0x111C9})


def test_words_are_those_of_the_pre_tokenizer() -> None:
    original, ours = BertPreTokenizer(), PreTokenization(bert_pre_tokenizer())
    for text in strings(35, 2500):
        words = ours.run([Segment.of(text)], Options(), silent)
        assert [(word.text, (word.starts[0], word.ends[-1])) for word in words if isinstance(word, Segment)] == (
            original.pre_tokenize_str(text)
        )


# --- files ---------------------------------------------------------------------------------------------------------


def edited(change: Callable[[dict[str, Any]], object]) -> bytes:
    whole = {
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3}},
        "added_tokens": [{"id": 0, "content": "[UNK]", "special": True}],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece"},
        "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]},
    }  # fmt: skip
    change(whole)
    return json.dumps(whole).encode()


def test_a_small_file_is_read() -> None:
    tok = from_tokenizer_json(tokenizer_json.read(edited(lambda whole: None), "toy"), "toy")
    assert tok.encode("A [UNK] b").pieces == ["[CLS]", "a", "[UNK]", "[UNK]", "[SEP]"]


@pytest.mark.parametrize(("change", "says"), [
    (lambda w: w.pop("normalizer"), "normalizer has the type None; llama.cpp runs WordPiece with BertNormalizer only"),
    (lambda w: w["pre_tokenizer"].update(type="Whitespace"), "pre_tokenizer has the type 'Whitespace'"),
    (lambda w: w["post_processor"].update(type="TemplateProcessing", special_tokens={"a": {"ids": [1, 2]}}, single=[
        {"SpecialToken": {"id": "a"}}, {"Sequence": {"id": "A"}}]), "adds more than one token on a side"),
    (lambda w: w.pop("post_processor"), r"there is no \[CLS\] token"),
])  # fmt: skip
def test_files_llama_cpp_cannot_run_are_refused(change: Callable[[dict[str, Any]], object], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        llama_cpp.from_tokenizer_json(tokenizer_json.read(edited(change), "bad.json"), "bad.json", {})
    assert str(caught.value).startswith("bad.json: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("lowercase", "says"), [(True, "are stripped"), (False, "stay")])
def test_what_becomes_of_accents_is_said(lowercase: bool, says: str) -> None:
    whole = json.loads(explorer.catalog()["bert-uncased"].path.read_text("utf-8"))
    whole["normalizer"] |= {"lowercase": lowercase, "strip_accents": None}
    file = tokenizer_json.read(json.dumps(whole).encode(), "bert")
    (fact,) = [each for each in from_tokenizer_json(file, "bert").facts if "strip_accents" in each.place]
    assert says in fact.says

"""What the report says of each stage, checked by eye with the bundled vocabularies and with toys."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.decoders import huggingface as decoders
from explorer.engine.normalizers import huggingface
from explorer.engine.normalizers import stage as normalize
from explorer.engine.part import Events, Options, Segment, Token
from explorer.engine.partition.user_defined import UserDefinedRow, UserDefinedSplit
from explorer.engine.tokenizer import Encoding, Stage, Trace
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.implementations.llama_cpp import from_gguf
from explorer.script.script import window_of
from explorer.stages.decoders.changes import WORDS as OF_DECODERS
from explorer.stages.decoders.losses import decode_result, round_trip
from explorer.stages.normalizers.layers import OPERATIONS
from explorer.stages.partition.stage import pieces_result
from explorer.text.say import plain
from explorer.views.overview import sections
from explorer.vocabulary import PieceKind
from tests.bundled import bundled
from tests.implementations.llama_cpp import toys
from tests.originals.generators import texts
from tests.toys import vocabulary

SAME = "All bytes joined and read as UTF-8 give back exactly your text."


def result(tok: explorer.Tokenizer, stage: str, text: str, **options: bool) -> str:
    """What the report says of a stage."""
    trace = tok.trace(text, **options)
    drawn = {section.key: section for section in sections(tok, trace, round_trip(tok, trace), window_of(trace))}
    said = drawn[stage].result
    assert said is not None
    return plain(said)


SENTENCES = [
    ("utf8", "", {}, "The text is empty: no code points, no bytes."),
    ("utf8", "aé", {}, "2 code points in 3 bytes of UTF-8, 1 to 2 bytes each."),
    ("utf8", "👨‍👩‍👧", {}, "What a reader sees as 1 character are 5 code points "
     "in 18 bytes of UTF-8, 3 to 4 bytes each."),
    ("partition", "Hi", {}, "Changed nothing: the text contains no token that is cut out first."),
    ("partition", "<s>Hi", {}, "Found 1 special token in the text: 2 fragments, of which 1 is left to tokenize."),
    ("partition", "<s>", {}, "Found 1 special token in the text: 1 fragment, of which none is left to tokenize."),
    ("partition", "a<s>" * 10, {},
     "Found 10 special tokens in the text: 20 fragments, of which 10 are left to tokenize."),
    ("partition", "<s><s>x<s>", {"parse_special": False}, "Changed nothing: 3 special tokens are in the text, but "
     "not parsed, so they stay text."),
    ("decode", "a<s>a<s>a", {}, "The text that comes back is different, but nothing is lost. Normalization inserted "
     "2 characters; the first: “␣” before character 5. Decoding removes such a space only at the very beginning."),
    ("partition", "<s>", {"parse_special": False}, "Changed nothing: 1 special token is in the text, but not "
     "parsed, so it stays text."),
    ("normalize", "Hi", {}, "A space is put before the text, and 1 space is written ▁ (U+2581)."),
    ("normalize", "<s>a<s>b", {}, "A space is put before 2 fragments, and 2 spaces are written ▁ (U+2581)."),
    ("normalize", "", {}, "Changed nothing: the text is empty."),
    ("post-process", "Hi", {}, "“<s>” (1) is added before the text."),
    ("post-process", "Hi", {"add_special": False}, "Changed nothing: adding special tokens is off."),
    ("post-process", "<s>", {}, "“<s>” (1) is added before the text. The text already began with it, so it occurs "
     "twice, as in the original."),
    ("decode", "Hi", {}, "All bytes joined and read as UTF-8 give back exactly your text."),
    ("decode", "Hi 😊", {}, "All bytes joined and read as UTF-8 give back exactly your text. “😊” (character 4) "
     "is spread over several tokens: decoded separately they would give \ufffd, and their lengths would no longer add "
     "up."),
    ("decode", "a▁b", {}, "1 of 3 characters does not come back. Decoding rewrote 1: “▁” (character 2) became “␣”; "
     "the vocabulary writes spaces as ▁ (U+2581), so a real ▁ looks like a space."),
    ("decode", "<s>Hi", {}, "The text that comes back is different, but nothing is lost. Normalization inserted 1 "
     "character: “␣” before character 4. Decoding removes such a space only at the very beginning."),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "text", "options", "says"), SENTENCES)
def test_each_stage_says_what_it_did_to_this_text(
    llama2: explorer.Tokenizer, stage: str, text: str, options: dict[str, bool], says: str
) -> None:
    assert result(llama2, stage, text, **options) == says


def test_only_the_report_asks_for_results(llama2: explorer.Tokenizer) -> None:
    trace = llama2.trace("a")
    args = llama2, trace, round_trip(llama2, trace), window_of(trace)
    assert all(section.result is not None for section in sections(*args))
    assert [section.result for section in sections(*args, "model")] == [None]


@pytest.mark.parametrize(("name", "text", "says"), [
    ("llama-2", "Hi", "1 stretch of text becomes 1 token, by 2 merges."),
    ("gpt-2", "a b", "2 stretches of text become 2 tokens, by 1 merge."),
    ("bert-uncased", "unaffable", "1 stretch of text becomes 3 tokens."),
    ("llama-2", "<s>", "There is no text left for the model."),
])  # fmt: skip
def test_the_model_counts_tokens_and_merges(name: str, text: str, says: str) -> None:
    assert result(bundled(name), "model", text) == says


@pytest.mark.parametrize(("name", "text", "says"), [
    ("xlm-r", "ﬁ  a ", "The character map made 1 replacement; 1 white space character is dropped; a ▁ is put "
     "before the text; 1 run of white space is written ▁ (U+2581)."),
    ("xlm-r", "", "Changed nothing."),
    ("mistral-v1", "a", "A ▁ is put before the text."),
    ("mistral-v1", "a b c", "A ▁ is put before the text; 2 runs of white space are written ▁ (U+2581)."),
])  # fmt: skip
def test_the_sentence_names_what_the_character_map_did(name: str, text: str, says: str) -> None:
    assert result(bundled(name), "normalize", text) == says


KEPT = "Of a decomposition llama.cpp keeps only the first code point, Hugging Face all but the marks"


@pytest.mark.parametrize(("name", "text", "says"), [
    ("bert-uncased", "", "Changed nothing: the text is empty."),
    ("bert-uncased", "abc", "Changed nothing."),
    ("bert-uncased", "Å\t漢", "1 white space character is written as a space, 1 Chinese character gets spaces around "
     "it, 1 character is decomposed, 1 combining mark is dropped and 1 character is lowercased. " + KEPT +
     ". For this text both are the same."),
    ("bert-uncased@llama.cpp", "Å", "1 character is decomposed, keeping only the first code point. " + KEPT +
     ". For this text both are the same."),
    ("bert-uncased@llama.cpp", "각", "1 character is decomposed, keeping only the first code point. " + KEPT +
     ": of “각” llama.cpp keeps U+1100, Hugging Face U+1100 U+1161 U+11A8."),
    ("bert-uncased", "각", "1 character is decomposed. " + KEPT +
     ": of “각” llama.cpp keeps U+1100, Hugging Face U+1100 U+1161 U+11A8."),
    ("bert-uncased", "e\u0301", "1 combining mark is dropped."),
])  # fmt: skip
def test_normalization_counts_each_kind_of_change(name: str, text: str, says: str) -> None:
    assert result(bundled(name), "normalize", text) == says


def test_the_sentences_name_llama_cpps_cleanup_and_what_nfc_rewrites() -> None:
    said = result(bundled("llama-3@llama.cpp"), "decode", "Well , yes")
    assert "Decoding dropped 1: “␣” (character 5); for this vocabulary llama.cpp removes spaces" in said
    assert "normalization form rewrites 1 character" in result(bundled("qwen2.5"), "normalize", "cafe\u0301")


def test_added_tokens_that_are_not_special_are_counted_separately() -> None:
    for spec in ("qwen2.5", "qwen2.5@llama.cpp"):
        assert result(bundled(spec), "partition", "<tool_call>a<|im_end|>b<tool_call>") == (
            "Found 1 special token and 2 user-defined tokens in the text: 5 fragments, of which 2 are left to tokenize."
        )


# --- pre-tokens -------------------------------------------------------------------------------------------------------


def test_pre_tokens_are_counted_and_spelled_bytes_named() -> None:
    cut = "The text is cut into 3 pre-tokens; no token crosses a cut."
    assert result(bundled("gpt-2"), "pre-tokenize", "He's é").startswith(f"{cut} Every byte")
    assert result(bundled("cl100k_base"), "pre-tokenize", "He's é") == cut


def test_removed_stretches_are_counted() -> None:
    file = {
        "model": {"type": "WordLevel", "vocab": {"hat": 0}, "unk_token": "hat"},
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"\s+"}, "behavior": "Removed", "invert": False},
    }
    tok = from_tokenizer_json(read(json.dumps(file).encode(), "toy"), "toy")
    assert result(tok, "pre-tokenize", "HAT  hat Hat").endswith("2 stretches are removed.")
    assert result(tok, "model", "HAT  hat Hat") == "3 words are looked up, of which 2 are unknown."


@pytest.mark.parametrize(
    ("model", "version"), [("qwen2.5", "16"), ("cl100k_base", "16"), ("llama-3@llama.cpp", "15.1")]
)
def test_a_character_newer_than_the_original_is_called_unassigned(model: str, version: str) -> None:
    for text, label in (("a\U0003e784\x10", "U+3E784"), ("a\u0897", "U+0897" * (version == "15.1")), ("aé😊", "")):
        said = result(bundled(model), "pre-tokenize", text)
        assert (f"Newer than Unicode {version}" in said) == bool(label)
        assert label in said


def test_the_sentence_says_where_a_rewritten_pattern_takes_less() -> None:
    assert result(bundled("llama-3@llama.cpp"), "pre-tokenize", "x'ſ").endswith(
        " At character 2 the model's own pattern would take “'ſ” with “(?i:'s|'t|'re|'ve|'m|'ll|'d)”. llama.cpp has "
        "rewritten it for ASCII letters and does not."
    )
    assert "rewritten" not in result(bundled("llama-3@llama.cpp"), "pre-tokenize", "x's")
    assert "rewritten" not in result(bundled("qwen2.5"), "pre-tokenize", "x'ſ")


@pytest.mark.parametrize(("text", "says"), [
    ("<s>ab<x>c<x>", "2 pieces are cut out and are final; no token crosses a cut."),
    ("<s>abc", "Changed nothing: the text has no cut."),
])  # fmt: skip
def test_user_defined_pieces_are_counted(text: str, says: str) -> None:
    part = UserDefinedSplit({"<x>": 1})
    events: Events[UserDefinedRow] = Events(UserDefinedRow)
    before = [Token(0, 0, 3), Segment.of(text[3:], 3)]
    stage = Stage("pre-tokenize", part, before, part.run(before, Options(), events.emit), events)
    known = vocabulary(("a", 0), ("<x>", 0, PieceKind.USER_DEFINED))
    assert plain(pieces_result(Trace(text, Options(), (stage,), Encoding.of((), known)), stage, known)) == says


# --- stages that only some vocabularies of llama.cpp have -------------------------------------------------------------

KEYS = {
    "dna": toys.keys_of("hybriddna", toys.DNA, merges=[b"a b"], pre="gpt-2"),
    "words": toys.keys_of("whitespace", toys.WORDS, merges=[b"a b"], pre="gpt-2"),
    "both": toys.keys_of("whitespace", toys.WORDS, merges=[b"a b"], pre="sarvam-moe"),
    "gemma4": toys.keys_of("gemma4", toys.GEMMA, bos_token_id=2, merges=toys.GEMMA_MERGES),
}


@pytest.mark.parametrize(("name", "stage", "text", "says"), [
    ("dna", "dna", "ab", "Changed nothing: the text contains no <dna>."),
    ("dna", "dna", "<dna>CCCCCC</dna>", "DNA was found: 1 group of six letters."),
    ("dna", "dna", "<dna>CCCCCCxxxxxxac", "DNA was found: 3 groups of six letters, of which 1 is unknown."),
    ("words", "normalize", "ab", "Changed nothing."), ("words", "normalize", "Ab É", "2 characters are lowercased."),
    ("both", "normalize", "A b", "1 space is written ▁ (U+2581) and 1 character is lowercased."),
    ("gemma4", "normalize", "a b", "No space is put before the text; 1 space is written ▁ (U+2581)."),
])  # fmt: skip
def test_stages_of_llama_cpp(name: str, stage: str, text: str, says: str) -> None:
    assert result(from_gguf(Gguf(3, 0, KEYS[name]), name), stage, text) == says  # type: ignore[arg-type]


# --- decoding ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "text", "says"), [
    ("bert-uncased", "what is lora?", SAME),
    ("rwkv-world", "Å\t각😊", SAME),
    ("bert-uncased", "What  😊", "3 of 7 characters do not come back. Normalization rewrote 1: "
     "“W” (character 1) became “w”. The pre-tokenizer removed 1: “␣” (character 6). The model could not spell 1: “😊” "
     "(character 7) became “[UNK]”."),
    ("bert-uncased", "각", "None of the text comes back. Normalization rewrote 1: “각” (character 1) became "
     "“\u1100\u1161\u11a8”, which looks the same but has other code points."),
    ("bert-uncased@llama.cpp", "a", "The text that comes back is different, but nothing is lost. Decoding inserted 1 "
     "character: “␣” before character 1. It guesses where the spaces were."),
    ("bert-uncased@llama.cpp", "e\u0301", "1 of 2 characters does not come back. The pre-tokenizer removed 1: "
     "“◌\u0301” (character 2). Decoding inserted 1 character: “␣” before character 1."
     " It guesses where the spaces were."),
    ("xlm-r", "a <mask>ｶﾞ", "3 of 10 characters do not come back. A token cut out of the text stripped 1: “␣” "
     "(character 2). Normalization rewrote 2; the first: “ｶﾞ” (characters 9 to 10) became “ガ”."),
    ("qwen2.5", "e\u0301 é", "2 of 4 characters do not come back. Normalization rewrote 2; the first: “e\u0301” "
     "(characters 1 to 2) became “é”, which looks the same but has other code points."),
    ("gpt-2@llama.cpp", "a , b", "1 of 5 characters does not come back. Decoding dropped 1: "
     "“␣” (character 2); for this vocabulary llama.cpp removes spaces before punctuation and contractions."),
])  # fmt: skip
def test_the_sentence_of_a_lossy_round_trip(name: str, text: str, says: str) -> None:
    assert result(bundled(name), "decode", text) == says


@pytest.mark.parametrize("name", ["bert-uncased", "bert-uncased@llama.cpp", "xlm-r", "llama-2", "qwen2.5"])
@given(text=texts())
@settings(max_examples=25)
def test_every_round_trip_has_a_verdict(name: str, text: str) -> None:
    trace = bundled(name).trace(text)
    say = plain(decode_result(trace, round_trip(bundled(name), trace)))
    differs = (
        "does not come back. ",
        "do not come back. ",
        "None of the text comes back. ",
        "The text that comes back is ",
    )
    assert say.startswith(SAME) or (any(each in say for each in differs) and say.count(". ") >= 1)


def test_the_words_of_normalizers_and_decoders_are_of_classes_that_exist() -> None:
    normalizers = {name for module in (huggingface, huggingface, normalize) for name in vars(module)}
    assert {each for each in OPERATIONS if each[0].isupper()} <= normalizers, "the others are words for a variant"
    assert OF_DECODERS["decoders"].keys() <= {name for module in (decoders,) for name in vars(module)}

"""The sections of the page: which exist, what they say about the original, which terms they explain."""

from __future__ import annotations

import re

import pytest

import explorer
from explorer.opening.formats import IMPLEMENTATIONS
from explorer.script.script import window_of
from explorer.stages.decoders.losses import round_trip
from explorer.text.say import plain
from explorer.views.examples import PRESETS
from explorer.views.glossary import WORDS, words_in
from explorer.views.overview import SWITCHES, Section, sections, texts_of
from tests.bundled import bundled

EVERY = [f"{model.name}@{runs}" for model in explorer.catalog().values() for runs in model.implementations]


def sections_of(name: str, text: str, **options: bool) -> dict[str, Section]:
    tok = bundled(name)
    trace = tok.trace(text, **options)
    decoded = round_trip(tok, trace)
    return {section.key: section for section in sections(tok, trace, decoded, window_of(trace))}


# --- the switches -----------------------------------------------------------------------------------------------------


def test_every_original_explains_its_switches() -> None:
    assert set(SWITCHES) == set(IMPLEMENTATIONS)


@pytest.mark.parametrize("name", EVERY)
def test_both_switches_are_explained_with_the_stage_they_concern(name: str) -> None:
    found = sections_of(name, "<s>Hi</s>")
    assert "“Recognize control tokens”" in found["partition"].what
    assert "“Add BOS/EOS”" in found["post-process"].what


@pytest.mark.parametrize("name", EVERY)
def test_a_switch_described_as_without_effect_has_none(name: str) -> None:
    tok = bundled(name)
    texts = [preset.text for preset in PRESETS] + [tok.vocabulary.spelling(id) for id in range(3)]
    found = sections_of(name, "")
    for text in texts:
        ids = tok.encode(text).ids
        if "“Recognize control tokens” has no effect" in found["partition"].what:
            assert tok.encode(text, parse_special=False).ids == ids
        if "“Add BOS/EOS” has no effect" in found["post-process"].what:
            assert tok.encode(text, add_special=False).ids == ids


def test_sentencepiece_parses_no_control_pieces_and_says_what_its_options_would_add() -> None:
    found = sections_of("mistral-v1@sentencepiece", "<s>Hi")
    assert list(found) == ["utf8", "partition", "normalize", "model", "post-process", "decode"]
    assert found["partition"].script is None
    assert "never reads the spelling of a control piece" in found["partition"].what
    assert "user-defined pieces are always found" in found["partition"].what
    assert "add_bos and add_eos" in found["post-process"].what
    assert found["post-process"].result is not None
    assert plain(found["post-process"].result) == (
        "“<s>” (1) is added before the text. sentencepiece's option add_eos would add “</s>” (2) after the text."
    )


def test_hugging_face_always_parses_added_tokens() -> None:
    what = sections_of("gpt-2@huggingface", "a")["partition"].what
    assert "Hugging Face always looks for added tokens in the text, while llama.cpp does so only on request" in what
    assert "“Recognize control tokens” off is its setting encode_special_tokens" in what


# --- surprising rules, where they apply -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt-2@huggingface", "cl100k_base@tiktoken", "bert-uncased@llama.cpp"])
def test_the_section_says_that_classes_depend_on_the_unicode_version(name: str) -> None:
    assert "Unicode defines what a character is" in sections_of(name, "a")["pre-tokenize"].what


def test_the_two_tests_of_merging_are_distinguished() -> None:
    assert "tiktoken's test is different" in sections_of("gpt-2@llama.cpp", "a")["model"].what
    assert (
        "The test of Hugging Face and llama.cpp is different" in sections_of("o200k_base@tiktoken", "a")["model"].what
    )


def test_the_section_warns_against_decoding_tokens_separately() -> None:
    found = sections_of("gpt-2@huggingface", "a🫠")["decode"]
    assert found.result is not None
    assert "“🫠” (character 2) is spread over several tokens" in plain(found.result)
    assert "which are not valid text when decoded separately" in found.what


def test_the_sentence_says_that_llama_cpp_has_no_normalization_form() -> None:
    said = sections_of("qwen2.5@huggingface", "e\u0301")["normalize"].result
    assert said is not None
    assert "llama.cpp doesn't normalize text for vocabularies of this kind" in plain(said)
    assert "normalize" not in sections_of("qwen2.5@llama.cpp", "e\u0301")


# --- terms ------------------------------------------------------------------------------------------------------------

JARGON = re.compile(
    r"(?<![\w-])(?:tokens?|code points?|UTF-8|bytes?|fragments?|RAW_TEXT|symbols?|merges?|merged|queue|heap|stale|rank|"
    r"score|lattice|trie|node|root|pre-tokenizer|alternatives?|pattern|vocabulary|offset|BPE|normalization|controls?|"
    r"decomposed|combining marks?|phantom|prev|byte fallback|contraction|path|window|ids?)(?![\w-])"
)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", EVERY)
def test_every_technical_term_is_explained(name: str) -> None:
    for preset in PRESETS:
        for section in sections_of(name, preset.text).values():
            used = set(JARGON.findall("\n".join(texts_of(section))))
            for word in used:
                meaning = words_in([word, f"{word} token"])
                assert meaning, word
                assert set(meaning) & set(section.words), (section.key, word)


@pytest.mark.parametrize("name", EVERY)
def test_names_from_sources_are_attributed(name: str) -> None:
    """Names from sources occur only if the sentence says whose they are, or if they are explained."""
    owners = ("llama.cpp", "Hugging Face", "tiktoken", "sentencepiece", "both sources")
    for section in sections_of(name, "<s>What is Å 각😊 'ſ").values():
        for text in texts_of(section):
            own = re.sub("“[^”]*”", "", text)
            named = set(re.findall(r"[a-z]+_[a-z_]+|[A-Z]+_[A-Z]+", own)) - {"RAW_TEXT"}
            assert not named or any(owner in text for owner in owners), (section.key, text)


def test_every_term_is_found_and_explained_without_markup() -> None:
    assert len({word.word for word in WORDS}) == len(WORDS)
    for word in WORDS:
        assert word in words_in([word.word]), word.word
        assert not re.search(r"[*`$<\[]", word.means)
        assert not word.means.endswith(".")


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_one_is_singular(name: str) -> None:
    wrong = re.compile(
        r"(?<![\d.,])1 (?:code points|characters|bytes|tokens|pieces|symbols|spaces|places|alternatives)\b"
    )
    for text in ("a", "é", " ", "<s>a<s>", "😊"):
        for section in sections_of(name, text).values():
            said = [plain(section.result)] if section.result else []
            if section.script is not None:
                script = section.script
                said += [script.opening(), *(script.sentence(step) for step in range(1, len(script) + 1))]
            assert not [each for each in said if wrong.search(each)]


@pytest.mark.parametrize("name", EVERY)
def test_no_character_has_the_number_0(name: str) -> None:
    wrong = re.compile(r"\b(?:characters?|positions?) 0\b")
    for text in ("<s>a 'ſ", "▁", "  x", "é , ?", "a<mask>"):
        for section in sections_of(name, text).values():
            said = [plain(section.result)] if section.result else []
            if section.script is not None:
                said += [section.script.sentence(step) for step in range(1, len(section.script) + 1)]
            assert not [each for each in said if wrong.search(each)]


def test_the_notes_on_the_presets_are_true_of_every_model() -> None:
    by_label = {preset.label: preset for preset in PRESETS}
    many, emoji = by_label["Many scripts"], by_label["An emoji"]
    for name in ("bert-uncased@huggingface", "bert-uncased@llama.cpp"):
        assert "[UNK]" in bundled(name).encode(many.text).pieces
    assert "the unknown token" in many.shows
    assert (len(emoji.text), len(emoji.text.encode())) == (7, 25)
    same = [
        name for name in EVERY if len(set(bundled(name).encode("e\u0301").ids) - {*bundled(name).encode("é").ids}) == 0
    ]
    assert same, "so other tokens are not promised"
    assert "mostly" in by_label["Marks"].shows

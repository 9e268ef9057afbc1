"""One switch flipped, and what changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison, DifferenceKind, run
from explorer.analysis.what_if import Switch, Variation, flip, flipped, variations
from explorer.engine.models.bpe import Bpe, MergeList
from explorer.engine.post_processors import AddSpecial
from explorer.engine.pre_tokenizers.by_regex import PreTokenization
from explorer.engine.pre_tokenizers.huggingface import MetaspaceSplit
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from tests.analysis.divergence.test_comparer import check
from tests.analysis.toy_tokenizers import toy, vocabulary
from tests.bundled import bundled
from tests.implementations.llama_cpp.test_pre_tokenizers import metadata
from tests.meaning import mentions
from tests.originals.generators import strings, texts
from tests.tiers import amount


def asked(spec: str, text: str, switch: Switch) -> Comparison:
    """The comparison for a switch that the tokenizer has."""
    variation = next(each for each in variations(bundled(spec), text) if each.switch == switch)
    return flip(run(bundled(spec), text), variation, open_other=bundled)


SWITCHES = [
    ("llama-2", ["add special", "parse special", "prefix space", "byte fallback"]),
    ("mistral-v1", ["add special", "prefix space", "byte fallback"]),
    ("xlm-r", ["add special", "parse special", "normalizer"]),
    ("bert-uncased", ["add special", "parse special", "implementation", "normalizer"]),
    ("rwkv-world", ["implementation"]),
    ("gpt-2", ["parse special", "implementation", "prefix space", "ignore merges"]),
    ("llama-3@llama.cpp", ["add special", "parse special", "implementation", "prefix space", "ignore merges"]),
    ("qwen2.5", ["parse special", "implementation", "normalizer", "prefix space", "ignore merges"]),
    ("cl100k_base", ["parse special", "prefix space", "ignore merges"]),
]


@pytest.mark.parametrize(("spec", "switches"), SWITCHES)
def test_only_the_switches_that_a_tokenizer_has(spec: str, switches: list[str]) -> None:
    assert [each.switch.value for each in variations(bundled(spec), "What")] == switches
    escaped = [each.switch.value for each in variations(bundled(spec), r"a\nb")]
    assert sorted(escaped) == sorted([*switches, "read escapes"])
    assert "read escapes" not in [each.switch.value for each in variations(bundled(spec), r"C:\Users")]


def test_a_flipped_switch_is_a_label_and_the_subject_of_sentences() -> None:
    found = asked("bert-uncased", "É", Switch.NORMALIZER)
    assert [each.label for each in (found.left, found.right)] == ["with the normalizer", "without the normalizer"]
    assert mentions(found.sentence, ": with the normalizer it drops the marks of É")


ASKED = [
    ("llama-2", "is", Switch.ADD_SPECIAL, DifferenceKind.ADDED_TOKENS,
     "post-process: with “Add BOS/EOS” it adds “<s>” (1) at the start; without “Add BOS/EOS” it adds nothing at the "
     "start."),
    ("llama-2", "<s>", Switch.PARSE_SPECIAL, DifferenceKind.SPECIAL_TOKEN,
     "partition, characters 1 to 3: with control tokens recognized it takes “<s>” for the special token 1 (<s>); "
     "without control tokens recognized it leaves “<s>” as text."),
    ("llama-2", "is", Switch.PREFIX_SPACE, DifferenceKind.PREFIX_SPACE,
     "normalize, before character 1: with the space in front it adds a prefix space; without the space in front it "
     "adds no prefix space."),
    ("gpt-2", "is", Switch.PREFIX_SPACE, DifferenceKind.PREFIX_SPACE,
     "pre-tokenize, before character 1: without the space in front it adds no prefix space; with the space in front "
     "it adds a prefix space."),
    ("bert-uncased", "É", Switch.NORMALIZER, DifferenceKind.MARKS,
     "normalize, character 1: with the normalizer it drops the marks of É and lowercases it, giving e; without "
     "the normalizer it leaves É unchanged."),
    ("xlm-r", "ﬁ", Switch.NORMALIZER, DifferenceKind.COMPATIBILITY, None),
    ("llama-3", " Zwiebelkuchen", Switch.IGNORE_MERGES, DifferenceKind.SAME, None),
    ("gpt-2", r"a\nb", Switch.ESCAPES, DifferenceKind.ESCAPES,
     "text, characters 2 to 3: without escapes interpreted it reads “\\n”; with escapes interpreted it reads “↵”."),
    ("bert-uncased", "각", Switch.IMPLEMENTATION, DifferenceKind.FIRST_CODE_POINT,
     "normalize, character 1: Hugging Face decomposes 각 to ᄀ + ᅡ + ᆨ (NFD); llama.cpp reduces 각 to the first "
     "code point of its decomposition, giving ᄀ."),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "text", "switch", "kind", "says"), ASKED)
def test_what_a_switch_changes(spec: str, text: str, switch: Switch, kind: DifferenceKind, says: str | None) -> None:
    found = asked(spec, text, switch)
    assert found.kind == kind, found.sentence
    assert says in (None, found.sentence)


def test_a_piece_of_llama_3_that_no_merge_builds() -> None:
    """588 of its tokens cannot be built by merges; with ignore_merges they are taken whole."""
    tok = bundled("llama-3")
    without = flipped(tok, Switch.IGNORE_MERGES)
    assert without is not None
    text = next(
        text
        for id in range(100_000, 110_000)
        for text in [tok.decode([id])]
        if tok.encode(text).ids == [id] and without.encode(text).ids != [id]
    )
    found = asked("llama-3", text, Switch.IGNORE_MERGES)
    assert found.kind == DifferenceKind.WHOLE_PIECE
    assert "whole, because it is a token" in found.sentence


JAPANESE = "Hello, こんにちは! 😊🫠"


@pytest.mark.parametrize("spec", ["llama-2", "mistral-v1"])
def test_without_byte_fallback_a_run_is_one_unknown_token(spec: str) -> None:
    tok = bundled(spec)
    without = flipped(tok, Switch.BYTE_FALLBACK)
    assert without is not None
    known = [ch for ch in JAPANESE if tok.vocabulary.ids.get(ch.encode()) is not None]
    lost = "".join(ch for ch in JAPANESE if ch not in known and ch != " ")
    ids, others = tok.encode(JAPANESE).ids, without.encode(JAPANESE).ids
    assert ids[-len(lost.encode()) :] == [tok.vocabulary.ids[b"<0x%02X>" % byte] for byte in lost.encode()]
    assert others == [*ids[: -len(lost.encode())], 0]
    assert tok.decode(ids) == JAPANESE
    assert without.decode(others) != JAPANESE
    assert asked(spec, JAPANESE, Switch.BYTE_FALLBACK).kind == DifferenceKind.UNKNOWN
    again = flipped(without, Switch.BYTE_FALLBACK)
    assert again is not None
    assert again.encode(JAPANESE).ids == ids


def test_the_one_without_byte_fallback_is_sentencepiece_with_that_setting_off() -> None:
    """The original runs the same model file with byte_fallback set to false and its byte pieces made normal."""
    model = sentencepiece_model_pb2.ModelProto.FromString(explorer.catalog()["mistral-v1"].path.read_bytes())
    model.trainer_spec.byte_fallback = False
    for piece in model.pieces:
        if piece.type == piece.BYTE:
            piece.type = piece.NORMAL
    original = SentencePieceProcessor(model_proto=model.SerializeToString())
    without = flipped(bundled("mistral-v1"), Switch.BYTE_FALLBACK)
    assert without is not None
    for text in (JAPANESE, "🫠", "a🫠b🫠🫠c", "\U0001f9ff \U0001f9ff", *strings(61, 200)):
        assert without.encode(text, add_special=False).ids == original.encode(text), text


def test_metaspace_still_writes_spaces_without_its_prefix_space() -> None:
    made = vocabulary("a", "b", "▁a", "▁b", "▁")
    model = Bpe(made, MergeList([b"\xe2\x96\x81 a", b"\xe2\x96\x81 b"]))
    tok = toy(made, PreTokenization([MetaspaceSplit("▁", "always")]), model, AddSpecial())
    assert tok.encode("a b").pieces == ["▁a", "▁b"]
    other = flipped(tok, Switch.PREFIX_SPACE)
    assert other is not None
    assert other.encode("a b").pieces == ["a", "▁b"]
    found = compare(run(tok, "a b", "with"), run(other, "a b", "without"))
    assert [(each.stage, each.kind, each.region) for each in found.divergences] == [
        ("pre-tokenize", DifferenceKind.PREFIX_SPACE, (0, 1))
    ]  # fmt: skip


def test_flipping_twice_restores_the_ids() -> None:
    for spec in ("llama-2", "mistral-v1", "gpt-2", "cl100k_base"):
        for switch in (Switch.PREFIX_SPACE, Switch.IGNORE_MERGES):
            once = flipped(bundled(spec), switch)
            if once is not None:
                twice = flipped(once, switch)
                assert twice is not None
                assert twice.encode("What is LoRA?").ids == bundled(spec).encode("What is LoRA?").ids


def test_a_switch_that_the_tokenizer_lacks() -> None:
    with pytest.raises(explorer.InputError, match=r"“ignore merges”"):
        flip(run(bundled("llama-2"), "a"), Variation(Switch.IGNORE_MERGES))


@settings(max_examples=amount(60))
@given(st.data(), texts(), st.sampled_from([spec for spec, _ in SWITCHES]))
def test_every_change_is_attributed(data: st.DataObject, text: str, spec: str) -> None:
    tok = bundled(spec)
    variation = data.draw(st.sampled_from(variations(tok, text)))
    check(flip(run(tok, text), variation, open_other=bundled))


def test_ignore_merges_changes_nothing_else() -> None:
    """A vocabulary whose unknown characters become their bytes keeps them."""
    tok = from_gguf(Gguf(3, 0, metadata("gemma4")), "toy")
    other = flipped(tok, Switch.IGNORE_MERGES)
    assert other is not None
    for text in ("\U0001d11e", "a \u0378"):
        assert other.encode(text).ids == tok.encode(text).ids
    assert any(tok.vocabulary.byte_of(id) is not None for id in tok.encode("\U0001d11e").ids)

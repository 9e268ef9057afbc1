"""Every lost character has a stage that lost it: for toys, for every model that is not lossless, for any text."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.decoders.pieces import PieceDecoder, SpmDecoder, raw
from explorer.engine.models.bpe import Bpe, Characters, InitialSymbols, KnownCharacters, MergeList
from explorer.engine.models.spm import Spm
from explorer.engine.normalizers.huggingface import Literal, Replace
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, SpacePrefix
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import Decoder, Part
from explorer.engine.partition.special_tokens import SpecialToken, SpecialTokenPartition
from explorer.errors import InputError
from explorer.formats.sentencepiece_model import read
from explorer.implementations.opened import Opened
from explorer.implementations.sentencepiece import from_model
from explorer.stages.decoders.losses import Insertion, Losses, Unit, UnitGroup, losses
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.implementations.huggingface import test_decoders as decoders
from tests.implementations.huggingface import test_models as models
from tests.implementations.huggingface import test_post_processors as processors
from tests.originals.generators import strings, texts
from tests.originals.hugging_face import both
from tests.originals.sentencepiece import edited, trained
from tests.tiers import amount
from tests.toys import UNKNOWN, vocabulary

EVERY = [f"{model.name}@{runs}" for model in explorer.catalog().values() for runs in model.implementations]


def found(tok: Opened, text: str, **options: bool) -> Losses:
    trace = tok.trace(text, **options)
    decoded = tok.trace_decode(trace.ids, remove_special=trace.options.add_special)
    return losses(trace, decoded, tok.vocabulary)


def lost(tok: Opened, text: str) -> list[tuple[int, str, str]]:
    return [(each.at, each.stage, each.became) for each in found(tok, text).lost]


# --- by eye -----------------------------------------------------------------------------------------------------------

LOSSES = [
    # partition: white space next to a special token
    ("xlm-r@llama.cpp", "a <mask> b", [(1, "partition", "")]),
    ("xlm-r@llama.cpp", "a  <mask>", [(1, "partition", ""), (2, "partition", "")]),
    # normalization: composed, mapped, lowercased, cleaned
    ("qwen2.5@huggingface", "xe\u0301", [(1, "normalize", "é"), (2, "normalize", "é")]),
    ("qwen2.5@huggingface", "\u212b", [(0, "normalize", "\xc5")]),
    ("xlm-r@llama.cpp", "ｶﾞ", [(0, "normalize", "ガ"), (1, "normalize", "ガ")]),
    ("xlm-r@llama.cpp", "xﬁne", [(1, "normalize", "fi")]),
    ("xlm-r@llama.cpp", "a  b", [(2, "normalize", "")]),
    ("xlm-r@llama.cpp", "a\nb ", [(1, "normalize", "▁"), (3, "normalize", "")]),
    ("bert-uncased@huggingface", "aB", [(1, "normalize", "b")]),
    ("bert-uncased@huggingface", "e\u0301 \0", [(1, "normalize", ""), (2, "pre-tokenize", ""), (3, "normalize", "")]),
    ("bert-uncased@huggingface", "a\tb", [(1, "normalize", " ")]),
    ("bert-uncased@llama.cpp", "각", [(0, "normalize", "ᄀ")]),
    # pre-tokenizing: white space between words
    ("bert-uncased@huggingface", "a  b", [(2, "pre-tokenize", "")]),
    ("bert-uncased@llama.cpp", "a\tb", [(1, "pre-tokenize", "")]),
    # the model: a word it can't spell
    ("bert-uncased@huggingface", "a 😊", [(2, "model", "[UNK]")]),
    ("bert-uncased@llama.cpp", "a w😊", [(1, "pre-tokenize", ""), (2, "model", "[UNK]"), (3, "model", "[UNK]")]),
    ("xlm-r@llama.cpp", "a\U00012000", [(1, "model", "<unk>")]),
    # a word that two stages lose is put down to the first
    ("bert-uncased@huggingface", "W😊", [(0, "normalize", "w"), (1, "model", "[UNK]")]),
    # decoding: cleaned up, mistaken for an inserted space, read as a space
    ("gpt-2@llama.cpp", "Well , it 's", [(4, "decode", ""), (9, "decode", "")]),
    ("llama-3@llama.cpp", "a ' b", [(1, "decode", ""), (3, "decode", "")]),
    ("bert-uncased@huggingface", "a ,", [(1, "pre-tokenize", "")]),
    ("xlm-r@llama.cpp", " a", [(0, "decode", "")]),
    ("llama-2@llama.cpp", "a▁b", [(1, "decode", " ")]),
    ("mistral-v1@sentencepiece", "a▁b", [(1, "decode", " ")]),
    # nothing is lost, something is inserted
    ("bert-uncased@huggingface", "日本", []),
    ("bert-uncased@llama.cpp", "日本", []),
    ("bert-uncased@huggingface", "[MASK] a", []),
    ("llama-2@llama.cpp", "<s>Hi", []),
    # lossless
    ("llama-2@llama.cpp", "Å\t😊  ", []),
    ("gpt-2@huggingface", "Well , it 's Å\r\n\0", []),
    ("rwkv-world@rwkv", "Å\t각😊", []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), LOSSES)
def test_the_stage_is_named(name: str, text: str, expected: list[tuple[int, str, str]]) -> None:
    assert lost(bundled(name), text) == expected


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("bert-uncased@huggingface", "日本", [Insertion("decode", 1, 1, " ")]),
    ("bert-uncased@llama.cpp", "日本", [Insertion("decode", 2, 0, " ")]),
    ("llama-2@llama.cpp", "a<s>b<s>c", [Insertion("normalize", 2, 4, " ")]),
    ("xlm-r@llama.cpp", "a<s>b", [Insertion("normalize", 1, 4, " ")]),
    ("gpt-2@huggingface", "a b", []),
])  # fmt: skip
def test_insertions_are_counted_separately(name: str, text: str, expected: list[Insertion]) -> None:
    result = found(bundled(name), text)
    assert result.lost == ()
    assert list(result.added) == expected


def test_a_nearby_loss_does_not_hide_an_insertion() -> None:
    result = found(bundled("llama-2@llama.cpp"), "a▁<s>b▁<s>c")
    assert [(each.at, each.stage) for each in result.lost] == [(1, "decode"), (6, "decode")]
    assert list(result.added) == [Insertion("normalize", 2, 5, " ")]


# --- toys -------------------------------------------------------------------------------------------------------------


def toy(v: Vocabulary, parts: list[Part], decoder: Decoder) -> Opened:
    return Opened("toy", "toy", "toy", v, tuple(parts), decoder)


def test_a_token_that_swallows_the_white_space_after_it() -> None:
    v = Vocabulary.of([b"<s>", b"a"], kinds=[3, 1])
    part = SpecialTokenPartition([SpecialToken(0, "<s>", True, rstrip=True)])
    tok = toy(v, [part, Bpe(v, MergeList([]))], PieceDecoder(v, raw))
    assert lost(tok, "a<s>\n a") == [(4, "partition", ""), (5, "partition", "")]


@pytest.mark.parametrize(("start", "expected"), [
    (Characters(), [(1, "model", "")]),
    (KnownCharacters({b"a": 0, b"?": 1}), [(1, "model", "")]),
    (KnownCharacters({b"a": 0, b"?": 1}, unknown=b"?", fuse=True), [(1, "model", "?")]),
])  # fmt: skip
def test_a_model_without_a_token_for_a_character(start: InitialSymbols, expected: list[tuple[int, str, str]]) -> None:
    v = Vocabulary.of([b"a", b"?"], kinds=[1, UNKNOWN])
    tok = toy(v, [Bpe(v, MergeList([]), start)], PieceDecoder(v, raw))
    assert lost(tok, "aéa") == expected


def test_a_character_of_which_half_is_left() -> None:
    v = Vocabulary.of([b"a", b"\xc3"])
    tok = toy(v, [Bpe(v, MergeList([]))], PieceDecoder(v, raw))
    assert [each[:2] for each in lost(tok, "aé")] == [(1, "model")]


def test_a_change_is_a_loss_unless_decoding_reverses_it() -> None:
    v = vocabulary(("<unk>", 0, UNKNOWN), ("a", 0), ("▁", 0), ("b", 0))
    spaces = Normalization([SpacePrefix(), EscapeWhitespace()])
    assert lost(toy(v, [spaces, Spm(v, 0)], SpmDecoder(v)), "a b") == []
    # the same ids, decoded by a decoder that doesn't know ▁
    assert lost(toy(v, [spaces, Spm(v, 0)], PieceDecoder(v, raw)), "a b") == [(1, "normalize", "▁")]
    # no decoder reverses this
    there = Normalization([Replace(Literal("b"), "a")])
    assert lost(toy(v, [there, Spm(v, 0)], SpmDecoder(v)), "ab") == [(1, "normalize", "a")]


def test_the_first_stage_that_loses_a_character_is_named() -> None:
    v = vocabulary(("<unk>", 0, UNKNOWN), ("a", 0))
    parts: list[Part] = [
        SpecialTokenPartition([SpecialToken(1, "a", False, lstrip=True)]),
        Normalization([UnicodeForm("NFKC")]),
        Spm(v, 0, byte_fallback=False),
    ]
    assert lost(toy(v, parts, SpmDecoder(v)), " a ①x") == [
        (0, "partition", ""), (2, "model", "<unk>"), (3, "normalize", "1"), (4, "model", "<unk>")
    ]  # fmt: skip


# --- any text ---------------------------------------------------------------------------------------------------------


def is_subsequence(part: str, whole: str) -> bool:
    rest = iter(whole)
    return all(ch in rest for ch in part)


def check(tok: Opened, text: str, **options: bool) -> bool:
    """Whether the text comes back. Checks the losses against the texts themselves."""
    trace = tok.trace(text, **options)
    decoded = tok.trace_decode(trace.ids, remove_special=trace.options.add_special)
    result = losses(trace, decoded, tok.vocabulary)
    indices = [each.at for each in result.lost]
    assert indices == sorted(set(indices))
    assert {each.stage for each in result.lost} <= {stage.name for stage in trace.stages} | {"decode"}
    gone = set(indices)
    assert is_subsequence("".join(ch for at, ch in enumerate(text) if at not in gone), decoded.text)
    if decoded.text == text:
        assert result == ((), ())
        return True
    assert result.lost or result.added, "a difference is reported"
    if not result.lost:
        assert len(decoded.text) - len(text) == sum(each.size for each in result.added)
    return False


@pytest.mark.parametrize("name", EVERY)
@given(text=texts())
@settings(max_examples=amount(60))
def test_a_stage_is_named_whenever_the_text_does_not_come_back(name: str, text: str) -> None:
    for parse in (True, False):
        check(bundled(name), text, parse_special=parse)
        check(bundled(name), text, parse_special=parse, add_special=False)


@pytest.mark.parametrize("name", EVERY)
def test_a_stage_is_named_on_nasty_strings(name: str) -> None:
    came_back = sum(check(bundled(name), text) for text in strings(seed=11, count=250))
    assert came_back > 0


TOYS = {
    **{f"model {name}": make for name, make in models.FILES.items()},
    **{f"decoder {name}": partial(decoders.file, part) for name, part in decoders.DECODERS.items()},
    **{f"post-processor {name}": partial(processors.file, part) for name, part in processors.PROCESSORS.items()},
}


@pytest.mark.parametrize("name", TOYS)
def test_a_stage_is_named_for_every_part_of_a_tokenizer_json(name: str) -> None:
    tok = both(TOYS[name]()).ours
    for text in ["", " a  b", "abc ab", "Ab, don't!", "e\u0301 é 漢字", "a<pad>|a", *strings(seed=12, count=40)]:
        try:
            tok.encode(text)
        except InputError:
            continue  # a toy without an unknown token
        for parse in (True, False):
            check(tok, text, parse_special=parse)


@pytest.mark.parametrize("model_type", ["char", "word", "bpe", "unigram"])
def test_a_stage_is_named_for_every_model_of_sentencepiece(model_type: str) -> None:
    for settings_ in ({}, {"byte_fallback": True, "treat_whitespace_as_suffix": True}):
        tok = from_model(read(edited(trained(model_type, **settings_), every=5)), "toy")
        for text in ["", "  a  b ", "the cat ☃☃ sat", *strings(seed=13, count=60)]:
            check(tok, text)


def test_a_template_without_the_text_loses_it() -> None:
    tok = both(processors.file(processors.PROCESSORS["no text"])).ours
    assert {each.stage for each in found(tok, "xy").lost} == {"post-process"}


@pytest.mark.long
def test_a_long_text_without_any_cut() -> None:
    assert len(found(bundled("qwen2.5@huggingface"), "a" + "\u0301" * 3_000).lost) == 2
    # every mark is changed
    assert len(found(bundled("qwen2.5@huggingface"), "e" + "\u0341" * 20_000).lost) == 20_001
    assert len(found(bundled("bert-uncased@huggingface"), "A" * 3_000).lost) == 3_000


def test_very_many_units_over_the_same_characters_are_treated_as_one() -> None:
    group = UnitGroup(0, 1_000, [Unit(0, 1_000, "x", b"x")] * 1_000)
    text = "a" * 1_000
    (only,) = {each[1:] for each in group.losses(group.match(text), "normalize")}
    assert only == ("normalize", 0, 1_000, "x" * 1_000)

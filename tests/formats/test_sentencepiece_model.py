"""Reading SentencePiece models; damaged files are refused with a byte offset and advice."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2

import explorer
from explorer.errors import InputError
from explorer.formats import protobuf, sentencepiece_model
from explorer.formats.sentencepiece_model import ModelType, looks_like_model, read
from tests.formats.sentencepiece_writer import field, message, model, varint
from tests.tiers import amount

MISTRAL = explorer.catalog()["mistral-v1"].path
TOY = model(("<unk>", 0.0, 2), ("a", -1.0, 1), trainer=message(f3=2, f35=1), normalizer=message(f1=b"identity", f4=0))


def test_the_bundled_model_matches_protobuf() -> None:
    wanted = sentencepiece_model_pb2.ModelProto()
    wanted.ParseFromString(MISTRAL.read_bytes())
    found = read(MISTRAL)
    assert found.pieces == [piece.piece.encode() for piece in wanted.pieces]
    assert list(found.scores) == [piece.score for piece in wanted.pieces]
    assert list(found.kinds) == [piece.type for piece in wanted.pieces]
    assert found.trainer.model_type == wanted.trainer_spec.model_type == ModelType.BPE
    assert found.trainer.byte_fallback is True
    assert found.trainer.unk_surface.decode() == wanted.trainer_spec.unk_surface
    assert found.normalizer.name == b"identity"
    assert found.normalizer.remove_extra_whitespaces is wanted.normalizer_spec.remove_extra_whitespaces is False


def test_defaults_are_those_of_the_format() -> None:
    found = read(field(1, field(1, b"a")))
    assert (found.pieces, list(found.scores), found.kinds) == ([b"a"], [0.0], b"\1")
    assert found.trainer.model_type == ModelType.UNIGRAM
    assert found.trainer.unk_surface == " ⁇ ".encode()
    assert found.normalizer.add_dummy_prefix
    assert not found.trainer.byte_fallback


def test_order_repetition_and_unknown_fields_do_not_matter() -> None:
    piece = field(3, 5) + field(99, b"?") + field(2, -2.0) + field(1, b"x" * 200) + field(7, 1) + b"\x41" + bytes(8)
    found = read(field(2, message(f3=2)) + field(1, piece) + field(4, b"self test") + field(2, message(f35=1, f45=b"")))
    assert (found.pieces, list(found.scores), found.kinds) == ([b"x" * 200], [-2.0], b"\5")
    assert (found.trainer.model_type, found.trainer.byte_fallback) == (ModelType.BPE, True)
    assert found.trainer.unk_piece == b"<unk>"


def test_a_model_is_recognized_by_its_first_bytes() -> None:
    assert looks_like_model(TOY)
    assert looks_like_model(MISTRAL.read_bytes()[:16])
    assert looks_like_model(field(1, field(1, b"x" * 300)))
    for other in (b"", b"\n", b"\n\n", b"GGUF\3\0\0\0", b'{"a": 1}', b"\n\nfirst line", b"IQ== 0\n", b"\n\n\nabc",
                  b"\n" * 20):  # fmt: skip
        assert not looks_like_model(other)


def test_the_field_numbers_match_the_proto_definition() -> None:
    for table, theirs in (
        (sentencepiece_model.MODEL, sentencepiece_model_pb2.ModelProto),
        (sentencepiece_model.PIECE, sentencepiece_model_pb2.ModelProto.SentencePiece),
        (sentencepiece_model.TRAINER, sentencepiece_model_pb2.TrainerSpec),
        (sentencepiece_model.NORMALIZER, sentencepiece_model_pb2.NormalizerSpec),
    ):
        # type of a field → wire type: float, text, message, bytes; the rest are varints
        wire = {2: 5, 9: 2, 11: 2, 12: 2}
        for each in theirs.DESCRIPTOR.fields:
            assert table[each.number] == (each.name, wire.get(each.type, 0))


def test_settings_that_do_not_affect_encoding_are_kept_by_name() -> None:
    trainer = message(f3=2, f4=32_000, f10=0.5, f43=(1 << 64) - 1) + field(30, b"<x>") + field(30, b"<y>")
    found = read(
        field(1, field(1, b"a")) + field(2, trainer) + field(3, message(f6=b"61\t62")) + field(4, b"self test")
    )
    assert list(found.unused) == [
        ("trainer_spec.vocab_size", "32000"),
        ("trainer_spec.character_coverage", "0.5"),
        ("trainer_spec.pad_id", "-1"),
        ("trainer_spec.control_symbols", "<x>"),
        ("trainer_spec.control_symbols", "<y>"),
        ("normalizer_spec.normalization_rule_tsv", "61\t62"),
        ("self_test_data", "9 bytes"),
    ]


def test_the_kept_settings_are_bounded() -> None:
    piece = field(1, field(1, b"a"))
    found = read(piece + field(2, field(30, b"x" * 5_000) * 2_000))
    assert len(found.unused) == sentencepiece_model.MAX_UNUSED
    assert {len(setting.value) for setting in found.unused} == {protobuf.MAX_TEXT}
    assert len(read(piece + field(4, b"x") * 2_000).unused) == sentencepiece_model.MAX_UNUSED


@pytest.mark.parametrize(
    ("module", "limit", "data", "says"),
    [
        (sentencepiece_model, "MAX_PIECES", field(1, field(1, b"a")) * 6, "more than 4 pieces"),
        (sentencepiece_model, "MAX_PIECES", field(1, field(1, b"a") + field(2, 0.0)) * 6, "more than 4 pieces"),
        (protobuf, "MAX_FIELDS", field(1, field(1, b"a")) + field(9, 1) * 6, "more than 4 fields"),
    ],
)
def test_too_many_tiny_fields_are_refused(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, limit: str, data: bytes, says: str
) -> None:
    monkeypatch.setattr(module, limit, 4)
    with pytest.raises(InputError, match=says):
        read(data)


BROKEN = {
    "empty piece": (field(1, field(1, b"")), "byte offset 2: token 0 is an empty piece"),
    "empty piece in the usual layout": (model(("", 0.0, 1)), "byte offset 2: token 0 is an empty piece"),
    "empty": (b"", "the file is empty"),
    "no pieces": (field(2, b""), "has no pieces"),
    "cut in a piece": (TOY[:10], "byte offset 0: field 1 should have 14 bytes, but only 8 are left"),
    "cut in a number": (TOY + b"\x80", "the file ends within a number"),
    "endless number": (TOY + b"\xff" * 11, "a number has more than 10 bytes"),
    "field 0": (TOY + b"\0\0", "a field has the number 0"),
    "group": (TOY + b"\x0b", "wire type 3"),
    "score as text": (
        field(1, field(1, b"a") + field(2, b"1")),
        "field 2 has wire type 2, but score is encoded with 5",
    ),
    "type 9": (field(1, field(1, b"a") + field(3, 9)), "token 0 has type 9"),
    "model type 7": (TOY + field(2, message(f3=7)), "model_type is 7"),
    "length past the end of the message": (field(1, b"\n\x7fa"), "field 1 should have 127 bytes, but only 1 are left"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_advice(name: str) -> None:
    data, says = BROKEN[name]
    with pytest.raises(InputError) as caught:
        read(data, "toy.model")
    assert says in str(caught.value)
    assert str(caught.value).startswith("toy.model: ")
    assert "\n" not in str(caught.value)


@settings(max_examples=amount(400))
@given(offset=st.integers(0, len(TOY) - 1), byte=st.integers(0, 255), cut=st.integers(0, len(TOY)))
def test_a_changed_file_is_read_or_refused(offset: int, byte: int, cut: int) -> None:
    for data in (TOY[:offset] + bytes([byte]) + TOY[offset + 1 :], TOY[:cut]):
        try:
            found = read(data)
        except InputError:
            continue
        assert len(found.pieces) == len(found.scores) == len(found.kinds)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, says in ((tmp_path / "none.model", "no such file"), (tmp_path, "this is a folder")):
        with pytest.raises(InputError, match=says):
            read(path)


def test_numbers() -> None:
    assert varint(300) == b"\xac\x02"

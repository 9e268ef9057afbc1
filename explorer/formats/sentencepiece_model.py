"""SentencePiece models (`.model`): a protocol buffer with pieces, how it was trained, how text is normalized.

Follows `sentencepiece_model.proto` and the wire format of protocol buffers, read by hand: a message is a row of fields,
each a tag (field number × 8 + wire type) and a value. The fields that are read stand in the tables below; others are
passed over. Nothing is believed further than the file reaches.

Left out: writing, and groups (an old wire type that the format never used). What does not change how a text is encoded
(most of the trainer's settings, self-test samples) is kept by its name, for whoever shows what is in the file.
"""

from __future__ import annotations

import os
import stat
import struct
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from explorer.errors import InputError
from explorer.vocabulary import MOST_PIECES, PieceKind

MAX_FILE: Final = 1 << 26
"""Bytes of a file. The largest known models have 20 million."""

MAX_PIECES: Final = MOST_PIECES

MAX_FIELDS: Final = 1_000_000
"""Beside the ordinary pieces; a file of nothing but the shortest fields would take long."""

MAX_UNUSED: Final = 1_000
MAX_TEXT: Final = 1_000
"""Of the fields that have no part in encoding so many are kept, and so many bytes of each."""

_DAMAGED = "the file is damaged or incomplete, fetch it again"


class Wire(IntEnum):
    """How a value is written: the low three bits of a tag."""

    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    FIXED32 = 5


class Field(NamedTuple):
    """A field that is read: its name in the .proto and how its value is written."""

    name: str
    wire: Wire


# Field numbers of sentencepiece_model.proto, message by message.
MODEL: Final = {
    1: Field("pieces", Wire.BYTES),
    2: Field("trainer_spec", Wire.BYTES),
    3: Field("normalizer_spec", Wire.BYTES),
    4: Field("self_test_data", Wire.BYTES),
    5: Field("denormalizer_spec", Wire.BYTES),
}
PIECE: Final = {1: Field("piece", Wire.BYTES), 2: Field("score", Wire.FIXED32), 3: Field("type", Wire.VARINT)}
TRAINER: Final = {
    1: Field("input", Wire.BYTES),
    2: Field("model_prefix", Wire.BYTES),
    3: Field("model_type", Wire.VARINT),
    4: Field("vocab_size", Wire.VARINT),
    5: Field("accept_language", Wire.BYTES),
    6: Field("self_test_sample_size", Wire.VARINT),
    7: Field("input_format", Wire.BYTES),
    10: Field("character_coverage", Wire.FIXED32),
    11: Field("input_sentence_size", Wire.VARINT),
    12: Field("mining_sentence_size", Wire.VARINT),
    13: Field("training_sentence_size", Wire.VARINT),
    14: Field("seed_sentencepiece_size", Wire.VARINT),
    15: Field("shrinking_factor", Wire.FIXED32),
    16: Field("num_threads", Wire.VARINT),
    17: Field("num_sub_iterations", Wire.VARINT),
    18: Field("max_sentence_length", Wire.VARINT),
    19: Field("shuffle_input_sentence", Wire.VARINT),
    20: Field("max_sentencepiece_length", Wire.VARINT),
    21: Field("split_by_unicode_script", Wire.VARINT),
    22: Field("split_by_whitespace", Wire.VARINT),
    23: Field("split_by_number", Wire.VARINT),
    24: Field("treat_whitespace_as_suffix", Wire.VARINT),
    25: Field("split_digits", Wire.VARINT),
    26: Field("allow_whitespace_only_pieces", Wire.VARINT),
    30: Field("control_symbols", Wire.BYTES),
    31: Field("user_defined_symbols", Wire.BYTES),
    32: Field("vocabulary_output_piece_score", Wire.VARINT),
    33: Field("hard_vocab_limit", Wire.VARINT),
    34: Field("use_all_vocab", Wire.VARINT),
    35: Field("byte_fallback", Wire.VARINT),
    36: Field("required_chars", Wire.BYTES),
    40: Field("unk_id", Wire.VARINT),
    41: Field("bos_id", Wire.VARINT),
    42: Field("eos_id", Wire.VARINT),
    43: Field("pad_id", Wire.VARINT),
    44: Field("unk_surface", Wire.BYTES),
    45: Field("unk_piece", Wire.BYTES),
    46: Field("bos_piece", Wire.BYTES),
    47: Field("eos_piece", Wire.BYTES),
    48: Field("pad_piece", Wire.BYTES),
    49: Field("train_extremely_large_corpus", Wire.VARINT),
    50: Field("enable_differential_privacy", Wire.VARINT),
    51: Field("differential_privacy_noise_level", Wire.FIXED32),
    52: Field("differential_privacy_clipping_threshold", Wire.VARINT),
    53: Field("pretokenization_delimiter", Wire.BYTES),
    54: Field("seed_sentencepieces_file", Wire.BYTES),
    55: Field("auto_character_coverage", Wire.VARINT),
}
NORMALIZER: Final = {
    1: Field("name", Wire.BYTES),
    2: Field("precompiled_charsmap", Wire.BYTES),
    3: Field("add_dummy_prefix", Wire.VARINT),
    4: Field("remove_extra_whitespaces", Wire.VARINT),
    5: Field("escape_whitespaces", Wire.VARINT),
    6: Field("normalization_rule_tsv", Wire.BYTES),
}

Value: TypeAlias = "int | bytes"


class ModelType(IntEnum):
    """`TrainerSpec.ModelType`."""

    UNIGRAM = 1
    BPE = 2
    WORD = 3
    CHAR = 4


@dataclass(frozen=True, slots=True)
class TrainerSpec:
    """What of the training matters for encoding; the defaults are those of the .proto."""

    model_type: ModelType = ModelType.UNIGRAM
    treat_whitespace_as_suffix: bool = False
    byte_fallback: bool = False
    unk_surface: bytes = " ⁇ ".encode()
    unk_piece: bytes = b"<unk>"
    bos_piece: bytes = b"<s>"
    eos_piece: bytes = b"</s>"


@dataclass(frozen=True, slots=True)
class NormalizerSpec:
    """How text is normalized; an empty map is the identity."""

    name: bytes = b""
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


class Setting(NamedTuple):
    """A field that has no part in encoding: where it stands in the file, and its value as text."""

    place: str
    value: str


@dataclass(frozen=True, slots=True)
class SentencePieceModel:
    """A model file. pieces, scores and kinds: one entry an id. unused: what else the file says, in its order."""

    pieces: list[bytes]
    scores: array[float]
    kinds: bytes
    trainer: TrainerSpec
    normalizer: NormalizerSpec
    denormalizer: NormalizerSpec
    unused: tuple[Setting, ...] = ()


def looks_like_model(head: bytes) -> bool:
    """Whether a file that begins so may be a SentencePiece model: field 1 (pieces) with field 1 (piece) in it.

    >>> looks_like_model(b"\\n\\x0e\\n\\x05<unk>\\x15"), looks_like_model(b"GGUF"), looks_like_model(b"\\n\\nabc")
    (True, False, False)
    """
    at = 1
    while at < 5 and at < len(head) and head[at] & 0x80:
        at += 1
    # a piece takes three bytes at least; more than one byte of length says more than that anyway
    long_enough = at > 1 or head[at : at + 1] > b"\x02"
    return head[:1] == b"\n" and head[at + 1 : at + 2] == b"\n" and long_enough


def read(source: Path | bytes, name: str = "") -> SentencePieceModel:
    """Reads a model file, or the bytes of one.

    name: what errors call the file; its path if not given. Raises InputError, naming the file and the byte offset,
    where it cannot be opened, is no such file, ends too early or holds what the format does not allow.

    >>> model = read(Path("vocabs/mistral-v1.model"))
    >>> len(model.pieces), model.pieces[1], model.trainer.model_type.name, model.normalizer.name
    (32000, b'<s>', 'BPE', b'identity')
    """
    if isinstance(source, bytes):
        return _Reader(source, _printable(name or "these bytes")).model()
    name = _printable(name or os.fspath(source))
    try:
        found = os.stat(source)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{name}: this is no ordinary file; name a .model file")
        if found.st_size > MAX_FILE:
            raise InputError(f"{name}: {found.st_size} bytes, and a SentencePiece model has at most {MAX_FILE}")
        data = Path(source).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; check the path") from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: cannot be opened ({error}); check the path") from None
    return _Reader(data, name).model()


class _Reader:
    """Walks through one file."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name = data, name
        self.fields = 0

    def model(self) -> SentencePieceModel:
        if not self.data:
            raise InputError(f"{self.name}: the file is empty; fetch it again")
        if len(self.data) > MAX_FILE:
            raise InputError(f"{self.name}: {len(self.data)} bytes, and a SentencePiece model has at most {MAX_FILE}")
        pieces: list[bytes] = []
        scores: array[float] = array("f")
        kinds = bytearray()
        specs: dict[str, dict[str, Value]] = {"trainer_spec": {}, "normalizer_spec": {}, "denormalizer_spec": {}}
        unused: list[Setting] = []
        at = 0
        while at < len(self.data):
            after = self.ordinary_piece(at, pieces, scores, kinds)
            if after:
                at = after
                continue
            number, wire, start, at = self.field(at, len(self.data))
            field = self.known(MODEL, number, wire, start)
            if field is None:
                continue
            if field.name == "pieces":
                self.piece(start, at, pieces, scores, kinds)
            elif field.name == "self_test_data":
                if len(unused) < MAX_UNUSED:
                    unused.append(Setting(field.name, f"{at - start} bytes"))
            else:
                of_trainer = field.name == "trainer_spec"
                # a message that occurs twice is one, the later fields win
                for inner, value, _ in self.values(TRAINER if of_trainer else NORMALIZER, start, at):
                    if inner.name in (_TRAINER_USED if of_trainer else _NORMALIZER_USED):
                        specs[field.name][inner.name] = value
                    elif len(unused) < MAX_UNUSED:
                        unused.append(Setting(f"{field.name}.{inner.name}", as_text(inner.wire, value)))
        if not pieces:
            raise self.error("this file holds no pieces", 0, "give the .model file of a SentencePiece model")
        trainer, normalizer, denormalizer = specs.values()
        return SentencePieceModel(
            pieces, scores, bytes(kinds), self.trainer(trainer), spec(normalizer), spec(denormalizer), tuple(unused)
        )

    def ordinary_piece(self, at: int, pieces: list[bytes], scores: array[float], kinds: bytearray) -> int:
        """Reads a piece that is written as everyone writes it; 0 where it is not: then `field` looks closer.

        The long loop of the file; this makes it three times as fast.
        """
        head = self.data[at : at + 4]
        if len(head) < 4 or head[0] != 0x0A or head[1] > 0x7F or head[2] != 0x0A or not head[3]:
            return 0
        end, text_end = at + 2 + head[1], at + 4 + head[3]
        tail = self.data[text_end:end]
        if end > len(self.data) or not len(tail) >= 5 or head[3] > 0x7F or tail[0] != 0x15:
            return 0
        kind = PieceKind.NORMAL
        if len(tail) > 5:
            if len(tail) != 7 or tail[5] != 0x18 or not 1 <= tail[6] <= PieceKind.BYTE:
                return 0
            kind = tail[6]  # type: ignore[assignment]  # a number all the same
        if len(pieces) >= MAX_PIECES:
            return 0
        pieces.append(self.data[at + 4 : text_end])
        scores.append(_FLOAT.unpack_from(tail, 1)[0])
        kinds.append(kind)
        return end

    def piece(self, at: int, end: int, pieces: list[bytes], scores: array[float], kinds: bytearray) -> None:
        if len(pieces) >= MAX_PIECES:
            raise self.error(f"more than {MAX_PIECES} pieces, and no vocabulary is as large", at)
        piece, score, kind = b"", 0.0, int(PieceKind.NORMAL)
        for field, value, start in self.values(PIECE, at, end):
            if field.name == "piece":
                assert isinstance(value, bytes)
                piece = value
            elif field.name == "score":
                assert isinstance(value, int)
                score = _FLOAT.unpack(value.to_bytes(4, "little"))[0]
            else:
                assert isinstance(value, int)
                kind = value
                if not PieceKind.NORMAL <= kind <= PieceKind.BYTE:
                    raise self.error(f"token {len(pieces)} is of type {kind}, and there are types 1 to 6", start)
        if not piece:
            raise self.error(f"token {len(pieces)} is an empty piece, and no text ever becomes it", at)
        pieces.append(piece)
        scores.append(score)
        kinds.append(kind)

    def trainer(self, values: Mapping[str, Value]) -> TrainerSpec:
        found: dict[str, Value] = dict(values)
        kind = found.pop("model_type", int(ModelType.UNIGRAM))
        if kind not in list(ModelType):
            raise self.error(f"model_type is {kind!r}, and there are types 1 to 4", 0)
        for name in ("unk_piece", "bos_piece", "eos_piece"):
            if not found.get(name):  # an empty name is the default one
                found.pop(name, None)
        default = TrainerSpec()
        return TrainerSpec(ModelType(kind), **{name: _as(getattr(default, name), v) for name, v in found.items()})  # type: ignore[arg-type]  # fmt: skip

    # --- the wire format ----------------------------------------------------------------------------------------

    def values(self, table: Mapping[int, Field], at: int, end: int) -> Iterator[tuple[Field, Value, int]]:
        """The fields of a message that stand in the table: field, value, offset of the value."""
        while at < end:
            number, wire, start, at = self.field(at, end)
            field = self.known(table, number, wire, start)
            if field is None:
                continue
            if wire == Wire.VARINT:
                yield field, self.varint(start, end)[0], start
            elif wire == Wire.BYTES:
                yield field, self.data[start:at], start
            else:
                yield field, int.from_bytes(self.data[start:at], "little"), start

    def field(self, at: int, end: int) -> tuple[int, int, int, int]:
        """The field at `at`: number, wire type, offset of its value (without its length), offset behind it."""
        self.fields += 1
        if self.fields > MAX_FIELDS:
            raise self.error(f"more than {MAX_FIELDS} fields, and no model has as many", at)
        tag, start = self.varint(at, end)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise self.error(f"a field with the number {number}", at)
        if wire == Wire.VARINT:
            return number, wire, start, self.varint(start, end)[1]
        if wire == Wire.BYTES:
            length, start = self.varint(start, end)
        elif wire in (Wire.FIXED32, Wire.FIXED64):
            length = 4 if wire == Wire.FIXED32 else 8
        else:
            raise self.error(f"field {number} has the wire type {wire}, which this format does not use", at)
        if length > end - start:
            raise self.error(f"field {number} is to have {length} bytes, and {end - start} are left", at)
        return number, wire, start, start + length

    def known(self, table: Mapping[int, Field], number: int, wire: int, at: int) -> Field | None:
        """The field of that number, None where it is not read."""
        field = table.get(number)
        if field is not None and field.wire != wire:
            wanted = f"wire type {wire}, and {field.name} is written with {int(field.wire)}"
            raise self.error(f"field {number} has {wanted}", at)
        return field

    def varint(self, at: int, end: int) -> tuple[int, int]:
        """A number of 7 bits a byte, lowest first, and the offset behind it."""
        value = 0
        for place in range(10):
            if at + place >= end:
                raise self.error("the file ends within a number" if end == len(self.data) else "a number is cut", at)
            byte = self.data[at + place]
            value |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return value & (1 << 64) - 1, at + place + 1
        raise self.error("a number of more than 10 bytes", at)

    def error(self, why: str, at: int, advice: str = _DAMAGED) -> InputError:
        return InputError(f"{self.name}: byte offset {at}: {why}; {advice}")


_FLOAT = struct.Struct("<f")
_TRAINER_USED = frozenset(each.name for each in fields(TrainerSpec))
_NORMALIZER_USED = frozenset(each.name for each in fields(NormalizerSpec))


def as_text(wire: Wire, value: Value) -> str:
    """A value for people: bytes as text, numbers with their sign.

    >>> as_text(Wire.VARINT, (1 << 64) - 1), as_text(Wire.FIXED32, 0x3F7FEF9E), as_text(Wire.BYTES, b"a\\xff")
    ('-1', '0.99975', 'a\\\\xff')
    """
    if isinstance(value, bytes):
        return value[:MAX_TEXT].decode("utf-8", "backslashreplace")
    if wire == Wire.FIXED32:
        return f"{_FLOAT.unpack(value.to_bytes(4, 'little'))[0]:g}"
    return str(value - (1 << 64) if value >> 63 else value)


def spec(values: Mapping[str, Value]) -> NormalizerSpec:
    """The message from its fields."""
    default = NormalizerSpec()
    return NormalizerSpec(**{name: _as(getattr(default, name), value) for name, value in values.items()})  # type: ignore[arg-type]  # fmt: skip


def _as(default: object, value: Value) -> bool | Value:
    """The value in the type of its default."""
    return bool(value) if isinstance(default, bool) else value


def _printable(name: str) -> str:
    """The name as it can stand in a message of one line."""
    return name if name.isprintable() else ascii(name)

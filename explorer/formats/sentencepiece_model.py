"""SentencePiece models (`.model`): a protocol buffer with pieces, trainer settings and normalizer settings.

Follows `sentencepiece_model.proto`, read with `protobuf`. The tables below name the fields that are read; others are
skipped. Settings that do not affect encoding (most of the trainer's, self-test samples) are kept by name, for display.

`training/trainers.py` writes such files by the same tables.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from explorer.errors import InputError
from explorer.formats.files import check_size, on_one_line, regular_size
from explorer.formats.protobuf import FLOAT, Reader, Value, as_text, fields_of
from explorer.vocabulary import MOST_PIECES, PieceKind, Vocabulary

MAX_FILE = 1 << 26
"""Bytes of a file. The largest known models have 20 million."""

MAX_PIECES = MOST_PIECES

MAX_UNUSED = 1_000
"""How many fields that do not affect encoding are kept."""

# Fields of sentencepiece_model.proto, message by message: wire type, name and number.
MODEL = fields_of("""
    bytes pieces = 1; bytes trainer_spec = 2; bytes normalizer_spec = 3; bytes self_test_data = 4;
    bytes denormalizer_spec = 5;
""")
PIECE = fields_of("""
    bytes piece = 1; fixed32 score = 2; varint type = 3;
""")
TRAINER = fields_of("""
    bytes input = 1; bytes model_prefix = 2; varint model_type = 3; varint vocab_size = 4; bytes accept_language = 5;
    varint self_test_sample_size = 6; bytes input_format = 7; fixed32 character_coverage = 10;
    varint input_sentence_size = 11; varint mining_sentence_size = 12; varint training_sentence_size = 13;
    varint seed_sentencepiece_size = 14; fixed32 shrinking_factor = 15; varint num_threads = 16;
    varint num_sub_iterations = 17; varint max_sentence_length = 18; varint shuffle_input_sentence = 19;
    varint max_sentencepiece_length = 20; varint split_by_unicode_script = 21; varint split_by_whitespace = 22;
    varint split_by_number = 23; varint treat_whitespace_as_suffix = 24; varint split_digits = 25;
    varint allow_whitespace_only_pieces = 26; bytes control_symbols = 30; bytes user_defined_symbols = 31;
    varint vocabulary_output_piece_score = 32; varint hard_vocab_limit = 33; varint use_all_vocab = 34;
    varint byte_fallback = 35; bytes required_chars = 36; varint unk_id = 40; varint bos_id = 41; varint eos_id = 42;
    varint pad_id = 43; bytes unk_surface = 44; bytes unk_piece = 45; bytes bos_piece = 46; bytes eos_piece = 47;
    bytes pad_piece = 48; varint train_extremely_large_corpus = 49; varint enable_differential_privacy = 50;
    fixed32 differential_privacy_noise_level = 51; varint differential_privacy_clipping_threshold = 52;
    bytes pretokenization_delimiter = 53; bytes seed_sentencepieces_file = 54; varint auto_character_coverage = 55;
""")
NORMALIZER = fields_of("""
    bytes name = 1; bytes precompiled_charsmap = 2; varint add_dummy_prefix = 3; varint remove_extra_whitespaces = 4;
    varint escape_whitespaces = 5; bytes normalization_rule_tsv = 6;
""")


class ModelType(IntEnum):
    """`TrainerSpec.ModelType`."""

    UNIGRAM = 1
    BPE = 2
    WORD = 3
    CHAR = 4


class TrainerSpec(NamedTuple):
    """The trainer settings that affect encoding; the defaults are those of the .proto."""

    model_type: ModelType = ModelType.UNIGRAM
    treat_whitespace_as_suffix: bool = False
    byte_fallback: bool = False
    unk_surface: bytes = " ⁇ ".encode()
    unk_piece: bytes = b"<unk>"
    bos_piece: bytes = b"<s>"
    eos_piece: bytes = b"</s>"


class NormalizerSpec(NamedTuple):
    """How text is normalized; an empty character map is the identity."""

    name: bytes = b""
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


class Setting(NamedTuple):
    """A field that does not affect encoding: its path in the file, such as `trainer_spec.vocab_size`, and its value."""

    path: str
    value: str


class SentencePieceModel(NamedTuple):
    """A model file. pieces, scores and kinds: one entry per id. unused: the other settings, in the file's order.

    vocabulary: of these pieces, where it was checked before.
    """

    pieces: list[bytes]
    scores: array[float]
    kinds: bytes
    trainer: TrainerSpec
    normalizer: NormalizerSpec
    denormalizer: NormalizerSpec
    unused: tuple[Setting, ...]
    vocabulary: Vocabulary | None = None


def looks_like_model(head: bytes) -> bool:
    """Whether a file with these first bytes may be a SentencePiece model: field 1 (pieces) with field 1 (piece) in it.

    >>> looks_like_model(b"\\n\\x0e\\n\\x05<unk>\\x15"), looks_like_model(b"GGUF"), looks_like_model(b"\\n\\nabc")
    (True, False, False)
    """
    at = 1
    while at < 5 and at < len(head) and head[at] & 0x80:
        at += 1
    if head[:1] != b"\n" or head[at + 1 : at + 2] != b"\n":
        return False
    # a piece takes at least three bytes and lies within its entry, unlike a line feed among others; a length of more
    # than one byte is large enough
    return at > 1 or (head[at] > 2 and b"" < head[at + 2 : at + 3] <= bytes([head[at] - 2]))


def read(source: Path | bytes, name: str = "") -> SentencePieceModel:
    """Reads a model file, or the bytes of one.

    name: what errors call the file; its path by default. Raises InputError, naming the file and the byte offset, if it
    cannot be opened, is not a model, ends too early or breaks a rule of the format.

    >>> model = read(Path("vocabs/mistral-v1.model"))
    >>> len(model.pieces), model.pieces[1], model.trainer.model_type.name, model.normalizer.name
    (32000, b'<s>', 'BPE', b'identity')
    """
    if isinstance(source, bytes):
        return _ModelReader(source, on_one_line(name or "these bytes")).model()
    name = on_one_line(name or os.fspath(source))
    check_size(regular_size(source, name, "the .model file"), MAX_FILE, name)
    try:
        data = Path(source).read_bytes()
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); check its permissions") from None
    return _ModelReader(data, name).model()


class _ModelReader(Reader):
    """Reads one model file, field by field."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data, name)
        self.pieces: list[bytes] = []
        self.scores: array[float] = array("f")
        self.kinds = bytearray()
        self.specs: dict[str, dict[str, Value]] = {"trainer_spec": {}, "normalizer_spec": {}, "denormalizer_spec": {}}
        self.unused: list[Setting] = []

    def model(self) -> SentencePieceModel:
        """The whole file."""
        if not self.data:
            raise InputError(f"{self.name}: the file is empty; fetch it again")
        check_size(len(self.data), MAX_FILE, self.name)
        at = 0
        while at < len(self.data):
            at = self.ordinary_piece(at) or self.top_field(at)
        if not self.pieces:
            raise self.error("this file has no pieces", 0, "give the .model file of a SentencePiece model")
        trainer, normalizer, denormalizer = self.specs.values()
        return SentencePieceModel(
            self.pieces,
            self.scores,
            bytes(self.kinds),
            self.trainer(trainer),
            normalizer_spec(normalizer),
            normalizer_spec(denormalizer),
            tuple(self.unused),
        )

    def ordinary_piece(self, at: int) -> int:
        """Reads a piece in the layout that every writer uses, and gives the offset after it; 0 for any other layout.

        The file's long loop: three times as fast as `top_field`, which reads the rest.
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
            kind = tail[6]  # type: ignore[assignment]  # a plain number is enough
        if len(self.pieces) >= MAX_PIECES:
            return 0
        self.pieces.append(self.data[at + 4 : text_end])
        self.scores.append(FLOAT.unpack_from(tail, 1)[0])
        self.kinds.append(kind)
        return end

    def top_field(self, at: int) -> int:
        """Reads any field of the model at offset `at`, and gives the offset after it."""
        number, wire, start, end = self.field(at, len(self.data))
        field = self.known(MODEL, number, wire, start)
        if field is None:
            return end
        if field.name == "pieces":
            self.piece(start, end)
        elif field.name == "self_test_data":
            self.keep(field.name, f"{end - start} bytes")
        else:
            self.spec(field.name, start, end)
        return end

    def spec(self, message: str, start: int, end: int) -> None:
        """Reads a message of settings. If it occurs twice, the later fields win."""
        of_trainer = message == "trainer_spec"
        used = _TRAINER_USED if of_trainer else _NORMALIZER_USED
        for field, value, _ in self.values(TRAINER if of_trainer else NORMALIZER, start, end):
            if field.name in used:
                self.specs[message][field.name] = value
            else:
                self.keep(f"{message}.{field.name}", as_text(field.wire, value))

    def keep(self, path: str, value: str) -> None:
        """Keeps a field that does not affect encoding, up to a limit."""
        if len(self.unused) < MAX_UNUSED:
            self.unused.append(Setting(path, value))

    def piece(self, start: int, end: int) -> None:
        """Reads the piece message [start, end)."""
        if len(self.pieces) >= MAX_PIECES:
            raise self.error(f"more than {MAX_PIECES} pieces; no vocabulary is that large", start)
        piece, score, kind = b"", 0.0, int(PieceKind.NORMAL)
        for field, value, at in self.values(PIECE, start, end):
            if field.name == "piece":
                assert isinstance(value, bytes)
                piece = value
            elif field.name == "score":
                assert isinstance(value, int)
                score = FLOAT.unpack(value.to_bytes(4, "little"))[0]
            else:
                assert isinstance(value, int)
                kind = value
                if not PieceKind.NORMAL <= kind <= PieceKind.BYTE:
                    raise self.error(f"token {len(self.pieces)} has type {kind}, but the types are 1 to 6", at)
        if not piece:
            raise self.error(f"token {len(self.pieces)} is an empty piece, which no text can become", start)
        self.pieces.append(piece)
        self.scores.append(score)
        self.kinds.append(kind)

    def trainer(self, values: Mapping[str, Value]) -> TrainerSpec:
        """The trainer settings from their fields."""
        settings: dict[str, Value] = dict(values)
        kind = settings.pop("model_type", int(ModelType.UNIGRAM))
        if kind not in list(ModelType):
            raise self.error(f"model_type is {kind!r}, but the types are 1 to 4", 0)
        for name in ("unk_piece", "bos_piece", "eos_piece"):
            if not settings.get(name):  # an empty name means the default
                settings.pop(name, None)
        default = TrainerSpec()
        return TrainerSpec(ModelType(kind), **{name: _as(getattr(default, name), v) for name, v in settings.items()})  # type: ignore[arg-type]


_TRAINER_USED = frozenset(TrainerSpec._fields)
_NORMALIZER_USED = frozenset(NormalizerSpec._fields)


def normalizer_spec(values: Mapping[str, Value]) -> NormalizerSpec:
    """The normalizer settings from their fields."""
    default = NormalizerSpec()
    return NormalizerSpec(**{name: _as(getattr(default, name), value) for name, value in values.items()})  # type: ignore[arg-type]


def _as(default: object, value: Value) -> bool | Value:
    """The value in the type of its default."""
    return bool(value) if isinstance(default, bool) else value

"""Edits of a SentencePiece model (`.model`).

The content keeps every field of the file as its bytes, pieces apart, so what no edit touches is written as it was. A
removed piece with `keep_ids` becomes UNUSED, which is how sentencepiece itself takes a piece out of use.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.editing.edits import (
    AddPieces,
    Editor,
    Remove,
    SetFlag,
    SetNormalizer,
    Step,
    check_new,
    closed_up,
    moved,
    quoted,
    scored,
)
from explorer.errors import InputError
from explorer.formats import sentencepiece_model as proto
from explorer.formats.protobuf import Field, Reader, message, varint
from explorer.text.say import Text
from explorer.vocabulary import SPACE_MARK, PieceKind

PIECES, TRAINER, NORMALIZER = 1, 2, 3
"""Numbers of the fields of a model."""

FLAGS = {
    "byte_fallback": TRAINER,
    "treat_whitespace_as_suffix": TRAINER,
    "add_dummy_prefix": NORMALIZER,
    "remove_extra_whitespaces": NORMALIZER,
    "escape_whitespaces": NORMALIZER,
}
"""Flags and the message they are in."""


class Piece(NamedTuple):
    """A piece with its score and its kind. data: the message in the file, empty once it is changed."""

    text: str
    score: float
    kind: int
    data: bytes = b""

    def message(self) -> bytes:
        """The piece in the file."""
        return self.data or message(proto.PIECE, {"piece": self.text, "score": self.score, "type": self.kind})


class Model(NamedTuple):
    """The content: the pieces, and the other fields of the file as their number and bytes."""

    pieces: tuple[Piece, ...]
    fields: tuple[tuple[int, bytes], ...]
    is_unigram: bool
    special: frozenset[str]
    """pieces that the trainer's settings name"""

    @property
    def ids(self) -> dict[str, int]:
        return {piece.text: id for id, piece in enumerate(self.pieces)}


def read(data: bytes, name: str) -> Model:
    """The content of a file. Raises InputError."""
    checked = proto.read(data, name)
    pieces: list[Piece] = []
    others: list[tuple[int, bytes]] = []
    for number, whole, inside in fields_of(data, name):
        if number == PIECES:
            id = len(pieces)
            text = checked.pieces[id].decode("utf-8", "surrogateescape")
            pieces.append(Piece(text, checked.scores[id], checked.kinds[id], inside))
        else:
            others.append((number, whole))
    trainer = checked.trainer
    special = frozenset(
        each.decode("utf-8", "replace") for each in (trainer.unk_piece, trainer.bos_piece, trainer.eos_piece)
    )
    return Model(tuple(pieces), tuple(others), trainer.model_type == proto.ModelType.UNIGRAM, special)


def fields_of(data: bytes, name: str) -> Iterator[tuple[int, bytes, bytes]]:
    """The fields of a message: number, the whole field, the value without its length."""
    reader, at = Reader(data, name), 0
    while at < len(data):
        number, _, start, end = reader.field(at, len(data))
        yield number, data[at:end], data[start:end]
        at = end


def write(model: Model) -> bytes:
    """The file: the pieces first, then the other fields, as sentencepiece writes them."""
    pieces = b"".join(lengthy(PIECES, piece.message()) for piece in model.pieces)
    return pieces + b"".join(whole for _, whole in model.fields)


def lengthy(number: int, data: bytes) -> bytes:
    """A field with a length."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def with_settings(model: Model, number: int, values: Mapping[str, int | str | bytes | None]) -> Model:
    """The model with other values in one of its messages of settings."""
    table: Mapping[int, Field] = proto.TRAINER if number == TRAINER else proto.NORMALIZER
    known = {field.name: key for key, field in table.items()}
    replaced = {known[name] for name in values}
    old = next((whole for key, whole in model.fields if key == number), b"")
    inside = next((data for _, _, data in fields_of(old, "settings")), b"")
    kept = b"".join(whole for key, whole, _ in fields_of(inside, "settings") if key not in replaced)
    new = lengthy(number, kept + message(table, {name: value for name, value in values.items() if value is not None}))
    fields = [(key, new if key == number else whole) for key, whole in model.fields]
    return model._replace(fields=tuple(fields if old else [*fields, (number, new)]))


def with_pieces(model: Model, pieces: Sequence[Piece]) -> Model:
    """The model with other pieces. vocab_size follows; it does not affect encoding."""
    return with_settings(model, TRAINER, {"vocab_size": len(pieces)})._replace(pieces=tuple(pieces))


def add_pieces(model: Model, edit: AddPieces) -> Step:
    """Adds pieces at the end: user-defined ones, or ones with a score."""
    ids = model.ids
    check_new(edit.pieces, ids)
    notes: tuple[str, ...] = ()
    if edit.user_defined:
        new = [Piece(text, 0.0 if edit.score is None else edit.score, PieceKind.USER_DEFINED) for text in edit.pieces]
    else:
        lowest = min((each.score for each in model.pieces if each.kind == PieceKind.NORMAL), default=0.0)
        # the score of BPE is the order of its merges, that of Unigram a logarithm
        step = 0.0 if model.is_unigram or edit.score is not None else 1.0
        score = edit.score if edit.score is not None else lowest - step
        new = [Piece(text, score - step * at, PieceKind.NORMAL) for at, text in enumerate(edit.pieces)]
        if edit.score is None:
            notes = scored(edit.pieces[0], score)
        if any(SPACE_MARK not in text and " " in text for text in edit.pieces):
            notes += (Text("This vocabulary writes ▁ for a space; a piece with a space matches no text."),)
    return Step(with_pieces(model, [*model.pieces, *new]), notes)


def remove(model: Model, edit: Remove) -> Step:
    """Removes pieces, or makes them UNUSED."""
    pieces = {id: piece.text for id, piece in enumerate(model.pieces)}
    gone = set(edit.chosen(pieces, lambda text: (text, text.replace(" ", SPACE_MARK))))
    for id in sorted(gone):
        piece = model.pieces[id]
        if piece.kind in (PieceKind.UNKNOWN, PieceKind.CONTROL) or piece.text in model.special:
            kind = PieceKind(piece.kind).name.lower()
            raise InputError(f"{quoted(piece.text)} is a {kind} piece that the model needs; leave it in")
        if piece.kind == PieceKind.BYTE:
            raise InputError(f"{quoted(piece.text)} is a byte, and byte fallback needs all 256; leave it in")
    if edit.keep_ids:
        left = [
            Piece(each.text, each.score, PieceKind.UNUSED) if id in gone else each
            for id, each in enumerate(model.pieces)
        ]
        return Step(model._replace(pieces=tuple(left)), (Text("They become UNUSED: text no longer gives them."),))
    left = [each for id, each in enumerate(model.pieces) if id not in gone]
    return Step(with_pieces(model, left), moved(closed_up([*range(len(model.pieces))], gone)))


def set_flag(model: Model, edit: SetFlag) -> Step:
    """Switches a setting of the model."""
    if edit.token or edit.flag not in FLAGS:
        what = "a piece has no flags" if edit.token else f"a SentencePiece model has no flag {quoted(edit.flag)}"
        raise InputError(f"{what}; the model has {', '.join(FLAGS)}")
    if edit.flag == "byte_fallback" and edit.value:
        bytes_there = sum(each.kind == PieceKind.BYTE for each in model.pieces)
        if bytes_there != 256:
            raise InputError(
                f"byte fallback needs the 256 pieces <0x00> to <0xFF>, and {bytes_there} are there; train "
                "the model with byte_fallback"
            )
    return Step(with_settings(model, FLAGS[edit.flag], {edit.flag: int(edit.value)}))


def set_normalizer(model: Model, edit: SetNormalizer) -> Step:
    """Takes the map of characters away."""
    if edit.normalizer not in ("identity", "none"):
        raise InputError(
            f"{quoted(edit.normalizer)}: a model holds its normalizer as a compiled map, which is not "
            "made here; set identity, or train with --normalizer-of"
        )
    values = {"name": "identity", "precompiled_charsmap": None, "normalization_rule_tsv": None}
    return Step(with_settings(model, NORMALIZER, values))


EDITOR = Editor(
    read,
    write,
    {AddPieces: add_pieces, Remove: remove, SetFlag: set_flag, SetNormalizer: set_normalizer},
    lambda text, special: AddPieces((text,), user_defined=True),
    ".model",
)
"""What can be done to a SentencePiece model."""

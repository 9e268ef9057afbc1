"""SentencePiece models as sentencepiece runs them: BPE and Unigram.

The checks of `ModelInterface::InitializePieces`, the stages of `SentencePieceProcessor::Encode` and what
`PopulateSentencePieceText` does to unknown characters: bytes where the model has byte fallback, else one unknown token
for a run of them. sentencepiece never takes the spelling of a control piece in the text for that piece, so there is no
partition and `parse_special` changes nothing. `add_special` adds BOS and EOS (`add_bos` and `add_eos` there).

Follows version 0.2.3. Left out: the model types WORD and CHAR, denormalization, sampling; and that 0.2.3 takes the
score -0 for less than 0 when it merges.
"""

from __future__ import annotations

from explorer.engine.charsmap import CharsmapNormalization, PrecompiledCharsmap, UserDefined, Whitespace
from explorer.engine.decode_sentencepiece import SentencePieceDecoder
from explorer.engine.postprocess import AddSpecial
from explorer.engine.spm import Spm
from explorer.engine.tokenizer import Part, Tokenizer
from explorer.engine.unigram import PIECES, Unigram, sentencepiece_rules
from explorer.engine.user_defined import UserDefinedSplit
from explorer.errors import InputError
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel
from explorer.vocabulary import PieceKind, Vocabulary

IMPLEMENTATION = "sentencepiece"

MAX_PIECE = 8_000
"""Bytes from which on sentencepiece refuses a piece."""


def from_model(model: SentencePieceModel, name: str) -> Tokenizer:
    """The tokenizer of a model file. Raises InputError where sentencepiece itself would refuse the model.

    name: what the tokenizer is called in errors and on the pages.
    """
    trainer, spec = model.trainer, model.normalizer
    if trainer.model_type not in (ModelType.BPE, ModelType.UNIGRAM):
        raise InputError(
            f"{name}: this is a {trainer.model_type.name} model; this version runs: BPE, UNIGRAM. Choose such a file"
        )
    if model.denormalizer.precompiled_charsmap:
        raise InputError(f"{name}: this model has a denormalizer, which this version does not run; choose another file")
    vocabulary, unknown = checked(model, name)
    symbols = {
        piece.decode("utf-8", "surrogateescape"): id
        for id, piece in enumerate(vocabulary.pieces)
        if vocabulary.kinds[id] == PieceKind.USER_DEFINED
    }
    charsmap = PrecompiledCharsmap(spec.precompiled_charsmap, name) if spec.precompiled_charsmap else None
    whitespace = Whitespace(
        spec.add_dummy_prefix,
        spec.remove_extra_whitespaces,
        spec.escape_whitespaces,
        trainer.treat_whitespace_as_suffix,
    )
    parts: list[Part] = [CharsmapNormalization(charsmap, whitespace, UserDefined(symbols))]
    if trainer.model_type == ModelType.UNIGRAM:
        rules = sentencepiece_rules(vocabulary, byte_fallback=trainer.byte_fallback)
        parts.append(Unigram(vocabulary, unknown, rules))
    else:
        if symbols:
            parts.append(UserDefinedSplit(symbols))
        parts.append(
            Spm(vocabulary, unknown, resegment_unused=True, pieces=PIECES, byte_fallback=trainer.byte_fallback)
        )
    first, last = (control(vocabulary, piece) for piece in (trainer.bos_piece, trainer.eos_piece))
    parts.append(AddSpecial(first, last))
    return Tokenizer(
        name=name,
        family="SPM" if trainer.model_type == ModelType.BPE else "Unigram",
        implementation=IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=tuple(parts),
        decoder=SentencePieceDecoder(
            vocabulary,
            trainer.unk_surface,
            strip_space=spec.add_dummy_prefix or spec.remove_extra_whitespaces,
            strip_all=spec.remove_extra_whitespaces,
            first=first,
            last=last,
        ),
    )


def checked(model: SentencePieceModel, name: str) -> tuple[Vocabulary, int | None]:
    """The vocabulary and the id of its unknown piece; with byte fallback it may have none."""
    for id, piece in enumerate(model.pieces):
        if not piece or len(piece) >= MAX_PIECE:
            raise InputError(f"{name}: token {id} has {len(piece)} bytes, 1 to {MAX_PIECE - 1} are allowed; repair it")
        if b"\0" in piece and (piece != b"\0" or model.kinds[id] != PieceKind.UNUSED):
            raise InputError(f"{name}: token {id} contains a NUL, which no piece may; repair the file")
    try:
        vocabulary = Vocabulary.of(model.pieces, model.scores, model.kinds)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    unknown = [id for id, kind in enumerate(model.kinds) if kind == PieceKind.UNKNOWN]
    if len(unknown) > 1 or not (unknown or model.trainer.byte_fallback):
        raise InputError(f"{name}: {len(unknown)} pieces are marked unknown, and there must be one; repair the file")
    found = {vocabulary.byte_of(id) for id, kind in enumerate(model.kinds) if kind == PieceKind.BYTE}
    if None in found:
        raise InputError(f"{name}: a piece marked as a byte is not spelled <0x00> to <0xFF>; repair the file")
    wanted = 256 if model.trainer.byte_fallback else 0
    if len(found) != wanted:
        fallback = "with" if wanted else "without"
        raise InputError(f"{name}: a model {fallback} byte fallback has {wanted} byte pieces, this one {len(found)}")
    return vocabulary, unknown[0] if unknown else None


def control(vocabulary: Vocabulary, piece: bytes) -> int | None:
    """The id of a control piece such as `<s>`; None where the vocabulary has none."""
    id = vocabulary.ids.get(piece)
    return id if id is not None and vocabulary.kinds[id] == PieceKind.CONTROL else None

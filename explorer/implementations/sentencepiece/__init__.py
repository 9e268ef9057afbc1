"""SentencePiece models as sentencepiece runs them: BPE, Unigram, character and word models.

Follows version 0.2.3: the checks of `ModelInterface::InitializePieces`, the stages of `SentencePieceProcessor::Encode`,
and `PopulateSentencePieceText` for unknown characters: bytes if the model has byte fallback, otherwise one unknown
token for a run of them. sentencepiece never reads the spelling of a control piece in the text as that piece, so there
is no partition and `parse_special` has no effect. `add_special` sets `add_bos` and `add_eos` as programs that use such
a model do (module `add_special`).

Two differences are deliberate. The span of a token is the text it was made of; `explorer.offsets` gives the original's
own convention (`implementations/offsets.py`). And all rules of a character map are tried, while sentencepiece stops
after 32 with the same prefix; its trainer makes no such map.

Left out: sampling and n-best.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from math import copysign, isinf
from typing import Any

from explorer.engine.decoders.sentencepiece import DenormalizingDecoder, PieceReader, SentencePieceDecoder
from explorer.engine.models.lookup import CharWord, characters, words
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import PIECES, Unigram, sentencepiece_rules
from explorer.engine.normalizers.charsmap import CharsmapNormalization, PrecompiledCharsmap, Whitespace
from explorer.engine.part import Decoder, Part
from explorer.engine.partition.user_defined import SymbolTree, UserDefinedSplit
from explorer.engine.post_processors.add_special import AddSpecial
from explorer.errors import InputError, errors_of
from explorer.formats.sentencepiece_model import ModelType, NormalizerSpec, SentencePieceModel
from explorer.implementations.opened import Opened
from explorer.implementations.sentencepiece.add_special import added_ends
from explorer.implementations.sentencepiece.facts import facts_of
from explorer.vocabulary import BYTE_PIECE, PieceKind, Vocabulary

IMPLEMENTATION = "sentencepiece"

MAX_PIECE = 8_000
"""The bytes of a piece that sentencepiece refuses for its length."""

FAMILIES = {ModelType.BPE: "SPM", ModelType.UNIGRAM: "Unigram", ModelType.CHAR: "Characters", ModelType.WORD: "Words"}

NUL = b"\0"
BELOW_ZERO = -1e-45
"""The largest 32-bit float below 0."""


def from_model(
    model: SentencePieceModel, name: str, add_special: str | None = None, config: Mapping[str, Any] | None = None
) -> Opened:
    """The tokenizer of a model file. Raises InputError where sentencepiece would refuse the model.

    name: what errors and the pages call the tokenizer. add_special: the user's answer to the choice of that name.
    config: tokenizer_config.json, if it is next to the model.
    """
    trainer, spec = model.trainer, model.normalizer
    vocabulary, unknown = checked(model, name)
    symbols = {
        vocabulary.pieces[id].decode("utf-8", "surrogateescape"): id
        for id, kind in enumerate(vocabulary.kinds)
        if kind == PieceKind.USER_DEFINED
    }
    with errors_of(name):
        search = SymbolTree(symbols)
    ends = tuple(control(vocabulary, piece) for piece in (trainer.bos_piece, trainer.eos_piece))
    added = added_ends(model, ends[0] is not None, add_special, config, name)
    first, last = (id if on else None for id, on in zip(ends, added.switches, strict=True))
    spare = tuple((id, behind) for behind, id in enumerate(ends) if id is not None and id not in (first, last))
    decoder: Decoder = SentencePieceDecoder(vocabulary, piece_reader(model), first, last)
    if model.denormalizer.precompiled_charsmap:
        decoder = DenormalizingDecoder(decoder, normalization(model.denormalizer, f"{name}: denormalizer_spec"))
    return Opened(
        name=name,
        family=FAMILIES[trainer.model_type],
        implementation=IMPLEMENTATION,
        vocabulary=vocabulary,
        parts=(
            normalization(spec, f"{name}: normalizer_spec", trainer.treat_whitespace_as_suffix, search),
            *model_parts(model, vocabulary, unknown, symbols, name),
            AddSpecial(first, last, spare),
        ),
        decoder=decoder,
        facts=facts_of(model, vocabulary, unknown, ends, added),
        choosable=(added.choosable(),),
    )


def piece_reader(model: SentencePieceModel) -> PieceReader:
    """How the model decodes pieces."""
    spec = model.normalizer
    strip = spec.add_dummy_prefix or spec.remove_extra_whitespaces
    return PieceReader(model.trainer.unk_surface, strip, spec.remove_extra_whitespaces)


def normalization(
    spec: NormalizerSpec, name: str, suffix: bool = False, symbols: SymbolTree | None = None
) -> CharsmapNormalization:
    """The stage of a normalizer or denormalizer."""
    return CharsmapNormalization(
        PrecompiledCharsmap(spec.precompiled_charsmap, name) if spec.precompiled_charsmap else None,
        Whitespace(spec.add_dummy_prefix, spec.remove_extra_whitespaces, spec.escape_whitespaces, suffix),
        symbols,
    )


def model_parts(
    model: SentencePieceModel, vocabulary: Vocabulary, unknown: int | None, symbols: dict[str, int], name: str
) -> list[Part]:
    """The model's stage, preceded by the split at user-defined symbols if it needs one."""
    kind, byte_fallback = model.trainer.model_type, model.trainer.byte_fallback
    if kind == ModelType.BPE:
        spm = Spm(vocabulary, unknown, resegment_unused=True, pieces=PIECES, byte_fallback=byte_fallback)
        return [UserDefinedSplit(symbols), spm] if symbols else [spm]
    if kind == ModelType.UNIGRAM:
        if not any(each in PIECES for each in vocabulary.kinds):
            raise InputError(
                f"{name}: no text can become any of the pieces, and a Unigram model needs one it can; repair the file"
            )
        endless = next((id for id, score in enumerate(vocabulary.scores) if isinf(score)), None)
        if endless is not None:
            raise InputError(f"{name}: token {endless} has an infinite score, which sums cannot use; repair the file")
        return [Unigram(vocabulary, unknown, sentencepiece_rules(vocabulary, byte_fallback=byte_fallback))]
    bytes_of = {vocabulary.byte_of(id): id for id, each in enumerate(vocabulary.kinds) if each == PieceKind.BYTE}
    byte_tokens = [bytes_of[byte] for byte in range(256)] if byte_fallback else []
    cut = words if kind == ModelType.WORD else characters(symbols)
    return [CharWord(vocabulary, unknown, cut, byte_tokens)]


# --- the vocabulary ------------------------------------------------------------------------------------------------


def checked(model: SentencePieceModel, name: str) -> tuple[Vocabulary, int | None]:
    """The vocabulary and the id of its unknown piece; with byte fallback it may have none."""
    trainer = model.trainer
    longest = max(model.pieces, key=len)
    if len(longest) >= MAX_PIECE:
        id = model.pieces.index(longest)
        raise InputError(
            f"{name}: token {id} has {len(longest)} bytes, but 1 to {MAX_PIECE - 1} are allowed; repair the file"
        )
    nul = [id for id, piece in enumerate(model.pieces) if NUL in piece]
    kinds = bytearray(model.kinds)
    for id in nul:
        if model.pieces[id] == NUL and trainer.byte_fallback:
            kinds[id] = PieceKind.UNUSED
        if model.pieces[id] != NUL or kinds[id] != PieceKind.UNUSED:
            raise InputError(f"{name}: token {id} contains a NUL, which no piece may; repair the file")
    nan = next((id for id, score in enumerate(model.scores) if score != score), None)
    if nan is not None:
        raise InputError(f"{name}: token {nan} has the score NaN, which cannot be ordered; repair the file")
    unknown = [id for id, kind in enumerate(kinds) if kind == PieceKind.UNKNOWN]
    if len(unknown) > 1 or not (unknown or trainer.byte_fallback):
        raise InputError(f"{name}: {len(unknown)} pieces are marked unknown, but there must be one; repair the file")
    byte_pieces = {model.pieces[id] for id, kind in enumerate(kinds) if kind == PieceKind.BYTE}
    if not all(map(BYTE_PIECE.fullmatch, byte_pieces)):
        raise InputError(f"{name}: a piece marked as a byte is not spelled <0x00> to <0xFF>; repair the file")
    wanted = 256 if trainer.byte_fallback else 0
    if len(byte_pieces) != wanted:
        fallback = "with" if wanted else "without"
        raise InputError(
            f"{name}: a model {fallback} byte fallback must have {wanted} byte pieces, but this one has "
            f"{len(byte_pieces)}; repair the file"
        )
    scores = ordered(model.scores, kinds) if trainer.model_type == ModelType.BPE else model.scores
    vocabulary = Vocabulary(tuple(model.pieces), scores, bytes(kinds), ids_of(model, kinds, nul, name))
    return vocabulary, unknown[0] if unknown else None


def ids_of(model: SentencePieceModel, kinds: bytes | bytearray, nul: Sequence[int], name: str) -> dict[bytes, int]:
    """Piece → id. A text cannot contain a NUL piece, so there may be several of those.

    In all but BPE models a control or unknown piece may have the spelling of a normal piece. It never occurs in a text,
    so the id is the normal one's. (sentencepiece allows this for byte pieces, too; here it is refused.)
    """
    ids = {piece: id for id, piece in enumerate(model.pieces)}
    if nul:
        del ids[NUL]
    if len(ids) + len(nul) == len(kinds):
        return ids
    ids.clear()
    reserved: dict[bytes, int] = {}
    for id, (piece, kind) in enumerate(zip(model.pieces, kinds, strict=True)):
        is_reserved = kind in (PieceKind.CONTROL, PieceKind.UNKNOWN) and model.trainer.model_type != ModelType.BPE
        target = reserved if is_reserved else ids
        if piece != NUL and target.setdefault(piece, id) != id:
            shown = piece[:40].decode("utf-8", "backslashreplace")
            raise InputError(f"{name}: tokens {target[piece]} and {id} are both spelled {shown!r}; repair the file")
    return {**reserved, **ids}


def ordered(scores: array[float], kinds: bytes | bytearray) -> array[float]:
    """Scores as sentencepiece's merge order compares them: −0, which its trainer gives to the first piece, is less than
    0, which people give to the pieces they add."""
    merged = (PieceKind.NORMAL, PieceKind.UNUSED)
    zeros = [id for id, score in enumerate(scores) if not score and kinds[id] in merged]
    negative = [id for id in zeros if copysign(1, scores[id]) < 0]
    if len(negative) in (0, len(zeros)):
        return scores
    scores = array("f", scores)
    for id in negative:
        scores[id] = BELOW_ZERO
    return scores


def control(vocabulary: Vocabulary, piece: bytes) -> int | None:
    """The id of a control piece such as `<s>`; None if the vocabulary has none."""
    return next(
        (
            id
            for id, kind in enumerate(vocabulary.kinds)
            if kind == PieceKind.CONTROL and vocabulary.pieces[id] == piece
        ),
        None,
    )

"""The tokenizer that version 5 makes of a folder without a tokenizer.json.

Follows `TokenizersBackend.convert_to_native_format` and `SentencePieceExtractor`: the class builds its tokenizer with
the vocabulary, whose pieces its `convert_from_spm` may put into another order; a generic class uses the settings of the
SentencePiece model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from explorer.errors import InputError
from explorer.formats.bpe_codes import CODES
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel
from explorer.implementations.transformers import parts, phobert, slow
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments, spelled
from explorer.implementations.transformers.backend import Backend, texts_of
from explorer.implementations.transformers.builders import BPE, WORD_PIECE, Vocabulary
from explorer.implementations.transformers.class_lookup import languages
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.v5_classes import ClassSpecV5, OfFiles
from explorer.vocabulary import SPACE_MARK

WITHOUT_MODEL: Final = ("TokenizersBackend", "CamembertTokenizer", "BarthezTokenizer")
"""Classes that don't say which type of model they have."""

Order: TypeAlias = Callable[[Mapping[str, Any], Any], Any]
"""Arguments, and the pieces as the class's model has them → the same in the class's order."""


def of_files(class_name: str, spec: ClassSpecV5, args: Arguments, files: Slow) -> OfFiles:
    """What makes the tokenizer inside. Changes the arguments according to a SentencePiece model.

    Raises InputError if the class does not read these files: version 5 would then make a tokenizer of special tokens
    only, which nobody wants.
    """
    wanted = spec.file
    if not wanted:
        raise InputError(f"there is no tokenizer.json, and {class_name} is not built from other files here; add one")
    if files.name not in (wanted, "tokenizer.model" if wanted.endswith(".model") else ""):
        raise InputError(
            f"{class_name} of version 5 reads {wanted}, not {files.name}, and would have no vocabulary; add that file"
        )
    model = files.model
    if model is None:
        if spec.model == CODES:
            return lambda args: phobert.built(args, files)
        assert spec.build, "a generic class is built from a SentencePiece model alone"
        return lambda args: spec.built(args, _of_texts(args, spec, files))
    unigram = spec.model not in (BPE, "")
    if class_name in WITHOUT_MODEL:
        unigram = model.trainer.model_type == ModelType.UNIGRAM
        if not unigram and spec.build:
            raise args.refusal("its class has a Unigram model, and the pieces are read as those of a BPE")
    args.values[ADDITIONAL] = list(slow.added(model))
    if unigram:
        args.values["unk_id"] = slow.id_in(model, "unk_id", 0)
    raw = dict(args.values)
    if spec.build:
        return lambda args: spec.built(args, _of_pieces(spec, raw, model, unigram))
    _add_names(args, model)
    return lambda args: _generic(args, model, unigram)


def _of_texts(args: Arguments, spec: ClassSpecV5, files: Slow) -> Vocabulary:
    """The vocabulary of vocab.json or vocab.txt."""
    if spec.model == WORD_PIECE or files.merges is not None:
        return Vocabulary(dict(files.vocab or {}), list(files.merges or []))
    raise args.refusal("there is no merges.txt")


def _of_pieces(spec: ClassSpecV5, raw: Mapping[str, Any], model: SentencePieceModel, unigram: bool) -> Vocabulary:
    """The vocabulary of a SentencePiece model in the form of the class's model. raw: the arguments without defaults."""
    order = getattr(sys.modules[__name__], spec.order) if spec.order else None
    pieces = slow.spelled(model)
    charsmap = slow.charsmap(model)
    if unigram:
        scored = [[piece, score] for piece, score in zip(pieces, model.scores, strict=True)]
        return Vocabulary(order(raw, scored) if order else scored, [], charsmap)
    ids = {piece: id for id, piece in enumerate(pieces)}
    return Vocabulary(order(raw, ids) if order else ids, slow.merges_by_id(ids), charsmap)


# --- the order of pieces -------------------------------------------------------------------------------------------


def _name(raw: Mapping[str, Any], key: str) -> str:
    """A named special token, null as Python writes it."""
    return spelled(raw.get(f"{key}_token", phobert.DEFAULTS[f"{key}_token"]))


def fairseq(first: str, model: str = "") -> Order:
    """The order of fairseq: four special tokens, the model's pieces but three, its languages, the mask.

    first: the name of the first token. model: of the languages, empty for none.
    """

    def order(raw: Mapping[str, Any], scored: list[Any]) -> list[Any]:
        named = [[_name(raw, key), 0.0] for key in (first, "pad", "eos", "unk")]
        codes = [[code, 0.0] for code in languages(model)] if model else []
        return [*named, *scored[3:], *codes, [_name(raw, "mask"), 0.0]]

    return order


def camembert(raw: Mapping[str, Any], scored: list[Any]) -> list[Any]:
    first = [["<s>NOTUSED", 0.0], [_name(raw, "pad"), 0.0], ["</s>NOTUSED", 0.0], [_name(raw, "unk"), 0.0]]
    return [*first, ["<unk>NOTUSED", -100.0], *scored[1:], [_name(raw, "mask"), 0.0]]


def pegasus(raw: Mapping[str, Any], scored: list[Any]) -> list[Any]:
    """Pegasus's order, in which the two masks change their places."""
    offset = raw.get("offset", 103)
    if not isinstance(offset, int):
        return scored
    masks = [spelled(raw.get(key, name)) for key, name in (("mask_token", "<mask_1>"), ("mask_token_sent", "<mask_2>"))]
    named = [_name(raw, "pad"), _name(raw, "eos"), *(mask for mask in dict.fromkeys(masks) if mask != "None")]
    unused = [[f"<unk_{number}>", -100.0] for number in range(2, offset)]
    return [*([name, 0.0] for name in named), *unused, *scored[2:]]


def t5(raw: Mapping[str, Any], scored: list[Any]) -> list[Any]:
    """T5's order: its sentinels last, backwards."""
    count = raw.get("extra_ids", 100)
    numbers = reversed(range(count)) if isinstance(count, int) else ()
    return [*scored, *([f"<extra_id_{number}>", 0.0] for number in numbers)]


def nllb(raw: Mapping[str, Any], ids: Mapping[str, int]) -> dict[str, int]:
    order = dict.fromkeys([*(_name(raw, key) for key in ("bos", "pad", "eos", "unk")), *ids])
    return {piece: id for id, piece in enumerate(order)}


def seamless(raw: Mapping[str, Any], ids: Mapping[str, int]) -> dict[str, int]:
    first = {"<pad>": 0, "<unk>": 1, "<s>": 2, "</s>": 3}
    return {**first, **{piece: number for number, piece in enumerate(ids, 1)}}


xlm_roberta: Final = fairseq("bos")
mbart: Final = fairseq("bos", "mbart")
mbart50: Final = fairseq("cls", "mbart50")


# --- generic classes -----------------------------------------------------------------------------------------------


def _add_names(args: Arguments, model: SentencePieceModel) -> None:
    """Takes special tokens that the folder doesn't name from the model."""
    trainer = model.trainer
    for key, id, name in (
        ("bos_token", 1, trainer.bos_piece), ("eos_token", 2, trainer.eos_piece), ("unk_token", 0, trainer.unk_piece),
    ):  # fmt: skip
        if slow.id_in(model, key.replace("token", "id"), id) >= 0:
            args.values.setdefault(key, name.decode("utf-8", "replace"))


def _generic(args: Arguments, model: SentencePieceModel, unigram: bool) -> Backend:
    """The tokenizer of a class that builds none, from the settings of the SentencePiece model."""
    trainer = model.trainer
    pieces = slow.spelled(model)
    unknown = trainer.unk_piece.decode("utf-8", "replace")
    if unigram:
        if args.decoder:
            raise args.refusal("added_tokens_decoder is not allowed with a unigram SentencePiece model; remove it")
        scored = [[piece, score] for piece, score in zip(pieces, model.scores, strict=True)]
        whole: parts.Part = {
            "type": "Unigram", "unk_id": slow.id_in(model, "unk_id", 0), "vocab": scored,
            "byte_fallback": trainer.byte_fallback,
        }  # fmt: skip
    else:
        ids = {piece: id for id, piece in enumerate(pieces)}
        merges = slow.merges_by_id(ids)
        _rename_pieces(args, ids)
        whole = parts.bpe(ids, merges, unk_token=unknown, fuse_unk=True, byte_fallback=trainer.byte_fallback)
    spaces = parts.sequence("decoders", parts.replace(SPACE_MARK, " "))
    decoder = parts.spaces_of_llama(strip=False) if trainer.byte_fallback else spaces
    normalizer = parts.sequence("normalizers", *slow.precompiled(model), parts.replace(" ", SPACE_MARK))
    return Backend(whole, texts_of(whole), normalizer, None, None, decoder)


def _rename_pieces(args: Arguments, ids: dict[str, int]) -> None:
    """Renames pieces to their spelling in added_tokens_decoder; they move to the end of the vocabulary."""
    names = {id: piece for piece, id in ids.items()}
    for id, token in args.decoder.items():
        piece = names.get(id)
        if piece and piece != token.content and token.content not in ids:
            ids[token.content] = ids.pop(piece)
            names[id] = token.content

"""The tokenizer that version 5 makes of a folder without a tokenizer.json.

Follows `TokenizersBackend.convert_to_native_format` and `SentencePieceExtractor`: the class builds its tokenizer with
the vocabulary; a generic class uses the settings of the SentencePiece model.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from explorer.errors import InputError
from explorer.formats.phobert_files import CODES
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel
from explorer.implementations.transformers import parts, phobert, slow
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments, spelled
from explorer.implementations.transformers.backend import Backend, texts_of
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.v5_builders import BPE, UNIGRAM, WORD_PIECE, Vocabulary
from explorer.implementations.transformers.v5_classes import ClassSpecV5
from explorer.vocabulary import SPACE_MARK

FILES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "TokenizersBackend": "tokenizer.model",
        "LlamaTokenizer": "tokenizer.model",
        "XLMRobertaTokenizer": "sentencepiece.bpe.model",
        "GPT2Tokenizer": "vocab.json",
        "RobertaTokenizer": "vocab.json",
        "GPTNeoXTokenizer": "vocab.json",
        "Qwen2Tokenizer": "vocab.json",
        **dict.fromkeys(
            ("CLIPTokenizer", "WhisperTokenizer", "CodeGenTokenizer", "BlenderbotTokenizer", "DebertaTokenizer",
             "LayoutLMv3Tokenizer"),
            "vocab.json",
        ),
        **dict.fromkeys(
            ("SplinterTokenizer", "FunnelTokenizer", "LayoutLMv2Tokenizer", "MPNetTokenizer"), "vocab.txt"
        ),
        **dict.fromkeys(phobert.NAMES, CODES),
        "BertTokenizer": "vocab.txt",
        "DistilBertTokenizer": "vocab.txt",
    }
)  # fmt: skip
"""Class → the name of its vocabulary file."""


def check(class_name: str, files: Slow) -> None:
    """Raises InputError if a class does not read these files.

    Version 5 would then make a tokenizer of special tokens only, which nobody wants.
    """
    wanted = FILES.get(class_name)
    if wanted is None:
        raise InputError(f"there is no tokenizer.json, and {class_name} is not built from other files here; add one")
    if files.name not in (wanted, "tokenizer.model" if wanted.endswith(".model") else ""):
        raise InputError(
            f"{class_name} of version 5 reads {wanted}, not {files.name}, and would have no vocabulary; add that file"
        )


def converted(args: Arguments, spec: ClassSpecV5, files: Slow) -> Backend:
    """The tokenizer inside. Changes the arguments according to a SentencePiece model."""
    if files.model is not None:
        args.values[ADDITIONAL] = list(slow.added(files.model))
    if spec.model == CODES:
        return phobert.built(args, files)
    if spec.build is None:
        assert files.model is not None, "the class opens nothing else"
        return _generic(args, files.model)
    return spec.build(args, _vocabulary(args, spec, files))


def _vocabulary(args: Arguments, spec: ClassSpecV5, files: Slow) -> Vocabulary:
    """The vocabulary in the form of the class's model."""
    if files.model is None:
        if spec.model == WORD_PIECE or files.merges is not None:
            return Vocabulary(dict(files.vocab or {}), list(files.merges or []))
        raise args.refusal("there is no merges.txt")
    pieces = slow.spelled(files.model)
    if spec.model == BPE:
        ids = {piece: id for id, piece in enumerate(pieces)}
        return Vocabulary(ids, slow.merges_by_id(ids))
    assert spec.model == UNIGRAM, "WordPiece models aren't made from SentencePiece models"
    scored = [[piece, score] for piece, score in zip(pieces, files.model.scores, strict=True)]
    named = [[spelled(args.values.get(f"{key}_token")), 0.0] for key in ("bos", "pad", "eos", "unk", "mask")]
    vocab = [*named[:4], *scored[3:], named[4]]
    charsmap = files.model.normalizer.precompiled_charsmap
    return Vocabulary(vocab, [], b64encode(charsmap).decode() if charsmap else None)


def _generic(args: Arguments, model: SentencePieceModel) -> Backend:
    """The tokenizer of a class that builds none, from the settings of the SentencePiece model."""
    trainer = model.trainer
    pieces = slow.spelled(model)
    unknown = trainer.unk_piece.decode("utf-8", "replace")
    if trainer.model_type == ModelType.UNIGRAM:
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
    charsmap = model.normalizer.precompiled_charsmap
    before: list[parts.Part] = (
        [{"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap).decode()}] if charsmap else []
    )
    spaces = parts.sequence("decoders", parts.replace(SPACE_MARK, " "))
    decoder = parts.spaces_of_llama(strip=False) if trainer.byte_fallback else spaces
    for key, id, name in (
        ("bos_token", 1, trainer.bos_piece),
        ("eos_token", 2, trainer.eos_piece),
        ("unk_token", 0, trainer.unk_piece),
    ):
        if slow.id_in(model, key.replace("token", "id"), id) >= 0:
            args.values.setdefault(key, name.decode("utf-8", "replace"))
    normalizer = parts.sequence("normalizers", *before, parts.replace(" ", SPACE_MARK))
    return Backend(whole, texts_of(whole), normalizer, None, None, decoder)


def _rename_pieces(args: Arguments, ids: dict[str, int]) -> None:
    """Renames pieces to their spelling in added_tokens_decoder; they move to the end of the vocabulary."""
    names = {id: piece for piece, id in ids.items()}
    for id, token in args.decoder.items():
        piece = names.get(id)
        if piece and piece != token.content and token.content not in ids:
            ids[token.content] = ids.pop(piece)
            names[id] = token.content

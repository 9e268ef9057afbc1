"""BPE models of tokenizer.json files, as Hugging Face's `models/bpe` runs them.

Byte-level ones (GPT-2, Llama 3, Qwen 2) and those that SentencePiece trained and that are written as merges, with byte
fallback and `fuse_unk` (Yi, and Llama's own tokenizer.json).
"""

from __future__ import annotations

from explorer.engine.bpe import Bpe, KnownCharacters, MergeList
from explorer.engine.decode_pieces import PieceDecoder, byte_level, raw, sentencepiece
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats.tokenizer_json import Json, TokenizerJson, vocabulary_ids
from explorer.implementations.huggingface.parts import first_parts, post_processor
from explorer.vocabulary import BYTE_PIECE, PieceKind, Vocabulary


def bpe_tokenizer(file: TokenizerJson, name: str) -> Tokenizer:
    """The tokenizer of such a file. Raises InputError where a setting is not known here or the file is damaged."""
    model = file.model
    for key in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(key):
            raise InputError(f"{name}: model.{key} is {model[key]!r}, which this version does not run")
    merges = model.get("merges")
    if not isinstance(merges, list):
        raise InputError(f"{name}: model.merges is no list; the file is damaged")
    texts = vocabulary_ids(model, name)
    vocabulary = vocabulary_of(file, texts, name)
    ids = dict(vocabulary.ids)
    for token in file.added_tokens:
        if token.content not in texts:
            ids.pop(token.content.encode(), None)
    unknown = model.get("unk_token")
    post = post_processor(file, name)
    return Tokenizer(
        name=name,
        family="BPE",
        implementation="huggingface",
        vocabulary=vocabulary,
        parts=(
            *first_parts(file, name),
            Bpe(
                vocabulary,
                MergeList(merges, last_wins=True, needed=ids),
                KnownCharacters(
                    ids,
                    unknown=unknown.encode() if isinstance(unknown, str) else None,
                    fuse=bool(model.get("fuse_unk")),
                    byte_fallback=bool(model.get("byte_fallback")),
                ),
                whole=bool(model.get("ignore_merges")),
                ids=ids,
            ),
            post,
        ),
        decoder=decoder(file, vocabulary, post.first, post.last, name),
    )


def vocabulary_of(file: TokenizerJson, texts: dict[str, int], name: str) -> Vocabulary:
    """All pieces by id, those of the model and the added ones. An id that is none has an empty, unused piece."""
    added = {token.id: token for token in file.added_tokens}
    size = max([*texts.values(), *added], default=-1) + 1
    if size > 2 * (len(texts) + len(added)) + 1000:
        raise InputError(f"{name}: {len(texts) + len(added)} pieces, but ids up to {size - 1}; the file is damaged")
    pieces = [b""] * size
    for text, id in texts.items():
        if pieces[id]:
            raise InputError(f"{name}: two pieces have the id {id}: {text!r} is the second; repair the file")
        try:
            pieces[id] = text.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{name}: the piece with id {id} holds half of a surrogate pair; repair the file"
            ) from None
    kinds = bytearray([PieceKind.NORMAL]) * size
    for id, token in added.items():
        pieces[id] = token.content.encode()
        kinds[id] = PieceKind.CONTROL if token.special else PieceKind.USER_DEFINED
    unknown = file.model.get("unk_token")
    if isinstance(unknown, str) and unknown in texts:
        kinds[texts[unknown]] = PieceKind.UNKNOWN
    if file.model.get("byte_fallback"):
        for byte in range(256):
            id = texts.get(f"<0x{byte:02X}>", -1)
            if id >= 0 and BYTE_PIECE.fullmatch(pieces[id]):
                kinds[id] = PieceKind.BYTE
    ids = {piece: id for id, piece in enumerate(pieces)}
    if ids.pop(b"", None) is not None:
        for id, piece in enumerate(pieces):
            if not piece:
                kinds[id] = PieceKind.UNDEFINED
    elif len(ids) != size:
        raise InputError(f"{name}: {size - len(ids)} pieces stand in it under two ids; repair the file")
    return Vocabulary(tuple(pieces), (), bytes(kinds), ids)


def decoder(
    file: TokenizerJson, vocabulary: Vocabulary, first: int | None, last: int | None, name: str
) -> PieceDecoder:
    """The decoder a file describes. The parts are told apart by what they do to a piece."""
    special = frozenset(token.id for token in file.added_tokens if token.special)
    kinds = [part.get("type") for part in flat(file.decoder, name)]
    around = {"special": special, "first": first, "last": last}
    if not kinds:
        # Hugging Face then puts a space between tokens; what the pieces are is more to the point
        return PieceDecoder(vocabulary, raw, **around)  # type: ignore[arg-type]  # the keywords are of mixed types
    if kinds == ["ByteLevel"]:
        return PieceDecoder(vocabulary, byte_level, **around)  # type: ignore[arg-type]
    if kinds in (["Replace", "ByteFallback", "Fuse"], ["Replace", "ByteFallback", "Fuse", "Strip"]):
        return PieceDecoder(
            vocabulary, sentencepiece, strip_space="Strip" in kinds, replace_faulty=True, **around  # type: ignore[arg-type]
        )  # fmt: skip
    raise InputError(
        f"{name}: the decoder {' + '.join(map(str, kinds))} is not known here; this version runs ByteLevel, and "
        "Replace + ByteFallback + Fuse (+ Strip)"
    )


def flat(part: Json | None, name: str) -> list[Json]:
    """A decoder's parts in order."""
    if part is None:
        return []
    if part.get("type") != "Sequence":
        return [part]
    inner = part.get("decoders")
    if not isinstance(inner, list) or not all(isinstance(each, dict) for each in inner):
        raise InputError(f"{name}: the decoder Sequence holds no list of parts; the file is damaged")
    return [each for part in inner for each in flat(part, name)]

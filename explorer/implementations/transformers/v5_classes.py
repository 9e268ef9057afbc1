"""The supported classes of `transformers` 5: their defaults, the tokenizer each builds, and what it does last.

Most classes of version 5 build their parts themselves. From a tokenizer.json they use the vocabulary and merges, the
post-processor and the added tokens; they ignore its normalizer, pre-tokenizer and decoder.

`build` makes the tokenizer of a class from its arguments and a tokenizer.json.

Follows `TokenizersBackend.convert_to_native_format` and `TokenizersBackend.__init__`: the file unchanged, or the parts
that the class builds; then tokens of `added_tokens_decoder` with other flags; then the special tokens; then a template
with BOS and EOS if there is no post-processor.

For a folder without a tokenizer.json: `SentencePieceExtractor`. The class builds its tokenizer with the vocabulary,
whose pieces its `convert_from_spm` may put into another order; a generic class uses the settings of the SentencePiece
model.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from explorer.errors import InputError, shown
from explorer.formats.bpe_codes import CODES
from explorer.formats.files import TOKENIZER_CONFIG
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.transformers import parts, slow, templates
from explorer.implementations.transformers import two_files as two_files
from explorer.implementations.transformers.arguments import (
    ADDITIONAL,
    EXTRA,
    Arguments,
    Backend,
    Row,
    Token,
    all_tokens,
    call,
    languages,
    named_tokens,
    rows,
    spelled,
    text,
    unnamed_tokens,
)
from explorer.implementations.transformers.builders import BPE, UNIGRAM, WORD_PIECE, Vocabulary, around, built
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.templates import update_template
from explorer.implementations.transformers.v4_classes import checked_offset
from explorer.implementations.transformers.v4_classes import madeup_words as madeup_words
from explorer.implementations.transformers.v4_classes import sentinels as sentinels
from explorer.tables import Json


class Enclosed(Struct, frozen=True, kw_only=True):
    """A template with named special tokens. first: how many are before the text. without: as in `with_ids`."""

    keys: tuple[str, ...]
    first: int = 1
    listed: bool = False
    without: dict[str, int] = {}

    def set(self, args: Arguments, backend: Backend) -> None:
        for key in self.keys:
            templates.in_template(args, args.spelling(key), listed=self.listed)
        tokens = with_ids(args, backend, self.keys, **self.without)
        backend.post_processor = parts.template(tokens[: self.first], tokens[self.first :])


class ClassSpecV5(Row, frozen=True, kw_only=True):
    """A class: a row of v5.toml."""

    prepared: tuple[str, ...] = ()
    model: str = ""
    build: str = ""
    file: str = ""
    order: str = ""
    enclosed: Enclosed | None = None
    finished: tuple[str, ...] = ()
    updates: bool = True
    twice: bool = False


CLASSES = rows("v5.toml", "class", ClassSpecV5)
"""Class name → its row."""


# --- last steps ----------------------------------------------------------------------------------------------------


def id_of(args: Arguments, backend: Backend, key: str, without: int | None = None) -> int:
    """The id of a named special token. without: the original's id if it is null, None if it raises an error then."""
    token = args.token(key)
    if token is not None:
        return templates.id_or_unknown(args, backend, text(token))
    if without is None:
        raise args.refusal(f"{key} is null, but the template needs it")
    return without


def with_ids(args: Arguments, backend: Backend, keys: Iterable[str], **without: int) -> list[tuple[str, int]]:
    """Named special tokens with their ids. without: the id of one that is null."""
    return [(args.spelling(key), id_of(args, backend, key, without.get(key))) for key in keys]


def ended(args: Arguments, backend: Backend) -> None:
    """Sets a template with </s> after the text, whose id is that of the EOS token whatever its spelling."""
    backend.post_processor = parts.template([], [("</s>", id_of(args, backend, "eos_token"))])


def roberta(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with the special tokens."""
    flags = [args.sure(key) for key in ("trim_offsets", "add_prefix_space")]
    backend.post_processor = parts.roberta(with_ids(args, backend, ("cls_token", "sep_token")), *flags)


def mpnet(args: Arguments, backend: Backend) -> None:
    """The same for MPNet."""
    both = with_ids(args, backend, ("cls_token", "sep_token"), cls_token=0, sep_token=2)
    backend.post_processor = parts.roberta(both, True, False)


def clip(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with BOS and EOS."""
    backend.post_processor = parts.roberta(with_ids(args, backend, ("bos_token", "eos_token")), False, False)


def all_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, with their flags."""
    backend.add(
        token.as_special() if isinstance(token, Token) else Token(token, special=True) for token in all_tokens(args)
    )


def plainly_special(args: Arguments, backend: Backend) -> None:
    """Adds all special tokens again, without their flags."""
    backend.add(Token(text(token), special=True) for token in all_tokens(args))


def splinter(args: Arguments, backend: Backend) -> None:
    """The template of BERT, if both tokens exist. The question's token must, though only pairs of texts have it."""
    if args.token("question_token") is None:
        raise args.refusal(f"{TOKENIZER_CONFIG}: question_token is null; remove it")
    if args.token("cls_token") is not None and args.token("sep_token") is not None:
        Enclosed(keys=("cls_token", "sep_token")).set(args, backend)


def starts_with_end(args: Arguments, backend: Backend) -> None:
    """Sets XGLM's template: EOS before the text. It names BOS, too."""
    id_of(args, backend, "bos_token")
    Enclosed(keys=("eos_token",)).set(args, backend)


def ended_by_name(args: Arguments, backend: Backend) -> None:
    """Sets a template with the EOS token after the text."""
    name = templates.in_template(args, args.spelling("eos_token"))
    backend.post_processor = parts.template([], [(name, templates.id_or_unknown(args, backend, name))])


def pegasus(args: Arguments) -> None:
    """Pegasus's <mask_1> and <unk_2> to <unk_102>; without a list of its own, these are its special tokens."""
    offset, mask = checked_offset(args), args.values["mask_token_sent"]
    first = [mask] if mask is not None and mask not in templates.listed(args) else []
    args.values[ADDITIONAL] = [*first, *(f"<unk_{number}>" for number in range(2, offset))]


# --- the tokenizer ----------------------------------------------------------------------------------------------------


def vocabulary_for(args: Arguments, spec: ClassSpecV5, model: Json, charsmap: str | None) -> Vocabulary:
    """The vocabulary of a tokenizer.json in the form of the class's model. Raises InputError if it has another form."""
    vocab = model.get("vocab")
    if spec.model in (BPE, WORD_PIECE) and isinstance(vocab, list):
        vocab = {each[0] if isinstance(each, list) else each: id for id, each in enumerate(vocab)}
    if isinstance(vocab, dict) != (spec.model != UNIGRAM):
        raise args.refusal(
            f"its class builds a {spec.model} model, but the model of tokenizer.json is {shown(model.get('type'))}"
        )
    merges = model.get("merges", []) if spec.model == BPE else []
    return Vocabulary(vocab, list(merges), charsmap)


OfFiles = Callable[[Arguments], Backend]


def build(args: Arguments, class_name: str, file: TokenizerJson | None, files: Slow | None) -> Backend:
    """The tokenizer of a folder. files: those of a folder without a tokenizer.json.

    Raises InputError where the original raises an error.
    """
    spec = CLASSES[class_name]
    inside = None if files is None else of_files(class_name, spec, args, files)
    args.values = spec.applied(args.values)
    call(__name__, spec.prepared, args)
    if file is None:
        assert inside is not None, "a folder has a tokenizer.json or other files"
        backend = inside(args)
    elif not spec.build:
        backend = Backend.of(file)
    else:
        backend = built(spec.build, args, vocabulary_for(args, spec, file.model, _charsmap(file.normalizer)))
        backend.post_processor = file.post_processor or backend.post_processor
    if file is not None and isinstance(file.padding, dict):
        args.values.setdefault("pad_token", file.padding.get("pad_token"))
    explicit = "add_bos_token" in args.values or "add_eos_token" in args.values
    _add_tokens(args, backend)
    updated = explicit or backend.post_processor is None
    if updated and spec.updates:
        update_template(args, backend)
    if spec.enclosed is not None:
        spec.enclosed.set(args, backend)
    call(__name__, spec.finished, args, backend)
    if updated and spec.twice:
        update_template(args, backend)
    return backend


def _charsmap(normalizer: Json | None) -> str | None:
    """The character map of the first Precompiled normalizer, nested Sequences excepted."""
    if not normalizer:
        return None
    parts = normalizer["normalizers"] if normalizer["type"] == "Sequence" else [normalizer]
    return next(
        (
            part["precompiled_charsmap"]
            for part in parts
            if part.get("type") == "Precompiled" and "precompiled_charsmap" in part
        ),
        None,
    )


def _add_tokens(args: Arguments, backend: Backend) -> None:
    """Adds tokens of the settings that the backend does not have, or has with other flags."""
    named, unnamed = named_tokens(args), unnamed_tokens(args)
    for token in unnamed:
        if not isinstance(token, (str, Token)):
            raise args.refusal(f"{EXTRA} contains {shown(token)}, which is not a token; give its text")
    spelled = {token.content for token in (*backend.tokens, *args.decoder.values())}
    special = [token for token in (*named.values(), *unnamed) if text(token) not in spelled]
    names = {text(token) for token in named.values() if not isinstance(token, str) or token}
    backend.add_missing(args.decoder, special, names)


WITHOUT_MODEL = ("TokenizersBackend", "CamembertTokenizer", "BarthezTokenizer")
"""Classes that don't say which type of model they have."""

Order = Callable[[Json, Any], Any]
"""Arguments, and the pieces as the class's model has them → the same in the class's order."""


def of_files(class_name: str, spec: ClassSpecV5, args: Arguments, files: Slow) -> OfFiles:
    """What makes the tokenizer inside. Changes the arguments according to a SentencePiece model.

    Raises InputError if the class does not read these files: version 5 would then make a tokenizer of special tokens
    only, which nobody wants.
    """
    if not spec.file:
        raise InputError(f"there is no tokenizer.json, and {class_name} is not built from other files here; add one")
    if files.name not in (spec.file, "tokenizer.model" if spec.file.endswith(".model") else ""):
        raise InputError(
            f"{class_name} of version 5 reads {spec.file}, not {files.name}, and would have no vocabulary; add that "
            "file"
        )
    model = files.model
    if model is None:
        if spec.model == CODES:
            return lambda args: two_files.built(args, files)
        assert spec.build, "a generic class is built from a SentencePiece model alone"
        return lambda args: built(spec.build, args, _of_texts(args, spec, files))
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
        return lambda args: built(spec.build, args, _of_pieces(spec, raw, model, unigram))
    _add_names(args, model)
    return lambda args: _generic(args, model, unigram)


def _of_texts(args: Arguments, spec: ClassSpecV5, files: Slow) -> Vocabulary:
    """The vocabulary of vocab.json or vocab.txt."""
    if spec.model == WORD_PIECE or files.merges is not None:
        return Vocabulary(dict(files.vocab or {}), list(files.merges or []))
    raise args.refusal("there is no merges.txt")


def _of_pieces(spec: ClassSpecV5, raw: Json, model: SentencePieceModel, unigram: bool) -> Vocabulary:
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


def _name(raw: Json, key: str) -> str:
    """A named special token, null as Python writes it."""
    return spelled(raw.get(f"{key}_token", two_files.PHOBERT_DEFAULTS[f"{key}_token"]))


def fairseq(first: str, model: str = "") -> Order:
    """The order of fairseq: four special tokens, the model's pieces but three, its languages, the mask.

    first: the name of the first token. model: of the languages, empty for none.
    """

    def order(raw: Json, scored: list[Any]) -> list[Any]:
        named = [[_name(raw, key), 0.0] for key in (first, "pad", "eos", "unk")]
        codes = [[code, 0.0] for code in languages(model)] if model else []
        return [*named, *scored[3:], *codes, [_name(raw, "mask"), 0.0]]

    return order


def camembert(raw: Json, scored: list[Any]) -> list[Any]:
    first = [["<s>NOTUSED", 0.0], [_name(raw, "pad"), 0.0], ["</s>NOTUSED", 0.0], [_name(raw, "unk"), 0.0]]
    return [*first, ["<unk>NOTUSED", -100.0], *scored[1:], [_name(raw, "mask"), 0.0]]


def pegasus_pieces(raw: Json, scored: list[Any]) -> list[Any]:
    """Pegasus's order, in which the two masks change their places."""
    offset = raw.get("offset", 103)
    if not isinstance(offset, int):
        return scored
    masks = [spelled(raw.get(key, name)) for key, name in (("mask_token", "<mask_1>"), ("mask_token_sent", "<mask_2>"))]
    named = [_name(raw, "pad"), _name(raw, "eos"), *(mask for mask in dict.fromkeys(masks) if mask != "None")]
    unused = [[f"<unk_{number}>", -100.0] for number in range(2, offset)]
    return [*([name, 0.0] for name in named), *unused, *scored[2:]]


def t5(raw: Json, scored: list[Any]) -> list[Any]:
    """T5's order: its sentinels last, backwards."""
    count = raw.get("extra_ids", 100)
    numbers = reversed(range(count)) if isinstance(count, int) else ()
    return [*scored, *([f"<extra_id_{number}>", 0.0] for number in numbers)]


def nllb(raw: Json, ids: Mapping[str, int]) -> dict[str, int]:
    order = dict.fromkeys([*(_name(raw, key) for key in ("bos", "pad", "eos", "unk")), *ids])
    return {piece: id for id, piece in enumerate(order)}


def seamless(raw: Json, ids: Mapping[str, int]) -> dict[str, int]:
    first = {"<pad>": 0, "<unk>": 1, "<s>": 2, "</s>": 3}
    return {**first, **{piece: number for number, piece in enumerate(ids, 1)}}


xlm_roberta = fairseq("bos")
mbart = fairseq("bos", "mbart")
mbart50 = fairseq("cls", "mbart50")


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
    row = "generic with bytes" if trainer.byte_fallback else "generic"
    return around(row, args, Vocabulary(None, charsmap=slow.charsmap(model)), whole)


def _rename_pieces(args: Arguments, ids: dict[str, int]) -> None:
    """Renames pieces to their spelling in added_tokens_decoder; they move to the end of the vocabulary."""
    names = {id: piece for piece, id in ids.items()}
    for id, token in args.decoder.items():
        piece = names.get(id)
        if piece and piece != token.content and token.content not in ids:
            ids[token.content] = ids.pop(piece)
            names[id] = token.content

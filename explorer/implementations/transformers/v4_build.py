"""The tokenizer that a class of `transformers` 4 makes of its arguments and a tokenizer.json.

Follows `PreTrainedTokenizerFast.__init__`: the file unchanged, then tokens of `added_tokens_decoder` with other flags,
then the special tokens. add_prefix_space overrides that of a ByteLevel pre-tokenizer, even if it is only the default.

For a folder without a tokenizer.json it is the slow class first, then its conversion. Follows the slow classes'
`__init__` and `convert_slow_tokenizer.py`. Afterward the arguments of the slow class override those of the fast one,
defaults included: so a BERT from a vocab.txt cleans up decoded text.

Of a SentencePiece model it follows the slow classes' `__init__` and `SpmConverter` and its subclasses in
`convert_slow_tokenizer.py`. The classes that come from fairseq put four tokens of their own in place of the model's
first three pieces. Templates contain the ids of the slow class, whatever the fast one makes of the same names.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from explorer.errors import InputError, shown
from explorer.formats.model_folder import NAMED
from explorer.formats.sentencepiece_model import ModelType, SentencePieceModel
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.transformers import builders, parts, slow, templates
from explorer.implementations.transformers import two_files as two_files
from explorer.implementations.transformers.arguments import (
    Arguments,
    Backend,
    Row,
    Some,
    Token,
    call,
    rows,
    special_tokens,
    text,
)
from explorer.implementations.transformers.arguments import languages as codes_of
from explorer.implementations.transformers.builders import Vocabulary, built
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.templates import in_template, whisper_template
from explorer.implementations.transformers.v4_classes import ClassSpecV4, pegasus_tokens, sentinels
from explorer.implementations.transformers.v4_classes import madeup_words as madeup_words
from explorer.vocabulary import PieceKind

Scored = list[tuple[str, float]]
FindSlow = Callable[[str], Slow | None]
"""Finds the slow tokenizer of a class by its name, None where there is none."""

FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")


# --- the slow class ------------------------------------------------------------------------------------------------


def proto_of(files: Slow) -> SentencePieceModel:
    assert files.model is not None, "asked of a SentencePiece model only"
    return files.model


def scored_pieces(model: SentencePieceModel) -> Scored:
    return list(zip(slow.spelled(model), model.scores, strict=True))


class SlowIds:
    """The ids of a slow class. names: its pieces by id. own: tokens that the class adds with fixed ids.

    over: whether those replace the folder's. unknown: the id of what it doesn't have, None for that of the unknown
    token. first: the first id that counts. renamed: whether added tokens take the place of the pieces of their ids.
    """

    def __init__(
        self, args: Arguments, names: Sequence[str], own: Mapping[int, str] = {}, *,
        over: bool = False, unknown: int | None = None, first: int = 0, renamed: bool = True,
    ) -> None:  # fmt: skip
        folder = {id: token.content for id, token in args.decoder.items()}
        decoder = {**folder, **own} if over else {**own, **folder}
        vocab = {decoder.get(id, name) if renamed else name: id for id, name in enumerate(names) if id >= first}
        added = {content: id for id, content in decoder.items()}
        vocab |= {decoder[id]: id for id in sorted(decoder)}
        self.pieces, self.added, free = dict(vocab), added, len(vocab)
        for token in special_tokens(args):
            content = text(token)
            if content and content not in added:
                if content not in vocab:
                    vocab[content], free = free, free + 1
                added[content] = vocab[content]
        unk = args.token("unk_token")
        self.unknown = unknown if unknown is not None or unk is None else self.added.get(text(unk))

    def of(self, name: str) -> int | None:
        """The id of a token by its spelling."""
        return self.added.get(name, self.pieces.get(name, self.unknown))


def none_is_null(args: Arguments, *keys: str) -> None:
    """Refuses null for special tokens that the slow class gives fixed ids."""
    for key in keys:
        if args.token(key) is None:
            raise args.refusal(f"{key} is null, but the class gives it an id; set it")


def plain(args: Arguments, files: Slow, **settings: Any) -> SlowIds:
    """The ids of a class whose pieces have those of the model."""
    model = proto_of(files)
    unknown = model.kinds.find(bytes([PieceKind.UNKNOWN]))
    return SlowIds(args, slow.spelled(model), unknown=max(unknown, 0), **settings)


# --- the parts -----------------------------------------------------------------------------------------------------


def model_of(
    args: Arguments, proto: SentencePieceModel, scored: Scored, unknown: int | None, *, byte_fallback: bool = False,
    tab: bool = False,
) -> parts.Part:  # fmt: skip
    """The model section for a SentencePiece model.

    scored: its pieces, renamed by the class, with their scores. tab: whether a tab is a piece, if its byte is.
    """
    if proto.trainer.model_type == ModelType.UNIGRAM:
        vocab = [[piece, score] for piece, score in scored]
        return {"type": "Unigram", "unk_id": unknown, "vocab": vocab, "byte_fallback": byte_fallback}
    if proto.trainer.model_type != ModelType.BPE:
        raise args.refusal("it converts SentencePiece models of the types unigram and bpe only")
    own = {piece: id for id, piece in enumerate(slow.spelled(proto))}
    if tab and "<0x09>" in own:
        own.setdefault("\t", own["<0x09>"])
    return parts.bpe(
        {piece: id for id, (piece, _) in enumerate(scored)},
        slow.merges_by_score(own, dict(scored).items()),
        unk_token=proto.trainer.unk_piece.decode("utf-8", "replace"),
        fuse_unk=True,
        byte_fallback=byte_fallback,
    )


def converted_spm(
    args: Arguments, files: Slow, scored: Scored | None = None, unknown: int | None = -1, *, row: str = "spm",
    around: parts.Part | None = None, special: Collection[str] = (), **settings: bool,
) -> Backend:  # fmt: skip
    """`SpmConverter.converted`.

    scored: those of the model if None. unknown: that of the model if -1. row: of builders.toml. around: the
    post-processor. special: added tokens that are special, whatever the model says. settings: of `model_of`.
    """
    proto = proto_of(files)
    unknown = slow.id_in(proto, "unk_id", 0) if unknown == -1 else unknown
    model = model_of(args, proto, scored or scored_pieces(proto), unknown, **settings)
    backend = builders.around(f"{row} of version 4", args, Vocabulary(None, charsmap=slow.charsmap(proto)), model)
    backend.post_processor = around
    backend.add(token.as_special(token.special or token.content in special) for token in slow.added(proto))
    return backend


def template(
    args: Arguments, ids: SlowIds, first: Sequence[str], last: Sequence[str], listed: bool = False
) -> parts.Part:
    """A template with tokens of the slow class. Raises InputError if one has no id."""

    def token(name: str) -> tuple[str, int]:
        id = ids.of(name)
        if id is None:
            raise args.refusal(f"{shown(name)} has no id, and there is no unknown token")
        return in_template(args, name, listed=listed), id

    return parts.template([token(name) for name in first], [token(name) for name in last])


# --- the classes ---------------------------------------------------------------------------------------------------


def llama(args: Arguments, files: Slow) -> Backend:
    """`LlamaConverter`."""
    own = scored_pieces(proto_of(files))
    first = [(args.decoder[id].content if id in args.decoder else piece, 0.0) for id, (piece, _) in enumerate(own[:3])]
    return converted_spm(args, files, [*first, *own[3:]], 0, row="llama", byte_fallback=True)


def gemma(args: Arguments, files: Slow) -> Backend:
    """`GemmaConverter`: a tab is a piece, and the pieces around a turn are special."""
    proto = proto_of(files)
    none_is_null(args, "pad_token", "eos_token", "bos_token")
    scored: Scored = [
        *((args.spelling(f"{key}_token"), 0.0) for key in ("pad", "eos", "bos")),
        *scored_pieces(proto)[3:],
    ]
    places = {piece: id for id, (piece, _) in reversed([*enumerate(scored)])}
    if "\t" not in places and "<0x09>" in places:
        scored[places["<0x09>"]] = ("\t", 0.0)
    turns = ("<start_of_turn>", "<end_of_turn>")
    return converted_spm(args, files, scored, 3, row="gemma", special=turns, byte_fallback=True, tab=True)


def nllb(args: Arguments) -> None:
    none_is_null(args, "bos_token", "pad_token", "eos_token", "unk_token")
    templates.nllb_languages(args)


def seamless(args: Arguments, files: Slow) -> Backend:
    """`SeamlessM4TConverter`. Its template is replaced by the fast class."""
    none_is_null(args, "bos_token", "pad_token", "eos_token", "unk_token")
    first = ("<pad>", "<unk>", "<s>", "</s>")
    own = scored_pieces(proto_of(files))[3:]
    names = {id: args.spelling(f"{key}_token") for id, key in enumerate(("pad", "unk", "bos", "eos"))}
    ids = SlowIds(args, [*first, *(piece for piece, _ in own)], names, first=1)
    unknown = ids.of(args.spelling("unk_token"))
    return converted_spm(args, files, [*((name, 0.0) for name in first), *own], unknown, row="seamless")


def camembert(args: Arguments, files: Slow) -> Backend:
    """`CamembertConverter`: the model's unknown piece is kept where nothing finds it."""
    none_is_null(args, "pad_token", "unk_token")
    own = scored_pieces(proto_of(files))[1:]
    first = ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED")
    named = ("<s>NOTUSED", args.spelling("pad_token"), "</s>NOTUSED", args.spelling("unk_token"), "<unk>NOTUSED")
    ids = SlowIds(args, [*first, *(piece for piece, _ in own)], dict(enumerate(named)), over=True)
    scored = [*((name, 0.0) for name in first[:4]), (first[4], -100.0), *own, ("<mask>", 0.0)]
    return converted_spm(args, files, scored, 3, around=template(args, ids, ["<s>"], ["</s>"]))


def _unscored(names: Iterable[str]) -> Scored:
    return [(name, 0.0) for name in names]


def without_number_commas(model: SentencePieceModel) -> Scored:
    """The pieces of ALBERT and XLNet; those that end in a digit and a comma score less by 100."""
    return [
        (piece, score - 100 if len(piece) > 1 and piece[-1] == "," and piece[-2].isdigit() else score)
        for piece, score in scored_pieces(model)
    ]


def pegasus(args: Arguments, files: Slow) -> Backend:
    """`PegasusConverter`."""
    pegasus_tokens(args)
    offset, sent = args.values["offset"], args.values["mask_token_sent"]
    none_is_null(args, "pad_token", "eos_token")
    pad, eos, mask = (args.spelling(f"{key}_token") for key in ("pad", "eos", "mask"))
    named = [pad, eos, *([] if sent is None else [text(sent), mask])]
    own = dict(enumerate([*named, *(f"<unk_{number}>" for number in range(2, offset))]))
    pieces = scored_pieces(proto_of(files))
    names = [*own.values()][:offset] + [piece for piece, _ in pieces]
    ids = SlowIds(args, names, own, over=True, unknown=offset + max(proto_of(files).kinds.find(PieceKind.UNKNOWN), 0))
    scored: Scored = [(name, 0.0) for name in named[:3]]
    if args.token("mask_token") is not None and (ids.of(mask) or 0) < offset:
        scored.append((mask, 0.0))
    scored += [(f"<unk_{number}>", -100.0) for number in range(2, offset)]
    unknown = slow.id_in(proto_of(files), "unk_id", 0) + offset
    around = template(args, ids, [], [eos], listed=True)
    return converted_spm(args, files, [*scored, *pieces[2:]], unknown, row="pegasus", around=around)


def t5(args: Arguments, files: Slow) -> Backend:
    """`T5Converter`."""
    sentinels(args)
    args.values["legacy"] = bool(args.flag("legacy", None) is None or args.flag("legacy", None))
    proto, count = proto_of(files), args.values["extra_ids"]
    listed = sum("<extra_id_" in text(each) for each in templates.listed(args))
    size = len(proto.pieces)
    own = {size - 1 + count - number: f"<extra_id_{number}>" for number in range(listed)}
    ids = plain(args, files, own=own)
    extra = [(f"<extra_id_{number}>", 0.0) for number in reversed(range(count))]
    around = template(args, ids, [], ["</s>"])
    return converted_spm(args, files, [*scored_pieces(proto), *extra], row="t5", around=around)


MODEL = "tokenizer.model"


class Converter(Row, frozen=True, kw_only=True):
    """A slow class: a row of v4.toml."""

    file: str
    convert: str = ""
    prepared: tuple[str, ...] = ()
    row: str = "spm"
    unknown: int = -1
    fairseq: bool = False
    languages: str = ""
    pieces: tuple[str, ...] = ()
    renamed: bool = True
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()

    def converted(self, args: Arguments, files: Slow) -> Backend:
        """The fast tokenizer of the class with these arguments."""
        if self.convert:
            backend: Backend = attrgetter(self.convert)(sys.modules[__name__])(args, files)
            return backend
        if self.languages:
            templates.known_language(args, self.languages)
        call(__name__, self.prepared, args)
        scored = without_number_commas(proto_of(files)) if self.row == "albert" else scored_pieces(proto_of(files))
        if self.fairseq:
            codes = codes_of(self.languages) if self.languages else ()
            scored = [*_unscored(FAIRSEQ), *scored[3:], *_unscored((*codes, *self.pieces))]
            ids = SlowIds(args, [name for name, _ in scored])
        else:
            ids = plain(args, files, renamed=self.renamed)
        around = template(args, ids, self.first, self.last) if self.first or self.last else None
        return converted_spm(args, files, scored, self.unknown, row=self.row, around=around)


CONVERTERS = rows("v4.toml", "slow", Converter)
"""`ClassSpecV4.slow` → the slow class."""


def build(args: Arguments, spec: ClassSpecV4, file: TokenizerJson | None, slow: FindSlow) -> Backend:
    """The tokenizer of a folder. Raises InputError where the original raises an error.

    slow: the files of the slow tokenizer by the name of its vocabulary, used if there is no tokenizer.json or a setting
    asks for them.
    """
    own = dict(args.values)
    spec.prepare(args)
    from_slow = spec.from_slow and args.values.get("add_prefix_space") is not None
    wanted = args.flag("add_prefix_space")
    if file is not None and not from_slow and not args.flag("from_slow"):
        backend = Backend.of(file)
        if isinstance(file.padding, dict):
            args.values.setdefault("pad_token", file.padding.get("pad_token"))
    else:
        backend = _from_slow_files(args, own if file is None else dict(args.values), spec, slow)
    special = special_tokens(args)
    backend.add_missing(args.decoder, special, set(map(text, special)))
    _set_prefix_space(backend, wanted)
    spec.finish(args, backend)
    return backend


def _from_slow_files(args: Arguments, values: dict[str, Any], spec: ClassSpecV4, slow: FindSlow) -> Backend:
    """The tokenizer converted from the slow class. values: the arguments of that class."""
    converter = CONVERTERS.get(spec.slow)
    if converter is None:
        raise InputError("there is no tokenizer.json, and its class is not converted from other files here")
    files = slow(converter.file)
    # tokenizer.model is accepted whatever name the class uses
    if files is None or files.name not in (converter.file, MODEL if converter.file.endswith(".model") else ""):
        raise args.refusal(f"there is no {converter.file} to convert")
    if converter.file == "vocab.json" and files.merges is None:
        raise args.refusal("there is no merges.txt")
    inner = converter.applied(values)
    backend = converter.converted(Arguments(args.version, inner, args.decoder), files)
    # afterward the arguments of the slow class override those of the fast one, whose tokens have `normalized` set
    args.values |= {
        key: replace(value, said=value.normalized) if isinstance(value, Token) else value
        for key, value in inner.items()
    }
    return backend


def _set_prefix_space(backend: Backend, wanted: bool | None) -> None:
    """Sets add_prefix_space of a ByteLevel pre-tokenizer to the class's value; null changes nothing."""
    part = backend.pre_tokenizer
    if part is None or part.get("type") != "ByteLevel" or wanted is None:
        return
    if part.get("add_prefix_space") != wanted:
        backend.pre_tokenizer = {**part, "add_prefix_space": wanted}


def id_in_slow(args: Arguments, vocab: Mapping[str, int], key: str) -> int | None:
    """The id of a special token in the slow class: of `added_tokens_decoder`, of a piece, or a new one."""
    ids = {**vocab, **{token.content: id for id, token in args.decoder.items()}}
    for name in NAMED:
        token: Some | None = args.token(name)
        if token is not None and text(token):
            ids.setdefault(text(token), len(ids))
    wanted = args.token(key)
    return None if wanted is None else ids.get(text(wanted))


# --- from vocab.json and merges.txt ---------------------------------------------------------------------------------


def vocabulary_in(files: Slow) -> Vocabulary:
    """The vocabulary and merges of the files, as builders take them."""
    return Vocabulary(files.vocab or {}, files.merges or [])


def gpt2(args: Arguments, files: Slow) -> Backend:
    """`GPT2Converter`."""
    backend = built("codegen", args, vocabulary_in(files))
    if args.flag("add_bos_token"):
        backend.post_processor = parts.template([in_slow(args, files, "bos_token")], [])
    return backend


def roberta(args: Arguments, files: Slow) -> Backend:
    """`RobertaConverter`."""
    backend = gpt2(args, files)
    prefix = args.sure("add_prefix_space")
    backend.post_processor = parts.roberta(around(args, files, "cls_token", "sep_token"), True, prefix)
    return backend


def blenderbot(args: Arguments, files: Slow) -> Backend:
    """`BlenderbotConverter`."""
    backend = gpt2(args, files)
    backend.post_processor = parts.template([], [in_slow(args, files, "eos_token")])
    return backend


def whisper(args: Arguments, files: Slow) -> Backend:
    """`WhisperConverter`."""
    backend = gpt2(args, files)
    names = {id: content for content, id in (files.vocab or {}).items()}
    names |= {id: token.content for id, token in args.decoder.items()}
    names |= {needed_id(args, files, key): args.spelling(key) for key in NAMED if args.token(key) is not None}
    backend.post_processor = whisper_template(args, lambda name: id_of_slow(args, files, name), names)
    return backend


def deberta(args: Arguments, files: Slow) -> Backend:
    """`DebertaConverter`: the names in the template are fixed."""
    backend = gpt2(args, files)
    both = [(name, id_of_slow(args, files, name)) for name in ("[CLS]", "[SEP]")]
    backend.post_processor = parts.template(both[:1], both[1:])
    return backend


def clip(args: Arguments, files: Slow) -> Backend:
    """`CLIPConverter`."""
    backend = built("clip of version 4", args, vocabulary_in(files))
    backend.post_processor = parts.roberta(around(args, files, "bos_token", "eos_token"), False, False)
    return backend


def qwen2(args: Arguments, files: Slow) -> Backend:
    """`Qwen2Converter`."""
    if args.flag("add_prefix_space"):
        raise args.refusal("add_prefix_space is true, and its warning about that fails; remove it")
    return built("qwen2 of version 4", args, vocabulary_in(files))


def needed_id(args: Arguments, files: Slow, key: str) -> int:
    """The id of a named special token in the slow class. Raises InputError if it is null."""
    id = id_in_slow(args, files.vocab or {}, key)
    if id is None:
        raise args.refusal(f"{key} is null, but the post-processor needs it")
    return id


def in_slow(args: Arguments, files: Slow, key: str) -> tuple[str, int]:
    """A named special token for a template, with its id in the slow class."""
    return in_template(args, args.spelling(key)), needed_id(args, files, key)


def around(args: Arguments, files: Slow, *keys: str) -> list[tuple[str, int]]:
    """Named special tokens for a RobertaProcessing, which may have any spelling."""
    return [(args.spelling(key), needed_id(args, files, key)) for key in keys]


def id_of_slow(args: Arguments, files: Slow, name: str) -> int:
    """The id of a token by its spelling in the slow class; of the unknown token if it has none."""
    named = next((key for key in NAMED if args.token(key) is not None and args.spelling(key) == name), None)
    if named is not None:
        return needed_id(args, files, named)
    vocab = files.vocab or {}
    known = {**vocab, **{token.content: id for id, token in args.decoder.items()}}
    id = known.get(name, vocab.get(args.spelling("unk_token")))
    if id is None:
        raise args.refusal(f"{shown(name)} has no id, and {files.name} has no unknown token")
    return id


# --- from a vocab.txt -----------------------------------------------------------------------------------------------


def bert(args: Arguments, files: Slow) -> Backend:
    """`BertConverter`."""
    row = "bert" if args.values.get("do_basic_tokenize", True) else "bert without basic tokens"
    backend = built(row, args, vocabulary_in(files))
    both = [in_slow(args, files, key) for key in ("cls_token", "sep_token")]
    backend.post_processor = parts.template(both[:1], both[1:])
    return backend


def splinter(args: Arguments, files: Slow) -> Backend:
    """`SplinterConverter`, whose template for pairs needs two more ids."""
    for name in (args.spelling("question_token"), "."):
        id_of_slow(args, files, name)
    return bert(args, files)

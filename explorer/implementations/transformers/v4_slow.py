"""The tokenizer that version 4 makes of a folder without a tokenizer.json: the slow class first, then its conversion.

Follows the slow classes' `__init__` and `convert_slow_tokenizer.py`. Afterward the arguments of the slow class
override those of the fast one, defaults included: so a BERT from a vocab.txt cleans up decoded text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from explorer.engine.pre_tokenizers.patterns import QWEN2
from explorer.errors import shown
from explorer.formats.bpe_codes import CODES
from explorer.formats.model_folder import NAMED
from explorer.implementations.transformers import builders, parts, phobert
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend, Some, Token, named, text
from explorer.implementations.transformers.builders import Vocabulary
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.templates import in_template, whisper_template
from explorer.implementations.transformers.v4_classes import (
    BERT_TOKENS,
    OF_BERT,
    OF_CLIP,
    OF_DEBERTA,
    OF_FUNNEL,
    OF_MPNET,
    OF_ROBERTA,
    OF_WHISPER,
    OF_XLM_R,
    PLAIN_ADDED,
)

Convert: TypeAlias = Callable[[Arguments, Slow], Backend]


class Converter(NamedTuple):
    """A slow class. file: the name of its vocabulary. defaults: its arguments. flags: for special tokens that are plain
    strings, by name. convert: makes the fast tokenizer."""

    file: str
    defaults: Mapping[str, Any]
    flags: Mapping[str, Mapping[str, bool]]
    convert: Convert


def converted(args: Arguments, converter: Converter, files: Slow) -> Backend:
    """The tokenizer inside. The arguments become those of the slow class."""
    values = {**converter.defaults, **args.values}
    for key, flags in converter.flags.items():
        if isinstance(values.get(key), str):
            values[key] = Token(values[key], **flags)
    inner = Arguments(args.version, values, args.decoder)
    backend = converter.convert(inner, files)
    # the fast class gets a copy, in which `normalized` is set
    args.values |= {key: _copied(value) for key, value in values.items()}
    return backend


def _copied(value: Any) -> Any:
    """A token with its flags, all of them set."""
    return replace(value, said=value.normalized) if isinstance(value, Token) else value


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
    backend = builders.gpt2(args, vocabulary_in(files))
    backend.post_processor = parts.byte_level(True, trim_offsets=False)
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
    backend = builders.clip(args, vocabulary_in(files), builders.WORDS_OF_CLIP)
    backend.post_processor = parts.roberta(around(args, files, "bos_token", "eos_token"), False, False)
    return backend


def qwen2(args: Arguments, files: Slow) -> Backend:
    """`Qwen2Converter`."""
    if args.flag("add_prefix_space"):
        raise args.refusal("add_prefix_space is true, and its warning about that fails; remove it")
    backend = builders.qwen(QWEN2.regex)(args, vocabulary_in(files))
    backend.post_processor = parts.byte_level(True, trim_offsets=False)
    return backend


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
    backend = builders.bert(args, vocabulary_in(files), bool(args.values.get("do_basic_tokenize", True)))
    both = [in_slow(args, files, key) for key in ("cls_token", "sep_token")]
    backend.post_processor = parts.template(both[:1], both[1:])
    return backend


def splinter(args: Arguments, files: Slow) -> Backend:
    """`SplinterConverter`, whose template for pairs needs two more ids."""
    for name in (args.spelling("question_token"), "."):
        id_of_slow(args, files, name)
    return bert(args, files)


# --- the classes ---------------------------------------------------------------------------------------------------

NAMES_OF_LLAMA: Final = ("bos_token", "eos_token", "unk_token", "pad_token")

LEFT: Final = {"lstrip": True}
ROBERTA_FLAGS: Final[Mapping[str, Mapping[str, bool]]] = {key: {} for key in OF_XLM_R if key != "mask_token"}

CONVERTERS: Final = {
    "gpt2": Converter(
        "vocab.json",
        {**OF_WHISPER, "pad_token": None, "add_bos_token": False},
        {key: {} for key in NAMES_OF_LLAMA},
        gpt2,
    ),
    "qwen2": Converter(
        "vocab.json",
        named("unk <|endoftext|> eos <|endoftext|> pad <|endoftext|>", bos_token=None,
            clean_up_tokenization_spaces=False, split_special_tokens=False),
        dict.fromkeys(NAMES_OF_LLAMA, PLAIN_ADDED),
        qwen2,
    ),
    "roberta": Converter(
        "vocab.json", OF_ROBERTA, {**ROBERTA_FLAGS, "mask_token": LEFT | {"said": False}}, roberta
    ),
    "bart": Converter("vocab.json", OF_ROBERTA, {**ROBERTA_FLAGS, "mask_token": LEFT}, roberta),
    "deberta": Converter(
        "vocab.json",
        {**OF_DEBERTA, "add_prefix_space": False, "add_bos_token": False},
        {**{key: {"special": True} for key in OF_DEBERTA}, "mask_token": LEFT},
        deberta,
    ),
    "clip": Converter(
        "vocab.json", OF_CLIP, {key: {"said": True} for key in ("bos_token", "eos_token", "unk_token")}, clip
    ),
    "blenderbot": Converter(
        "vocab.json", OF_ROBERTA, {**ROBERTA_FLAGS, "mask_token": LEFT | {"said": False}}, blenderbot
    ),
    "layoutlmv3": Converter(
        "vocab.json", {**OF_ROBERTA, "add_prefix_space": True}, {**ROBERTA_FLAGS, "mask_token": LEFT}, roberta
    ),
    "whisper": Converter(
        "vocab.json", {**OF_WHISPER, "pad_token": None}, dict.fromkeys(NAMES_OF_LLAMA, PLAIN_ADDED), whisper
    ),
    "phobert": Converter(CODES, phobert.DEFAULTS, {}, phobert.built),
    "splinter": Converter("vocab.txt", {**OF_BERT, "question_token": "[QUESTION]"}, {}, splinter),
    "funnel": Converter(
        "vocab.txt",
        {**{key: value for key, value in OF_FUNNEL.items() if key not in ("clean_text", "wordpieces_prefix")},
         "clean_up_tokenization_spaces": True},
        {},
        bert,
    ),
    "mpnet": Converter(
        "vocab.txt",
        {**OF_MPNET, "clean_up_tokenization_spaces": True},
        {**{key: {"special": True} for key in OF_MPNET if key.endswith("_token")},
         "mask_token": LEFT | {"special": True}},
        bert,
    ),
    "layoutlmv2": Converter(
        "vocab.txt", OF_BERT, {key: {"special": True} for key in BERT_TOKENS}, bert
    ),
    "codegen": Converter(
        "vocab.json",
        {**OF_WHISPER, "pad_token": None, "add_bos_token": False},
        {key: {"special": True} for key in NAMES_OF_LLAMA},
        gpt2,
    ),
    "bert": Converter("vocab.txt", {**OF_BERT, "clean_up_tokenization_spaces": True}, {}, bert),
}  # fmt: skip
"""`ClassSpecV4.slow` → the slow class; those with a SentencePiece model are in `sentencepiece`."""

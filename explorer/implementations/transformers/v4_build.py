"""The tokenizer that a class of `transformers` 4 makes of its arguments and a tokenizer.json.

Follows `PreTrainedTokenizerFast.__init__`: the file unchanged, then tokens of `added_tokens_decoder` with other flags,
then the special tokens. add_prefix_space overrides that of a ByteLevel pre-tokenizer, even if it is only the default.

For a folder without a tokenizer.json it is the slow class first, then its conversion. Follows the slow classes'
`__init__` and `convert_slow_tokenizer.py`. Afterward the arguments of the slow class override those of the fast one,
defaults included: so a BERT from a vocab.txt cleans up decoded text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from explorer.errors import InputError, shown
from explorer.formats.model_folder import NAMED
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.transformers import builders, parts
from explorer.implementations.transformers import phobert as phobert
from explorer.implementations.transformers import v4_sentencepiece as v4_sentencepiece
from explorer.implementations.transformers.arguments import Arguments, special_tokens
from explorer.implementations.transformers.backend import Backend, Some, Token, text
from explorer.implementations.transformers.builders import Vocabulary
from explorer.implementations.transformers.rows import Row, rows
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.templates import in_template, whisper_template
from explorer.implementations.transformers.v4_classes import ClassSpecV4

MODEL = "tokenizer.model"


class Converter(Row, frozen=True, kw_only=True):
    """A slow class: a row of v4.toml."""

    file: str
    convert: str


CONVERTERS: Final = rows("v4.toml", "slow", Converter)
"""`ClassSpecV4.slow` → the slow class."""


def build(
    args: Arguments, spec: ClassSpecV4, file: TokenizerJson | None, slow: Callable[[str], Slow | None]
) -> Backend:
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


def _from_slow_files(
    args: Arguments, values: dict[str, Any], spec: ClassSpecV4, slow: Callable[[str], Slow | None]
) -> Backend:
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
    backend: Backend = attrgetter(converter.convert)(sys.modules[__name__])(
        Arguments(args.version, inner, args.decoder), files
    )
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
    backend = builders.qwen2(args, vocabulary_in(files))
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

"""The tokenizer that version 4 makes of a folder without a tokenizer.json: the slow class first, then its conversion.

Follows the slow classes' `__init__` and `convert_slow_tokenizer.py`. Afterward the arguments of the slow class
override those of the fast one, defaults included: so a BERT from a vocab.txt cleans up decoded text.
"""

from __future__ import annotations

from collections.abc import Mapping

from explorer.errors import shown
from explorer.formats.model_folder import NAMED
from explorer.implementations.transformers import builders, parts
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend, Some, text
from explorer.implementations.transformers.builders import Vocabulary
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.templates import in_template, whisper_template


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

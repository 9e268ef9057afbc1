"""Files become tokenizers: which format a file has, who can run it, and how.

The format is told by the content, never by the name. One row of `FORMATS` a format; a new one adds a row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats import gguf, rwkv_txt, sentencepiece_model, tiktoken_ranks, tokenizer_json, wordpiece_txt
from explorer.implementations import huggingface, huggingface_bert, llama_cpp, rwkv, sentencepiece, tiktoken
from explorer.implementations.llama_cpp import wpm

HEAD = 4096
"""How many bytes of a file its format is told by."""

Source = bytes | Path
"""A file's bytes, or its path where it need not be read whole."""

Choices = Mapping[str, str]
"""What the person answered to a `ChoiceNeeded`, by its key. A format that does not ask for a key ignores it."""

NONE: Choices = MappingProxyType({})

Opener = Callable[[Source, str, Choices], Tokenizer]
"""Opens a file under a name. Raises InputError, ChoiceNeeded where the file leaves something open."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of vocabulary file.

    name: what errors call it, with its article. matches: told the first bytes of a file, whether it is one.
    implementations: who can run such a file and how it is opened; the first one does by default.
    """

    name: str
    matches: Callable[[bytes], bool]
    implementations: Mapping[str, Opener]


def contents(source: Source) -> bytes:
    """The bytes of a file that was not read yet. Raises InputError where it cannot be."""
    if isinstance(source, bytes):
        return source
    try:
        return source.read_bytes()
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror}); check the path and its permissions") from None


def is_of_tokenizer(key: str) -> bool:
    """Which keys of a GGUF file are read: a chat template or the model's sizes are no matter here."""
    return key.startswith(("tokenizer.", "general."))


def open_gguf(source: Source, name: str, choices: Choices) -> Tokenizer:
    return llama_cpp.from_gguf(gguf.read(source, is_of_tokenizer, name if isinstance(source, bytes) else ""), name)


def open_sentencepiece(source: Source, name: str, choices: Choices) -> Tokenizer:
    return sentencepiece.from_model(sentencepiece_model.read(contents(source), name), name)


def open_rwkv(variant: str) -> Opener:
    return lambda source, name, choices: rwkv.from_tokens(rwkv_txt.read(contents(source), name), name, variant)


def bert_vocabulary(source: Source, name: str) -> tokenizer_json.TokenizerJson:
    return huggingface_bert.of_vocab_txt(wordpiece_txt.read(contents(source), name), name)


def open_json(run: Callable[[tokenizer_json.TokenizerJson, str], Tokenizer]) -> Opener:
    return lambda source, name, choices: run(tokenizer_json.read(contents(source), name), name)


def open_ranks(source: Source, name: str, choices: Choices) -> Tokenizer:
    return tiktoken.from_ranks(contents(source), name)


FORMATS = (
    Format("a GGUF file", lambda head: head.startswith(b"GGUF"), {"llama.cpp": open_gguf}),
    Format(
        "a tokenizer.json",
        lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"),
        {
            "huggingface": open_json(huggingface.from_tokenizer_json),
            "llama.cpp": open_json(llama_cpp.from_tokenizer_json),
        },
    ),
    Format("a ranks file", tiktoken_ranks.looks_like, {"tiktoken": open_ranks}),
    Format("a SentencePiece model", sentencepiece_model.looks_like_model, {"sentencepiece": open_sentencepiece}),
    Format(
        "an RWKV vocabulary", rwkv_txt.looks_like, {"rwkv": open_rwkv("rwkv"), "first-miss": open_rwkv("first-miss")}
    ),
    Format(
        "a BERT vocab.txt",
        wordpiece_txt.looks_like,
        {
            "huggingface": lambda source, name, choices: huggingface_bert.tokenizer_of(
                bert_vocabulary(source, name), name
            ),
            "llama.cpp": lambda source, name, choices: wpm.from_bert(bert_vocabulary(source, name), name),
        },
    ),
)
"""The formats, in the order they are asked."""

IMPLEMENTATIONS = tuple(dict.fromkeys(name for each in FORMATS for name in each.implementations))
"""What may stand behind an @."""


def format_of(head: bytes, name: str) -> Format:
    """The format of a file that begins so. Raises InputError where it is none of those known."""
    for each in FORMATS:
        if each.matches(head):
            return each
    # what else the file may be is said by the reader of GGUF files, which knows most of what people have
    gguf.read(head, None, name)
    raise InputError(f"{name}: this is none of the known formats: {', '.join(each.name for each in FORMATS)}")


def open_bytes(data: bytes, name: str, implementation: str, choices: Choices = NONE) -> Tokenizer:
    """The tokenizer in a file's bytes, run as an implementation that the format is known to have."""
    return format_of(data[:HEAD], name).implementations[implementation](data, name, choices)


def open_path(path: Path, implementation: str | None, choices: Choices = NONE) -> Tokenizer:
    """The tokenizer in a file. Raises InputError where it cannot be opened or run so."""
    if not path.is_file():
        gguf.read(path)  # a folder, a pipe: says so
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    found = format_of(head, str(path))
    runs = found.implementations
    implementation = next(iter(runs)) if implementation is None else implementation
    if implementation not in runs:
        raise InputError(f"{path} cannot be run as {implementation!r}; {found.name} runs as: {', '.join(runs)}")
    return runs[implementation](path, path.name, choices)

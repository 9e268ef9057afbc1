"""Files become tokenizers: which format a file has, who can run it, and how.

The format is told by the content, never by the name. One row of `FORMATS` a format; a new one adds a row. A tokenizer
may lie in two files, and then the one with the ids is opened and the other one is looked for beside it: in the same
folder (`open_path`), or among the files that came with it (`open_files`). A model's folder is one thing: its settings
(tokenizer_config.json and the like) are read with the vocabulary, and `transformers` is among those who can run it.

Readers and implementations are imported by the functions that use them: one file needs few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from explorer.errors import InputError
from explorer.formats.model_files import COMPANIONS, SETTINGS, TOKENIZER_CONFIG, VOCABULARIES
from explorer.opening.auto import auto, merges, pieces, sentencepiece
from explorer.opening.folders import known, vocabulary_in
from explorer.opening.sources import HEAD as HEAD
from explorer.opening.sources import MAX_FILE as MAX_FILE
from explorer.opening.sources import NONE as NONE
from explorer.opening.sources import Choices as Choices
from explorer.opening.sources import Opener, first_bytes
from explorer.opening.sources import Source as Source
from explorer.origin import File, Origin

if TYPE_CHECKING:
    from explorer.engine.tokenizer import Tokenizer
    from explorer.formats.tokenizer_json import TokenizerJson


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of vocabulary file.

    name: what errors call it, with its article. known_by: how people tell it. matches: told the first bytes of a file,
    whether it is one.
    implementations: who can run such a file and how it is opened; the first one does by default.
    in_folder: who can run it besides, where it is one model with the settings beside it.
    beside: told the file's name, what the other file it needs may be called, the likeliest first.
    """

    name: str
    known_by: str
    matches: Callable[[bytes], bool]
    implementations: Mapping[str, Opener]
    in_folder: Mapping[str, Opener] = field(default_factory=dict)
    beside: Callable[[str], tuple[str, ...]] = lambda name: ()


def is_of_tokenizer(key: str) -> bool:
    """Which keys of a GGUF file are read: a chat template or the model's sizes are no matter here."""
    return key.startswith(("tokenizer.", "general."))


def open_gguf(source: Source, name: str, choices: Choices) -> Tokenizer:
    from explorer.formats import gguf
    from explorer.implementations import llama_cpp

    found = gguf.read(source.data, is_of_tokenizer, name if isinstance(source.data, bytes) else "")
    return llama_cpp.from_gguf(found, name, choices)


def open_sentencepiece(source: Source, name: str, choices: Choices) -> Tokenizer:
    from explorer.formats import sentencepiece_model
    from explorer.implementations import sentencepiece
    from explorer.implementations.sentencepiece import add_special as sentencepiece_around

    settings = source.settings()
    config = None if settings is None else settings.tokenizer
    model = sentencepiece_model.read(source.contents(), name)
    return sentencepiece.from_model(model, name, choices.get(sentencepiece_around.KEY), config)


def open_rwkv(variant: str) -> Opener:
    def opener(source: Source, name: str, choices: Choices) -> Tokenizer:
        from explorer.formats import rwkv_txt
        from explorer.implementations import rwkv

        return rwkv.from_tokens(rwkv_txt.read(source.contents(), name), name, variant)

    return opener


def open_json(source: Source, name: str, choices: Choices) -> Tokenizer:
    from explorer.formats import tokenizer_json

    return as_huggingface(tokenizer_json.read(source.contents(), name), name, choices)


def as_huggingface(file: TokenizerJson, name: str, choices: Choices = NONE) -> Tokenizer:
    from explorer.implementations import huggingface

    return huggingface.from_tokenizer_json(file, name, choices)


def open_converted(source: Source, name: str, choices: Choices) -> Tokenizer:
    from explorer.formats import tokenizer_json

    return as_llama_cpp(tokenizer_json.read(source.contents(), name), name, choices)


def as_llama_cpp(file: TokenizerJson, name: str, choices: Choices = NONE) -> Tokenizer:
    from explorer.implementations import llama_cpp

    return llama_cpp.from_tokenizer_json(file, name, choices)


def open_ranks(source: Source, name: str, choices: Choices) -> Tokenizer:
    from explorer.implementations import tiktoken

    return tiktoken.from_ranks(source.contents(), name, choices)


def open_tekken(source: Source, name: str, choices: Choices) -> Tokenizer:
    from explorer.formats import tekken
    from explorer.implementations import mistral_common as mistral

    return mistral.from_tekken(tekken.read(source.contents(), name), name)


def open_vocab_txt(run: Callable[[TokenizerJson, str], Tokenizer]) -> Opener:
    def opener(source: Source, name: str, choices: Choices) -> Tokenizer:
        from explorer.formats import wordpiece_txt
        from explorer.implementations.huggingface import from_vocab_txt as vocab_txt

        pieces = wordpiece_txt.read(source.contents(), name)
        file, facts = vocab_txt.as_tokenizer_json(pieces, name, choices)
        return replace(run(file, name), facts=facts)

    return opener


def open_vocab_json(source: Source, name: str, choices: Choices) -> Tokenizer:
    """A vocab.json with the merges beside it."""
    from explorer.formats import vocab_merges
    from explorer.implementations.huggingface import from_vocab_json as merged

    vocab = vocab_merges.read_vocab(source.contents(), name)
    found = ((each, source.beside(each)) for each in merges_names(name))
    beside, data = next(((each, data) for each, data in found if data is not None), ("", b""))
    if not beside:
        wanted = " or ".join(merges_names(name))
        raise InputError(
            f"{name}: the pairs that merge are in a file of their own; put {wanted} beside it, or give both"
        )
    merges = vocab_merges.read_merges(data, beside, vocab)
    file, facts = merged.as_tokenizer_json(vocab, merges, name, choices)
    return replace(as_huggingface(file, name), facts=facts)


def merges_names(name: str) -> tuple[str, ...]:
    """What the file beside a vocab.json may be called, the likeliest first.

    >>> merges_names("roberta-vocab.json"), merges_names("encoder.json")
    (('roberta-merges.txt', 'merges.txt'), ('vocab.bpe', 'merges.txt'))
    """
    own = "vocab.bpe" if name == "encoder.json" else name.removesuffix("vocab.json") + "merges.txt"
    return tuple(dict.fromkeys((own if name.endswith(("vocab.json", "encoder.json")) else "merges.txt", "merges.txt")))


def asked(module: str, function: str = "looks_like") -> Callable[[bytes], bool]:
    """A function of a reader that is told the first bytes of a file; the reader is imported when it is asked."""
    return lambda head: bool(getattr(import_module(f"explorer.formats.{module}"), function)(head))


FORMATS = (
    Format("a GGUF file", "begins with GGUF", lambda head: head.startswith(b"GGUF"), {"llama.cpp": open_gguf}),
    Format(
        "a vocab.json",
        "an object of pieces and ids",
        asked("vocab_merges", "looks_like_vocab"),
        {"huggingface": open_vocab_json},
        in_folder=auto(merges),
        beside=merges_names,
    ),
    Format("a tekken.json", "has token_bytes", asked("tekken"), {"mistral-common": open_tekken}),
    Format(
        "a tokenizer.json",
        "an object with a model",
        lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"),
        {
            "huggingface": open_json,
            "llama.cpp": open_converted,
        },
        in_folder=auto(),
    ),
    Format("a ranks file", "base64 and a number a line", asked("tiktoken_ranks"), {"tiktoken": open_ranks}),
    Format(
        "a SentencePiece model",
        "protobuf",
        asked("sentencepiece_model", "looks_like_model"),
        {"sentencepiece": open_sentencepiece},
        in_folder=auto(sentencepiece),
    ),
    Format(
        "an RWKV vocabulary", "id, spelling and length a line", asked("rwkv_txt"),
        {"rwkv": open_rwkv("rwkv"), "first-miss": open_rwkv("first-miss")},
    ),
    Format(
        "a BERT vocab.txt",
        "a piece a line, [UNK] early",
        asked("wordpiece_txt"),
        {
            "huggingface": open_vocab_txt(as_huggingface),
            "llama.cpp": open_vocab_txt(as_llama_cpp),
        },
        in_folder=auto(pieces),
    ),
)  # fmt: skip
"""The formats, in the order they are asked."""

IMPLEMENTATIONS = tuple(dict.fromkeys(name for each in FORMATS for name in (*each.implementations, *each.in_folder)))
"""What may stand behind an @."""


def format_of(head: bytes, name: str) -> Format:
    """The format of a file that begins so. Raises InputError where it is none of those known."""
    if PurePath(name).name in COMPANIONS:
        raise InputError(
            f"{name}: this belongs to a tokenizer and is none; give its whole folder, or all files together"
        )
    for each in FORMATS:
        if each.matches(head):
            return each
    from explorer.formats import vocab_merges
    from explorer.formats.not_vocabularies import stranger

    what = stranger(head)
    if what is not None:
        raise InputError(f"{name}: {what}")
    if vocab_merges.looks_like_merges(head):
        raise InputError(f"{name}: these are pairs that merge; open the vocab.json they belong to, with them beside it")
    formats = ", ".join(f"{each.name} ({each.known_by})" for each in FORMATS)
    raise InputError(f"{name}: it begins with {head[:4].hex(' ').upper()}, as no known file does; give {formats}")


def format_at(path: Path) -> Format:
    """The format of a file. Raises InputError where it cannot be read, or is none of those known."""
    return format_of(first_bytes(path, HEAD), str(path))


def runs_of(found: Format, source: Source) -> Mapping[str, Opener]:
    """Who can run a file of this format, the default first: in a folder with settings that is who reads them."""
    if not source.whole:
        return found.implementations
    first, last = found.implementations, found.in_folder
    return {**last, **first} if source.has(TOKENIZER_CONFIG) else {**first, **last}


def opened(source: Source, found: Format, name: str, implementation: str | None, choices: Choices) -> Tokenizer:
    """The tokenizer in a file of a known format, run as an implementation; None: as the first one."""
    runs = runs_of(found, source)
    implementation = next(iter(runs)) if implementation is None else implementation
    if implementation not in runs:
        raise InputError(f"{name} cannot be run as {implementation!r}; {found.name} runs as: {', '.join(runs)}")
    from explorer.engine.limits.budget import OPENING, within

    with within(f"opening {name}", OPENING):
        made = runs[implementation](source, name, choices)
        settings = source.settings()
        if settings:
            from explorer.implementations.settings_facts import with_settings

            beside = [each for each in VOCABULARIES if each not in source.read and source.has(each)]
            made = with_settings(made, settings, source.name, beside)
    return replace(made, origin=Origin(source.files(), tuple(choices.items())))


def open_bytes(
    data: bytes, name: str, implementation: str | None, choices: Choices = NONE, file: File | None = None
) -> Tokenizer:
    """The tokenizer in a file's bytes. Raises InputError where it cannot be opened or run so.

    name: what the tokenizer is called. file: the name and sha256 of the file, where they are known already.
    """
    file = file or File.of(name, data)
    return opened(
        Source(data, name=file.name, read={file.name: file}),
        format_of(data[:HEAD], name),
        name,
        implementation,
        choices,
    )


def open_files(files: Mapping[str, bytes], implementation: str | None, choices: Choices = NONE) -> Tokenizer:
    """The tokenizer in files that belong together, by their names: one file, or all of a model's folder.

    Raises InputError where they cannot be opened or run so.

    >>> open_files({"merges.txt": b"a b", "vocab.json": b'{"a": 0, "b": 1, "ab": 2}'}, None).encode("ab").ids
    [2]
    """
    name = main_file(files)
    others = {each: data for each, data in files.items() if each != name}
    source = Source(files[name], others, name, whole=bool(others))
    return opened(source, format_of(files[name][:HEAD], name), name, implementation, choices)


def main_file(files: Mapping[str, bytes]) -> str:
    """The name of the file that is opened, the others being beside it. Raises InputError where it is not one."""
    names = list(files) if len(files) == 1 else []
    names = names or ([known(files)] if known(files) else [])
    names = names or [name for name, data in files.items() if is_vocabulary(data[:HEAD], name)]
    if len(names) != 1:
        what = f"several are: {', '.join(names)}" if names else "none is"
        raise InputError(f"of the files given together one has to be a tokenizer's, and {what}; give them one by one")
    return names[0]


def is_vocabulary(head: bytes, name: str) -> bool:
    """Whether a file that is called and begins so is of a known format."""
    return name not in COMPANIONS and any(each.matches(head) for each in FORMATS)


def open_path(path: Path, implementation: str | None, choices: Choices = NONE) -> Tokenizer:
    """The tokenizer in a file, or in a model's folder. Raises InputError where it cannot be opened or run so."""
    source, name = source_at(path)
    assert isinstance(source.data, Path)
    return opened(source, format_at(source.data), name, implementation, choices)


def source_at(path: Path) -> tuple[Source, str]:
    """What is opened for a path, and what it is called: a file, or the vocabulary of a folder with all beside it."""
    if not path.is_dir():
        return Source(path, name=path.name), path.name
    main = vocabulary_in(path, lambda each: is_vocabulary(first_bytes(each, HEAD), each.name))
    return Source(main, name=main.name, whole=True), path.resolve().name


def files_at(path: Path) -> tuple[Path, ...]:
    """The files a tokenizer at this path is made of, the one with the vocabulary first.

    Raises InputError where there is none.
    """
    source, _ = source_at(path)
    main = source.data
    assert isinstance(main, Path)
    names = [*format_at(main).beside(main.name)]
    if source.whole:
        names += [*SETTINGS, *VOCABULARIES, "merges.txt"]
    beside = (main.with_name(name) for name in dict.fromkeys(names) if name != main.name)
    return (main, *(each for each in beside if each.is_file()))

"""From files to tokenizers: the formats, which implementations run each, and folders as AutoTokenizer opens them.

The content decides the format, never the name. `FORMATS` has one row per format. A tokenizer may be split into two
files: then the one with the ids is opened, and the other is found next to it, in the same folder (`open_path`) or among
the files given with it (`open_files`). In a model's folder the settings (tokenizer_config.json and the like) are read
with the vocabulary, and `transformers` can run it, too.

Readers and implementations are imported by the functions that use them, because one file needs few of them.

A model's folder is opened as AutoTokenizer of `transformers` does: which files are read for which version. Everything
else is imported when such a folder is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from explorer.errors import NO_CHOICES, Choices, InputError, nearest, no_longer_offered, shown
from explorer.formats.files import COMPANIONS, NAMED, PARTNERS, SETTINGS, TOKENIZER_CONFIG, VOCABULARIES
from explorer.formats.model_folder import Files
from explorer.opening.sources import HEAD, NOTE, Opener, first_bytes, standard_name, vocabulary_in
from explorer.opening.sources import Source as Source
from explorer.origin import WHOLE, File, Origin
from explorer.text.say import Text, in_a_row, worded

if TYPE_CHECKING:
    from explorer.formats.tokenizer_json import TokenizerJson
    from explorer.implementations import transformers
    from explorer.implementations.opened import Opened
    from explorer.implementations.transformers import Slow
    from explorer.opening.remote_gguf import Source as HeadSource


def in_python(version: int, source: Source, name: str) -> Opened | None:
    """The tokenizer of a folder whose class is in Python alone and reads a vocabulary; None for another class."""
    from explorer.implementations.transformers import python_classes, two_files
    from explorer.implementations.transformers.arguments import class_for

    settings = source.settings()
    try:
        class_name = class_for(version, settings)
    except InputError:
        return None
    if class_name in python_classes.ONLY:
        return python_classes.from_folder(version, settings, name, files_of(source))
    return two_files.from_folder(version, settings, name, files_of(source)) if class_name in two_files.NAMES else None


def files_of(source: Source) -> Files:
    """The contents of a file of a source's folder by its name, None if there is none."""
    return lambda wanted: source.contents() if wanted == source.name else source.beside(wanted)


def open_auto(version: int) -> Opener:
    """Opens a folder with a tokenizer.json as AutoTokenizer of a version does."""

    def opener(source: Source, name: str, choices: Choices) -> Opened:
        from explorer.formats import sentencepiece_model, tokenizer_json
        from explorer.implementations import transformers

        if (in_class := in_python(version, source, name)) is not None:
            return in_class

        def slow(wanted: str) -> transformers.Slow | None:
            beside = source.beside(wanted) if wanted.endswith(".model") else None
            return None if beside is None else transformers.Slow(wanted, sentencepiece_model.read(beside, wanted))

        data = source.contents()
        return transformers.from_tokenizer_json(
            version,
            partial(tokenizer_json.read, data, name),
            source.settings(),
            name,
            byte_level=b'"ByteLevel"' in data,
            slow=slow,
        )

    return opener


def open_slow(version: int, read: Callable[[Source, str, int], Slow]) -> Opener:
    """Opens a folder without a tokenizer.json in the same way. read: reads the files of its slow tokenizer."""

    def opener(source: Source, name: str, choices: Choices) -> Opened:
        from explorer.implementations import transformers

        if (in_class := in_python(version, source, name)) is not None:
            return in_class
        return transformers.from_slow(version, read(source, name, version), source.settings(), name)

    return opener


def sentencepiece(source: Source, name: str, version: int) -> Slow:
    """The files of a slow tokenizer with a SentencePiece model."""
    from explorer.formats import sentencepiece_model
    from explorer.implementations import transformers

    return transformers.Slow(source.name, sentencepiece_model.read(source.contents(), name))


def merges(source: Source, name: str, version: int) -> Slow:
    """The files of a slow tokenizer with a vocab.json and its merges.txt."""
    from explorer.formats import vocab_files
    from explorer.implementations import transformers

    vocab = vocab_files.read_vocab(source.contents(), name)
    data = source.beside("merges.txt")
    merges = None if data is None else vocab_files.read_merges(data, "merges.txt", vocab)
    return transformers.Slow(source.name, vocab=vocab, merges=merges)


def pieces(source: Source, name: str, version: int) -> Slow:
    """The files of a slow tokenizer with a vocab.txt, whose lines version 4 reads otherwise."""
    from explorer.formats import vocab_files
    from explorer.implementations import transformers

    read = vocab_files.read_words_in_python if version == 4 else vocab_files.read_words
    return transformers.Slow(source.name, vocab=read(source.contents(), name))


def open_settings(version: int) -> Opener:
    """Opens a folder whose class needs no vocabulary file in the same way. The source is its tokenizer_config.json."""

    def opener(source: Source, name: str, choices: Choices) -> Opened:
        from explorer.formats import model_folder
        from explorer.formats.files import TOKENIZER_CONFIG
        from explorer.implementations.transformers.python_classes import from_settings

        def beside(wanted: str) -> bytes | None:
            return source.contents() if wanted == TOKENIZER_CONFIG else source.beside(wanted)

        return from_settings(version, model_folder.read(beside), name)

    return opener


def codes(source: Source, name: str, version: int) -> Slow:
    """PhoBERT's vocab.txt with its bpe.codes. Raises InputError if there are no codes."""
    from explorer.formats import bpe_codes
    from explorer.implementations import transformers

    data = source.beside(bpe_codes.CODES)
    if data is None:
        raise InputError(
            f"{name}: these are words with counts (a dict.txt of fairseq, as PhoBERT's vocab.txt), which say nothing "
            f"about how a text is split; put {bpe_codes.CODES} next to it, and give the folder"
        )
    words = bpe_codes.phobert_words(source.contents(), name)
    pairs = bpe_codes.phobert_codes(data)
    return transformers.Slow(bpe_codes.CODES, vocab=words, merges=list(map(" ".join, pairs)))


def auto(read: Callable[[Source, str, int], Slow] | None = None) -> dict[str, Opener]:
    """The implementations `transformers`, newest version first. read: as in `open_slow`, None for a tokenizer.json."""
    return {f"transformers-{each}": open_slow(each, read) if read else open_auto(each) for each in (5, 4)}


@dataclass(frozen=True, slots=True)
class Format:
    """A format of vocabulary files.

    name: what errors call it, with an article. known_by: how people recognize it. matches: whether a file has this
    format, by its first bytes. implementations: those that run such a file, and how each opens it; the default first.
    in_folder: those that run it, too, if the settings of a model's folder are next to it. beside: file name → names of
    the other file it needs, the likeliest first.
    """

    name: str
    known_by: str
    matches: Callable[[bytes], bool]
    implementations: Mapping[str, Opener]
    in_folder: Mapping[str, Opener] = field(default_factory=dict)
    beside: Callable[[str], tuple[str, ...]] = lambda name: ()


def open_gguf(source: Source, name: str, choices: Choices) -> Opened:
    """A GGUF file as llama.cpp runs it."""
    from explorer.formats.model_folder import in_gguf
    from explorer.implementations import llama_cpp
    from explorer.opening.compiled_forms import read_gguf

    head = read_gguf(source, name)
    kept = None if isinstance(source.data, bytes) else kept_source(source.data)
    size = kept.size if kept else head.size
    if size > WHOLE:
        source.read[source.name] = File.beginning(source.name, head.head, size)
    chat = in_gguf(head.metadata)
    return replace(llama_cpp.from_gguf(head, name, choices), find_chat=lambda: chat)


def open_sentencepiece(source: Source, name: str, choices: Choices) -> Opened:
    """A SentencePiece model as sentencepiece runs it."""
    from explorer.implementations import sentencepiece
    from explorer.opening.compiled_forms import read_sentencepiece

    model = read_sentencepiece(source, name)
    return sentencepiece.from_model(model, name, choices.get(sentencepiece.KEY), source.settings().tokenizer)


def open_rwkv(reader: str, variant: str) -> Opener:
    """An RWKV vocabulary as an implementation runs it. reader: the function that reads the file."""

    def opener(source: Source, name: str, choices: Choices) -> Opened:
        from explorer.formats.rwkv import read_json
        from explorer.implementations import rwkv
        from explorer.opening.compiled_forms import read_rwkv

        tokens, trie = read_rwkv(source, name) if reader == "read" else (read_json(source.contents(), name), None)
        return rwkv.from_tokens(tokens, name, variant, choices.get(rwkv.KEY), has_lengths=reader == "read", trie=trie)

    return opener


def open_json(source: Source, name: str, choices: Choices) -> Opened:
    """A tokenizer.json as Hugging Face runs it."""
    from explorer.opening.compiled_forms import read_json

    return as_huggingface(read_json(source, name), name, choices)


def as_huggingface(file: TokenizerJson, name: str, choices: Choices = NO_CHOICES) -> Opened:
    """The contents of a tokenizer.json as Hugging Face runs it."""
    from explorer.implementations import huggingface

    return huggingface.from_tokenizer_json(file, name, choices)


def open_converted(source: Source, name: str, choices: Choices) -> Opened:
    """A tokenizer.json as llama.cpp runs it after conversion."""
    from explorer.formats import tokenizer_json

    # the script that converts it reads it with Python
    return as_llama_cpp(tokenizer_json.read(source.contents(), name, floats=None), name, choices)


def as_llama_cpp(file: TokenizerJson, name: str, choices: Choices = NO_CHOICES) -> Opened:
    """The contents of a tokenizer.json as llama.cpp runs it after conversion."""
    from explorer.implementations import llama_cpp

    return llama_cpp.from_tokenizer_json(file, name, choices)


def open_ranks(source: Source, name: str, choices: Choices) -> Opened:
    """A ranks file as tiktoken runs it."""
    from explorer.implementations import tiktoken
    from explorer.opening.compiled_forms import read_ranks

    return tiktoken.from_ranks(source.contents(), name, choices, source.settings(), read_ranks(source, name))


def open_tekken(source: Source, name: str, choices: Choices) -> Opened:
    """A tekken.json as mistral-common runs it."""
    from explorer.formats import tekken
    from explorer.implementations import tiktoken

    return tiktoken.from_tekken(tekken.read(source.contents(), name), name)


def open_vocab_txt(run: Callable[[TokenizerJson, str], Opened]) -> Opener:
    """A BERT's vocab.txt. run: makes a tokenizer from the tokenizer.json made of it."""

    def opener(source: Source, name: str, choices: Choices) -> Opened:
        from explorer.formats import vocab_files
        from explorer.implementations.huggingface.from_vocab import of_vocab_txt

        pieces = vocab_files.read_words(source.contents(), name)
        file, facts = of_vocab_txt(pieces, name, choices)
        return replace(run(file, name), facts=facts)

    return opener


def open_vocab_json(source: Source, name: str, choices: Choices) -> Opened:
    """A vocab.json with the merges next to it, or of a WordPiece model, which has none."""
    from explorer.formats import vocab_files
    from explorer.implementations.huggingface.from_vocab import is_word_piece, of_vocab_json, of_vocab_txt

    vocab = vocab_files.read_vocab(source.contents(), name)
    if is_word_piece(vocab):
        ids = dict(sorted(vocab.items(), key=lambda each: each[1]))
        file, facts = of_vocab_txt(ids, name, choices)
        return replace(as_huggingface(file, name), facts=facts)
    candidates = ((each, source.beside(each)) for each in merges_names(name))
    beside, data = next(((each, data) for each, data in candidates if data is not None), ("", b""))
    if not beside:
        names = " or ".join(merges_names(name))
        raise InputError("{0:t}: its merges are in another file; put {1:t} next to it, or give both", name, names)
    merges = vocab_files.read_merges(data, beside, vocab)
    file, facts = of_vocab_json(vocab, merges, name, choices)
    return replace(as_huggingface(file, name), facts=facts)


def open_codes(source: Source, name: str, choices: Choices) -> Opened:
    """subword-nmt's codes. Raises InputError next to a vocab.json, whose merges they then are."""
    from explorer.formats import bpe_codes
    from explorer.implementations import subword_nmt

    if source.has("vocab.json"):
        raise InputError("{0:t}: these are the merges of the vocab.json next to it; open that file", name)
    return subword_nmt.from_codes(bpe_codes.read(source.contents(), name), name)


def merges_names(name: str) -> tuple[str, ...]:
    """Names of the file with the merges of a vocab.json, the likeliest first.

    >>> merges_names("roberta-vocab.json"), merges_names("encoder.json")
    (('roberta-merges.txt', 'merges.txt'), ('vocab.bpe', 'merges.txt'))
    """
    own = "vocab.bpe" if name == "encoder.json" else name.removesuffix("vocab.json") + "merges.txt"
    return tuple(dict.fromkeys((own if name.endswith(("vocab.json", "encoder.json")) else "merges.txt", "merges.txt")))


def by_reader(module: str, function: str = "looks_like") -> Callable[[bytes], bool]:
    """Whether first bytes match, according to a reader's function; the reader is imported when it is called."""
    return lambda head: bool(getattr(import_module(f"explorer.formats.{module}"), function)(head))


def is_object(head: bytes) -> bool:
    """Whether a file may be a JSON object."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


TOKENIZER_JSON = Format(
    "a tokenizer.json",
    "an object with a model",
    is_object,
    {"huggingface": open_json, "llama.cpp": open_converted},
    in_folder=auto(),
)
CODES = Format(
    "subword-nmt's codes",
    "#version: 0.2, then pairs with </w>",
    by_reader("bpe_codes"),
    {"subword-nmt": open_codes},
)  # fmt: skip
COUNTED = Format(
    "PhoBERT's vocab.txt", "a word and a count per line", by_reader("bpe_codes", "looks_like_phobert"), auto(codes)
)

FORMATS = (
    Format("a GGUF file", "begins with GGUF", lambda head: head.startswith(b"GGUF"), {"llama.cpp": open_gguf}),
    Format(
        "a vocab.json", "an object of pieces and ids", by_reader("vocab_files", "looks_like_vocab"),
        {"huggingface": open_vocab_json}, in_folder=auto(merges), beside=merges_names,
    ),
    Format(
        "an RWKV vocabulary in JSON", "an object of ids and tokens", by_reader("rwkv", "looks_like_json"),
        {"rwkv": open_rwkv("read_json", "rwkv"), "first-miss": open_rwkv("read_json", "first-miss")},
    ),
    Format("a tekken.json", "has token_bytes", by_reader("tekken"), {"mistral-common": open_tekken}),
    TOKENIZER_JSON,
    CODES,
    Format("a ranks file", "base64 and a number per line", by_reader("tiktoken_ranks"), {"tiktoken": open_ranks}),
    Format(
        "a SentencePiece model",
        "protobuf",
        by_reader("sentencepiece_model", "looks_like_model"),
        {"sentencepiece": open_sentencepiece},
        in_folder=auto(sentencepiece),
    ),
    Format(
        "an RWKV vocabulary", "id, spelling and length per line", by_reader("rwkv"),
        {"rwkv": open_rwkv("read", "rwkv"), "first-miss": open_rwkv("read", "first-miss")},
    ),
    Format(
        "a BERT vocab.txt",
        "a piece per line, [UNK] early",
        by_reader("vocab_files", "looks_like_words"),
        {
            "huggingface": open_vocab_txt(as_huggingface),
            "llama.cpp": open_vocab_txt(as_llama_cpp),
        },
        in_folder=auto(pieces),
    ),
    COUNTED,
)  # fmt: skip
"""The formats, in the order they are tried."""

SETTINGS_ALONE = Format(
    "a folder without a vocabulary",
    "tokenizer_config.json names ByT5Tokenizer or CanineTokenizer",
    lambda head: False,
    {f"transformers-{version}": open_settings(version) for version in (5, 4)},
)
"""What a tokenizer_config.json is where no other file is a vocabulary. It is not recognized by its first bytes."""

IMPLEMENTATIONS = tuple(dict.fromkeys(name for each in FORMATS for name in (*each.implementations, *each.in_folder)))
"""All implementations, by the names used after an @."""


def format_of(data: bytes, name: str) -> Format:
    """The format of a file with this content, of which the first bytes decide. Raises InputError if it is unknown."""
    head = data[:HEAD]
    if PurePath(name).name == TOKENIZER_CONFIG:
        return SETTINGS_ALONE
    alone = PurePath(name).name in COMPANIONS
    known = None if alone else matching(head)
    if known is not None:
        return known
    from explorer.formats.not_vocabularies import ranked

    what = ranked(head)[1]
    if alone and not what:
        what = Text("this file belongs to a tokenizer but is not one; give its whole folder, or all files together")
    if what:
        raise InputError("{0:t}: {1:t}", name, what)
    formats = in_a_row(*(Text("{0:t} ({1:t})", worded(each.name), worded(each.known_by)) for each in FORMATS))
    raise InputError(
        "{0:t}: it begins with {1:t}, which no known format does; give {2:t}", name, beginning(head), formats
    )


def beginning(head: bytes) -> str:
    """How a file begins, for an error: its first line if that is text, otherwise its first bytes.

    >>> beginning(b"# My model\\n"), beginning(b"\\x7fELF")
    ("'# My model'", '7F 45 4C 46')
    """
    line = head.lstrip().partition(b"\n")[0].decode("utf-8", "replace").rstrip()
    return shown(line) if line.isprintable() and "\ufffd" not in line[:40] else head[:4].hex(" ").upper()


AS_WRITTEN = re.compile(rb'\s*\{\s*"version"\s*:\s*"1\.0",\s*"truncation"\s*:')
"""How tokenizers begins a tokenizer.json."""


def matching(head: bytes) -> Format | None:
    """The format of a file with these first bytes; None for another JSON object, known by its keys, and if unknown."""
    if AS_WRITTEN.match(head):
        return TOKENIZER_JSON
    if is_object(head):
        from explorer.formats.not_vocabularies import ranked

        if ranked(head)[1]:
            return None
    return next((each for each in FORMATS if each.matches(head)), None)


def format_at(path: Path) -> Format:
    """The format of a file. Raises InputError if it cannot be read or is unknown."""
    return format_of(first_bytes(path, HEAD), str(path))


def runs_of(format: Format, source: Source) -> Mapping[str, Opener]:
    """The implementations of a format, the default first: in a folder with settings one that reads them."""
    if not source.whole:
        return format.implementations
    alone, in_folder = format.implementations, format.in_folder
    return {**in_folder, **alone} if source.has(TOKENIZER_CONFIG) else {**alone, **in_folder}


def open_source(source: Source, format: Format, name: str, implementation: str | None, choices: Choices) -> Opened:
    """The tokenizer in a source of a known format. implementation: the original to follow; the default if None."""
    runs = runs_of(format, source)
    wanted = next(iter(runs)) if implementation is None else implementation
    implementation = nearest("implementation", wanted)
    if implementation not in runs:
        raise InputError(f"{name} cannot be run as {implementation!r}; {format.name} runs as: {', '.join(runs)}")
    from explorer.engine.budget import OPENING, within
    from explorer.formats.strict_json import collecting_later

    with within(f"opening {name}", OPENING), collecting_later():
        tokenizer = runs[implementation](source, name, choices)
        settings = source.settings()
        if settings:
            from explorer.implementations.opened import with_settings

            beside = [each for each in VOCABULARIES if each not in source.read and source.has(each)]
            tokenizer = with_settings(tokenizer, settings, source.name, beside)
        if source.whole and not tokenizer.chat.sources:
            from explorer.formats.model_folder import in_folder

            tokenizer = replace(
                tokenizer, find_chat=lambda: in_folder(settings.tokenizer, source.beside, source.additional())
            )
        if implementation != wanted:
            from explorer.facts import WARNING, Fact

            fact = Fact("implementation", no_longer_offered("implementation", wanted), kind=WARNING)
            tokenizer = replace(tokenizer, facts=(fact, *tokenizer.facts))
    return replace(tokenizer, origin=Origin(source.files(), tuple(choices.items())))


def open_bytes(
    data: bytes,
    name: str,
    implementation: str | None,
    choices: Choices = NO_CHOICES,
    file: File | None = None,
    keeps: bool = False,
) -> Opened:
    """The tokenizer in a file's bytes. Raises InputError if it cannot be opened or run as the implementation.

    name: of the tokenizer. file: the name and sha256 of the file, if they are already known. keeps: whether its
    compiled form is kept under that sha256.
    """
    file = file or File.of(name, data)
    return open_source(
        Source(data, name=file.name, read={file.name: file}, keeps=keeps),
        format_of(data, name),
        name,
        implementation,
        choices,
    )


def open_files(files: Mapping[str, bytes], implementation: str | None, choices: Choices = NO_CHOICES) -> Opened:
    """The tokenizer in files that belong together, by name: one file, or all of a model's folder.

    Raises InputError if they cannot be opened or run as the implementation.

    >>> open_files({"merges.txt": b"a b", "vocab.json": b'{"a": 0, "b": 1, "ab": 2}'}, None).encode("ab").ids
    [2]
    """
    name = main_file(files)
    others = {each: data for each, data in files.items() if each != name}
    source = Source(files[name], others, name, whole=bool(others))
    return open_source(source, format_of(files[name], name), name, implementation, choices)


def main_file(files: Mapping[str, bytes]) -> str:
    """The name of the file with the vocabulary. Raises InputError unless there is exactly one."""
    names = list(files) if len(files) == 1 else []
    names = names or ([standard_name(files)] if standard_name(files) else [])
    names = names or [name for name, data in files.items() if is_vocabulary(data, name)]
    names = names or [name for name, data in files.items() if CODES.matches(data[:HEAD])]
    if not names and TOKENIZER_CONFIG in files and any(map(NAMED.search, files.values())):
        return TOKENIZER_CONFIG
    if len(names) != 1:
        what = f"several are: {', '.join(names)}" if names else "none is"
        raise InputError(
            f"exactly one of the files given together must be a tokenizer, and {what}; give them one by one"
        )
    return names[0]


def is_vocabulary(data: bytes, name: str) -> bool:
    """Whether a file with this name and these first bytes has a known format. Parts of others do not count."""
    return name not in COMPANIONS and matching(data[:HEAD]) not in (None, CODES, COUNTED)


def open_path(path: Path, implementation: str | None, choices: Choices = NO_CHOICES) -> Opened:
    """The tokenizer in a file or a model's folder. Raises InputError if it cannot be opened or run as asked."""
    source, name = source_at(path)
    assert isinstance(source.data, Path)
    tokenizer = open_source(source, format_at(source.data), name, implementation, choices)
    repository = repository_of(path)
    return replace(tokenizer, origin=tokenizer.origin._replace(repository=repository)) if repository else tokenizer


def source_at(path: Path) -> tuple[Source, str]:
    """The source at a path and its name: a file, or the vocabulary of a folder with the files next to it."""
    if not path.is_dir():
        return Source(path, name=path.name, keeps=True), path.name
    main = vocabulary_in(path, lambda each: is_vocabulary(first_bytes(each, HEAD), each.name))
    # the name of a folder in the cache of the Hub is a commit
    name = repository_of(path).partition("@")[0] or path.resolve().name
    return Source(main, name=main.name, whole=True, keeps=True), name


def kept_source(path: Path) -> HeadSource | None:
    """Where a beginning of a GGUF that was read from the Hub is from; None for any other file."""
    if not (path.parent / NOTE).is_file():  # most files need no further import
        return None
    from explorer.opening.remote_gguf import source_of

    return source_of(path)


def repository_of(path: Path) -> str:
    """The model on the Hub, with its commit, in whose copy in the cache a path is; "" for any other path."""
    if "snapshots" not in path.absolute().parts:
        kept = kept_source(path)
        return kept.repository if kept else ""
    from explorer.opening.hub.names import of_snapshot

    return of_snapshot(path)


def files_at(path: Path) -> tuple[Path, ...]:
    """The files of the tokenizer at a path, the one with the vocabulary first. Raises InputError if there is none."""
    source, _ = source_at(path)
    main = source.data
    assert isinstance(main, Path)
    names = [*format_at(main).beside(main.name)]
    if source.whole:
        names += [*SETTINGS, *VOCABULARIES, *PARTNERS]
    beside = (main.with_name(name) for name in dict.fromkeys(names) if name != main.name)
    return (main, *(each for each in beside if each.is_file()))

"""Opens a model's folder as AutoTokenizer of `transformers` does: which files are read for which version.

Everything else is imported when such a folder is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from explorer.errors import InputError
from explorer.opening.sources import Choices, Opener, Source

if TYPE_CHECKING:
    from explorer.implementations import transformers
    from explorer.implementations.opened import Opened
    from explorer.implementations.transformers import Slow


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


def files_of(source: Source) -> Callable[[str], bytes | None]:
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

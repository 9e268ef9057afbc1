"""Files become tokenizers: which format a file has, who can run it, and how.

The format is told by the content, never by the name. One row of `FORMATS` a format; a new one adds a row. A tokenizer
may lie in two files, and then the one with the ids is opened and the other one is looked for beside it: in the same
folder (`open_path`), or among the files that came with it (`open_files`).

Readers and implementations are imported by the functions that use them: one file needs few of them.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from explorer.errors import InputError
from explorer.origin import File, Origin

if TYPE_CHECKING:
    from explorer.engine.tokenizer import Tokenizer
    from explorer.formats.tokenizer_json import TokenizerJson

HEAD = 4096
"""How many bytes of a file its format is told by."""

MAX_FILE = 1 << 27
"""Bytes of a file that is read whole. The largest known tokenizer.json has 35 million."""

Choices = Mapping[str, str]
"""What the person answered to a `ChoiceNeeded`, by its key. A format that does not ask for a key ignores it."""

NONE: Choices = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be opened, and what came with it.

    data: its bytes, or its path where it need not be read whole. others: the files given with it, by name; those of a
    path are the ones in its folder. name: of the file. read: the files that were read, by name; filled on the way.
    """

    data: bytes | Path
    others: Mapping[str, bytes] = field(default_factory=dict)
    name: str = ""
    read: dict[str, File] = field(default_factory=dict, repr=False, compare=False)

    def contents(self) -> bytes:
        """All bytes of the file. Raises InputError where it cannot be read, or is far larger than any of its kind."""
        return self.kept(self.name, self.data if isinstance(self.data, bytes) else contents(self.data))

    def kept(self, name: str, data: bytes) -> bytes:
        """Keeps in mind what was read."""
        if name not in self.read:
            self.read[name] = File.of(name, data)
        return data

    def files(self) -> tuple[File, ...]:
        """The files that were read, the one that was opened first. Raises InputError where it cannot be read."""
        if self.name not in self.read:  # a GGUF is not read whole
            if isinstance(self.data, bytes):
                self.contents()
            else:
                try:
                    self.read[self.name] = File.at(self.data)
                except OSError as error:
                    raise unreadable(self.data, error) from None
        return (self.read[self.name], *(each for name, each in self.read.items() if name != self.name))

    def beside(self, name: str) -> bytes | None:
        """The bytes of another file, None where there is none of that name. Raises InputError as `contents` does.

        >>> Source(b"", {"merges.txt": b"a b"}).beside("merges.txt")
        b'a b'
        """
        if isinstance(self.data, bytes):
            found = self.others.get(name)
        else:
            path = self.data.with_name(name)
            found = contents(path) if path.is_file() else None
        return None if found is None else self.kept(name, found)


Opener = Callable[[Source, str, Choices], "Tokenizer"]
"""Opens a file under a name. Raises InputError, ChoiceNeeded where the file leaves something open."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of vocabulary file.

    name: what errors call it, with its article. known_by: how people tell it. matches: told the first bytes of a file,
    whether it is one.
    implementations: who can run such a file and how it is opened; the first one does by default.
    beside: told the file's name, what the other file it needs may be called, the likeliest first.
    """

    name: str
    known_by: str
    matches: Callable[[bytes], bool]
    implementations: Mapping[str, Opener]
    beside: Callable[[str], tuple[str, ...]] = lambda name: ()


def contents(path: Path) -> bytes:
    """The bytes of a file. Raises InputError where it cannot be read or is too large."""
    data = first_bytes(path, MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise InputError(f"{path}: such a file has at most {MAX_FILE} bytes, and this one more; give another one")
    return data


def first_bytes(path: Path, count: int) -> bytes:
    """So many bytes of a file, however long it says it is. Raises InputError where it cannot be read."""
    try:
        # asked before opening: a pipe would wait for somebody to write into it
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError(
                f"{path}: this is a folder; name a file in it (the app takes a folder as EXPLORER_TOKENIZERS)"
            )
        if not stat.S_ISREG(mode):
            raise InputError(f"{path}: this is no ordinary file; give the file itself")
        with path.open("rb") as file:
            return file.read(count)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> InputError:
    """What is said of a file that is there and cannot be read."""
    return InputError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions")


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

    return sentencepiece.from_model(sentencepiece_model.read(source.contents(), name), name)


def open_rwkv(variant: str) -> Opener:
    def opener(source: Source, name: str, choices: Choices) -> Tokenizer:
        from explorer.formats import rwkv_txt
        from explorer.implementations import rwkv

        return rwkv.from_tokens(rwkv_txt.read(source.contents(), name), name, variant)

    return opener


def open_json(source: Source, name: str, choices: Choices) -> Tokenizer:
    from explorer.formats import tokenizer_json

    return as_huggingface(tokenizer_json.read(source.contents(), name), name)


def as_huggingface(file: TokenizerJson, name: str) -> Tokenizer:
    from explorer.implementations import huggingface

    return huggingface.from_tokenizer_json(file, name)


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
    from explorer.implementations import tekken as mistral

    return mistral.from_tekken(tekken.read(source.contents(), name), name)


def open_vocab_txt(run: Callable[[TokenizerJson, str], Tokenizer]) -> Opener:
    def opener(source: Source, name: str, choices: Choices) -> Tokenizer:
        from explorer.formats import wordpiece_txt
        from explorer.implementations import vocab_txt

        pieces = wordpiece_txt.read(source.contents(), name)
        file, facts = vocab_txt.as_tokenizer_json(pieces, name, choices)
        return replace(run(file, name), facts=facts)

    return opener


def open_vocab_json(source: Source, name: str, choices: Choices) -> Tokenizer:
    """A vocab.json with the merges beside it."""
    from explorer.formats import vocab_merges
    from explorer.implementations import vocab_merges as merged

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
    ),
    Format("a ranks file", "base64 and a number a line", asked("tiktoken_ranks"), {"tiktoken": open_ranks}),
    Format(
        "a SentencePiece model",
        "protobuf",
        asked("sentencepiece_model", "looks_like_model"),
        {"sentencepiece": open_sentencepiece},
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
    ),
)  # fmt: skip
"""The formats, in the order they are asked."""

IMPLEMENTATIONS = tuple(dict.fromkeys(name for each in FORMATS for name in each.implementations))
"""What may stand behind an @."""


def format_of(head: bytes, name: str) -> Format:
    """The format of a file that begins so. Raises InputError where it is none of those known."""
    for each in FORMATS:
        if each.matches(head):
            return each
    from explorer.formats import vocab_merges
    from explorer.formats.strangers import stranger

    known = stranger(head)
    if known is not None:
        raise InputError(f"{name}: {known}")
    if vocab_merges.looks_like_merges(head):
        raise InputError(f"{name}: these are pairs that merge; open the vocab.json they belong to, with them beside it")
    formats = ", ".join(f"{each.name} ({each.known_by})" for each in FORMATS)
    raise InputError(f"{name}: it begins with {head[:4].hex(' ').upper()}, as no known file does; give {formats}")


def format_at(path: Path) -> Format:
    """The format of a file. Raises InputError where it cannot be read, or is none of those known."""
    return format_of(first_bytes(path, HEAD), str(path))


def opened(source: Source, found: Format, name: str, implementation: str | None, choices: Choices) -> Tokenizer:
    """The tokenizer in a file of a known format, run as an implementation; None: as the first one."""
    runs = found.implementations
    implementation = next(iter(runs)) if implementation is None else implementation
    if implementation not in runs:
        raise InputError(f"{name} cannot be run as {implementation!r}; {found.name} runs as: {', '.join(runs)}")
    made = runs[implementation](source, name, choices)
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
    """The tokenizer in files that belong together, by their names: one file, or a vocab.json and its merges.txt.

    Raises InputError where they cannot be opened or run so.

    >>> open_files({"merges.txt": b"a b", "vocab.json": b'{"a": 0, "b": 1, "ab": 2}'}, None).encode("ab").ids
    [2]
    """
    name = main_file(files)
    others = {each: data for each, data in files.items() if each != name}
    return opened(Source(files[name], others, name), format_of(files[name][:HEAD], name), name, implementation, choices)


def main_file(files: Mapping[str, bytes]) -> str:
    """The name of the file that is opened, the others being beside it. Raises InputError where it is not one."""
    if len(files) == 1:
        return next(iter(files))
    names = [name for name, data in files.items() if any(each.matches(data[:HEAD]) for each in FORMATS)]
    if len(names) != 1:
        what = f"several are: {', '.join(names)}" if names else "none is"
        raise InputError(f"of the files given together one has to be a tokenizer's, and {what}; give them one by one")
    return names[0]


def open_path(path: Path, implementation: str | None, choices: Choices = NONE) -> Tokenizer:
    """The tokenizer in a file. Raises InputError where it cannot be opened or run so."""
    return opened(Source(path, name=path.name), format_at(path), path.name, implementation, choices)

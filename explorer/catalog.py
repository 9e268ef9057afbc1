"""The bundled vocabularies and how a tokenizer is found by name or path.

`vocabs/catalog.toml` says for each model which upstream file holds its vocabulary, that file's sha256, where it comes
from, under which licence, and which implementations it can be run as. A file whose sha256 differs is refused.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats import gguf, tiktoken_ranks, tokenizer_json
from explorer.implementations import huggingface, llama_cpp, tiktoken

VOCABS = Path(__file__).parent.parent / "vocabs"


@dataclass(frozen=True, slots=True)
class Model:
    """One bundled model: a row of the catalogue.

    name: what `load` takes. implementations: the first one is the default.
    """

    name: str
    title: str
    file: str
    sha256: str
    family: str
    implementations: tuple[str, ...]
    source: str
    licence: str

    @property
    def path(self) -> Path:
        return VOCABS / self.file


@cache
def catalog() -> Mapping[str, Model]:
    """The bundled models by name, in the order of the file.

    >>> catalog()["llama-2"].implementations
    ('llama.cpp',)
    """
    rows = tomllib.loads((VOCABS / "catalog.toml").read_text("utf-8"))
    models = (
        Model(name=name, **row | {"implementations": tuple(row["implementations"])}) for name, row in rows.items()
    )
    return MappingProxyType({model.name: model for model in models})


def load(spec: str | Path, implementation: str | None = None) -> Tokenizer:
    """The tokenizer named by `spec`: a catalogue name, `NAME@IMPLEMENTATION`, or the path of a file.

    implementation: whose behaviour is wanted; the model's default when None. Raises InputError for a name, a path or
    an implementation that cannot be had, saying which there are.

    >>> load("llama-2@llama.cpp").encode("is").ids
    [1, 338]
    """
    name, at, asked = str(spec).partition("@")
    model = catalog().get(name) if isinstance(spec, str) else None
    if model is None:
        return load_file(Path(spec), implementation)
    if at and implementation not in (None, asked):
        raise InputError(f"{spec} asks for {asked!r} and implementation= for {implementation!r}; give one of them")
    implementation = asked if at else implementation or model.implementations[0]
    if implementation not in model.implementations:
        raise InputError(f"{name} cannot be run as {implementation!r}; it runs as: {', '.join(model.implementations)}")
    data = model.path.read_bytes()
    if hashlib.sha256(data).hexdigest() != model.sha256:
        raise InputError(f"{model.path}: the file is not the one in the catalogue (its sha256 differs); fetch it again")
    return format_of(data[:HEAD], name).implementations[implementation](data, name)


HEAD = 4096
"""How many bytes of a file its format is told by."""

Opened = Callable[[bytes | Path, str], Tokenizer]
"""Makes a tokenizer of a file's bytes or path, and the name it is called by."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of vocabulary file.

    name: what errors call it, with its article. matches: told the first bytes of a file, whether it is one.
    implementations: who can run such a file; the first one does by default.
    """

    name: str
    matches: Callable[[bytes], bool]
    implementations: Mapping[str, Opened]


def contents(source: bytes | Path) -> bytes:
    """The bytes of a file that was not read yet. Raises InputError where it cannot be."""
    if isinstance(source, bytes):
        return source
    try:
        return source.read_bytes()
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror}); check the path and its permissions") from None


FORMATS = (
    Format(
        "a GGUF file",
        lambda head: head.startswith(b"GGUF"),
        {
            llama_cpp.IMPLEMENTATION: lambda source, name: llama_cpp.from_gguf(
                gguf.read(source, is_of_tokenizer, name if isinstance(source, bytes) else ""), name
            )
        },
    ),
    Format(
        "a tokenizer.json",
        lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"),
        {
            huggingface.IMPLEMENTATION: lambda source, name: huggingface.from_tokenizer_json(
                tokenizer_json.read(contents(source), name), name
            ),
            llama_cpp.IMPLEMENTATION: lambda source, name: llama_cpp.from_tokenizer_json(
                tokenizer_json.read(contents(source), name), name
            ),
        },
    ),
    Format(
        "a ranks file",
        tiktoken_ranks.looks_like,
        {tiktoken.IMPLEMENTATION: lambda source, name: tiktoken.from_ranks(contents(source), name)},
    ),
)
"""The formats, in the order they are asked."""


def is_of_tokenizer(key: str) -> bool:
    """Which keys of a GGUF file are read: a chat template or the model's sizes are no matter here."""
    return key.startswith(("tokenizer.", "general."))


def format_of(head: bytes, name: str) -> Format:
    """The format of a file that begins so. Raises InputError where it is none of those known."""
    for each in FORMATS:
        if each.matches(head):
            return each
    # what else the file may be is said by the reader of GGUF files, which knows most of what people have
    gguf.read(head, None, name)
    raise InputError(f"{name}: this is none of the known formats: {', '.join(each.name for each in FORMATS)}")


def load_file(path: Path, implementation: str | None = None) -> Tokenizer:
    """The tokenizer in a file the user has. The format is told by the content, not by the name."""
    if not path.exists():
        known = catalog()
        near = get_close_matches(str(path), known, n=1)
        raise InputError(
            f"{str(path)!r} is neither a bundled model nor a file; "
            + (f"did you mean {near[0]!r}?" if near else f"bundled models: {', '.join(known)}")
        )
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
    return runs[implementation](path, path.name)

"""The bundled vocabularies and how a tokenizer is found by name or path.

`vocabs/catalog.toml` says for each model which upstream file holds its vocabulary, that file's sha256, where it comes
from, under which licence, and which implementations it can be run as. A file whose sha256 differs is refused.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats import gguf, rwkv_txt, wordpiece_txt
from explorer.implementations import huggingface_bert, llama_cpp, rwkv
from explorer.implementations.llama_cpp import wpm

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
    return of_data(data, name, implementation)


def load_file(path: Path, implementation: str | None = None) -> Tokenizer:
    """The tokenizer in a file the user has. The format is told by the content, not by the name."""
    if not path.exists():
        known = catalog()
        near = get_close_matches(str(path), known, n=1)
        raise InputError(
            f"{str(path)!r} is neither a bundled model nor a file; "
            + (f"did you mean {near[0]!r}?" if near else f"bundled models: {', '.join(known)}")
        )
    if path.is_file() and may_be_text(head_of(path)):
        return of_data(path.read_bytes(), path.name, implementation)
    if implementation not in (None, llama_cpp.IMPLEMENTATION):
        raise InputError(f"{path} cannot be run as {implementation!r}; a GGUF file runs as: {llama_cpp.IMPLEMENTATION}")
    return llama_cpp.from_gguf(gguf.read(path), path.name)


def head_of(path: Path) -> bytes:
    """The first bytes of a file, or none where it cannot be read: the reader will say why."""
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError:
        return b""


def may_be_text(head: bytes) -> bool:
    """Whether a file that begins so is of one of the text formats."""
    return head.lstrip()[:1] == b"{" or rwkv_txt.looks_like(head) or wordpiece_txt.looks_like(head)


def of_data(data: bytes, name: str, implementation: str | None) -> Tokenizer:
    """The tokenizer in the bytes of a file, its format told by the content."""
    if data.lstrip()[:1] == b"{":
        return of_bert(huggingface_bert.read_tokenizer_json(data, name), name, implementation)
    if rwkv_txt.looks_like(data[:4096]):
        return rwkv.from_tokens(rwkv_txt.read(data, name), name, implementation)
    if wordpiece_txt.looks_like(data[:4096]):
        return of_bert(huggingface_bert.of_vocab_txt(wordpiece_txt.read(data, name), name), name, implementation)
    return llama_cpp.from_gguf(gguf.read(data), name)


def of_bert(file: huggingface_bert.BertFile, name: str, implementation: str | None) -> Tokenizer:
    """A BERT vocabulary, run as Hugging Face or as llama.cpp does."""
    if implementation in (None, huggingface_bert.IMPLEMENTATION):
        return huggingface_bert.tokenizer_of(file, name)
    if implementation == llama_cpp.IMPLEMENTATION:
        return wpm.from_bert(file, name)
    raise InputError(f"{name} cannot be run as {implementation!r}; a BERT vocabulary runs as: "
                     f"{huggingface_bert.IMPLEMENTATION}, {llama_cpp.IMPLEMENTATION}")  # fmt: skip

"""Tokenizers as llama.cpp runs them, from what a GGUF file says.

One module for each tokenizer model of llama.cpp; `tokenizer.ggml.model` says which one a file needs. Left out: the
models not in `MODELS`; asking for one is an InputError that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.llama_cpp.bpe import bpe_tokenizer
from explorer.implementations.llama_cpp.converted import converted
from explorer.implementations.llama_cpp.spm import spm_tokenizer
from explorer.implementations.llama_cpp.ugm import ugm_tokenizer
from explorer.implementations.llama_cpp.wpm import from_bert, wpm_tokenizer

IMPLEMENTATION = "llama.cpp"

MODELS: Mapping[str, Callable[[Gguf, str], Tokenizer]] = MappingProxyType(
    {"llama": spm_tokenizer, "gpt2": bpe_tokenizer, "bert": wpm_tokenizer, "t5": ugm_tokenizer}
)
"""`tokenizer.ggml.model` → what makes its tokenizer."""


def from_gguf(gguf: Gguf, name: str) -> Tokenizer:
    """The tokenizer in a GGUF file. Raises InputError where the file holds none, or one that is not known here.

    name: what the tokenizer is called in errors and on the pages.
    """
    model = gguf.metadata.get("tokenizer.ggml.model")
    if model is None:
        raise InputError(
            f"{name}: this GGUF file holds no tokenizer (no key tokenizer.ggml.model); take the model's own file"
        )
    make = MODELS.get(model) if isinstance(model, str) else None
    if make is None:
        raise InputError(
            f"{name}: tokenizer.ggml.model is {model!r}; this version runs: {', '.join(MODELS)}. Choose such a file"
        )
    return make(gguf, name)


CONVERTED: Mapping[str, Callable[[TokenizerJson, str], Tokenizer]] = MappingProxyType(
    {
        "BPE": lambda file, name: from_gguf(converted(file, name), name),
        "WordPiece": from_bert,
    }
)
"""`model.type` of a tokenizer.json → the same vocabulary once llama.cpp's converter has written a GGUF file of it."""


def from_tokenizer_json(file: TokenizerJson, name: str) -> Tokenizer:
    """The vocabulary of a tokenizer.json as llama.cpp runs it. Raises InputError for a model it is not known to run."""
    make = CONVERTED.get(file.model_type)
    if make is None:
        raise InputError(
            f"{name}: model.type is {file.model_type!r}; as llama.cpp this version runs: {', '.join(CONVERTED)}"
        )
    return make(file, name)

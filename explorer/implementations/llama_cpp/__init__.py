"""Tokenizers as llama.cpp runs them, from what a GGUF file says.

One module for each kind of tokenizer that llama.cpp has; `tokenizer.ggml.model` says which one a file needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError, shown
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.llama_cpp.bpe import bpe_tokenizer
from explorer.implementations.llama_cpp.converted import converted
from explorer.implementations.llama_cpp.converted_facts import converted_facts
from explorer.implementations.llama_cpp.metadata import Metadata
from explorer.implementations.llama_cpp.plamo2 import plamo2_tokenizer
from explorer.implementations.llama_cpp.rwkv import rwkv_tokenizer
from explorer.implementations.llama_cpp.spm import spm_tokenizer
from explorer.implementations.llama_cpp.ugm import ugm_tokenizer
from explorer.implementations.llama_cpp.wpm import converted_bert, wpm_tokenizer

IMPLEMENTATION = "llama.cpp"

MODELS: Mapping[str, Callable[[Metadata], Tokenizer]] = MappingProxyType(
    {
        "llama": spm_tokenizer,
        "gpt2": bpe_tokenizer,
        "bert": wpm_tokenizer,
        "t5": ugm_tokenizer,
        "rwkv": rwkv_tokenizer,
        "plamo2": plamo2_tokenizer,
        "gemma4": bpe_tokenizer,
        "whitespace": bpe_tokenizer,
        "hybriddna": bpe_tokenizer,
    }
)
"""`tokenizer.ggml.model` → what makes its tokenizer."""

NONE = ("no_vocab", "none", "test")
"""What a file says that holds no vocabulary on purpose, or one for llama.cpp's own tests, whose ids are hashes."""

NO_CHOICES: Mapping[str, str] = MappingProxyType({})


def from_gguf(gguf: Gguf, name: str, choices: Mapping[str, str] = NO_CHOICES) -> Tokenizer:
    """The tokenizer in a GGUF file. Raises InputError where the file holds none, or one that is not known here.

    name: what the tokenizer is called in errors and on the pages. choices: `pre`, where the file's own is not known.
    """
    keys = Metadata(gguf, name, choices)
    model = keys.value("model")
    if model is None or model in NONE:
        why = "no key tokenizer.ggml.model" if model is None else f"tokenizer.ggml.model is {shown(model)}"
        raise InputError(f"{name}: this GGUF file holds no tokenizer ({why}); take the model's own file")
    make = MODELS.get(model) if isinstance(model, str) else None
    if make is None:
        raise InputError(
            f"{name}: tokenizer.ggml.model is {shown(model)}; llama.cpp has: {', '.join(MODELS)}. Choose such a file"
        )
    return make(keys)


def from_tokenizer_json(file: TokenizerJson, name: str, choices: Mapping[str, str] = NO_CHOICES) -> Tokenizer:
    """The vocabulary of a tokenizer.json as llama.cpp runs it once its converter has written a GGUF file of it.

    choices: `pre`, where the converter has no name for the pre-tokenizer. Raises ChoiceNeeded there, InputError for a
    tokenizer that the converter has no way for.
    """
    if file.model_type == "WordPiece":
        made = from_gguf(converted_bert(file, name), name)
    else:
        made = from_gguf(converted(file, name, choices), name)
    return replace(made, facts=converted_facts(file, made.facts))

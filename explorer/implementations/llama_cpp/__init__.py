"""Tokenizers as llama.cpp runs them, from what a GGUF file says.

One module for each kind of tokenizer that llama.cpp has; `tokenizer.ggml.model` says which one a file needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import cast

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError, shown
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.llama_cpp.metadata import Metadata

IMPLEMENTATION = "llama.cpp"

MODELS: Mapping[str, str] = MappingProxyType(
    {
        "llama": "spm",
        "gpt2": "bpe",
        "bert": "wpm",
        "t5": "ugm",
        "rwkv": "rwkv",
        "plamo2": "plamo2",
        "gemma4": "bpe",
        "whitespace": "bpe",
        "hybriddna": "bpe",
    }
)
"""`tokenizer.ggml.model` → the module that makes its tokenizer; a module is imported when a file needs it."""

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
    module = MODELS.get(model) if isinstance(model, str) else None
    if module is None:
        raise InputError(
            f"{name}: tokenizer.ggml.model is {shown(model)}; llama.cpp has: {', '.join(MODELS)}. Choose such a file"
        )
    return maker(module)(keys)


def maker(module: str) -> Callable[[Metadata], Tokenizer]:
    """What makes a tokenizer of the file's keys, from a module of this package."""
    found = getattr(import_module(f"{__name__}.{module}"), f"{module}_tokenizer")
    return cast("Callable[[Metadata], Tokenizer]", found)


def from_tokenizer_json(file: TokenizerJson, name: str, choices: Mapping[str, str] = NO_CHOICES) -> Tokenizer:
    """The vocabulary of a tokenizer.json as llama.cpp runs it once its converter has written a GGUF file of it.

    choices: `pre`, where the converter has no name for the pre-tokenizer. Raises ChoiceNeeded there, InputError for a
    tokenizer that the converter has no way for.
    """
    from explorer.implementations.llama_cpp.conversion_facts import converted_facts

    if file.model_type == "WordPiece":
        from explorer.implementations.llama_cpp.wpm import converted_bert

        made = from_gguf(converted_bert(file, name), name)
    else:
        from explorer.implementations.llama_cpp.conversion import converted

        made = from_gguf(converted(file, name, choices), name)
    return replace(made, facts=converted_facts(file, made.facts))

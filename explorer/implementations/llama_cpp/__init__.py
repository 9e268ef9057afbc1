"""Tokenizers as llama.cpp runs them, from a GGUF file.

spm, bpe, wpm, ugm, rwkv, plamo2   one tokenizer model each; `tokenizer.ggml.model` names the one a file needs
metadata                           the keys of a file, and its facts
vocabulary                         tokens, scores and kinds, with llama.cpp's corrections
pre_tokenizers                     the settings behind each name of `tokenizer.ggml.pre`
pre_versions                       the release that first knows each name
conversion                         a tokenizer.json as llama.cpp's converter writes it into a GGUF file, and its facts
conversion_pre                     the converter's name for a pre-tokenizer
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

from explorer.errors import InputError, shown
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.llama_cpp.vocabulary import Metadata
from explorer.implementations.opened import Opened

IMPLEMENTATION = "llama.cpp"

MODELS: Mapping[str, str] = {
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
"""`tokenizer.ggml.model` → the module that makes its tokenizer, imported when a file needs it."""

NONE = ("no_vocab", "none", "test")
"""Values of files without a vocabulary, or with one for llama.cpp's own tests, whose ids are hashes."""

NO_CHOICES: Mapping[str, str] = {}


def from_gguf(gguf: Gguf, name: str, choices: Mapping[str, str] = NO_CHOICES) -> Opened:
    """The tokenizer in a GGUF file. Raises InputError if the file has none, or an unknown one.

    name: what errors and the pages call the tokenizer. choices: `pre`, if the file's own is unknown.
    """
    keys = Metadata(gguf, name, choices)
    model = keys.value("model")
    if model is None or model in NONE:
        part, parts = (gguf.metadata.get(f"split.{key}") for key in ("no", "count"))
        if isinstance(part, int) and isinstance(parts, int) and part > 0:
            raise InputError(
                f"{name}: this is part {part + 1} of {parts} of a model, and the tokenizer is in the first; give "
                f"the file whose name ends with -00001-of-{parts:05}.gguf"
            )
        why = "no key tokenizer.ggml.model" if model is None else f"tokenizer.ggml.model is {shown(model)}"
        raise InputError(f"{name}: this GGUF file has no tokenizer ({why}); give the model's own file")
    module = MODELS.get(model) if isinstance(model, str) else None
    if module is None:
        raise InputError(
            f"{name}: tokenizer.ggml.model is {shown(model)}; llama.cpp has: {', '.join(MODELS)}. Give a file "
            "with one of them"
        )
    made: Opened = getattr(import_module(f"{__name__}.{module}"), f"{module}_tokenizer")(keys)
    return made


def from_tokenizer_json(file: TokenizerJson, name: str, choices: Mapping[str, str] = NO_CHOICES) -> Opened:
    """The vocabulary of a tokenizer.json as llama.cpp runs it once its converter has written a GGUF file of it.

    choices: `pre`, if the converter has no name for the pre-tokenizer. Raises ChoiceNeeded for that, and InputError for
    a tokenizer that the converter does not support.
    """
    from explorer.implementations.llama_cpp.conversion import converted, converted_facts

    if file.model_type == "WordPiece":
        from explorer.implementations.llama_cpp.wpm import converted_bert

        made = from_gguf(converted_bert(file, name), name)
    else:
        made = from_gguf(converted(file, name, choices), name)
    return replace(made, facts=tuple(converted_facts(file, made.facts)))

"""Tokenizers as llama.cpp runs them, from a GGUF file.

pre_tokenized    BPE, and BERT's WordPiece
models           SPM, Unigram, RWKV and PLaMo-2
vocabulary       the keys of a file and its facts; tokens, scores and kinds, with llama.cpp's corrections
pre_tokenizers   the settings behind each name of `tokenizer.ggml.pre`, and the release that first knows it
conversion       a tokenizer.json as llama.cpp's converter writes it into a GGUF file, and its facts
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

from explorer.errors import NO_CHOICES, Choices, InputError, errors_of, shown
from explorer.formats.gguf import Gguf
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.llama_cpp.vocabulary import Metadata
from explorer.implementations.opened import Opened
from explorer.tables import read_toml

MODELS: Mapping[str, str] = read_toml(__file__, "models.toml")
"""`tokenizer.ggml.model` → the function that makes its tokenizer, whose module is imported when a file needs it."""

NONE = ("no_vocab", "none", "test")
"""Values of files without a vocabulary, or with one for llama.cpp's own tests, whose ids are hashes."""


def from_gguf(gguf: Gguf, name: str, choices: Choices = NO_CHOICES) -> Opened:
    """The tokenizer in a GGUF file. Raises InputError if the file has none, or an unknown one.

    name: what errors and the pages call the tokenizer. choices: `pre`, if the file's own is unknown.
    """
    with errors_of(name):
        keys = Metadata(gguf, name, choices)
        model = keys.value("model")
        if model is None or model in NONE:
            part, parts = (gguf.metadata.get(f"split.{key}") for key in ("no", "count"))
            if isinstance(part, int) and isinstance(parts, int) and part > 0:
                raise InputError(
                    f"this is part {part + 1} of {parts} of a model, and the tokenizer is in the first; give "
                    f"the file whose name ends with -00001-of-{parts:05}.gguf"
                )
            why = "no key tokenizer.ggml.model" if model is None else f"tokenizer.ggml.model is {shown(model)}"
            raise InputError(f"this GGUF file has no tokenizer ({why}); give the model's own file")
        maker = MODELS.get(model) if isinstance(model, str) else None
        if maker is None:
            raise InputError(
                f"tokenizer.ggml.model is {shown(model)}; llama.cpp has: {', '.join(MODELS)}. Give a file "
                "with one of them"
            )
        module, function = maker.split(".")
        opened: Opened = getattr(import_module(f"{__name__}.{module}"), function)(keys)
        return opened


def from_tokenizer_json(file: TokenizerJson, name: str, choices: Choices = NO_CHOICES) -> Opened:
    """The vocabulary of a tokenizer.json as llama.cpp runs it once its converter has written a GGUF file of it.

    choices: `pre`, if the converter has no name for the pre-tokenizer. Raises ChoiceNeeded for that, and InputError for
    a tokenizer that the converter does not support.
    """
    from explorer.implementations.llama_cpp.conversion import converted, converted_facts

    if file.model_type == "WordPiece":
        from explorer.implementations.llama_cpp.pre_tokenized import converted_bert

        made = from_gguf(converted_bert(file, name), name)
    else:
        with errors_of(name):
            gguf = converted(file, choices)
        made = from_gguf(gguf, name)
    return replace(made, facts=tuple(converted_facts(file, made.facts)))

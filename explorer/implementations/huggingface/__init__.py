"""Tokenizers as Hugging Face's `tokenizers` runs them, from what a tokenizer.json says.

The file is a list of parts by name; each part type that the bundled vocabularies need is a function here, in a table by
its name. Asking for another one is an InputError that names it. A model type has a builder of its own in `MODELS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface.bpe import bpe_tokenizer
from explorer.implementations.huggingface_bert import bert_file, tokenizer_of

IMPLEMENTATION = "huggingface"

MODELS: Mapping[str, Callable[[TokenizerJson, str], Tokenizer]] = MappingProxyType(
    {"BPE": bpe_tokenizer, "WordPiece": lambda file, name: tokenizer_of(bert_file(file, name), name)}
)
"""`model.type` → what makes its tokenizer."""


def from_tokenizer_json(file: TokenizerJson, name: str) -> Tokenizer:
    """The tokenizer that a tokenizer.json describes. Raises InputError for a part that is not known here.

    name: what the tokenizer is called in errors and on the pages.
    """
    make = MODELS.get(file.model_type)
    if make is None:
        raise InputError(
            f"{name}: model.type is {file.model_type!r}; this version runs: {', '.join(MODELS)}. Choose such a file"
        )
    return make(file, name)

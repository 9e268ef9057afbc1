"""The names of the files in a model's folder. Imports nothing, because every look at a folder needs them."""

from __future__ import annotations

import re
from typing import Final

TOKENIZER_CONFIG, SPECIAL_TOKENS_MAP = "tokenizer_config.json", "special_tokens_map.json"
ADDED_TOKENS, CONFIG = "added_tokens.json", "config.json"
SETTINGS: Final = (TOKENIZER_CONFIG, SPECIAL_TOKENS_MAP, ADDED_TOKENS, CONFIG)
"""The files that are read."""
TEMPLATES: Final = ("chat_template.jinja", "chat_template.json")
GENERATION_CONFIG: Final = "generation_config.json"
ADAPTER: Final = "adapter_config.json"
ADDITIONAL: Final = "additional_chat_templates/"
"""The folder of more chat templates, a file for each."""
OTHERS: Final = (
    *TEMPLATES,
    GENERATION_CONFIG,
    "preprocessor_config.json",
    "processor_config.json",
    "model.safetensors.index.json",
    "requirements.txt",
    ADAPTER,
)
"""Other files of such a folder, which do not affect tokenizing."""
COMPANIONS: Final = frozenset({*SETTINGS, *OTHERS})

VOCABULARIES: Final = (
    "tokenizer.json", "tokenizer.model", "sentencepiece.bpe.model", "spiece.model", "spm.model", "sentencepiece.model",
    "vocab.json", "vocab.txt", "tekken.json",
)  # fmt: skip
"""Names of the file with the vocabulary, in the order `transformers` prefers them."""
PARTNERS: Final = ("merges.txt", "bpe.codes", "source.spm", "target.spm")
"""Names of files that a vocab.json or vocab.txt needs: merges, or SentencePiece models whose pieces it numbers."""


# The classes of `transformers` that need no vocabulary file. Imports little, so that
# a look at a folder stays cheap.

BYT5: Final = "ByT5Tokenizer"
CANINE: Final = "CanineTokenizer"
CLASSES: Final = (BYT5, CANINE)
"""They are run by `implementations.transformers.python_classes`."""
NAMED: Final = re.compile(rb'"(ByT5Tokenizer|byt5|CanineTokenizer|canine)"')
"""Matches where a settings file may ask for one of them."""

"""What the files in a model's folder are called. Imports nothing: who looks at a folder asks for them first."""

from __future__ import annotations

from typing import Final

TOKENIZER_CONFIG, SPECIAL_TOKENS_MAP = "tokenizer_config.json", "special_tokens_map.json"
ADDED_TOKENS, CONFIG = "added_tokens.json", "config.json"
SETTINGS: Final = (TOKENIZER_CONFIG, SPECIAL_TOKENS_MAP, ADDED_TOKENS, CONFIG)
"""The files that are read."""
TEMPLATES: Final = ("chat_template.jinja", "chat_template.json")
OTHERS: Final = (
    *TEMPLATES, "generation_config.json", "preprocessor_config.json", "processor_config.json",
    "model.safetensors.index.json", "requirements.txt",
)  # fmt: skip
"""Files that lie in such a folder, too, and are no matter of tokenizing."""
COMPANIONS: Final = frozenset({*SETTINGS, *OTHERS})

VOCABULARIES: Final = (
    "tokenizer.json", "tokenizer.model", "sentencepiece.bpe.model", "spiece.model", "spm.model", "sentencepiece.model",
    "vocab.json", "vocab.txt", "tekken.json",
)  # fmt: skip
"""What the file with the vocabulary is called, in the order `transformers` prefers them."""

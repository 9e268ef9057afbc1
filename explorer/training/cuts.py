"""How texts are cut into words before a training, by name: the parts of a tokenizer.json.

byte-level   GPT-2's pattern, bytes as printable characters
whitespace   runs of letters and digits, runs of other characters
bert         BERT's normalizer and pre-tokenizer
metaspace    a word begins with its space, written ▁
none         each text is one word

The same parts run while training and in the tokenizer that comes out; its decoder undoes what they do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from explorer.engine import part as engine
from explorer.engine.normalizers.stage import Normalization
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.implementations.huggingface.normalizers import normalizers
from explorer.implementations.huggingface.pre_tokenizers import pre_tokenizers
from explorer.training.words import counted

Part = dict[str, Any]
"""A part as a tokenizer.json has it."""


class Cutting(NamedTuple):
    """The parts of a tokenizer.json around the model, each of which may be None."""

    normalizer: Part | None = None
    pre_tokenizer: Part | None = None
    decoder: Part | None = None

    def words(self, texts: Iterable[str]) -> dict[str, int]:
        """The words of all texts, and how often each occurs.

        >>> CUTTINGS["whitespace"].words(["a b", "a"])
        {'a': 2, 'b': 1}
        """
        parts: list[engine.Part] = [
            Normalization(normalizers(self.normalizer, "normalizer")),
            PreTokenization(pre_tokenizers(self.pre_tokenizer, "pre_tokenizer")),
        ]
        return counted(texts, parts)


BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
METASPACE: Final = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}

CUTTINGS: Final = {
    "byte-level": Cutting(None, BYTE_LEVEL, BYTE_LEVEL),
    "whitespace": Cutting(None, {"type": "Whitespace"}, None),
    "bert": Cutting(
        {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        {"type": "BertPreTokenizer"},
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
    ),
    "metaspace": Cutting(None, METASPACE, METASPACE),
    "none": Cutting(),
}

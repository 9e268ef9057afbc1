"""A BERT's `vocab.txt` as Hugging Face runs it: the parts of a tokenizer.json that the file does not say, as BERT has
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.formats.tokenizer_json import AddedEntry, TokenizerJson
from explorer.implementations.huggingface import from_tokenizer_json

SPECIAL: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""What is a special token of a vocab.txt."""


def of_vocab_txt(pieces: Sequence[bytes], name: str, lowercase: bool | None = None) -> TokenizerJson:
    """The pieces of a vocab.txt with BERT's settings.

    lowercase: of the normalizer; None: unless some piece holds an ASCII capital, as those of a cased BERT do.
    """
    ids = {piece.decode(): id for id, piece in enumerate(pieces)}
    special = {spelling: ids[spelling] for spelling in SPECIAL if spelling in ids}
    if "[UNK]" not in special:
        raise InputError(f"{name}: there is no piece [UNK]; give the vocab.txt of a BERT")
    if lowercase is None:
        lowercase = not any(piece[:1] != b"[" and piece.lower() != piece for piece in pieces)
    around = [(key, spelling) for key, spelling in (("cls", "[CLS]"), ("sep", "[SEP]")) if spelling in special]
    return TokenizerJson(
        {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
        "WordPiece",
        tuple(AddedEntry(id, spelling, True, False, False, False, False) for spelling, id in special.items()),
        normalizer={
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": lowercase,
        },
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor={
            "type": "TemplateProcessing",
            "single": [
                *[{"SpecialToken": {"id": spelling, "type_id": 0}} for key, spelling in around if key == "cls"],
                {"Sequence": {"id": "A", "type_id": 0}},
                *[{"SpecialToken": {"id": spelling, "type_id": 0}} for key, spelling in around if key == "sep"],
            ],
            "special_tokens": {
                spelling: {"id": spelling, "ids": [special[spelling]], "tokens": [spelling]} for _, spelling in around
            },
        },
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )


def tokenizer_of(file: TokenizerJson, name: str) -> Tokenizer:
    """The tokenizer of such a file, as Hugging Face runs it."""
    made = from_tokenizer_json(file, name)
    # none of it stands in the file but the pieces
    return replace(made, facts=tuple(fact._replace(place="") for fact in made.facts))

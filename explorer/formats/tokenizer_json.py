"""tokenizer.json: a whole tokenizer of Hugging Face's `tokenizers`, its parts as they stand in the file.

Read and checked here is what every such file has: the model with its vocabulary, the added tokens, and which parts the
pipeline is made of. What the parts mean is the business of `explorer/implementations`. Left out: truncation and
padding, which are no matter of tokenizing, and writing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from explorer.errors import InputError
from explorer.text import from_bytes

Json: TypeAlias = Mapping[str, Any]
"""A JSON object: a part of the pipeline with its `type` and its settings."""

PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


@dataclass(frozen=True, slots=True)
class AddedEntry:
    """An entry of `added_tokens`."""

    id: int
    content: str
    special: bool
    single_word: bool
    lstrip: bool
    rstrip: bool
    normalized: bool


@dataclass(frozen=True, slots=True)
class TokenizerJson:
    """The file: its model as it stands, the model's type, the added tokens, the other parts or None."""

    model: Json
    model_type: str
    added_tokens: tuple[AddedEntry, ...]
    normalizer: Json | None
    pre_tokenizer: Json | None
    post_processor: Json | None
    decoder: Json | None


def read(source: Path | bytes, name: str = "") -> TokenizerJson:
    """Reads a tokenizer.json, or the bytes of one. `name`: what errors call it.

    Raises InputError, naming the place in the file, where it is no JSON or not what such a file holds.

    >>> read(b'{"model": {"type": "BPE", "vocab": {}, "merges": []}}', "toy").model_type
    'BPE'
    """
    name = name or ("these bytes" if isinstance(source, bytes) else source.name)
    data = source if isinstance(source, bytes) else source.read_bytes()
    try:
        whole = json.loads(data)
    except ValueError as error:  # no JSON, or no UTF-8
        from_bytes(data, name)
        raise InputError(f"{name}: this is no JSON ({error}); fetch the file again") from None
    except RecursionError:
        raise InputError(f"{name}: the JSON is nested too deeply for a tokenizer.json; fetch the file again") from None
    if not isinstance(whole, dict) or not isinstance(whole.get("model"), dict):
        raise InputError(f"{name}: there is no object 'model' in it, so it is no tokenizer.json; give that file")
    model: Json = whole["model"]
    parts: dict[str, Json | None] = {}
    for part in PARTS:
        value = whole.get(part)
        if value is not None and not (isinstance(value, dict) and isinstance(value.get("type"), str)):
            raise InputError(f"{name}: {part} is no object with a type; the file is damaged")
        parts[part] = value
    added = whole.get("added_tokens")
    return TokenizerJson(model, model_type(model, name), added_tokens([] if added is None else added, name), **parts)


def model_type(model: Json, name: str) -> str:
    """The type of the model; old files do not say it, so it is told by what they hold."""
    kind = model.get("type")
    if kind is None:
        kind = "BPE" if "merges" in model else "Unigram" if isinstance(model.get("vocab"), list) else "WordPiece"
    if not isinstance(kind, str):
        raise InputError(f"{name}: model.type is {kind!r} and no text; the file is damaged")
    return kind


def added_tokens(entries: object, name: str) -> tuple[AddedEntry, ...]:
    """The entries of `added_tokens`, checked."""
    if not isinstance(entries, list):
        raise InputError(f"{name}: added_tokens is no list; the file is damaged")
    found = []
    for place, entry in enumerate(entries):
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("id"), int)
            or isinstance(entry["id"], bool)
            or not 0 <= entry["id"] < MAX_ID
            or not isinstance(entry.get("content"), str)
        ):
            raise InputError(
                f"{name}: added_tokens[{place}] has no id from 0 to {MAX_ID - 1} and content; the file is damaged"
            )
        flags = {flag: entry.get(flag, False) for flag in ("special", "single_word", "lstrip", "rstrip", "normalized")}
        for flag, value in flags.items():
            if not isinstance(value, bool):
                raise InputError(f"{name}: added_tokens[{place}].{flag} is neither true nor false; repair the file")
        found.append(AddedEntry(entry["id"], entry["content"], **flags))
    return tuple(found)


MAX_ID = 10_000_000
"""No vocabulary is as large; an id beyond it would ask for memory without end."""


def vocabulary_ids(model: Json, name: str) -> dict[str, int]:
    """`model.vocab` of a BPE or WordPiece model, checked: text → id."""
    vocab = model.get("vocab")
    if not isinstance(vocab, dict):
        raise InputError(f"{name}: model.vocab is no object of pieces and ids; the file is damaged")
    for piece, id in vocab.items():
        if type(id) is not int or not 0 <= id < MAX_ID:
            raise InputError(
                f"{name}: model.vocab[{piece!r}] is {id!r}, not an id from 0 to {MAX_ID - 1}; repair the file"
            )
    return vocab

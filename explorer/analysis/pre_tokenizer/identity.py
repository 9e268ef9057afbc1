"""The model whose pre-tokenizer a tokenizer has, by the ids of llama.cpp's test text.

llama.cpp's converter recognizes a pre-tokenizer by the hash of these ids (`implementations/llama_cpp/check_hashes.py`),
among them BOS and EOS as `transformers` adds them. Equal ids mean the same vocabulary cut at the same places of this
text. Here the hash is also looked up without the special tokens and with BOS in front, and, where llama.cpp runs the
file, with the patterns of each of its other names.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import NamedTuple

from explorer.engine.limits.budget import many_runs
from explorer.engine.models.bpe import Bpe
from explorer.engine.post_processors.add_special import AddSpecial
from explorer.engine.pre_tokenizers.byte_level import ByteLevel
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.errors import InputError
from explorer.implementations.llama_cpp.check_hashes import CHECK_TEXT, KnownModel, check_hash, known_models
from explorer.implementations.llama_cpp.pre_tokenizers import PRE
from explorer.implementations.opened import Opened


class Identity(NamedTuple):
    """The answer. hash: of the ids as they are. models: those the converter knows with these ids, empty for none.

    special: what of the special tokens is otherwise in the known ids: "without them", "with BOS", or empty. under: the
    name of llama.cpp under whose patterns the ids are the known ones, empty for the tokenizer's own.
    """

    hash: str
    models: tuple[KnownModel, ...] = ()
    special: str = ""
    under: str = ""


def identity(tokenizer: Opened) -> Identity | None:
    """The identity of a BPE's or WordPiece's pre-tokenizer, the kinds that the converter asks about; otherwise None.

    None, too, if the text cannot be encoded.

    >>> import explorer
    >>> found = identity(explorer.load("gpt-2"))
    >>> found.hash[:8], [model.pre for model in found.models]
    ('3ce83efd', ['gpt-2'])
    """
    cuts = any(isinstance(part, PreTokenization) for part in tokenizer.parts)
    if tokenizer.family != "WordPiece" and not (tokenizer.family == "BPE" and cuts):
        return None
    try:
        own = check_hash(tokenizer.encode(CHECK_TEXT).ids)
        found = _known(tokenizer)
        if found is None and tokenizer.implementation == "llama.cpp":
            found = _under_another_name(tokenizer)
    except InputError:
        return None
    return Identity(own) if found is None else found._replace(hash=own)


def _known(tokenizer: Opened) -> Identity | None:
    """The identity by the ids as they are, without special tokens, or with BOS in front."""
    models = known_models()
    plain = tokenizer.encode(CHECK_TEXT, add_special=False).ids
    bos = [id for part in tokenizer.parts if isinstance(part, AddSpecial) and (id := part.first) is not None]
    for special, ids in (("", tokenizer.encode(CHECK_TEXT).ids), ("without them", plain), ("with BOS", [*bos, *plain])):
        found = models.get(check_hash(ids))
        if found:
            return Identity("", found, special)
    return None


def _under_another_name(tokenizer: Opened) -> Identity | None:
    """The identity under the patterns of the first of llama.cpp's names that gives known ids."""
    seen = set()
    with many_runs("the test text", len(CHECK_TEXT) * len(PRE)):
        for name, pre in PRE.items():
            settings = pre.patterns, pre.ignore_merges
            if settings in seen or not pre.bytes_spelled:
                continue
            seen.add(settings)
            found = _known(_with_pre(tokenizer, name))
            if found is not None:
                # patterns that differ may cut the text alike: the model's own name comes first
                own = found.models[-1].pre
                sure = own in PRE and _known(_with_pre(tokenizer, own)) == found
                return found._replace(under=own if sure else name)
    return None


def _with_pre(tokenizer: Opened, name: str) -> Opened:
    """The tokenizer with the patterns of a name."""
    parts = []
    for part in tokenizer.parts:
        if isinstance(part, PreTokenization):
            part = PreTokenization([*PRE[name].splitters, *(s for s in part.splitters if isinstance(s, ByteLevel))])
        elif isinstance(part, Bpe):
            part = copy(part)
            part.whole = PRE[name].ignore_merges
        parts.append(part)
    return replace(tokenizer, parts=tuple(parts))

"""PLaMo-2 vocabularies (`tokenizer.ggml.model` = `plamo2`) as llama.cpp runs them: a Unigram computed from the end.

Follows `llm_tokenizer_plamo2` and its part of `llama_vocab::impl`. BOS and EOS are never added, whatever the file says;
versions after llama-cpp-python 0.3.36 add them if the file asks for it, which no converted file does. Each byte needs a
token `<0xXX>` whose id is not 0, because llama.cpp reads 0 as missing.
"""

from __future__ import annotations

import re
from array import array

from explorer.engine.decoders.events import DecodeEvent, special_ids
from explorer.engine.decoders.pieces import PieceDecoder
from explorer.engine.models.plamo2 import Plamo2
from explorer.errors import InputError, errors_of
from explorer.implementations.llama_cpp.vocabulary import Metadata, assembled, corrected, special_tokens, vocabulary_of
from explorer.implementations.opened import Opened
from explorer.vocabulary import PieceKind, Vocabulary

EOS = 2
"""The id if the file has none."""

BYTE = re.compile(rb"<0x([0-9A-Fa-f]{2})>")


def plamo2_tokenizer(keys: Metadata) -> Opened:
    """The tokenizer of such a file. Raises InputError if something it needs is missing or damaged."""
    keys.say(
        "model",
        "PLaMo-2: of all ways to split the text, the one with the highest sum of scores, found from the end.",
        "model",
    )
    of_file = vocabulary_of(keys, scored=False)
    vocabulary = corrected(of_file, keys, EOS)
    scores = keys.value("scores")
    of_each = scores[: len(of_file)] if isinstance(scores, array) else [0.0] * len(of_file)
    prefix = keys.strips_space()
    add_bos, add_eos = keys.flag("add_bos_token", False), keys.flag("add_eos_token", False)
    if add_bos or add_eos:
        keys.say(
            "flags",
            "llama.cpp never adds BOS and EOS to a text for this kind of vocabulary; decoding removes them.",
            "add_bos_token" if add_bos else "add_eos_token",
        )
    else:
        keys.say("flags", "Nothing is added to a text.")
    bytes_of = byte_tokens(of_file, keys)
    with errors_of(keys.name):
        model = Plamo2(of_file, of_each, bytes_of)
    decoder = PieceDecoder(
        vocabulary,
        spelled,
        special=special_ids(vocabulary),
        first=keys.id("bos", 1, len(vocabulary)) if add_bos else None,
        last=keys.id("eos", EOS, len(vocabulary)) if add_eos else None,
        strip_space=prefix,
    )
    return assembled(keys, "Unigram", vocabulary, (special_tokens(vocabulary, keys), model), decoder)


def byte_tokens(vocabulary: Vocabulary, keys: Metadata) -> list[int]:
    """The token of each byte. Raises InputError if one is missing."""
    found = [0] * 256
    for id, kind in enumerate(vocabulary.kinds):
        match = BYTE.fullmatch(vocabulary.pieces[id]) if kind == PieceKind.BYTE else None
        if match:
            found[int(match[1], 16)] = id
    if 0 in found:
        raise InputError(
            f"{keys.name}: there is no token <0x{found.index(0):02X}> of kind BYTE (with an id above 0), which "
            "llama.cpp needs for this kind of vocabulary; repair the file"
        )
    return found


def spelled(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """How a token decodes: a byte token as its byte, any other as its spelling."""
    piece = vocabulary.pieces[id]
    match = BYTE.fullmatch(piece) if vocabulary.kinds[id] == PieceKind.BYTE else None
    return (DecodeEvent.BYTE, bytes([int(match[1], 16)])) if match else (DecodeEvent.RAW, piece)

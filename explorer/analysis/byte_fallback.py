"""Byte fallback turned on or off, in every model whose vocabulary has a piece for each byte.

With it, a character that is not a piece becomes its bytes `<0xXX>`. Without it, the character becomes the unknown
token: in a SentencePiece vocabulary a whole run becomes one, in Hugging Face's BPE each character does unless its file
says `fuse_unk`. llama.cpp has no such setting; without byte fallback its model runs as sentencepiece runs it.
"""

from __future__ import annotations

import copy

from explorer.engine.models.bpe import Bpe
from explorer.engine.models.bpe_symbols import KnownCharacters
from explorer.engine.models.char_word import CharWord
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Part
from explorer.vocabulary import Vocabulary


def byte_pieces(vocabulary: Vocabulary) -> list[int]:
    """The ids of `<0x00>` to `<0xFF>`; empty unless all of them are pieces."""
    found = [vocabulary.ids.get(b"<0x%02X>" % byte) for byte in range(256)]
    return [id for id in found if id is not None] if None not in found else []


def falls_back(part: Part) -> bool | None:
    """Whether a model falls back to bytes; None if it cannot."""
    if isinstance(part, (Spm, Unigram, CharWord)):
        if part.unknown is None or not byte_pieces(part.vocabulary):
            return None
        if isinstance(part, Spm):
            return part.byte_fallback
        return part.rules.byte_fallback if isinstance(part, Unigram) else bool(part.byte_tokens)
    if isinstance(part, Bpe) and isinstance(part.initial, KnownCharacters):
        ids = part.initial.ids
        known = part.initial.unknown in ids and all(b"<0x%02X>" % byte in ids for byte in range(256))
        return part.initial.byte_fallback if known else None
    return None


def with_other_fallback(part: Part) -> Part:
    """A model with byte fallback turned the other way; the part itself if it has none."""
    now = falls_back(part)
    if now is None:
        return part
    made = copy.copy(part)
    if isinstance(made, Spm):
        made.byte_fallback = not now
    elif isinstance(made, Unigram):
        # a run of unknown characters is one token only where it isn't bytes
        made.rules = made.rules._replace(byte_fallback=not now, fuse_unknown=now)
        made.bytes = [] if now else list(byte_pieces(made.vocabulary))
    elif isinstance(made, CharWord):
        made.byte_tokens = () if now else byte_pieces(made.vocabulary)
    elif isinstance(made, Bpe):
        made.initial = copy.copy(made.initial)
        assert isinstance(made.initial, KnownCharacters)
        made.initial.byte_fallback = not now
    return made

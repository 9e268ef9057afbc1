"""Decoding: ids back to bytes, all bytes joined, and only then UTF-8.

A character may be spread over several tokens, so decoding ids one at a time gives � where there is none: bytes first,
text last. Here are the events, and what the decoders share: ids are checked, and the tokens that `add_special` added
are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from explorer.engine.limits.length import LengthBudget
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary

SPECIAL_KINDS = (PieceKind.CONTROL, PieceKind.UNKNOWN)
"""What `unparse_special=False` leaves out."""


class DecodeEvent(IntEnum):
    """What a `DecodeRow` says."""

    DROP = 0
    """The token is one that `add_special` adds: it is dropped before decoding."""
    PIECE = 1
    """The token gives the bytes of its piece, ▁ as a space."""
    BYTE = 2
    """The token stands for one byte."""
    SPELLED = 3
    """A special token is written as it is spelled."""
    HIDDEN = 4
    """A special token gives nothing: `unparse_special` is off."""
    SPACE = 5
    """The first token's leading space is taken away: the space prefix had put it there."""
    SURFACE = 6
    """The unknown token is written as the model says unknown text is to be written."""
    REPLACED = 7
    """The byte belongs to no character: U+FFFD is written."""
    GLUED = 8
    """The token goes on in a word: its bytes without the `##` in front."""
    SPACED = 9
    """The token begins a word: a space is put in front of its bytes."""
    CLEANED = 10
    """The clean-up took spaces beside punctuation away again: `size` bytes are left of the token."""
    RAW = 11
    """The token gives the bytes of its piece as they are."""
    PRINTABLE = 12
    """The token gives the bytes that the printable characters of its piece stand for."""
    CLEANED_SPACES = 13
    """llama.cpp's clean-up took `size` spaces of this token away."""
    TIDIED = 14
    """clean_up_tokenization_spaces took `size` spaces of this token away, after all decoders."""
    DENORMALIZED = 15
    """The denormalizer rewrote the text: `size` bytes of it are put down to this token."""
    STRING = 16
    """The token is the string of its piece; the decoders go on with that."""
    SUBSTITUTED = 17
    """Replace: text in the string is written otherwise; the whole of it has `size` bytes now."""
    FUSED = 18
    """Fuse: all strings become one, of `size` bytes."""
    STRIPPED = 19
    """Strip: characters at the ends of the string are taken away, of `size` bytes together."""
    METASPACE = 20
    """Metaspace: the character that stands for spaces is written as a space, in the first string as nothing."""
    SUFFIX = 21
    """BPEDecoder: the end-of-word suffix is written as a space, in the last string as nothing."""
    SAME = 22
    """CTC: the string is the same as the one before it and is left out."""
    BLANK = 23
    """CTC: the padding token in the string is left out."""
    DELIMITER = 24
    """CTC: the word delimiter in the string is written as a space."""
    BETWEEN = 25
    """There is no decoder: a space stands between this string and the one before it."""


BY_ITSELF: Final = frozenset(
    {
        DecodeEvent.DROP,
        DecodeEvent.PIECE,
        DecodeEvent.BYTE,
        DecodeEvent.SPELLED,
        DecodeEvent.HIDDEN,
        DecodeEvent.SURFACE,
        DecodeEvent.REPLACED,
        DecodeEvent.GLUED,
        DecodeEvent.SPACED,
        DecodeEvent.RAW,
        DecodeEvent.PRINTABLE,
    }
)
"""Kinds that say what a token gives; the others say what is changed afterwards."""


class DecodeRow(NamedTuple):
    """One decision of the decoding."""

    kind: int
    """A `DecodeEvent`."""
    position: int
    """Which of the ids, from 0."""
    size: int
    """How many bytes it gives (SPACE, CLEANED_SPACES, TIDIED, STRIPPED: how many it takes away)."""
    token: int
    """The id."""


def check_ids(ids: Sequence[int], vocabulary: Vocabulary) -> None:
    """Raises InputError naming the first id that the vocabulary does not have, or where all are far too long."""
    size, pieces = len(vocabulary), vocabulary.pieces
    length = 0
    for position, id in enumerate(ids):
        if not 0 <= id < size or (not pieces[id] and vocabulary.kinds[id] == PieceKind.UNDEFINED):
            raise InputError(
                f"id number {position + 1}: {id} is not in this vocabulary, whose ids are 0 to {size - 1}; "
                "give ids of the same model"
            )
        length += len(pieces[id])
    LengthBudget.for_ids(len(ids)).check(length)


def without_added(ids: Sequence[int], before: Sequence[int], behind: Sequence[int]) -> range:
    """The places of the ids that are left when those that `add_special` adds in front and behind are dropped.

    >>> without_added([1, 338, 2], [1], [2]), without_added([338], [1], [2])
    (range(1, 2), range(0, 1))
    """
    start = len(before) if list(ids[: len(before)]) == list(before) else 0
    stop = len(ids) - len(behind)
    return range(start, stop if stop >= start and list(ids[stop:]) == list(behind) else len(ids))


def just(id: int | None) -> tuple[int, ...]:
    """The one token that is added, or none."""
    return () if id is None else (id,)

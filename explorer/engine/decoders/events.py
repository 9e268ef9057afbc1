"""Events of decoding, and what decoders share: checking ids, dropping padding and the tokens that `add_special` adds.

Ids become bytes, the bytes are joined, and only then read as UTF-8: a character may be spread over several tokens.
Decoded separately, they would give � for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from explorer.engine.items import Emit, LengthBudget
from explorer.engine.part import Decoder
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary

SPECIAL_KINDS = (PieceKind.CONTROL, PieceKind.UNKNOWN)
"""The kinds of tokens that `unparse_special=False` skips."""


class DecodeEvent(IntEnum):
    """What a `DecodeRow` says."""

    DROP = 0
    """`add_special` adds the token: it is dropped before decoding."""
    PIECE = 1
    """The token gives the bytes of its piece, ▁ as a space."""
    BYTE = 2
    """The token is a single byte."""
    SPELLED = 3
    """A special token is written as it is spelled, because `unparse_special` is on."""
    HIDDEN = 4
    """A special token gives nothing: `unparse_special` is off."""
    SPACE = 5
    """The first token's leading space is stripped: the space prefix added it."""
    SURFACE = 6
    """The unknown token is written as the model's surface for unknown text."""
    REPLACED = 7
    """The byte is not part of a valid character: U+FFFD is written."""
    GLUED = 8
    """The token continues a word: its bytes without the leading `##`."""
    SPACED = 9
    """The token begins a word: its bytes with a space in front."""
    CLEANED = 10
    """The clean-up drops spaces next to punctuation: `size` bytes of the token are left."""
    RAW = 11
    """The token gives the bytes of its piece as they are."""
    PRINTABLE = 12
    """The token gives the bytes that the printable characters of its piece spell."""
    CLEANED_SPACES = 13
    """llama.cpp's clean-up drops `size` spaces of this token."""
    TIDIED = 14
    """clean_up_tokenization_spaces drops `size` spaces of this token, after all decoders."""
    DENORMALIZED = 15
    """The denormalizer rewrites the text: `size` bytes of it are attributed to this token."""
    STRING = 16
    """The token's string enters the chain of decoders."""
    SUBSTITUTED = 17
    """Replace: matches in the string are replaced; it now has `size` bytes."""
    FUSED = 18
    """Fuse: all strings become one, of `size` bytes."""
    STRIPPED = 19
    """Strip: characters at the ends of the string, `size` bytes, are stripped."""
    METASPACE = 20
    """Metaspace: the character for spaces becomes a space, in the first string nothing."""
    SUFFIX = 21
    """BPEDecoder: the end-of-word suffix becomes a space, in the last string nothing."""
    SAME = 22
    """CTC: the string repeats the one before it and is dropped."""
    BLANK = 23
    """CTC: the padding token in the string is dropped."""
    DELIMITER = 24
    """CTC: the word delimiter in the string becomes a space."""
    BETWEEN = 25
    """Without a decoder, a space separates this string from the one before it."""
    APART = 26
    """A space before it separates it from the token before, one of which is set apart."""
    IGNORED = 27
    """`size` bytes of the token are not valid UTF-8 and are left out."""


GIVES_BYTES: Final = frozenset(
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
"""The events that say which bytes a token gives; the others change them afterward."""


class DecodeRow(NamedTuple):
    """One event of decoding."""

    kind: int
    """A `DecodeEvent`."""
    position: int
    """Index among the ids."""
    size: int
    """Number of bytes the token gives (SPACE, CLEANED_SPACES, TIDIED, STRIPPED: number of bytes removed)."""
    token: int
    """The id."""


def check_ids(ids: Sequence[int], vocabulary: Vocabulary) -> None:
    """Raises InputError for the first id that is not in the vocabulary, or if the pieces are far too long together."""
    size, pieces = len(vocabulary), vocabulary.pieces
    length = 0
    for position, id in enumerate(ids):
        if not 0 <= id < size or (not pieces[id] and not vocabulary.has(id)):
            raise InputError(f"id number {position + 1}: {id} {vocabulary.lacks(id)}; give ids of the same model")
        length += len(pieces[id])
    LengthBudget.for_ids(len(ids)).check(length)


def without_added(ids: Sequence[int], before: Sequence[int], after: Sequence[int]) -> range:
    """The positions of the ids without those that `add_special` adds before and after the text.

    >>> without_added([1, 338, 2], [1], [2]), without_added([338], [1], [2])
    (range(1, 2), range(0, 1))
    """
    start = len(before) if list(ids[: len(before)]) == list(before) else 0
    stop = len(ids) - len(after)
    return range(start, stop if stop >= start and list(ids[stop:]) == list(after) else len(ids))


def special_ids(vocabulary: Vocabulary) -> frozenset[int]:
    """The ids that `unparse_special=False` skips.

    >>> special_ids(Vocabulary.of([b"<s>", b"a"], kinds=[3, 1]))
    frozenset({0})
    """
    return frozenset(id for id, kind in enumerate(vocabulary.kinds) if kind in SPECIAL_KINDS)


def just(id: int | None) -> tuple[int, ...]:
    """The one id as a tuple, or an empty tuple for None."""
    return () if id is None else (id,)


@dataclass(eq=False)
class PaddedDecoder:
    """A decoder that first drops the run of padding tokens at one end.

    token: the id of the padding token. left: whether the padding is at the beginning.

    >>> from explorer.engine.decoders.pieces import RwkvDecoder
    >>> from explorer.vocabulary import Vocabulary
    >>> PaddedDecoder(RwkvDecoder(Vocabulary.of([b"a", b"_"])), 1).run([1, 0, 1, 1], True, True, lambda *row: None)
    [b'_', b'a', b'', b'']
    """

    row = DecodeRow

    decoder: Decoder
    token: int
    left: bool = False

    def alone(self, id: int) -> bytes:
        """What the inner decoder gives."""
        return self.decoder.alone(id)

    def kept(self, ids: Sequence[int], remove_special: bool) -> range:
        """The positions without the padding."""
        front, back = 0, len(ids)
        if remove_special and self.left:
            while front < back and ids[front] == self.token:
                front += 1
        elif remove_special:
            while back and ids[back - 1] == self.token:
                back -= 1
        return range(front, back)

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        kept = self.kept(ids, remove_special)
        front, back = kept.start, kept.stop

        def emit_shifted(kind: int, position: int, size: int, token: int) -> None:
            emit(kind, position + front, size, token)

        for position in (*range(front), *range(back, len(ids))):
            emit(DecodeEvent.DROP, position, 0, self.token)
        parts = self.decoder.run(ids[front:back], remove_special, unparse_special, emit_shifted)
        return [b""] * front + parts + [b""] * (len(ids) - back)

"""Decodes as llama.cpp's SPM.

Follows llama.cpp's `token_to_piece` and `detokenize` for SPM: ▁ becomes a space, `<0xXX>` its byte, special tokens
their spelling or nothing, and the one leading space that the space prefix added is stripped.

One difference is on purpose. llama.cpp's `detokenize(remove_special=true)` drops the BOS and then keeps the prefix
space, so a round trip adds a space. Here the tokens that `add_special` adds are dropped first and the rest is decoded
as llama.cpp decodes it without them. With `remove_special=False` both agree.

Left out: `clean_up_tokenization_spaces`, which SPM vocabularies do not set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from explorer.engine.decoders.rows import SPECIAL_KINDS, DecodeEvent, DecodeRow, check_ids, just, without_added
from explorer.engine.trace import Emit
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary


class SpmDecoder:
    """Decodes ids to bytes for a SentencePiece vocabulary.

    >>> v = Vocabulary.of([b"<s>", "▁Hi".encode(), b"<0x0A>"], kinds=[3, 1, 6])
    >>> SpmDecoder(v, first=0).run([0, 1, 2], True, True, lambda *row: None)
    [b'', b'Hi', b'\\n']
    """

    row = DecodeRow

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        strip_space: bool = True,
        first: int | None = None,
        last: int | None = None,
    ) -> None:
        self.vocabulary, self.strip_space = vocabulary, strip_space
        self.first, self.last = first, last

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        kept = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        parts = []
        for position, id in enumerate(ids):
            if position not in kept:
                kind, part = DecodeEvent.DROP, b""
            else:
                kind, part = self.bytes_of(id, unparse_special)
            emit(kind, position, len(part), id)
            if position == kept.start and self.strip_space and part.startswith(b" "):
                part = part[1:]
                emit(DecodeEvent.SPACE, position, 1, id)
            parts.append(part)
        return parts

    def alone(self, id: int) -> bytes:
        """The piece, ▁ as a space, or its byte."""
        return self.bytes_of(id, True)[1]

    def bytes_of(self, id: int, unparse_special: bool) -> tuple[DecodeEvent, bytes]:
        """How one token is decoded: the kind of event and the bytes."""
        if not unparse_special and self.vocabulary.kinds[id] in SPECIAL_KINDS:
            return DecodeEvent.HIDDEN, b""
        return escaped_llama_cpp(self.vocabulary, id)


def escaped_llama_cpp(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """How llama.cpp decodes a token of a vocabulary that writes spaces as ▁: the kind of event and the bytes."""
    return decoded_llama_cpp(vocabulary, id, DecodeEvent.PIECE, _with_spaces)


MARK: Final = SPACE_MARK.encode()


def _with_spaces(piece: bytes) -> bytes:
    return piece.replace(MARK, b" ")


def decoded_llama_cpp(
    vocabulary: Vocabulary, id: int, event: DecodeEvent, normal: Callable[[bytes], bytes]
) -> tuple[DecodeEvent, bytes]:
    """How llama.cpp decodes a token by its kind. event, normal: for a normal piece, and the bytes it gives."""
    piece, kind = vocabulary.pieces[id], vocabulary.kinds[id]
    if kind == PieceKind.NORMAL:
        return event, normal(piece)
    if kind in (*SPECIAL_KINDS, PieceKind.USER_DEFINED):
        return DecodeEvent.SPELLED, piece
    if kind == PieceKind.BYTE:
        return DecodeEvent.BYTE, byte_llama_cpp(piece)
    # the other kinds (unused, undefined) give nothing
    return DecodeEvent.HIDDEN, b""


HEXADECIMAL = re.compile(rb"[ \t\n\v\f\r]*([+-]?)([0-9A-Fa-f]*)")
"""What C's `strtol` parses of two characters in base 16."""


def byte_llama_cpp(piece: bytes) -> bytes:
    """The byte of a piece of kind BYTE: llama.cpp parses the two characters after `<0x`, whatever they are.

    >>> byte_llama_cpp(b"<0x0A>"), byte_llama_cpp(b"<0xc3>"), byte_llama_cpp(b"<0xZZ>")
    (b'\\n', b'\\xc3', b'\\x00')
    """
    found = HEXADECIMAL.match(piece[3:5])
    assert found is not None, "the expression matches the empty string"
    value = int(found[2] or b"0", 16)
    return bytes([(-value if found[1] == b"-" else value) & 0xFF])

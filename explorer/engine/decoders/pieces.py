"""Decodes tokens one by one: tiktoken, RWKV World, and llama.cpp's SPM, BPE and WordPiece.

A small function gives the bytes of one token: the piece itself (`raw`), the piece with ▁ as a space and `<0xXX>` as its
byte (`escaped_llama_cpp`), or the bytes that the printable characters of byte-level BPE spell (`byte_level_llama_cpp`).

Follows tiktoken's `decode_bytes`, and llama.cpp's `token_to_piece` and `detokenize`. A quirk of the latter: for GPT-2
and Llama 3 it cleans up spaces, so `Hello , world` comes back as `Hello, world`. One difference is on purpose.
llama.cpp's `detokenize(remove_special=true)` drops the BOS and then keeps the prefix space, so a round trip adds a
space. Here the tokens that `add_special` adds are dropped first and the rest is decoded as llama.cpp decodes it without
them; llama.cpp drops its [CLS] but not its [SEP]. With `remove_special=False` both agree.

Decoding WordPiece does not restore the text: case, accents, the kind of white space and every word that became [UNK]
are lost. Spaces between words are guessed: the ▁ of a piece becomes a space, and three passes over the whole text drop
spaces next to punctuation (`detokenize` with `clean_spaces`), so `n't` is never joined and `'s` sometimes is. Hugging
Face's decoder of WordPiece is in `huggingface`.

RWKV's own `decode` gives a single U+FFFD for the whole text if any of it is malformed, and fails on the end-of-text
token. Here only malformed runs are replaced, and the end-of-text token is written as it is spelled or skipped.

Left out: `clean_up_tokenization_spaces` of SPM vocabularies, which do not set it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Final

from explorer.engine.decoders.chain import (
    SPECIAL_KINDS,
    DecodeEvent,
    DecodeRow,
    attributed,
    bytes_by_token,
    check_ids,
    joined,
    just,
    special_ids,
    substituted,
    without_added,
)
from explorer.engine.part import Emit
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary, bytes_of

Spelling = Callable[[Vocabulary, int], tuple[DecodeEvent, bytes]]
"""How a token is decoded: the kind of event and the bytes."""


def raw(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The piece itself (tiktoken)."""
    return DecodeEvent.RAW, vocabulary.pieces[id]


def byte_level_llama_cpp(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The bytes its printable characters spell; `[UNK_BYTE_0x…]` for a character that is not in the byte map."""
    return _decoded_llama_cpp(vocabulary, id, DecodeEvent.PRINTABLE, _byte_level)


def escaped_llama_cpp(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The piece of a vocabulary that writes spaces as ▁, with ▁ as a space."""
    return _decoded_llama_cpp(vocabulary, id, DecodeEvent.PIECE, lambda piece: piece.replace(MARK, b" "))


MARK: Final = SPACE_MARK.encode()


def _byte_level(piece: bytes) -> bytes:
    parts = []
    for ch in characters_llama_cpp(piece):
        back = bytes_of(ch)
        parts.append(b"[UNK_BYTE_0x%s%s]" % (ch.encode().hex().encode(), piece) if back is None else back)
    return b"".join(parts)


def characters_llama_cpp(piece: bytes) -> str:
    """A piece read as llama.cpp reads UTF-8: each byte that does not begin a valid character is one U+FFFD.

    >>> characters_llama_cpp(b"a\\xe2\\x96"), b"a\\xe2\\x96".decode("utf-8", "replace")
    ('a\ufffd\ufffd', 'a\ufffd')
    """
    done, at = "", 0
    while at < len(piece):
        for size in (1, 2, 3, 4):
            with suppress(UnicodeDecodeError):
                done += piece[at : at + size].decode()
                break
        else:
            done, size = done + "\ufffd", 1
        at += size
    return done


def _decoded_llama_cpp(
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
    match = HEXADECIMAL.match(piece[3:5])
    assert match is not None, "the expression matches the empty string"
    value = int(match[2] or b"0", 16)
    return bytes([(-value if match[1] == b"-" else value) & 0xFF])


@dataclass(eq=False)
class PieceDecoder:
    """Decodes ids to bytes, token by token.

    spelling: decodes one token. special: ids that `unparse_special=False` skips. first, last: the tokens that
    `add_special` adds. strip_space: strip the first token's leading space. clean_spaces: llama.cpp's clean-up.

    >>> v = Vocabulary.of(["Hi".encode(), "Ġyou".encode()])
    >>> PieceDecoder(v, byte_level_llama_cpp).run([0, 1], True, True, lambda *row: None)
    [b'Hi', b' you']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    spelling: Spelling
    _: KW_ONLY
    special: Container[int] = ()
    first: int | None = None
    last: int | None = None
    strip_space: bool = False
    clean_spaces: bool = False

    def alone(self, id: int) -> bytes:
        """The bytes that the piece spells."""
        return self.spelling(self.vocabulary, id)[1]

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        kept = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        parts: list[bytes] = []
        for position, id in enumerate(ids):
            if position not in kept:
                kind, part = DecodeEvent.DROP, b""
            elif not unparse_special and id in self.special:
                kind, part = DecodeEvent.HIDDEN, b""
            else:
                kind, part = self.spelling(self.vocabulary, id)
            emit(kind, position, len(part), id)
            if position == kept.start and self.strip_space and part.startswith(b" "):
                part = part[1:]
                emit(DecodeEvent.SPACE, position, 1, id)
            parts.append(part)
        if not self.clean_spaces:
            return parts
        cleaned = cleaned_up(parts)
        for position, (before, after) in enumerate(zip(parts, cleaned, strict=True)):
            if before != after:
                emit(DecodeEvent.CLEANED_SPACES, position, len(before) - len(after), ids[position])
        return cleaned


class SpmDecoder(PieceDecoder):
    """Decodes ids to bytes for a SentencePiece vocabulary, as llama.cpp does.

    >>> v = Vocabulary.of([b"<s>", "▁Hi".encode(), b"<0x0A>"], kinds=[3, 1, 6])
    >>> SpmDecoder(v, first=0).run([0, 1, 2], True, True, lambda *row: None)
    [b'', b'Hi', b'\\n']
    """

    def __init__(
        self, vocabulary: Vocabulary, *, strip_space: bool = True, first: int | None = None, last: int | None = None
    ) -> None:
        special = special_ids(vocabulary)
        super().__init__(
            vocabulary, escaped_llama_cpp, special=special, first=first, last=last, strip_space=strip_space
        )


class RwkvDecoder(PieceDecoder):
    """Decodes ids of RWKV World to the bytes of their pieces.

    >>> RwkvDecoder(Vocabulary.of([b"\\xe7\\x8c", b"\\xab"])).run([0, 1], True, True, lambda *row: None)
    [b'\\xe7\\x8c', b'\\xab']
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        special = frozenset(id for id, kind in enumerate(vocabulary.kinds) if kind != PieceKind.NORMAL)

        def spelling(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
            return DecodeEvent.SPELLED if id in special else DecodeEvent.RAW, vocabulary.pieces[id]

        super().__init__(vocabulary, spelling, special=special)


CLEAN_UP: Final = (
    re.compile(rb"( )(?=[?!.,])"),
    re.compile(rb"( )'( )"),
    re.compile(rb"( )(?='(?:[sm]|[rv]e))"),
)
"""The passes of llama.cpp's clean-up, each with the spaces that it drops. ` 't`, ` 'd` and ` 'll` keep theirs."""


def cleaned_up(parts: Sequence[bytes]) -> list[bytes]:
    """The bytes of each token after llama.cpp's clean-up of spaces, in the three passes of its `detokenize`.

    >>> cleaned_up([b"Hello", b" ,", b" it", b" 's"])
    [b'Hello', b',', b' it', b"'s"]
    """
    whole = joined([attributed(part, position) for position, part in enumerate(parts)])
    for expression in CLEAN_UP:
        matches = expression.finditer(whole.data)
        spaces = [match.span(group) for match in matches for group in range(1, expression.groups + 1)]
        whole = substituted(whole, spaces, b"")
    return bytes_by_token([whole], len(parts))


@dataclass(eq=False)
class WpmDecoder:
    """Decodes ids to bytes as llama.cpp's `detokenize` for a WPM vocabulary.

    first, last: the ids that `add_special` adds. strip_space: strip the first token's leading space.

    >>> v = Vocabulary.of(["▁hat".encode(), b"s", "▁?".encode()])
    >>> WpmDecoder(v).run([0, 1, 2, 0], True, True, lambda *row: None)
    [b' hat', b's', b'?', b' hat']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    _: KW_ONLY
    first: int | None = None
    last: int | None = None
    strip_space: bool = False

    def alone(self, id: int) -> bytes:
        """The piece, ▁ as a space."""
        return escaped_llama_cpp(self.vocabulary, id)[1]

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        inside = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        kept = []
        for position, id in enumerate(ids):
            if position not in inside:
                emit(DecodeEvent.DROP, position, 0, id)
            elif self.vocabulary.kinds[id] in SPECIAL_KINDS and not unparse_special:
                emit(DecodeEvent.HIDDEN, position, 0, id)
            else:
                kept.append((position, id))
        parts = [b""] * len(ids)
        for position, id in kept:
            kind, piece = escaped_llama_cpp(self.vocabulary, id)
            emit(kind, position, len(piece), id)
            if self.strip_space and position == inside.start and piece.startswith(b" "):
                piece = piece[1:]
                emit(DecodeEvent.SPACE, position, 1, id)
            parts[position] = piece
        cleaned = cleaned_up(parts)
        for position, (before, after) in enumerate(zip(parts, cleaned, strict=True)):
            if before != after:
                emit(DecodeEvent.CLEANED, position, len(after), ids[position])
        return cleaned

"""Decodes tokens one by one, for vocabularies that do not spell pieces as SentencePiece does.

A small function gives the bytes of one token: the piece itself (`raw`), or the bytes that the printable characters of
byte-level BPE spell (`byte_level_llama_cpp`).

Follows tiktoken's `decode_bytes`, and llama.cpp's `token_to_piece` and `detokenize` for BPE. A quirk of the latter: for
GPT-2 and Llama 3 it cleans up spaces, so `Hello , world` comes back as `Hello, world`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from contextlib import suppress

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow, check_ids, just, without_added
from explorer.engine.decoders.spm import decoded_llama_cpp
from explorer.engine.trace import Emit
from explorer.engine.unicode.byte_map import bytes_of
from explorer.vocabulary import Vocabulary

Spelling = Callable[[Vocabulary, int], tuple[DecodeEvent, bytes]]
"""How a token is decoded: the kind of event and the bytes."""


def raw(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The piece itself (tiktoken)."""
    return DecodeEvent.RAW, vocabulary.pieces[id]


def byte_level_llama_cpp(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The bytes its printable characters spell; `[UNK_BYTE_0x…]` for a character that is not in the byte map."""
    return decoded_llama_cpp(vocabulary, id, DecodeEvent.PRINTABLE, _byte_level)


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


class PieceDecoder:
    """Decodes ids to bytes, token by token.

    spelling: decodes one token. special: ids that `unparse_special=False` skips. first, last: the tokens that
    `add_special` adds. strip_space: strip the first token's leading space. clean_spaces: llama.cpp's clean-up.

    >>> v = Vocabulary.of(["Hi".encode(), "Ġyou".encode()])
    >>> PieceDecoder(v, byte_level_llama_cpp).run([0, 1], True, True, lambda *row: None)
    [b'Hi', b' you']
    """

    row = DecodeRow

    def __init__(
        self,
        vocabulary: Vocabulary,
        spelling: Spelling,
        *,
        special: Container[int] = (),
        first: int | None = None,
        last: int | None = None,
        strip_space: bool = False,
        clean_spaces: bool = False,
    ) -> None:
        self.vocabulary, self.spelling, self.special = vocabulary, spelling, special
        self.first, self.last = first, last
        self.strip_space, self.clean_spaces = strip_space, clean_spaces

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
        return cleaned_up(parts, ids, emit) if self.clean_spaces else parts


def cleaned_up(parts: list[bytes], ids: Sequence[int], emit: Emit) -> list[bytes]:
    """llama.cpp's clean-up of spaces, in the three passes of its `detokenize`; emits the number of dropped spaces.

    >>> b"".join(cleaned_up([b"Hello", b" ,", b" it", b" 's"], [0, 1, 2, 3], lambda *row: None))
    b"Hello, it's"
    """
    owner = [position for position, part in enumerate(parts) for _ in part]
    data = list(b"".join(parts))
    dropped: list[int] = []

    def keep(wanted: list[bool]) -> None:
        nonlocal data, owner
        dropped.extend(position for position, kept in zip(owner, wanted, strict=True) if not kept)
        owner = [position for position, kept in zip(owner, wanted, strict=True) if kept]
        data = [byte for byte, kept in zip(data, wanted, strict=True) if kept]

    # " ?" " !" " ." " ,": drop the space
    text = bytes(data)
    keep([not text.startswith((b" ?", b" !", b" .", b" ,"), at) for at in range(len(text))])
    # " ' ": drop both spaces
    wanted = [True] * len(data)
    at = 1
    while at + 1 < len(data):
        if data[at] == 0x27 and data[at - 1] == data[at + 1] == 0x20 and wanted[at - 1]:
            wanted[at - 1] = wanted[at + 1] = False
            at += 1
        at += 1
    keep(wanted)
    # " 's" " 'm" " 're" " 've": drop the space
    text = bytes(data)
    keep([not text.startswith((b" 's", b" 'm", b" 're", b" 've"), at) for at in range(len(text))])
    for position, spaces in sorted(Counter(dropped).items()):
        emit(DecodeEvent.CLEANED_SPACES, position, spaces, ids[position])
    made = [bytearray() for _ in parts]
    for byte, position in zip(data, owner, strict=True):
        made[position].append(byte)
    return [bytes(part) for part in made]

"""The pieces of a vocabulary of all code points, computed on demand: a million strings take 100 MB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, overload

SIZE: Final = 0x110000
"""The number of code points."""
SURROGATES: Final = range(0xD800, 0xE000)
"""Code points that are not characters: no text has them, and they have no UTF-8."""


class CodePointPieces(Sequence[bytes]):
    """The piece of each id: its character, or what `others` says. A surrogate has none.

    >>> pieces = CodePointPieces({0: b"[PAD]"})
    >>> pieces[0], pieces[97], pieces[0xD800], len(pieces)
    (b'[PAD]', b'a', b'', 1114112)
    """

    def __init__(self, others: Mapping[int, bytes]) -> None:
        self.others = others
        self.size = max(SIZE, *(id + 1 for id in others)) if others else SIZE

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[bytes]:
        return map(self.piece, range(self.size))

    @overload
    def __getitem__(self, index: int) -> bytes: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[bytes, ...]: ...

    def __getitem__(self, index: int | slice) -> bytes | tuple[bytes, ...]:
        found = range(self.size)[index]
        return self.piece(found) if isinstance(found, int) else tuple(map(self.piece, found))

    def piece(self, id: int) -> bytes:
        """The piece of an id that is in the vocabulary."""
        other = self.others.get(id)
        if other is not None:
            return other
        return b"" if id in SURROGATES or id >= SIZE else chr(id).encode()


class CodePointIds(Mapping[bytes, int]):
    """The id of each piece: `others`, or the code point of one character.

    >>> ids = CodePointIds({b"[PAD]": 0})
    >>> ids[b"a"], ids[b"[PAD]"], ids.get(b"ab")
    (97, 0, None)
    """

    def __init__(self, others: Mapping[bytes, int]) -> None:
        self.others = others

    def __getitem__(self, piece: bytes) -> int:
        if piece in self.others:
            return self.others[piece]
        text = piece.decode("utf-8", "replace") if len(piece) <= 4 else ""
        if len(text) != 1 or text.encode() != piece:
            raise KeyError(piece)
        return ord(text)

    def __iter__(self) -> Iterator[bytes]:
        yield from self.others
        yield from (piece for piece in CodePointPieces({}) if piece and piece not in self.others)

    def __len__(self) -> int:
        characters = SIZE - len(SURROGATES)
        return characters + sum(piece not in _PLAIN for piece in self.others)


_PLAIN: Final = CodePointIds({})

"""The symbols that BPE begins with: characters, bytes, or characters with byte fallback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from explorer.engine.models.merges import MergeEvent, Symbols, code_point_symbols
from explorer.engine.models.unknown import missing
from explorer.engine.trace import Emit
from explorer.text.utf8 import character_of_each_byte


class InitialSymbols(Protocol):
    """What a piece consists of before anything is merged.

    unknown: the spelling of the token for characters without a piece; None where there is none. prefix: in front of
    every symbol but the first. suffix: after the last symbol.
    """

    unknown: bytes | None = None
    prefix: bytes = b""
    suffix: bytes = b""

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """The symbols of a piece before anything is merged."""


class Characters(InitialSymbols):
    """One symbol a character, known to the vocabulary or not (llama.cpp finds out at the end)."""

    def symbols(self, text: str, emit: Emit) -> Symbols:
        return code_point_symbols(text)


class Bytes(InitialSymbols):
    """One symbol a byte (tiktoken).

    >>> from explorer.engine.trace import silent
    >>> Bytes().symbols("é", silent).pieces
    [b'\\xc3', b'\\xa9']
    """

    def symbols(self, text: str, emit: Emit) -> Symbols:
        data = text.encode()
        pieces = [data[at : at + 1] for at in range(len(data))]
        if len(data) == len(text):
            return Symbols(pieces, range(len(data)), range(1, len(data) + 1))
        of = character_of_each_byte(data)
        return Symbols(pieces, of, [index + 1 for index in of])


class KnownCharacters(InitialSymbols):
    """One symbol a character the vocabulary holds; what stands for the others (Hugging Face).

    ids: the pieces. byte_fallback: such a character becomes its bytes `<0xXX>`, if the vocabulary has all of them.
    unknown: else it becomes this token (where it is no piece, see `unknown.py`); None: it is left out. fuse: neighbours
    of that kind become one such token.
    prefix: in front of every character but the first, suffix: behind the last one.

    Hugging Face keeps an unknown token back until the next character that the vocabulary holds: byte tokens met
    meanwhile come to stand in front of it. And it tells spans by adding up what each symbol is counted for, in order,
    as if nothing had been left out or changed places. So here; only where that leads beyond the end of the text, as a
    prefix has bytes as well, the original goes on counting and spans here end with the text.

    >>> from explorer.engine.trace import silent
    >>> start = KnownCharacters({b"a": 0, b"<unk>": 1}, unknown=b"<unk>", fuse=True)
    >>> start.symbols("xya", silent).pieces
    [b'<unk>', b'a']
    """

    def __init__(
        self,
        ids: Mapping[bytes, int],
        *,
        unknown: bytes | None = None,
        fuse: bool = False,
        byte_fallback: bool = False,
        prefix: bytes = b"",
        suffix: bytes = b"",
    ) -> None:
        self.ids, self.unknown, self.fuse, self.byte_fallback = ids, unknown, fuse, byte_fallback
        self.prefix, self.suffix = prefix, suffix

    def spellings(self, text: str, emit: Emit) -> list[bytes]:
        """How each character would be spelled as a symbol."""
        found = [ch.encode() for ch in text]
        if self.prefix and len(found) > 1:
            emit(MergeEvent.PREFIXED, 0, len(found), -1)
            found[1:] = [self.prefix + piece for piece in found[1:]]
        if self.suffix and found:
            emit(MergeEvent.SUFFIXED, 0, len(found), -1)
            found[-1] += self.suffix
        return found

    def symbols(self, text: str, emit: Emit) -> Symbols:
        ids = self.ids
        spellings = self.spellings(text, emit)
        if all(piece in ids for piece in spellings):
            return Symbols(spellings, range(len(text)), range(1, len(text) + 1))
        pieces: list[bytes] = []
        starts: list[int] = []
        ends: list[int] = []
        sizes: list[int] = []
        held: tuple[int, int] | None = None
        """the characters [start, end) that one unknown token is kept back for"""
        kept = 0
        """how many bytes of the text it is counted for"""

        def add(piece: bytes, start: int, end: int, size: int) -> None:
            pieces.append(piece)
            starts.append(start)
            ends.append(end)
            sizes.append(size)

        def give(unknown: bytes) -> None:
            nonlocal held, kept
            if held is not None:
                emit(MergeEvent.UNKNOWN_RUN, len(pieces), held[1] - held[0], ids[unknown])
                add(unknown, *held, kept)
                held, kept = None, 0

        for place, (ch, piece) in enumerate(zip(text, spellings, strict=True)):
            size = len(ch.encode())
            if piece in ids:
                if self.unknown is not None:
                    give(self.unknown)
                add(piece, place, place + 1, size)
                continue
            fallback = [b"<0x%02X>" % byte for byte in piece] if self.byte_fallback else []
            if fallback and all(byte in ids for byte in fallback):
                emit(MergeEvent.FALLBACK, len(pieces), len(fallback), ids[fallback[0]])
                for byte in fallback:
                    add(byte, place, place + 1, 1)
            elif self.unknown is None:
                emit(MergeEvent.SKIPPED, len(pieces), place, -1)
            else:
                if self.unknown not in ids:
                    raise missing(ch)
                if held is None or not self.fuse:
                    give(self.unknown)
                    held = place, place
                held, kept = (held[0], place + 1), kept + size
        if self.unknown is not None:
            give(self.unknown)
        return Symbols(pieces, starts, ends, sizes)

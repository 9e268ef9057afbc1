"""The symbols that BPE begins with: characters, bytes, or characters with byte fallback.

Follows tiktoken, llama.cpp and `models/bpe` of Hugging Face's tokenizers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Protocol

from explorer.engine.items import in_order
from explorer.engine.models.merges import MergeEvent, Symbols, code_point_symbols
from explorer.engine.part import missing
from explorer.engine.trace import Emit, silent
from explorer.text.utf8 import character_of_each_byte


class InitialSymbols(Protocol):
    """The symbols of a piece before merging.

    unknown: the spelling of the token for characters without a piece, or None. prefix: in front of
    every symbol but the first. suffix: after the last symbol.
    """

    unknown: bytes | None = None
    prefix: bytes = b""
    suffix: bytes = b""

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """The symbols of a piece. Emits what happened to unknown characters."""

    def count(self, text: str) -> int:
        """How many symbols a piece has, without making them where that is known."""
        return len(self.symbols(text, silent).pieces)


class Characters(InitialSymbols):
    """One symbol per character, in the vocabulary or not (llama.cpp checks at the end)."""

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """One symbol per character."""
        return code_point_symbols(text)

    def count(self, text: str) -> int:
        """The number of characters."""
        return len(text)


class Bytes(InitialSymbols):
    """One symbol per byte (tiktoken).

    >>> from explorer.engine.trace import silent
    >>> Bytes().symbols("é", silent).pieces
    [b'\\xc3', b'\\xa9']
    """

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """One symbol per byte."""
        data = text.encode()
        pieces = [data[at : at + 1] for at in range(len(data))]
        if len(data) == len(text):
            return Symbols(pieces, range(len(data)), range(1, len(data) + 1))
        of = character_of_each_byte(data)
        return Symbols(pieces, of, [index + 1 for index in of])

    def count(self, text: str) -> int:
        """The number of bytes."""
        return len(text.encode())


@dataclass(eq=False, repr=False)
class KnownCharacters(InitialSymbols):
    """One symbol per character in the vocabulary, and a stand-in for every other one (Hugging Face).

    ids: the pieces. byte_fallback: an unknown character becomes its bytes `<0xXX>`, if the vocabulary has all of them.
    unknown: otherwise it becomes this token (if that is not a piece, see `unknown.py`); None: it is dropped. fuse:
    adjacent unknown characters become one such token.
    prefix: in front of every character but the first. suffix: after the last one.

    Hugging Face withholds an unknown token until the next character in the vocabulary, so byte tokens between the two
    end up before it. Its offsets add up the size of each symbol in order, as if nothing had been dropped or reordered
    (`sizes`).

    >>> from explorer.engine.trace import silent
    >>> start = KnownCharacters({b"a": 0, b"<unk>": 1}, unknown=b"<unk>", fuse=True)
    >>> start.symbols("xya", silent).pieces
    [b'<unk>', b'a']
    """

    ids: Mapping[bytes, int]
    _: KW_ONLY
    unknown: bytes | None = None
    fuse: bool = False
    byte_fallback: bool = False
    prefix: bytes = b""
    suffix: bytes = b""

    def spellings(self, text: str, emit: Emit) -> list[bytes]:
        """The spelling of each character as a symbol, with prefix and suffix."""
        spelled = [ch.encode() for ch in text]
        if self.prefix and len(spelled) > 1:
            emit(MergeEvent.PREFIXED, 0, len(spelled), -1)
            spelled[1:] = [self.prefix + piece for piece in spelled[1:]]
        if self.suffix and spelled:
            emit(MergeEvent.SUFFIXED, 0, len(spelled), -1)
            spelled[-1] += self.suffix
        return spelled

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """One symbol per known character. Raises InputError where one needs an unknown token that is not a piece."""
        ids = self.ids
        spellings = self.spellings(text, emit)
        if all(piece in ids for piece in spellings):
            return Symbols(spellings, range(len(text)), range(1, len(text) + 1))
        made = _Growing(emit, self.unknown, -1 if self.unknown is None else ids.get(self.unknown, -1))
        for index, (ch, piece) in enumerate(zip(text, spellings, strict=True)):
            size = len(ch.encode())
            if piece in ids:
                made.flush()
                made.add(piece, index, index + 1, size)
                continue
            fallback = [b"<0x%02X>" % byte for byte in piece] if self.byte_fallback else []
            if fallback and all(byte in ids for byte in fallback):
                emit(MergeEvent.FALLBACK, len(made.pieces), len(fallback), ids[fallback[0]])
                for byte in fallback:
                    made.add(byte, index, index + 1, 1)
            elif self.unknown is None:
                emit(MergeEvent.SKIPPED, len(made.pieces), index, -1)
            elif self.unknown not in ids:
                raise missing(ch)
            else:
                made.withhold(index, size, self.fuse)
        made.flush()
        return Symbols(made.pieces, *in_order(made.starts, made.ends), made.sizes)

    def count(self, text: str) -> int:
        """The number of symbols: of characters, if the vocabulary has them all."""
        if not self.prefix and not self.suffix and all(map(self.ids.__contains__, map(str.encode, text))):
            return len(text)
        return super().count(text)


class _Growing:
    """Symbols as they are made, with the unknown token that is withheld.

    unknown, id: the unknown token, None and -1 where there is none.
    """

    def __init__(self, emit: Emit, unknown: bytes | None, id: int) -> None:
        self.emit, self.unknown, self.id = emit, unknown, id
        self.pieces: list[bytes] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.sizes: list[int] = []
        self.withheld: tuple[int, int] | None = None
        """the characters [start, end) of the unknown token that is withheld"""
        self.withheld_size = 0
        """their bytes"""

    def add(self, piece: bytes, start: int, end: int, size: int) -> None:
        """Appends a symbol for the characters [start, end), which counts for `size` bytes."""
        self.pieces.append(piece)
        self.starts.append(start)
        self.ends.append(end)
        self.sizes.append(size)

    def withhold(self, index: int, size: int, fuse: bool) -> None:
        """Withholds the unknown token for one more character, as a new token unless `fuse`."""
        if self.withheld is None or not fuse:
            self.flush()
            self.withheld = index, index
        self.withheld, self.withheld_size = (self.withheld[0], index + 1), self.withheld_size + size

    def flush(self) -> None:
        """Appends the unknown token that is withheld, if there is one."""
        if self.withheld is not None and self.unknown is not None:
            start, end = self.withheld
            self.emit(MergeEvent.UNKNOWN_RUN, len(self.pieces), end - start, self.id)
            self.add(self.unknown, start, end, self.withheld_size)
            self.withheld, self.withheld_size = None, 0

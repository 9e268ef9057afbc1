"""The ids of one piece, and the strategy that needs nothing else. A long piece is first cut where no token crosses.

Where two adjacent characters of a text are adjacent in no piece, no token crosses the boundary between them: no merge
can join them, and no longest match and no path through a lattice reaches across. So the text can be cut there before
the algorithm runs, and the parts cached. A long piece, such as a sentence of Chinese, becomes short ones.

A piece may begin or end within a character (byte-level BPE, RWKV). Then a character's bytes are compared with the
bytes at the piece's end or beginning.

`ByStages` is the strategy that is always safe: the stages before the model run as they are, and the model sees only new
pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from operator import add
from typing import Final

from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.fast.solvers import Solve, longest_exact, pieces_of, single_characters, solver, taken_whole
from explorer.engine.items import Segment, Token
from explorer.engine.part import Options, Part, run_through
from explorer.text.input import text_of
from explorer.vocabulary import bytes_of, printable

WORD: Final = 8
"""Characters. A shorter piece is mostly a word, and not worth cutting."""


class PieceEncoder:
    """Called with a piece, gives its ids.

    model: the model stage. bytes_spelled: the model sees the piece's bytes, spelled as printable characters.

    >>> from explorer.engine.models.spm import Spm
    >>> from explorer.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary.of([b"a", b"b", b"ab"], [-1.0, -1.0, 0.0])
    >>> PieceEncoder(Spm(vocabulary))("ab" * 13), PieceEncoder(Spm(vocabulary)).neighbors["aa"]
    ((2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), False)
    """

    def __init__(self, model: Part, *, bytes_spelled: bool = False) -> None:
        self.model, self.bytes_spelled = model, bytes_spelled
        self.taken_whole = taken_whole(model)

    def __call__(self, piece: str) -> Ids:
        """The ids of a piece."""
        if self.taken_whole is not None:
            token = self.taken_whole(self.spelled(piece))
            if token is not None:
                return (token,)
        if len(piece) > WORD:
            cut = self.cut(piece)
            if len(cut) > 1:
                return tuple(self.parts.all_of(cut))
        return self.part(piece)

    def part(self, piece: str) -> Ids:
        """The ids of a piece or part of one, without cutting it."""
        return self.solve(self.spelled(piece))

    def spelled(self, piece: str) -> str:
        """The piece as the model sees it."""
        return printable(piece.encode()) if self.bytes_spelled else piece

    def cut(self, piece: str) -> list[str]:
        """The piece, cut where no token crosses."""
        if self.neighbors is None or len(piece) > self.most:
            return [piece]
        known = self.allowed is None or self.allowed.issuperset(piece)
        return self.neighbors.cut(piece) if known else [piece]

    @cached_property
    def solve(self) -> Solve:
        """The ids of a piece or part, spelled as the model sees it. Its tables take up to half a second."""
        return solver(self.model)

    @cached_property
    def parts(self) -> PieceCache:
        """The ids of parts of long pieces."""
        return PieceCache(self.part)

    @cached_property
    def neighbors(self) -> Neighbors | None:
        """Which characters a token may cross between; None where pieces may not be cut."""
        pieces = pieces_of(self.model)
        return None if pieces is None else Neighbors(unspelled(pieces) if self.bytes_spelled else pieces)

    @cached_property
    def most(self) -> float:
        """Characters of the longest piece that may be cut: rounding makes ties depend on preceding text."""
        return longest_exact(self.model)

    @cached_property
    def allowed(self) -> frozenset[str] | None:
        """The characters a piece that is cut must consist of; None: any."""
        found = single_characters(self.model)
        if found is None or not self.bytes_spelled:
            return found
        # a model that has all bytes knows every character
        return None if found.issuperset(printable(bytes(range(256)))) else frozenset()


def unspelled(pieces: Iterable[bytes]) -> Iterable[bytes]:
    """The bytes that pieces in printable characters stand for, without pieces that no text becomes."""
    for piece in pieces:
        data = bytes_of(piece.decode("utf-8", "replace"))
        if data is not None:
            yield data


BETWEEN: Final = "\udcff"
"""Separates joined pieces: a character that no text contains."""

MOST: Final = 1 << 18
"""Pairs of characters that are cached."""


class Neighbors(dict[str, bool]):
    """Two characters → whether they are adjacent in a piece; filled on demand.

    pieces: everything the model can make, as bytes.

    >>> neighbors = Neighbors([b"ab", b"b", "é".encode()[1:] + b"x"])
    >>> neighbors.cut("abbéx"), neighbors["éx"], neighbors["ax"]
    (['ab', 'b', 'éx'], True, False)
    """

    __slots__ = ("broken", "whole")

    def __init__(self, pieces: Iterable[bytes]) -> None:
        texts: list[str] = []
        self.broken: set[tuple[bytes, bytes]] = set()
        """adjacent bytes in pieces that contain part of a character"""
        for piece in pieces:
            text = text_of(piece)
            if text is None:
                self.broken.update(adjacent_characters(piece))
            else:
                texts.append(text)
        whole = BETWEEN.join(texts)
        self.whole = frozenset(map(add, whole, whole[1:]))
        """adjacent characters in all other pieces"""

    def __missing__(self, pair: str) -> bool:
        crossed = pair in self.whole or (bool(self.broken) and self.is_crossed(pair[0].encode(), pair[1].encode()))
        if len(self) < MOST:
            self[pair] = crossed
        return crossed

    def is_crossed(self, left: bytes, right: bytes) -> bool:
        """Whether a piece that contains part of a character crosses the boundary between these two."""
        return any(
            (left[-size:], right[:length]) in self.broken
            for size in range(1, len(left) + 1)
            for length in range(1, len(right) + 1)
        )

    def cut(self, text: str) -> list[str]:
        """The text, cut wherever no piece crosses."""
        crossed = list(map(self.__getitem__, map(add, text, text[1:])))
        parts = []
        start = 0
        for _ in range(crossed.count(False)):
            end = crossed.index(False, start) + 1
            parts.append(text[start:end])
            start = end
        parts.append(text[start:])
        return parts


def adjacent_characters(piece: bytes) -> Iterable[tuple[bytes, bytes]]:
    """The bytes of each two adjacent characters, as far as the piece contains them.

    >>> list(adjacent_characters(b"\\xa9x\\xe4"))
    [(b'\\xa9', b'x'), (b'x', b'\\xe4')]
    """
    # a character begins at each byte that is not a continuation byte
    begins = [at for at, byte in enumerate(piece) if at == 0 or byte & 0xC0 != 0x80]
    return pairwise(piece[start:end] for start, end in pairwise([*begins, len(piece)]))


class ByStages:
    """Runs stages, then looks their pieces up.

    before: the stages before the model, a second partition possibly among them. encoder: of the pieces.
    """

    def __init__(self, before: Sequence[Part], encoder: PieceEncoder) -> None:
        self.before = tuple(before)
        self.cache = PieceCache(encoder)

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        items = run_through(self.before, [fragment], Options())
        if not any(isinstance(item, Token) for item in items):
            return self.cache.all_of([item.text for item in items if isinstance(item, Segment)])
        ids: list[int] = []
        for item in items:
            ids += (item.id,) if isinstance(item, Token) else self.cache.all_of([item.text])
        return ids


def texts_after(stages: Sequence[Part], fragment: Segment) -> list[str]:
    """The texts that stages make of a fragment, without alignment. The stages must not make tokens."""
    return [item.text for item in run_through(stages, [fragment], Options()) if isinstance(item, Segment)]

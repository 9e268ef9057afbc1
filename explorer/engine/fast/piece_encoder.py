"""The ids of one piece. A long piece is first cut where no token crosses."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.fast.neighbors import Neighbors
from explorer.engine.fast.solvers import Solve, longest_exact, pieces_of, single_characters, solver, taken_whole
from explorer.engine.part import Part
from explorer.engine.unicode.byte_map import bytes_of, printable

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
        if not (self.allowed is None or self.allowed.issuperset(piece)):
            return [piece]
        return self.neighbors.cut(piece)

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
        found = pieces_of(self.model)
        if found is None:
            return None
        return Neighbors(unspelled(found) if self.bytes_spelled else found)

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

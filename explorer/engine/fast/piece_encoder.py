"""The ids of one piece, which is cut further where no token crosses if it is long."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from explorer.engine.fast.cache import Ids, Memory
from explorer.engine.fast.neighbours import Neighbours
from explorer.engine.fast.solvers import alone, longest_exact, pieces, solver, taken_whole
from explorer.engine.part import Part
from explorer.engine.unicode.byte_map import bytes_of, printable

WORD: Final = 8
"""Characters. A shorter piece is a word mostly, and is not worth looking for a place to cut it."""


class Pieces:
    """Called with a piece it gives its ids.

    model: who is asked. bytes_spelled: it sees the piece's bytes, spelled as printable characters.

    >>> from explorer.engine.models.spm import Spm
    >>> from explorer.vocabulary import Vocabulary
    >>> vocabulary = Vocabulary.of([b"a", b"b", b"ab"], [-1.0, -1.0, 0.0])
    >>> Pieces(Spm(vocabulary))("ab" * 13), Pieces(Spm(vocabulary)).neighbours["aa"]
    ((2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), False)
    """

    def __init__(self, model: Part, *, bytes_spelled: bool = False) -> None:
        self.model, self.bytes_spelled = model, bytes_spelled
        self.solve, self.taken_whole = solver(model), taken_whole(model)

    def __call__(self, piece: str) -> Ids:
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
        """The ids of a piece or a part of one, without a cut."""
        return self.solve(self.spelled(piece))

    def spelled(self, piece: str) -> str:
        """As the model sees it."""
        return printable(piece.encode()) if self.bytes_spelled else piece

    def cut(self, piece: str) -> list[str]:
        """The piece, cut where no token crosses."""
        if self.neighbours is None or len(piece) > self.most:
            return [piece]
        if not (self.alone is None or self.alone.issuperset(piece)):
            return [piece]
        return self.neighbours.cut(piece)

    @cached_property
    def parts(self) -> Memory:
        """The ids of parts of long pieces."""
        return Memory(self.part)

    @cached_property
    def neighbours(self) -> Neighbours | None:
        found = pieces(self.model)
        if found is None:
            return None
        return Neighbours(unspelled(found) if self.bytes_spelled else found)

    @cached_property
    def most(self) -> float:
        """Characters of a piece that may be cut: where sums are rounded, what comes before decides between equals."""
        return longest_exact(self.model)

    @cached_property
    def alone(self) -> frozenset[str] | None:
        """The characters a piece must be made of to be cut, None: any."""
        found = alone(self.model)
        if found is None or not self.bytes_spelled:
            return found
        # with all bytes there is no character that is not known
        return None if found.issuperset(printable(bytes(range(256)))) else frozenset()


def unspelled(pieces: Iterable[bytes]) -> Iterable[bytes]:
    """The bytes that printable characters stand for; a piece with another character can never be made."""
    for piece in pieces:
        data = bytes_of(piece.decode("utf-8", "replace"))
        if data is not None:
            yield data

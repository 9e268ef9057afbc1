"""The way where there is no pre-tokenizer: SentencePiece's BPE and Unigram, RWKV.

A text can be cut before a space if no piece of the vocabulary holds that space after the character in front of it: then
no token crosses the place. In SentencePiece's vocabularies that is every character but the space itself, because their
pieces hold a ▁ only at the beginning; in others it is most letters. It is looked up when the way is made, and where the
vocabulary, the normalization or the model does not allow it there is no such way.

What comes before the cut must not change what comes behind it either. The space is a piece by itself, so no run of
unknown characters goes over it. The sums of a lattice must be exact: with scores of 24 bits they are, in 64 bits, up to
a certain length of text, and a longer one goes another way. What is done to white space is in `spaces`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from explorer.engine.fast.by_stages import ByStages
from explorer.engine.fast.cache import Ids, Memory
from explorer.engine.fast.piece_encoder import Pieces
from explorer.engine.fast.solvers import alone, leaves_out, pieces
from explorer.engine.fast.spaces import SPACE, NotApart, Spaces, spaces_of
from explorer.engine.items import Segment
from explorer.engine.part import Part


class AtSpaces:
    """spaces: what is done to white space. followed: characters that a space may follow within a piece.
    most: characters of a text whose sums are exact. otherwise: the way of a text that cannot go this one.
    """

    def __init__(self, spaces: Spaces, followed: str, most: float, pieces: Pieces, otherwise: ByStages) -> None:
        self.spaces, self.most, self.pieces, self.otherwise = spaces, most, pieces, otherwise
        self.cut: Callable[[str], list[str]]
        if spaces.dropped:
            self.cut = re.compile(f"[^{re.escape(spaces.dropped)}]+").findall
        else:
            self.cut = re.compile(f" (?<=[^{re.escape(followed + SPACE + spaces.written)}] )").split
        self.memory = Memory(self.solve)
        """by what stands behind the space"""
        self.first = Memory(lambda piece: self.pieces(self.spaces.rewrite(piece)))
        """the same for what no space stands before"""

    def ids(self, fragment: Segment) -> list[int]:
        if len(fragment.text) > self.most:
            return self.otherwise.ids(fragment)
        parts = self.cut(fragment.text)
        try:
            if self.spaces.front:
                return self.memory.all_of(parts)
            first = self.first[parts[0]] if parts[0] else ()
            return [*first, *self.memory.all_of(parts[1:])]
        except NotApart:
            return self.in_regions(fragment.text) if self.spaces.dropped else self.otherwise.ids(fragment)

    def in_regions(self, text: str) -> list[int]:
        """The same where some words are not independent of what follows: those are not parted from it."""
        ids: list[int] = []
        begin = -1
        """where a region of such words begins"""
        for match in re.finditer(f"[^{re.escape(self.spaces.dropped)}]+", text):
            try:
                found = self.memory[match[0]]
            except NotApart:
                begin = match.start() if begin < 0 else begin
                continue
            ids += found if begin < 0 else self.otherwise.ids(Segment.of(text[begin : match.end()]))
            begin = -1
        if begin >= 0:
            ids += self.otherwise.ids(Segment.of(text[begin:]))
        return ids

    def solve(self, piece: str) -> Ids:
        text = self.spaces.rewrite(SPACE + piece)
        return self.pieces(text) if text else ()


def at_spaces(between: Sequence[Part], model: Part) -> AtSpaces | None:
    """The way, None where it cannot be proven that the pieces do not know of each other."""
    spaces, found = spaces_of(between), pieces(model)
    if spaces is None or found is None or leaves_out(model):
        return None
    known = alone(model)
    if known is not None and spaces.written not in known:
        return None
    followed = characters_before(found, spaces.written.encode())
    if followed is None or (spaces.maps and followed):
        return None
    made = Pieces(model)
    return AtSpaces(spaces, followed, made.most, made, ByStages(between, made))


def characters_before(found: Iterable[bytes], space: bytes) -> str | None:
    """The characters but the space itself that stand before a space in some piece; None where one of them is cut off.

    >>> characters_before([b" a", b"b c", b"d  "], b" ")
    'bd'
    """
    before: set[str] = set()
    for piece in found:
        at = piece.find(space, 1)
        while at > 0:
            try:
                before.add(piece[:at].decode()[-1])
            except UnicodeDecodeError:
                return None
            at = piece.find(space, at + 1)
    return "".join(sorted(before - {space.decode()}))

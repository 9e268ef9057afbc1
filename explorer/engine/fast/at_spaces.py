"""The strategy without a pre-tokenizer: SentencePiece's BPE and Unigram, RWKV.

A text can be cut before a space if no piece of the vocabulary contains that space after the character before it: then
no token crosses the boundary. In SentencePiece's vocabularies that is every character but the space itself, because
their pieces contain ▁ only at the beginning; in others it is most letters. The strategy looks this up when it is made.
Where the vocabulary, the normalization or the model does not allow it, the strategy does not apply.

The text before the cut must not change the tokens after it either. The space is a piece by itself, so no run of unknown
characters crosses it. The sums of a lattice must be exact: with scores of 24 bits they are, in 64 bits, up to a certain
length of text; longer texts go to the fallback. `spaces` determines what is done to white space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from operator import methodcaller
from typing import Final

from explorer.engine.fast.by_stages import ByStages
from explorer.engine.fast.cache import Ids, PieceCache
from explorer.engine.fast.piece_encoder import PieceEncoder
from explorer.engine.fast.solvers import drops_characters, pieces_of, single_characters, stand_ins
from explorer.engine.fast.spaces import SPACE, NotIndependent, Spaces, spaces_of
from explorer.engine.items import Segment
from explorer.engine.part import Part
from explorer.vocabulary import SPACE_MARK


class AtSpaces:
    """Splits before spaces, then looks up.

    spaces: what is done to white space. followed: characters that a space may follow within a piece.
    most: characters of the longest text whose sums are exact. fallback: for texts that cannot be split.
    """

    def __init__(self, spaces: Spaces, followed: str, most: float, encoder: PieceEncoder, fallback: ByStages) -> None:
        self.spaces, self.most, self.encoder, self.fallback = spaces, most, encoder, fallback
        self.followed = followed
        self.cut: Callable[[str], list[str]]
        if spaces.dropped:
            self.cut = re.compile(f"[^{re.escape(spaces.dropped)}]+").findall
        else:
            self.cut = re.compile(f" (?<=[^{re.escape(followed + SPACE + spaces.written)}] )").split
        self.cache = PieceCache(self.solve)
        """by the text after the space"""
        self.first = PieceCache(lambda piece: self.encoder(self.spaces.rewrite(piece)))
        """for text at the beginning that no space precedes"""

    def ids(self, fragment: Segment) -> list[int]:
        """The ids of a fragment."""
        if len(fragment.text) > self.most:
            return self.fallback.ids(fragment)
        parts = self.cut(fragment.text)
        try:
            if self.spaces.front:
                return self.cache.all_of(parts)
            first = self.first[parts[0]] if parts[0] else ()
            return [*first, *self.cache.all_of(parts[1:])]
        except NotIndependent:
            return self.in_regions(fragment.text) if self.spaces.dropped else self.fallback.ids(fragment)

    def pieces(self, text: str) -> list[str]:
        """What the model gets of a fragment's text, each piece solved by itself. Raises NotIndependent."""
        if len(text) > self.most:
            raise NotIndependent
        parts, rewrite = self.cut(text), self.spaces.rewrite
        first = [] if self.spaces.front else parts[:1]
        made = [rewrite(part) for part in first] if first and first[0] else []
        return made + [piece for part in parts[len(first) :] if (piece := rewrite(SPACE + part))]

    def pieces_of_words(self, texts: Sequence[str]) -> list[str] | None:
        """What the model gets of texts that are one word each; None if some may be none, several, or not independent.

        As `pieces` of each, several times as fast, where white space only separates words.
        """
        words = self.cut(SPACE.join(texts))
        if not self.spaces.dropped or words != list(map(str.strip, texts)) or max(map(len, texts)) > self.most:
            return None
        if self.spaces.keeps(words):
            return [SPACE_MARK + word for word in words]
        try:
            return [self.spaces.rewrite(SPACE + word) for word in words]
        except NotIndependent:
            return None

    def in_regions(self, text: str) -> list[int]:
        """The ids of a text in which some words depend on what follows: those are not split from it."""
        ids: list[int] = []
        begin = -1
        """where a region of such words begins"""
        for match in re.finditer(f"[^{re.escape(self.spaces.dropped)}]+", text):
            try:
                found = self.cache[match[0]]
            except NotIndependent:
                begin = match.start() if begin < 0 else begin
                continue
            ids += found if begin < 0 else self.fallback.ids(Segment.of(text[begin : match.end()]))
            begin = -1
        if begin >= 0:
            ids += self.fallback.ids(Segment.of(text[begin:]))
        return ids

    def solve(self, piece: str) -> Ids:
        """The ids of a piece that follows a space."""
        text = self.spaces.rewrite(SPACE + piece)
        return self.encoder(text) if text else ()


def at_spaces(between: Sequence[Part], model: Part) -> AtSpaces | None:
    """The strategy, None where the pieces cannot be proved independent."""
    spaces, found, encoder = spaces_of(between), pieces_of(model), PieceEncoder(model)
    # a model that takes pieces whole takes the whole fragment, and no part of it
    if spaces is None or found is None or drops_characters(model) or encoder.taken_whole is not None:
        return None
    known = single_characters(model)
    if known is not None and spaces.written not in known:
        return None
    space = spaces.written.encode()
    followed = characters_before(found, space)
    if followed is None or (spaces.maps and followed):
        return None
    crossing = [piece for piece in found if space in piece[1:]] if followed else []
    if any(symbol + space in piece for symbol in stand_ins(model) for piece in crossing):
        return None
    return AtSpaces(spaces, followed, encoder.most, encoder, ByStages(between, encoder))


END: Final = b"\xff"


def characters_before(found: Iterable[bytes], space: bytes) -> str | None:
    """The characters except the space that precede a space in some piece; None where one is only part of a character.

    >>> characters_before([b" a", b"b c", b"d  "], b" ")
    'bd'
    """
    before: set[str] = set()
    pieces = [*found]
    # mostly none has one, which a search over all of them at once says
    if sum(map(methodcaller("startswith", space), pieces)) == END.join(pieces).count(space):
        pieces = []
    for piece in pieces:
        at = piece.find(space, 1)
        while at > 0:
            try:
                before.add(piece[:at].decode()[-1])
            except UnicodeDecodeError:
                return None
            at = piece.find(space, at + 1)
    return "".join(sorted(before - {space.decode()}))

"""Models that match pieces by a trie, as tables: RWKV's, and both WordPieces with what characters become."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from explorer.engine.fast.compiled import build, tries, wordpiece
from explorer.engine.fast.compiled.arrays import Call, Numbers, Octets, Words, octets
from explorer.engine.fast.compiled.utf8 import END, NOTHING, PADDING
from explorer.engine.fast.compiled.vocabulary import Colliding
from explorer.engine.models.first_miss import FirstMiss
from explorer.engine.models.trie import ByteModel, TrieMatch
from explorer.engine.models.wordpiece import PHANTOM, LongestMatch, WordPiece
from explorer.text.utf8 import is_utf8

LONGEST: Final = 1024
"""Bytes of the longest piece: a walk from every byte may take as many steps."""

MOST_SLOTS: Final = 1 << 24
"""Slots of a trie, 200 MB: far more than its nodes, unless they were made to exclude each other."""

LONGEST_WORD: Final = 1 << 16
"""Bytes of the longest word, as it is spelled; a longer one is solved in Python."""

SPELLED: Final = 1 << 20
"""Bytes of the spellings of all characters."""

IN_PYTHON: Final = -1
"""Of a character that its neighbors may change."""


class TrieTables(NamedTuple):
    """The nodes of a trie and, by node, the id of the piece that ends there."""

    nodes: Words
    tokens: Numbers


NO_TRIE: Final = TrieTables(np.full(tries.BLOCK, tries.NO_PARENT << 32, np.int64), np.zeros(1, np.int32))


class WordTables(NamedTuple):
    """WordPiece. nodes, tokens, rules: arguments of `pieces.encode`. front: what it puts in front of every word.

    becomes: what each character becomes, by code point, with spaces around words. in_context: what it says of a
    character that its neighbors may change.
    """

    nodes: Words
    tokens: Numbers
    rules: Words
    front: bytes
    becomes: Mapping[int, str]
    in_context: str


NO_WORDS: Final = WordTables(*NO_TRIE, np.zeros(4, np.int64), b"", {}, "")
"""A model that is not WordPiece."""


def trie_of(ids: Iterable[tuple[bytes, int]], functions: build.Functions) -> TrieTables:
    """The trie of pieces with their ids. Pieces that no text contains are left out. Raises Colliding.

    >>> nodes, tokens = trie_of([(b"ab", 7), (b"a", 3)], {})
    >>> found = tries.longest(nodes.data, 0, b"xab" + PADDING, 1)
    >>> found >> 32, int(tokens[found & tries.SLOT])
    (3, 7)
    """
    id_of = dict(ids)
    known = sorted(piece for piece in id_of if piece and END not in piece)
    sizes = np.fromiter(map(len, known), np.int64, len(known))
    if sizes.max(initial=0) > LONGEST:
        raise Colliding
    starts = np.concatenate(([0], np.cumsum(sizes)))
    most_nodes = int(starts[-1]) + 1
    fill = Call("fill_trie", functions)
    fill.give(
        texts=octets(b"".join(known) + PADDING), starts=starts, count=len(known),
        ids=np.fromiter(map(id_of.__getitem__, known), np.int32, len(known)),
        scratch=np.empty(tries.STACK + 4 * most_nodes, np.int64),
    )  # fmt: skip
    slots = tries.BLOCK << (most_nodes // tries.BLOCK).bit_length()
    while slots <= MOST_SLOTS:
        nodes, tokens = np.zeros(slots, np.int64), np.zeros(slots, np.int32)
        used = fill(nodes=nodes, room=slots, tokens=tokens)
        if used >= 0:
            return TrieTables(nodes[:used].copy(), tokens[:used].copy())
        slots *= 2
    raise Colliding


def walk_of(model: ByteModel, functions: build.Functions) -> tuple[TrieTables, bool, int]:
    """The trie of a model, whether it stops at the first miss, and its id for unknown bytes. Raises Colliding."""
    if isinstance(model, FirstMiss):
        return trie_of(model.vocabulary.ids.items(), functions), True, -1
    assert isinstance(model, TrieMatch)
    pieces, in_trie = model.vocabulary.pieces, {*model.trie.token} - {-1}
    trie = trie_of(((pieces[id], id) for id in in_trie), functions)
    return trie, False, -1 if model.unknown is None else model.unknown


def words_of(model: LongestMatch, functions: build.Functions) -> tuple[Words, Numbers, Words, bytes]:
    """The tables of WordPiece, Hugging Face's or llama.cpp's: the first four of `WordTables`. Raises Colliding."""
    rules = np.zeros(4, np.int64)
    rules[wordpiece.UNKNOWN] = -1 if model.unknown is None else model.unknown
    if isinstance(model, WordPiece):
        # a window of whole characters never holds a part of one
        trie, front = trie_of(((piece, id) for piece, id in model.ids.items() if is_utf8(piece)), functions), b""
        rules[wordpiece.LATER] = tries.node_after(trie.nodes, model.prefix, len(model.prefix))
        rules[wordpiece.MOST] = min(model.max_characters, LONGEST_WORD)
    else:
        trie, front = trie_of(model.ids.items(), functions), PHANTOM
        rules[wordpiece.LATER], rules[wordpiece.MOST] = 0, LONGEST_WORD
    rules[wordpiece.FRONT] = len(front)
    return *trie, rules, front


class Spellings:
    """What characters become, as far as a worker has met them. Without a model that is WordPiece it learns nothing."""

    def __init__(self, words: WordTables) -> None:
        self.words = words
        wanted = words is not NO_WORDS
        self.characters = np.zeros(NOTHING + 1 if wanted else 1, np.int32)
        self.spellings: Octets = np.empty(SPELLED if wanted else 1, np.uint8)
        self.word: Octets = np.empty(LONGEST_WORD if wanted else 1, np.uint8)
        self.word[: len(words.front)] = octets(words.front)
        self.used = 1
        """bytes of the spellings; index 0 says that a character is not known"""
        self.add("".join(map(chr, range(0x80))))

    def arguments(self) -> dict[str, Any]:
        """The arguments of `pieces.encode`. The arrays are filled in place."""
        words = self.words
        return {
            "nodes": words.nodes, "tokens": words.tokens, "rules": words.rules, "characters": self.characters,
            "spellings": self.spellings, "word": self.word, "word_room": len(self.word),
        }  # fmt: skip

    def add(self, text: str) -> bool:
        """Adds the characters of a text that are new, while there is room; whether that was all its words lacked."""
        if self.words is NO_WORDS:
            return False
        used, codes = self.used, {*map(ord, text)}
        for code in codes:
            if self.characters[code]:
                continue
            becomes = self.words.becomes[code]
            data = becomes.encode() if becomes != self.words.in_context else b""
            if becomes == self.words.in_context or len(data) > 0xFF:
                self.characters[code] = IN_PYTHON
            elif self.used + 1 + len(data) <= SPELLED:
                self.spellings[self.used] = len(data)
                self.spellings[self.used + 1 : self.used + 1 + len(data)] = octets(data)
                self.characters[code] = self.used
                self.used += 1 + len(data)
        return self.used > used and all(self.characters[code] > 0 for code in codes)

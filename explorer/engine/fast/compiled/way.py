"""The compiled way of a tokenizer: many texts → their ids and offsets, as arrays.

Special tokens are cut out and the Unicode form is made by the stages themselves, but only in texts that may need it: a
search over all texts at once says which. The rest is one buffer, each text with END after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.fast.compiled import build
from explorer.engine.fast.compiled.applies import NotCompiled, Parts
from explorer.engine.fast.compiled.utf8 import END, PADDING
from explorer.engine.fast.compiled.vocabulary import Colliding, tables_of
from explorer.engine.fast.compiled.worker import MOST_SLOTS, Worker
from explorer.engine.fast.piece_encoder import PieceEncoder
from explorer.errors import InputError

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

BETWEEN: Final = bytes([END])
MOST_BYTES: Final = 1 << 30
"""Of one run, so that offsets fit into 32 bits."""


class Before(NamedTuple):
    """What is done to texts before they are scanned, by the stages and their options.

    beginnings: how every special token begins. changes: whether a text has to be normalized; None without a
    normalization. parts: a text in parts, special tokens as ids and the rest normalized; None where only the stages
    can say. whole: the ids of a text by the stages. front, end: ids added to each text.
    """

    beginnings: tuple[str, ...]
    changes: Callable[[str], bool] | None
    parts: Callable[[str], list[str | int] | None]
    whole: Callable[[str], list[int]]
    front: tuple[int, ...]
    end: tuple[int, ...]

    def needed(self, text: str) -> bool:
        """Whether a text may have special tokens, or has to be normalized."""
        if any(beginning in text for beginning in self.beginnings):
            return True
        return self.changes is not None and not text.isascii() and self.changes(text)


class CompiledWay:
    """Encodes many texts. Threads share it: each takes a worker of its own. Raises NotCompiled.

    encoder: for pieces that the tables don't cover. functions: those that are compiled. most_slots: of a generation of
    a worker's memory.
    """

    def __init__(
        self, parts: Parts, encoder: PieceEncoder, functions: build.Functions, most_slots: int = MOST_SLOTS
    ) -> None:
        self.functions = functions
        try:
            self.tables = tables_of(parts.model, functions, bytes_spelled=parts.bytes_spelled)
        except Colliding:
            raise NotCompiled("its pieces collide in a table") from None
        self.scanner, self.encoder, self.most_slots = parts.scanner(), encoder, most_slots
        self.idle: list[Worker] = []

    def encode(self, texts: Sequence[str], before: Before) -> tuple[Ids, Offsets]:
        """The ids of all texts, and the index at which those of each begin, then their number.

        Raises InputError as the stages do, without the index of the text.
        """
        try:
            joined = BETWEEN.join([*map(str.encode, texts), PADDING[1:]])
        except UnicodeEncodeError:
            return self.in_parts(texts, before)
        if any(beginning.encode("utf-8", "surrogateescape") in joined for beginning in before.beginnings):
            return self.in_parts(texts, before)
        if before.changes is not None and not all(map(str.isascii, texts)) and any(map(before.needed, texts)):
            return self.in_parts(texts, before)
        ids, ends = self.run(joined, len(texts))
        return added(ids, np.concatenate(([0], ends)), before.front, before.end)

    def run(self, joined: bytes, count: int) -> tuple[Ids, Offsets]:
        """The ids of joined texts, and how many there are after each. Raises InputError if they are too long."""
        stop = len(joined) - len(PADDING) + 1
        if stop > MOST_BYTES:
            raise InputError(f"texts of {stop:,} bytes are too long to be encoded at once; give parts of them")
        try:
            worker = self.idle.pop()
        except IndexError:
            solve = lambda piece: self.encoder(piece.decode())  # noqa: E731
            worker = Worker(self.scanner, self.tables, solve, self.functions, self.most_slots)
        ids, ends = worker.run(joined, stop, count)
        made = ids.copy(), ends.copy()
        self.idle.append(worker)
        return made

    def in_parts(self, texts: Sequence[str], before: Before) -> tuple[Ids, Offsets]:
        """The same with special tokens cut out and texts normalized."""
        datas: list[bytes] = []
        known: list[int] = []
        """ids that are not encoded here"""
        where: list[int] = []
        """for each of them, how many parts of text come before it"""
        parts_before, known_before = [0], [0]
        """how many there are before each text, and in all"""
        for text in texts:
            parts = before.parts(text) if not encodes(text) or before.needed(text) else [text]
            around = (*before.front, *(parts or ()), *before.end) if parts is not None else before.whole(text)
            for part in around:
                if isinstance(part, str):
                    datas.append(part.encode())
                else:
                    known.append(part)
                    where.append(len(datas))
            parts_before.append(len(datas))
            known_before.append(len(known))
        ids, ends = self.run(BETWEEN.join([*datas, PADDING[1:]]), len(datas))
        starts = np.concatenate(([0], ends))
        ids = np.insert(ids, starts[np.array(where, np.int64)], np.array(known, np.int32))
        return ids, starts[np.array(parts_before)] + np.array(known_before)


def encodes(text: str) -> bool:
    """Whether a text is valid UTF-8.

    >>> encodes("é"), encodes(chr(0xD800))
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def added(ids: Ids, offsets: Offsets, front: tuple[int, ...], end: tuple[int, ...]) -> tuple[Ids, Offsets]:
    """The ids with those added around each text.

    >>> ids, offsets = added(np.array([7, 8], np.int32), np.array([0, 1, 2]), (1,), (2, 3))
    >>> ids.tolist(), offsets.tolist()
    ([1, 7, 2, 3, 1, 8, 2, 3], [0, 4, 8])
    """
    if not front and not end:
        return ids, offsets
    texts = len(offsets) - 1
    where = np.concatenate((np.repeat(offsets[:-1, None], len(front), 1), np.repeat(offsets[1:, None], len(end), 1)), 1)
    made = np.insert(ids, where.ravel(), np.tile(np.array([*front, *end], np.int32), texts))
    return made, offsets + np.arange(texts + 1) * (len(front) + len(end))

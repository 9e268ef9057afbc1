"""Many texts → their ids and offsets, as arrays, by compiled code.

Special tokens are cut out by the stages themselves, but only in texts that may have them: a search over all texts at
once says so. The rest is one buffer, each text with END after it; a Unicode form is made there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.compiled import build
from explorer.compiled.blocks import Encoded, block_of
from explorer.compiled.kept import NOTHING_KEPT, Keeper
from explorer.compiled.layout import AS_IT_IS, NO_MODEL, Colliding, Octets
from explorer.compiled.records import Model, Respelling, Scanner
from explorer.compiled.utf8 import END, PADDING
from explorer.compiled.worker import MOST_SLOTS, Characters, Solve, Walker, Worker
from explorer.engine.budget import MODEL, ask
from explorer.engine.fast.at_white_space import IN_CONTEXT
from explorer.engine.fast.by_pattern import ByPattern
from explorer.engine.fast.compiling.applies import AtPieces, Compiled, NotCompiled, Parts
from explorer.engine.fast.compiling.tables import InForm, respelled_tables, tables_of, unsure, walk_of, words_of
from explorer.engine.fast.piece_encoder import PieceEncoder
from explorer.engine.fast.solvers import run_model
from explorer.engine.fast.spaces import NotIndependent
from explorer.engine.models.trie import TrieMatch
from explorer.engine.partition.special_tokens import Beginnings

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

BETWEEN: Final = bytes([END])

GROUP: Final = 256
"""Texts that are searched for special tokens together before each is searched."""

FEW: Final = 1000
"""Up to this many ids are inserted one by one."""

NONE: Final = np.empty(0, np.int32)


ASK: Final = partial(ask, MODEL)


class Preprocessing(NamedTuple):
    """What is done to texts before they are scanned, by the stages and their options.

    beginnings: how every special token begins. changes: whether a text has to be normalized, or left to the stages;
    None where none has. longest: bytes, or characters, of the longest text that certainly has not. parts: a text in
    parts, special tokens as ids and the rest normalized; None where only the stages can say. whole: the ids of a text
    by the stages. front, end: ids added to each text.
    """

    beginnings: Beginnings
    changes: Callable[[str], bool] | None
    longest: float
    parts: Callable[[str], list[str | int] | None]
    whole: Callable[[str], list[int]]
    front: tuple[int, ...]
    end: tuple[int, ...]

    def needed(self, text: str) -> bool:
        """Whether a text may have special tokens, or has to be normalized."""
        if self.beginnings.in_text(text):
            return True
        return self.changes is not None and self.changes(text)


class CompiledEncoder:
    """Encodes many texts. Threads share it: each takes a worker of its own.

    make: a new worker. functions: those that are compiled. front: what each text that is not empty begins with.
    """

    def __init__(self, make: Callable[[], Worker | Walker], functions: build.Functions, front: bytes = b"") -> None:
        self.make, self.functions, self.front = make, functions, front
        self.idle: list[Worker | Walker] = []

    @classmethod
    def of(
        cls, found: Compiled, functions: build.Functions, most_slots: int = MOST_SLOTS, keep: Keeper = NOTHING_KEPT
    ) -> CompiledEncoder:
        """The encoder of what is compiled of a tokenizer, with these functions.

        most_slots: of a generation of a worker's memory. keep: its tables. Raises NotCompiled.
        """
        try:
            if isinstance(found, TrieMatch):
                return cls.of_walk(found, functions, keep)
            if isinstance(found, AtPieces):
                return cls.of_pieces(found, functions, most_slots, keep)
            return cls.of_parts(found, functions, most_slots, keep)
        except Colliding:
            raise NotCompiled("its pieces are too long, or collide in a table") from None

    @classmethod
    def of_parts(cls, parts: Parts, functions: build.Functions, most_slots: int, keep: Keeper) -> CompiledEncoder:
        """Byte-level BPE. Raises Colliding."""
        encoder = PieceEncoder(parts.model, bytes_spelled=parts.bytes_spelled)
        form = ByPattern(parts.before, (), encoder).form

        def make_tables() -> tuple[Model, Scanner, bytes]:
            tables = tables_of(parts.model, functions, bytes_spelled=parts.bytes_spelled)
            return tables, parts.scanner(), unsure(form.form) if form else b""

        found, cuts, table = keep("bpe", make_tables)
        model, scanner, solve = Model(*found), Scanner(*cuts), in_bytes(encoder)

        def make() -> Worker:
            prepare = InForm(form, table, functions) if form else None
            return Worker(scanner, model, solve, functions, ASK, most_slots, prepare=prepare)

        return cls(make, functions)

    @classmethod
    def of_pieces(cls, pieces: AtPieces, functions: build.Functions, most_slots: int, keep: Keeper) -> CompiledEncoder:
        """Texts cut at white space. Raises Colliding."""
        model, characters, respelling, solve = NO_MODEL, None, AS_IT_IS, in_bytes(pieces.solve)
        if pieces.words is not None:
            words, becomes = pieces.words
            found, front = keep("words", lambda: words_of(words, functions))
            model, characters = Model(*found), Characters(front, becomes, IN_CONTEXT)
        elif pieces.respelled is not None:
            respelled = pieces.respelled
            found, done = keep("respelled", lambda: respelled_tables(*respelled, functions))
            model, respelling = Model(*found), Respelling(*done)

        def make() -> Worker:
            return Worker(
                pieces.scanner, model, solve, functions, ASK, most_slots, characters=characters, respelling=respelling
            )

        return cls(make, functions, pieces.front)

    @classmethod
    def of_walk(cls, model: TrieMatch, functions: build.Functions, keep: Keeper) -> CompiledEncoder:
        """RWKV's walk. Raises Colliding."""
        nodes, tokens, unknown = keep("walk", lambda: walk_of(model, functions))
        solve = in_bytes(run_model(model))
        return cls(lambda: Walker(nodes, tokens, unknown, solve, functions, ASK), functions)

    def encode(self, texts: Sequence[str], before: Preprocessing) -> tuple[Ids, Offsets]:
        """The ids of all texts, and the index at which those of each begin, then their number.

        Raises InputError as the stages do, without the index of the text.
        """
        try:
            joined = self.joined(map(str.encode, texts))
        except UnicodeEncodeError:
            return self.in_parts(texts, before)
        if before.beginnings.in_bytes(joined):
            if len(texts) > GROUP:
                return one_after_another(
                    self.encode(texts[at : at + GROUP], before) for at in range(0, len(texts), GROUP)
                )
            return self.in_parts(texts, before)
        if max(map(len, texts), default=0) > before.longest:
            return self.in_parts(texts, before)
        try:
            ids, ends = self.run(joined, len(texts))
        except NotIndependent:
            return self.in_halves(texts, before)
        return added(ids, np.concatenate(([0], ends)), before.front, before.end)

    def encode_lines(self, data: bytes, before: Preprocessing) -> Encoded | None:
        """The ids of lines in UTF-8; None where they are to be given as texts. Raises InputError as `encode` does."""
        if before.beginnings.in_bytes(data):
            return None
        block = block_of(data, self.front, self.functions)
        if block is None or block.longest > before.longest:
            return None
        try:
            ids, ends = self.run(block.joined, block.texts)
        except NotIndependent:
            return None
        return Encoded(block, *added(ids, np.concatenate(([0], ends)), before.front, before.end))

    def joined(self, datas: Iterable[bytes]) -> bytes:
        """Texts as one, each with END after it."""
        if self.front:
            datas = [self.front + data if data else data for data in datas]
        return BETWEEN.join([*datas, PADDING[1:]])

    def in_halves(self, texts: Sequence[str], before: Preprocessing) -> tuple[Ids, Offsets]:
        """Encodes texts of which one has a piece that depends on what follows it: the stages encode that text."""
        if len(texts) == 1:
            ids = np.array(before.whole(texts[0]), np.int32)
            return ids, np.array([0, len(ids)])
        middle = len(texts) // 2
        return one_after_another(self.encode(half, before) for half in (texts[:middle], texts[middle:]))

    def run(self, joined: bytes | Octets, count: int) -> tuple[Ids, Offsets]:
        """The ids of joined texts, and how many there are after each. Raises InputError if they are too long."""
        try:
            worker = self.idle.pop()
        except IndexError:
            worker = self.make()
        try:
            ids, ends = worker.run(joined, count)
            return ids.copy(), ends.copy()
        finally:
            self.idle.append(worker)

    def in_parts(self, texts: Sequence[str], before: Preprocessing) -> tuple[Ids, Offsets]:
        """Encodes texts after cutting special tokens out and normalizing."""
        datas: list[bytes] = []
        known: list[int] = []
        """ids that are not encoded here"""
        where: list[int] = []
        """for each of them, how many parts of text come before it"""
        parts_before, known_before = [0], [0]
        """how many there are before each text, and in all"""
        for text in texts:
            parts = before.parts(text) if before.needed(text) or not encodes(text) else [text]
            around = (*before.front, *(parts or ()), *before.end) if parts is not None else before.whole(text)
            for part in around:
                if isinstance(part, str):
                    datas.append(part.encode())
                else:
                    known.append(part)
                    where.append(len(datas))
            parts_before.append(len(datas))
            known_before.append(len(known))
        try:
            ids, ends = self.run(self.joined(datas), len(datas))
        except NotIndependent:
            return self.in_halves(texts, before)
        starts = np.concatenate(([0], ends))
        if len(known) < FEW:
            # a copy of each stretch costs less than a mask of all ids
            cuts = [0, *starts[where].tolist(), len(ids)] if where else [0, len(ids)]
            between = [ids[a:b] for a, b in pairwise(cuts)]
            added = [np.array([id], np.int32) for id in known]
            ids = np.concatenate([each for pair in zip(between, [*added, NONE], strict=True) for each in pair])
        else:
            ids = np.insert(ids, starts[np.array(where, np.int64)], np.array(known, np.int32))
        return ids, starts[np.array(parts_before)] + np.array(known_before)


def in_bytes(solve: Callable[[str], tuple[int, ...]]) -> Solve:
    """A solver of pieces in UTF-8."""
    return lambda piece: solve(piece.decode())


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


def one_after_another(made: Iterable[tuple[Ids, Offsets]]) -> tuple[Ids, Offsets]:
    """The ids of groups of texts as those of all texts.

    >>> ids, offsets = one_after_another([(np.array([7, 8]), np.array([0, 1, 2])), (np.array([9]), np.array([0, 1]))])
    >>> ids.tolist(), offsets.tolist()
    ([7, 8, 9], [0, 1, 2, 3])
    """
    ids, offsets = zip(*made, strict=True)
    lengths = np.concatenate([np.diff(each) for each in offsets])
    return np.concatenate(ids), np.concatenate(([0], np.cumsum(lengths)))


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

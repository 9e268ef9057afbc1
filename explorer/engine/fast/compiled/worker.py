"""Runs the compiled functions over texts, block by block: one thread's buffers and its memory of pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from explorer.engine.fast.compiled import build, memory, merging, pieces, tables
from explorer.engine.fast.compiled.arrays import Call, Numbers, Octets, Words, octets
from explorer.engine.fast.compiled.forms import InForm
from explorer.engine.fast.compiled.respelled_tables import NO_RESPELLING, Respelling
from explorer.engine.fast.compiled.trie_tables import NO_WORDS, Spellings, WordTables
from explorer.engine.fast.compiled.utf8 import PADDING
from explorer.engine.fast.compiled.vocabulary import Tables
from explorer.engine.limits.budget import MODEL, ask
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.errors import InputError

BLOCK: Final = 256
"""Pieces that are found, then encoded: what the processor holds of them fits into its first cache."""

BLOCKS: Final = 1 << 12
"""Blocks between two returns to Python, at most: about a tenth of a second."""

FEWEST_SLOTS: Final = 1 << 16
MOST_SLOTS: Final = 1 << 20
"""Slots of a generation of the memory: it begins with the fewest and doubles until it has the most, 57 MB in all."""


MORE: Final = 256
"""Bytes that a short piece may gain when it is respelled."""


class Scanner(NamedTuple):
    """The arguments of `scanners.scan` that belong to a pattern. classes: of every code point, as bytes."""

    family: int
    digits: int
    flags: int
    classes: bytes


LINE: Final = 64
"""Bytes of a line of the processor's cache."""


def aligned(words: int) -> Words:
    """So many zeros, from the beginning of a cache line, so that a slot is never in two."""
    made = np.zeros(words + LINE // 8, np.int64)
    begin = -made.ctypes.data % LINE // 8
    return made[begin : begin + words]


class Generation(NamedTuple):
    """The arrays of a generation of the memory."""

    slots: Words
    pool: Numbers
    texts: Octets
    counters: Words

    @classmethod
    def of(cls, slots: int) -> Generation:
        """An empty one with so many slots."""
        words = aligned(slots * tables.WORDS)
        room = max(2 * slots, 2 * memory.MOST_IDS)
        return cls(words, np.empty(room, np.int32), np.empty(4 * room, np.uint8), np.zeros(3, np.int64))

    @property
    def mask(self) -> int:
        """Of the index of a slot."""
        return len(self.slots) // tables.WORDS - 1


Solve = Callable[[bytes], tuple[int, ...]]
"""The ids of a piece, from Python."""


MOST_BYTES: Final = 1 << 30
"""Of one run, so that offsets fit into 32 bits."""


def stop_of(data: bytes | Octets) -> int:
    """The bytes of joined texts without padding. Raises InputError if they are too many."""
    stop = len(data) - len(PADDING) + 1
    if stop > MOST_BYTES:
        raise InputError(f"texts of {stop:,} bytes are too long to be encoded at once; give parts of them")
    return stop


class Worker:
    """One thread's. solve: for pieces that the tables don't cover. functions: those that are compiled.

    most_slots: of a generation of the memory. words: of WordPiece. form: that texts are put into, and its table
    (`forms.unsure`). respelling: of a model that sees pieces respelled.
    """

    def __init__(
        self, scanner: Scanner, vocabulary: Tables, solve: Solve, functions: build.Functions, most_slots: int,
        words: WordTables = NO_WORDS, form: tuple[UnicodeForm, bytes] | None = None,
        respelling: Respelling = NO_RESPELLING,
    ) -> None:  # fmt: skip
        self.in_form = InForm(*form, functions) if form else None
        self.solve, self.most_slots = solve, most_slots
        self.encode, self.learn = (Call(name, functions) for name in ("encode_texts", "learn"))
        self.ends, self.hashes = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int64)
        self.state = np.zeros(8, np.int64)
        self.ids = np.empty(4 * memory.MOST_IDS, np.int32)
        self.text_ends = np.empty(1, np.int64)
        self.data = np.empty(0, np.uint8)
        family, digits, flags, classes = scanner
        self.encode.give(family=family, digits=digits, flags=flags, classes=octets(classes), most=BLOCKS)
        self.encode.give(**vocabulary._asdict(), ends=self.ends, hashes=self.hashes, block=BLOCK, state=self.state)
        self.spellings = Spellings(words)
        self.encode.give(**self.spellings.arguments())
        self.respelled = respelling.spaces != 0
        self.encode.give(spaces=respelling.spaces, units=respelling.units, strings=respelling.strings)
        self.encode.give(**respelling.model)
        self.young = self.old = Generation.of(min(FEWEST_SLOTS, most_slots))
        self.renew(self.young)
        self.make_scratch(1 << 10)

    def run(self, data: bytes | Octets, texts: int) -> tuple[Numbers, Words]:
        """The ids of texts, and how many there are after each. Both are overwritten by the next call.

        data: each text with END after it, then padding. texts: how many. Raises InputError if they are too long.
        """
        if self.in_form is not None:
            data = self.in_form(bytes(data))
        stop = stop_of(data)
        self.data = octets(data)
        if len(self.text_ends) < texts:
            self.text_ends = np.empty(texts, np.int64)
        if len(self.ids) < stop + 2 * memory.MOST_IDS:
            self.ids = np.empty(stop + 2 * memory.MOST_IDS, np.int32)
        self.state[:] = 0
        self.learn.give(data=self.data, ids=self.ids)
        self.encode.give(data=self.data, stop=stop, ids=self.ids, id_room=len(self.ids), text_ends=self.text_ends)
        while (reason := self.encode()) != pieces.DONE:
            if reason == pieces.MORE:
                ask(MODEL)
            else:
                self.act(reason)
        ask(MODEL)
        return self.ids[: self.state[pieces.WRITTEN]], self.text_ends[:texts]

    def act(self, reason: int) -> None:
        """Does what the compiled code cannot, so that it can go on."""
        start = int(self.state[pieces.START])
        size = int(self.ends[self.state[pieces.PIECE]]) - start
        if reason == pieces.FULL:
            self.renew(Generation.of(min(2 * (self.young.mask + 1), self.most_slots)))
        elif reason == pieces.TOO_LONG:
            self.make_scratch(size)
        elif reason == pieces.NO_SPACE:
            self.grow_ids(max(size, memory.MOST_IDS))
        else:
            self.solve_in_python(start, size)

    def renew(self, young: Generation) -> None:
        """Begins a new young generation; the one before becomes the old one."""
        self.old, self.young = self.young, young
        for call in (self.encode, self.learn):
            call.give(
                slots=young.slots, mask=young.mask, pool=young.pool, pool_room=len(young.pool), texts=young.texts,
                text_room=len(young.texts), counters=young.counters,
            )  # fmt: skip
        old = self.old
        self.encode.give(old_slots=old.slots, old_mask=old.mask, old_pool=old.pool, old_texts=old.texts)

    def make_scratch(self, size: int) -> None:
        """Makes room for the symbols of a piece of so many bytes."""
        # a space becomes three bytes; a piece that grows more is solved in Python
        most = size + size // 2 + MORE if self.respelled else size
        symbols, text = np.empty(most, np.int64), np.empty(most + len(PADDING) if self.respelled else 1, np.uint8)
        self.encode.give(symbols=symbols, scratch=np.empty(merging.SCRATCH * most, np.int64), room=size)
        self.encode.give(text=text, text_size=most, sums=np.empty(most + 1 if self.respelled else 1, np.float64))

    def grow_ids(self, more: int) -> None:
        """Makes room for more ids."""
        grown = np.empty(2 * len(self.ids) + more, np.int32)
        written = self.state[pieces.WRITTEN]
        grown[:written] = self.ids[:written]
        self.ids = grown
        self.encode.give(ids=grown, id_room=len(grown))
        self.learn.give(ids=grown)

    def solve_in_python(self, start: int, size: int) -> None:
        """Solves a piece in Python and remembers it, unless it only has characters that were new."""
        piece = self.data[start : start + size].tobytes()
        if self.spellings.add(piece.decode()):
            return
        ids = self.solve(piece)
        written = int(self.state[pieces.WRITTEN])
        if written + len(ids) > len(self.ids):
            self.grow_ids(len(ids))
        self.ids[written : written + len(ids)] = ids
        self.learn(start=start, size=size, begin=written, count=len(ids))
        self.state[pieces.WRITTEN] += len(ids)
        self.state[pieces.START] += size
        self.state[pieces.PIECE] += 1
        self.state[pieces.MISSED] += 1

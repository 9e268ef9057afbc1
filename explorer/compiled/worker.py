"""Runs the compiled functions over texts: one thread's buffers, its memory of pieces, blocks of lines and their ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.compiled import build, lines, pieces, tables, utf8
from explorer.compiled.layout import AS_IT_IS, Call, Numbers, Octets, Words, octets
from explorer.compiled.utf8 import (
    END,
    NOTHING,
    PADDING,
    Generation,
    Model,
    Output,
    Respelling,
    Scanner,
    Scratch,
    Spelled,
)
from explorer.errors import InputError

BLOCK: Final = 256
"""Pieces that are found, then encoded: their data fits into the processor's first cache."""

BLOCKS: Final = 1 << 12
"""Blocks between two returns to Python, at most: about a tenth of a second."""

TOKENS: Final = 1 << 20
"""Tokens of a walk between two returns to Python, at most."""

FEWEST_SLOTS: Final = 1 << 16
MOST_SLOTS: Final = 1 << 20
"""Slots of a generation of the memory: it begins with the fewest and doubles until it has the most, 57 MB in all."""

MORE: Final = 256
"""Bytes that a short piece may gain when it is respelled."""

LINE: Final = 64
"""Bytes of a line of the processor's cache."""

MOST_BYTES: Final = 1 << 30
"""The most bytes of one run, so that offsets fit into 32 bits."""

LONGEST_WORD: Final = 1 << 16
"""Bytes of the longest word, as it is spelled; a longer one is solved in Python."""

SPELLED: Final = 1 << 20
"""Bytes of the spellings of all characters."""

IN_PYTHON: Final = -1
"""In place of a spelling: the character's neighbors may change it."""

Solve = Callable[[bytes], tuple[int, ...]]
"""The ids of a piece, from Python."""


def generation(slots: int) -> Generation:
    """An empty generation of the memory with this many slots, none of which crosses a line of the cache."""
    words = np.zeros(slots * tables.SLOT + LINE // 8, np.int64)
    begin = -words.ctypes.data % LINE // 8
    room = max(2 * slots, 2 * tables.MOST_IDS)
    return Generation(
        words[begin : begin + slots * tables.SLOT],
        slots - 1,
        np.empty(room, np.int32),
        room,
        np.empty(4 * room, np.uint8),
        4 * room,
        np.zeros(3, np.int64),
    )


def with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, or a new one of the same kind if it is shorter than this."""
    return array if len(array) >= size else np.empty(size, array.dtype)


def stop_of(data: bytes | Octets) -> int:
    """The bytes of joined texts without padding. Raises InputError if they are too many."""
    stop = len(data) - len(PADDING) + 1
    if stop > MOST_BYTES:
        raise InputError(f"texts of {stop:,} bytes are too long to be encoded at once; give parts of them")
    return stop


class Characters(NamedTuple):
    """What WordPiece sees. front: what it puts in front of every word. becomes: what each character becomes, by code
    point, with spaces around words. in_context: what it says of a character that its neighbors may change."""

    front: bytes
    becomes: Mapping[int, str]
    in_context: str


class Spellings:
    """What characters become, as far as a worker has met them. Without `characters` it learns nothing."""

    def __init__(self, characters: Characters | None) -> None:
        self.characters = characters
        wanted = characters is not None
        self.record = Spelled(
            np.zeros(NOTHING + 1 if wanted else 1, np.int32),
            np.empty(SPELLED if wanted else 1, np.uint8),
            np.empty(LONGEST_WORD if wanted else 1, np.uint8),
            LONGEST_WORD if wanted else 1,
        )
        self.used = 1
        """bytes of the spellings; index 0 says that a character is not known"""
        if characters is not None:
            self.record.word[: len(characters.front)] = octets(characters.front)
            self.add("".join(map(chr, range(0x80))))

    def add(self, text: str) -> bool:
        """Adds the characters of a text that are new, while there is room; whether that was all its words lacked."""
        if self.characters is None:
            return False
        known, spellings = self.record.characters, self.record.spellings
        used, codes = self.used, {*map(ord, text)}
        for code in codes:
            if known[code]:
                continue
            becomes = self.characters.becomes[code]
            data = becomes.encode() if becomes != self.characters.in_context else b""
            if becomes == self.characters.in_context or len(data) > 0xFF:
                known[code] = IN_PYTHON
            elif self.used + 1 + len(data) <= SPELLED:
                spellings[self.used] = len(data)
                spellings[self.used + 1 : self.used + 1 + len(data)] = octets(data)
                known[code] = self.used
                self.used += 1 + len(data)
        return self.used > used and all(known[code] > 0 for code in codes)


class Worker:
    """Encodes texts piece by piece. solve: for pieces that the tables don't cover. functions: those that are compiled.

    ask: called between blocks; may raise. most_slots: of a generation of the memory. characters: of WordPiece. prepare:
    changes the joined texts first. respelling: of a model that sees pieces respelled.
    """

    def __init__(
        self,
        scanner: Scanner,
        model: Model,
        solve: Solve,
        functions: build.Functions,
        ask: Callable[[], None],
        most_slots: int,
        *,
        characters: Characters | None = None,
        prepare: Callable[[bytes], bytes] | None = None,
        respelling: Respelling = AS_IT_IS,
    ) -> None:
        self.prepare, self.solve, self.ask, self.most_slots = prepare, solve, ask, most_slots
        self.encode, self.learn = (Call(name, functions) for name in ("encode_texts", "learn"))
        self.ends, self.state = np.empty(BLOCK, np.int32), np.zeros(8, np.int64)
        self.ids = np.empty(4 * tables.MOST_IDS, np.int32)
        self.text_ends = np.empty(1, np.int64)
        self.data = np.empty(0, np.uint8)
        self.spellings = Spellings(characters)
        self.respelled = respelling.does != 0
        self.encode.give(
            scanner=scanner._replace(classes=octets(scanner.classes)),
            model=model,
            respelling=respelling,
            spelled=self.spellings.record,
            most=BLOCKS,
            block=BLOCK,
            ends=self.ends,
            hashes=np.empty(BLOCK, np.int64),
            state=self.state,
        )
        self.young = generation(min(FEWEST_SLOTS, most_slots))
        self.renew(self.young)
        self.make_scratch(1 << 10)

    def run(self, data: bytes | Octets, texts: int) -> tuple[Numbers, Words]:
        """The ids of texts, and how many there are after each. Both are overwritten by the next call.

        data: each text with END after it, then padding. texts: how many. Raises InputError if they are too long.
        """
        if self.prepare is not None:
            data = self.prepare(bytes(data))
        stop = stop_of(data)
        self.data = octets(data)
        self.text_ends = with_room(self.text_ends, texts)
        self.ids = with_room(self.ids, stop + 2 * tables.MOST_IDS)
        self.state[:] = 0
        self.encode.give(data=self.data, stop=stop)
        self.learn.give(data=self.data)
        self.give_output()
        while (reason := self.encode()) != utf8.DONE:
            if reason == utf8.MORE:
                self.ask()
            else:
                self.act(reason)
        self.ask()
        return self.ids[: self.state[utf8.WRITTEN]], self.text_ends[:texts]

    def act(self, reason: int) -> None:
        """Does what the compiled code cannot, so that it can continue."""
        start = int(self.state[utf8.START])
        size = int(self.ends[self.state[utf8.PIECE]]) - start
        if reason == utf8.FULL:
            self.renew(generation(min(2 * (self.young.mask + 1), self.most_slots)))
        elif reason == utf8.TOO_LONG:
            self.make_scratch(size)
        elif reason == utf8.NO_SPACE:
            self.grow_ids(max(size, tables.MOST_IDS))
        else:
            self.solve_in_python(start, size)

    def renew(self, young: Generation) -> None:
        """Begins a new young generation; the one before becomes the old one."""
        self.encode.give(young=young, old=self.young)
        self.learn.give(young=young)
        self.young = young

    def make_scratch(self, size: int) -> None:
        """Makes room for a piece of this many bytes."""
        # a space becomes three bytes; a piece that grows more is solved in Python
        most = size + size // 2 + MORE if self.respelled else size
        text, sums = (most + len(PADDING), most + 1) if self.respelled else (1, 1)
        self.encode.give(
            scratch=Scratch(
                size,
                np.empty(most, np.int64),
                np.empty(pieces.SCRATCH * most, np.int64),
                np.empty(text, np.uint8),
                most,
                np.empty(sums, np.float64),
            )
        )

    def grow_ids(self, more: int) -> None:
        """Makes room for more ids."""
        grown = np.empty(2 * len(self.ids) + more, np.int32)
        written = self.state[utf8.WRITTEN]
        grown[:written] = self.ids[:written]
        self.ids = grown
        self.give_output()

    def give_output(self) -> None:
        """Tells the compiled code where ids go."""
        self.encode.give(output=Output(self.ids, len(self.ids), self.text_ends))
        self.learn.give(ids=self.ids)

    def solve_in_python(self, start: int, size: int) -> None:
        """Solves a piece in Python and remembers it, unless it only has characters that were new."""
        piece = self.data[start : start + size].tobytes()
        if self.spellings.add(piece.decode()):
            return
        ids = self.solve(piece)
        written = int(self.state[utf8.WRITTEN])
        if written + len(ids) > len(self.ids):
            self.grow_ids(len(ids))
        self.ids[written : written + len(ids)] = ids
        self.learn(start=start, size=size, begin=written, count=len(ids))
        self.state[utf8.WRITTEN] += len(ids)
        self.state[utf8.START] += size
        self.state[utf8.PIECE] += 1


class Walker:
    """Encodes texts by a walk through a trie (`tries.walk`). unknown: the id of an unknown byte, -1 for none.

    solve: raises the error for a text with such a byte. ask: as for `Worker`.
    """

    def __init__(
        self,
        nodes: Words,
        tokens: Numbers,
        unknown: int,
        solve: Solve,
        functions: build.Functions,
        ask: Callable[[], None],
    ) -> None:
        self.solve, self.ask = solve, ask
        self.walk = Call("walk", functions)
        self.state = np.zeros(8, np.int64)
        self.ids = np.empty(0, np.int32)
        self.text_ends = np.empty(0, np.int64)
        self.walk.give(nodes=nodes, tokens=tokens, unknown=unknown, state=self.state, most=TOKENS)

    def run(self, data: bytes | Octets, texts: int) -> tuple[Numbers, Words]:
        """As `Worker.run`."""
        stop = stop_of(data)
        self.text_ends = with_room(self.text_ends, texts)
        self.ids = with_room(self.ids, stop)
        self.state[:] = 0
        self.walk.give(data=octets(data), stop=stop, ids=self.ids, text_ends=self.text_ends)
        while (reason := self.walk()) != utf8.DONE:
            if reason == utf8.UNSOLVED:
                ended = int(self.state[utf8.TEXTS])
                self.solve(bytes(data).split(bytes([END]), ended + 1)[ended])
                raise AssertionError("a byte that begins no token has an id")
            self.ask()
        return self.ids[: self.state[utf8.WRITTEN]], self.text_ends[:texts]


class Block(NamedTuple):
    """Lines as joined texts. line_ends: how many lines have one. longest: bytes of the longest line."""

    joined: Octets
    characters: int
    words: int
    line_ends: int
    texts: int
    longest: int


class Encoded(NamedTuple):
    """The ids of a block; those of text i are `ids[offsets[i] : offsets[i + 1]]`."""

    block: Block
    ids: Numbers
    offsets: Words


@cache
def blanks() -> bytes:
    """By code point, 1 for white space, as `str.isspace` says.

    >>> [blanks()[ord(ch)] for ch in "a \\n\\u3000"]
    [0, 1, 1, 1]
    """
    table = bytearray(NOTHING + 1)
    for code in range(0x10000):
        table[code] = chr(code).isspace()
    return bytes(table)


def block_of(data: bytes, front: bytes, functions: build.Functions) -> Block | None:
    """The lines of a block, with `front` before each; None if it is not UTF-8.

    >>> block = block_of("é a\\nb".encode(), b"", build.PLAIN)
    >>> block.joined.tobytes().removesuffix(PADDING), *block[1:]
    (b'\\xc3\\xa9 a\\n\\xffb', 5, 3, 1, 2, 5)
    """
    # bytes.count is slower, and keeps Python's lock
    line_ends = np.count_nonzero(octets(data) == lines.LINE_END)
    room = len(data) + (line_ends + 1) * (len(front) + 1) + len(PADDING)
    text, state = np.empty(room, np.uint8), np.zeros(8, np.int64)
    made = Call("spread", functions)(
        data=octets(data),
        stop=len(data),
        classes=octets(blanks()),
        front=octets(front + PADDING),
        front_size=len(front),
        text=text,
        state=state,
    )
    if made < 0:
        return None
    text[made : made + len(PADDING) - 1] = 0
    return Block(text[: made + len(PADDING) - 1], *state[: lines.LONGEST + 1].tolist())

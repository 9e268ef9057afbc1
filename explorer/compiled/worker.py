"""A vocabulary as tables for compiled functions, and what runs them over texts.

A vocabulary as tables, from its pieces and numbers: symbols by their bytes, merges by pair, pieces as a trie.

Also arrays with addresses, and calls of compiled functions: one block of addresses and numbers for each.

Runs the compiled functions over texts: one thread's buffers, its memory of pieces, blocks of lines and their ids.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.compiled import build, lines, pieces, tables, tries, utf8
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
    Table,
)
from explorer.errors import InputError

Words = NDArray[np.int64]
Numbers = NDArray[np.int32]
Octets = NDArray[np.uint8]


class Call:
    """A function of the sources with its arguments, by name. Arguments stay until they are given anew.

    functions: those that are compiled; another one runs in Python, on the same arrays.
    """

    def __init__(self, name: str, functions: build.Functions) -> None:
        self.function = getattr(build.source(build.ENTRIES[name]), name)
        self.run = functions.get(name)
        self.places: dict[str, tuple[int, list[str]]] = {}
        """for each parameter, its index in the block, and the kind of each word there"""
        count = 0
        for parameter, hint in build.parameters(self.function).items():
            kinds = [build.kind_of(each) for each in build.fields_of(hint).values() or (hint,)]
            self.places[parameter] = count, kinds
            count += len(kinds)
        self.block = np.zeros(count, np.int64)
        self.address = self.block.ctypes.data
        self.held: dict[str, Any] = {}
        """the arguments; arrays live as long as their addresses are used"""

    def give(self, **arguments: Any) -> None:
        """Sets arguments: numbers, arrays whose memory is read and written in place, and records of both."""
        for name, value in arguments.items():
            self.held[name] = value
            at, kinds = self.places[name]
            values = value if isinstance(value, tuple) else (value,)
            for index, (each, kind) in enumerate(zip(values, kinds, strict=True), at):
                if isinstance(each, np.ndarray):
                    assert each.dtype == kind, f"{name}: an array of {kind or 'nothing'} is needed, not {each.dtype}"
                    each = each.ctypes.data
                self.block[index] = each

    def __call__(self, **arguments: Any) -> int:
        """Calls the function. Arguments not given are those of the last call."""
        self.give(**arguments)
        if self.run is not None:
            return self.run(self.address)
        return int(self.function(**{name: viewed(value) for name, value in self.held.items()}))


def viewed(value: Any) -> Any:
    """Arguments with arrays as views, whose elements are Python's numbers, which don't overflow."""
    if isinstance(value, tuple):
        return type(value)(*map(viewed, value))
    return value.data if isinstance(value, np.ndarray) else value


def octets(data: bytes | Octets) -> Octets:
    """Bytes as an array, without copying them."""
    return np.frombuffer(data, np.uint8)


LONGEST = 1024
"""Bytes of the longest piece of a trie: a walk from every byte may take as many steps."""

MOST_TRIE_SLOTS = 1 << 24
"""Slots of a trie, 200 MB: far more than its nodes, unless they were made to exclude each other."""


class Colliding(Exception):
    """The pieces were made to collide: a table cannot hold them."""


NO_MODEL = Model(
    0,
    np.zeros(4, np.int64),
    0,
    octets(PADDING),
    np.zeros(256, np.int32),
    np.zeros(1, np.int32),
    np.full(2, -1, np.int64),
    0,
    np.full(1, tables.NO_PAIR, np.int64),
    np.full(tries.BLOCK, tries.NO_PARENT << 32, np.int64),
    np.zeros(1, np.int32),
    np.zeros(1, np.float64),
    np.zeros(4, np.int64),
)
"""Nothing merges, and nothing is a piece: every piece is solved in Python."""

AS_IT_IS = Respelling(0, np.zeros(256, np.int64), octets(PADDING))
"""A model that sees a piece as it is."""


def joined(symbols: Iterable[bytes]) -> tuple[Octets, Words]:
    """The bytes of all symbols, one after the other, and where each begins."""
    texts = list(symbols)
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=starts[1:])
    return octets(b"".join(texts) + PADDING), starts


def slots_for(count: int) -> int:
    """The number of slots of a table for this many keys: a power of two, at least twice as many.

    >>> slots_for(5), slots_for(8)
    (16, 16)
    """
    return 1 << max(4, (2 * count - 1).bit_length())


def table_of(texts: Octets, starts: Words, functions: build.Functions) -> Table:
    """The table that numbers these keys (`tables.fill`). Raises Colliding."""
    count = len(starts) - 1
    slots = slots_for(count)
    table = Table(np.zeros(slots * tables.SLOT, np.int64), slots - 1, texts)
    if Call("fill", functions)(table=table, starts=starts, count=count) < count:
        raise Colliding
    return table


def pairs_by_rank(table: Table, starts: Words, ranks: Words, functions: build.Functions) -> Words:
    """The pairs whose bytes, joined, are a symbol with a rank. Raises Colliding."""
    split = Call("split_pairs", functions)
    split.give(table=table, starts=starts, ranks=ranks, count=len(ranks))
    pairs = no_pairs(split(pairs=np.zeros(2, np.int64), pair_mask=-1))
    if split(pairs=pairs, pair_mask=len(pairs) // 2 - 1) < 0:
        raise Colliding
    return pairs


def pairs_of(lefts: Words, rights: Words, values: Words, functions: build.Functions) -> Words:
    """The pairs of these symbols with their values. Raises Colliding."""
    pairs = no_pairs(len(lefts))
    fill = Call("fill_pairs", functions)
    fill.give(pairs=pairs, mask=len(pairs) // 2 - 1, lefts=lefts, rights=rights, values=values)
    if fill(count=len(lefts)) < len(lefts):
        raise Colliding
    return pairs


def byte_pairs_of(pairs: Words, byte_symbols: Numbers, symbols: int) -> Words:
    """The merge of each pair of bytes, at 256 · left + right: half a megabyte, where the table of all pairs has many.
    symbols: how many there are."""
    merges = np.full(1 << 16, tables.NO_PAIR, np.int64)
    byte_of = np.full(symbols, -1, np.int64)
    byte_of[byte_symbols] = np.arange(256)
    keys, values = pairs.reshape(-1, 2)[pairs[::2] >= 0].T
    lefts, rights = byte_of[keys >> 32], byte_of[keys & 0xFFFFFFFF]
    both = lefts | rights >= 0
    merges[256 * lefts[both] + rights[both]] = values[both]
    return merges


def no_pairs(count: int) -> Words:
    """An empty table for this many pairs."""
    return np.full(2 * slots_for(count), -1, np.int64)


def trie_of(ids: Iterable[tuple[bytes, int]], functions: build.Functions) -> tuple[Words, Numbers]:
    """The nodes of the trie of pieces and, by node, the id of the piece that ends there. Raises Colliding.

    Pieces that no text contains are left out.

    >>> nodes, tokens = trie_of([(b"ab", 7), (b"a", 3)], {})
    >>> found = tries.longest(nodes.data, 0, b"xab" + PADDING, 1)
    >>> found >> 32, int(tokens[found & tries.SLOT])
    (3, 7)
    """
    id_of = dict(ids)
    known = sorted(piece for piece in id_of if piece and END not in piece)
    if max(map(len, known), default=0) > LONGEST:
        raise Colliding
    texts, starts = joined(known)
    most_nodes = int(starts[-1]) + 1
    fill = Call("fill_trie", functions)
    fill.give(
        texts=texts,
        starts=starts,
        count=len(known),
        ids=np.fromiter(map(id_of.__getitem__, known), np.int32, len(known)),
        scratch=np.empty(tries.STACK + 4 * most_nodes, np.int64),
    )
    slots = tries.BLOCK << (most_nodes // tries.BLOCK).bit_length()
    while slots <= MOST_TRIE_SLOTS:
        nodes, tokens = np.zeros(slots, np.int64), np.zeros(slots, np.int32)
        used = fill(nodes=nodes, room=slots, tokens=tokens)
        if used >= 0:
            return nodes[:used].copy(), tokens[:used].copy()
        slots *= 2
    raise Colliding


BLOCK = 256
"""Pieces that are found, then encoded: their data fits into the processor's first cache."""

BLOCKS = 1 << 12
"""Blocks between two returns to Python, at most: about a tenth of a second."""

TOKENS = 1 << 20
"""Tokens of a walk between two returns to Python, at most."""

FEWEST_SLOTS = 1 << 16
MOST_SLOTS = 1 << 20
"""Slots of a generation of the memory: it begins with the fewest and doubles until it has the most, 57 MB in all."""

MORE = 256
"""Bytes that a short piece may gain when it is respelled."""

LINE = 64
"""Bytes of a line of the processor's cache."""

MOST_BYTES = 1 << 30
"""The most bytes of one run, so that offsets fit into 32 bits."""

LONGEST_WORD = 1 << 16
"""Bytes of the longest word, as it is spelled; a longer one is solved in Python."""

SPELLED = 1 << 20
"""Bytes of the spellings of all characters."""

IN_PYTHON = -1
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
            values=np.empty(BLOCK, np.int64),
            lanes=np.concatenate(
                (pieces.LANES + pieces.LANE * np.arange(pieces.LANES), np.zeros(pieces.LANES * pieces.LANE, np.int64))
            ),
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
            self.renew(generation(min(8 * (self.young.mask + 1), self.most_slots)))
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

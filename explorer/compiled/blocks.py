"""A block of lines → their ids as arrays, and what it counts, without a string of Python for each line."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from explorer.compiled import build, lines
from explorer.compiled.layout import Call, Numbers, Octets, Words, octets
from explorer.compiled.utf8 import NOTHING, PADDING


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

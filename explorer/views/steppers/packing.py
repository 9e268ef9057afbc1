"""A script as the browser gets it: a few kilobytes of bytes instead of hundreds of JSON.

Nearly all of a script are the integers of its steps. Each list is written as 32-bit numbers, plane by plane: first the
lowest bytes of all, then the second lowest, and so on, since the upper planes are almost empty. The lists that say
where each step begins only grow, so the distances are written. Compressed at a low level, a script of 4,000 steps takes
120 kB and a fifth of the time of its JSON. `stepper/unpack.js` reads it.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Sequence
from itertools import accumulate
from operator import sub
from typing import Any, Final

from explorer.views.steppers.script import Script

WIDTH: Final = 4
"""Bytes of a number."""
GROWING: Final = "_at"
"""How the names of the lists end that only grow."""
LEVEL: Final = 3
"""zlib's. Level 6 saves another tenth and takes three times as long."""
SMALLEST: Final = 9
"""The same for a file, which is written once and kept."""


def pack(script: Script, level: int = LEVEL) -> bytes:
    """The script, packed: zlib around the length of a JSON, the JSON, and the planes of each list of `steps`.

    In the JSON, `steps` has the length of each list in its place. level: zlib's.
    """
    data, steps = dict(script.data), script.data["steps"]
    data["steps"] = {name: len(numbers) for name, numbers in steps.items()}
    head = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    lists = [distances(numbers) if name.endswith(GROWING) else numbers for name, numbers in steps.items()]
    return zlib.compress(b"".join((len(head).to_bytes(WIDTH, "little"), head, *map(planes, lists))), level)


def unpack(packed: bytes) -> dict[str, Any]:
    """The data of a packed script."""
    content = zlib.decompress(packed)
    at = WIDTH + int.from_bytes(content[:WIDTH], "little")
    data: dict[str, Any] = json.loads(content[WIDTH:at])
    for name, count in data["steps"].items():
        numbers = from_planes(content[at : at + WIDTH * count])
        data["steps"][name] = list(accumulate(numbers)) if name.endswith(GROWING) else numbers
        at += WIDTH * count
    return data


def planes(numbers: Sequence[int]) -> bytes:
    """Numbers below 2³¹ in size: the lowest bytes of all, then the next, up to the highest.

    >>> planes([1, 2, 259])
    b'\\x01\\x02\\x03\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00'
    """
    held = array("i", numbers)
    if sys.byteorder == "big":
        held.byteswap()
    plain = held.tobytes()
    return b"".join(plain[start::WIDTH] for start in range(WIDTH))


def from_planes(content: bytes) -> list[int]:
    """The numbers in planes.

    >>> from_planes(planes([1, -1, 70_000]))
    [1, -1, 70000]
    """
    plain = bytearray(len(content))
    count = len(content) // WIDTH
    for start in range(WIDTH):
        plain[start::WIDTH] = content[start * count : (start + 1) * count]
    held = array("i", bytes(plain))
    if sys.byteorder == "big":
        held.byteswap()
    return held.tolist()


def distances(numbers: Sequence[int]) -> list[int]:
    """The first number, then each one's distance from the one before.

    >>> distances([3, 5, 5])
    [3, 2, 0]
    """
    return [*numbers[:1], *map(sub, numbers[1:], numbers)]

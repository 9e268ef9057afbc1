"""Arrays with addresses, and calls of compiled functions: one block of addresses and numbers for each."""

from __future__ import annotations

import inspect
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from explorer.engine.fast.compiled import build

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
        self.index: Final = {each: at for at, each in enumerate(inspect.signature(self.function).parameters)}
        self.block = np.zeros(len(self.index), np.int64)
        self.address = self.block.ctypes.data
        self.held: dict[str, Any] = {}
        """the arguments; arrays live as long as their addresses are used"""

    def give(self, **arguments: Any) -> None:
        """Sets arguments: numbers, and arrays whose memory is read and written in place."""
        for name, value in arguments.items():
            self.held[name] = value
            if isinstance(value, np.ndarray):
                assert value.dtype == build.POINTERS[name], f"{name} is an array of {build.POINTERS[name]}"
                value = value.ctypes.data
            self.block[self.index[name]] = value

    def __call__(self, **arguments: Any) -> int:
        """Calls it. Arguments not given are those of the last call."""
        self.give(**arguments)
        if self.run is not None:
            return self.run(self.address)
        # through a view, an array gives numbers of Python, which don't overflow
        given = {name: each.data if isinstance(each, np.ndarray) else each for name, each in self.held.items()}
        return int(self.function(**given))


def octets(data: bytes | Octets) -> Octets:
    """Bytes as an array, without copying them."""
    return np.frombuffer(data, np.uint8)


def slots_for(count: int) -> int:
    """The number of slots of a table for so many keys: a power of two, at least twice as many.

    >>> slots_for(5), slots_for(8)
    (16, 16)
    """
    return 1 << max(4, (2 * count - 1).bit_length())

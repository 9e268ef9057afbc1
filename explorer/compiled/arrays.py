"""Arrays with addresses, and calls of compiled functions: one block of addresses and numbers for each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.compiled import build

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

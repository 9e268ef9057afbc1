"""What the server and a worker say to each other, and the limits a worker is given.

Both ends of the socket are processes of ours, so what goes over it is pickled. No file or text is ever unpickled.
"""

from __future__ import annotations

import io
import pickle
from typing import Any, Final, NamedTuple

from explorer.answers.offers import Offer
from explorer.errors import InputError

SECONDS: Final = 20.0
"""Of computing, for one question."""
MEMORY: Final = 3_000_000_000
"""Bytes of the whole process."""


class Limits(NamedTuple):
    """What a process may take. seconds: of computing, for one question; memory: bytes of the whole process."""

    seconds: float = SECONDS
    memory: int = MEMORY

    @property
    def too_long(self) -> InputError:
        return InputError(
            f"this takes more than {self.seconds:g} seconds of computing, {ALL} give a shorter text or a simpler "
            "pattern, or run it on your own machine (`explorer encode --help`)"
        )

    @property
    def too_much(self) -> InputError:
        return InputError(
            f"this needs more than {self.memory // 1_000_000:,} MB of memory, {ALL} give a shorter text or a smaller "
            "file, or run it on your own machine (`explorer encode --help`)"
        )

    @property
    def died(self) -> InputError:
        return InputError(
            "the process that runs your file or pattern has ended while it worked on this, most often for want of "
            f"memory (it has {self.memory // 1_000_000:,} MB); try again, or give a shorter text or a smaller file"
        )


ALL: Final = "which is all that a file or pattern of a visitor gets here;"


class Refused(NamedTuple):
    """The answer is an error of the input. spent: it was stopped at a limit, and the process is good for no other."""

    error: InputError
    spent: bool = False


class Broken(NamedTuple):
    """A fault of ours. stack: without the messages, which quote what was typed."""

    stack: str


class Abandoned(NamedTuple):
    """It was given up."""


class Asked(NamedTuple):
    """module, function: of the question."""

    module: str
    function: str
    args: tuple[Any, ...]
    kept: bool


class Writer(pickle.Pickler):
    """Writes offers by their keys: the other side has them, or gets them in `new`."""

    def __init__(self, file: io.BytesIO, known: dict[str, Offer]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.known, self.new = known, dict[str, Offer]()

    def persistent_id(self, obj: object) -> str | None:
        if not isinstance(obj, Offer):
            return None
        if obj.key not in self.known:
            self.new[obj.key] = obj
        return obj.key


class Reader(pickle.Unpickler):
    """Reads what `Writer` wrote."""

    def __init__(self, file: io.BytesIO, known: dict[str, Offer]) -> None:
        super().__init__(file)
        self.known = known

    def persistent_load(self, key: str) -> Offer:
        return self.known[key]


def written(value: object, known: dict[str, Offer]) -> tuple[bytes, dict[str, Offer]]:
    """A message, and the offers in it that are not among those the other side knows."""
    file = io.BytesIO()
    writer = Writer(file, known)
    writer.dump(value)
    return file.getvalue(), writer.new


def read(message: bytes, known: dict[str, Offer]) -> Any:
    return Reader(io.BytesIO(message), known).load()

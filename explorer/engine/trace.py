"""Trace events: every decision of the engine as a row of small integers.

An algorithm receives a callable `emit` and calls it once for each decision, rejected candidates included: a pair that
is not a token, a queue entry that went stale, a special token that was not searched for. A row holds a kind, positions
and a token id; texts and scores are looked up when the row is drawn. The row's type, a `NamedTuple` next to its
algorithm (`MergeRow`, `PartitionRow`, …), gives its fields their meaning.

`Events` stores the rows of one stage in a single `array('i')`: 16 bytes per row, so a million decisions take 16 MB.
`silent` is the sink without a trace: the stages run the same code either way. A loop that decides much collects its
rows in a list and hands them over with `emit_rows`, because a call for each row takes longer than many decisions.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from struct import Struct
from typing import Any, Final, Generic, TypeVar

Emit = Callable[[int, int, int, int], None]
"""Called by an algorithm with the four fields of its row type."""

R = TypeVar("R", bound=tuple[int, ...])


def silent(kind: int, a: int, b: int, token: int) -> None:
    """The sink that discards events; the stages run with it when no trace is wanted."""


BLOCK: Final = 1 << 12
"""The fields after which a loop hands its rows over, so that the list of a long text stays small."""


def emit_rows(emit: Emit, fields: Sequence[int]) -> None:
    """Emits many rows. fields: of all rows, concatenated.

    >>> from explorer.engine.models.merges import MergeRow
    >>> events = Events(MergeRow)
    >>> emit_rows(events.emit, [1, 0, 1, 7, 2, 1, 2, -1])
    >>> [row.token for row in events]
    [7, -1]
    """
    store = getattr(emit, "store", None)
    if store is not None:
        store(fields)
        return
    rest = iter(fields)
    for kind, a, b, token in zip(rest, rest, rest, rest, strict=True):
        emit(kind, a, b, token)


PACK: Final = {"i": Struct("4i").pack, "q": Struct("4q").pack}
"""By the type code of an array: a row as the bytes of four of its items."""


class Events(Generic[R]):
    """The rows of one stage, in the order of its decisions.

    row: the NamedTuple type of a row, with four integer fields.
    data: the fields of all rows, concatenated.

    >>> from explorer.engine.models.merges import MergeEvent, MergeRow
    >>> events = Events(MergeRow)
    >>> events.emit(MergeEvent.MISS, 0, 1, -1)
    >>> events[0].kind == MergeEvent.MISS, len(events), events.data.itemsize * len(events.data)
    (True, 1, 16)
    >>> list(Events.later(MergeRow, lambda emit: emit(MergeEvent.PUSH, 0, 1, 7)))
    [MergeRow(kind=1, left=0, right=1, token=7)]
    """

    __slots__ = ("_data", "_fill", "row", "width")

    def __init__(self, row: Callable[..., R], data: array[int] | None = None) -> None:
        self.row = row
        self.width: int = len(row._fields)  # type: ignore[attr-defined]  # a NamedTuple class, which typing cannot name
        self._data: array[int] = array("i") if data is None else data
        self._fill: Callable[[Emit], object] | None = None

    @classmethod
    def later(cls, row: Callable[..., R], fill: Callable[[Emit], object]) -> Events[R]:
        """Rows that are computed on first access: `fill` emits all of them to a sink."""
        events = cls(row)
        events._fill = fill
        return events

    @property
    def data(self) -> array[int]:
        """The fields of all rows, computed on first access."""
        fill = self._fill
        if fill is not None:
            # another thread that asks at the same time fills an array of its own with the same rows
            events = Events(self.row)
            fill(events.emit)
            self._data, self._fill = events._data, None
        return self._data

    @property
    def filled(self) -> array[int]:
        """The fields computed so far."""
        return self._data

    @property
    def emit(self) -> Emit:
        """Appends a row when called: the sink of a run."""
        # a closure over packed bytes takes half the time of a method that extends the array by a tuple
        append, code = self._data.frombytes, self._data.typecode
        pack = PACK[code]

        def emit(kind: int, a: int, b: int, token: int) -> None:
            append(pack(kind, a, b, token))

        def store(fields: Sequence[int]) -> None:
            append(Struct(f"{len(fields)}{code}").pack(*fields))

        emit.store = store  # type: ignore[attr-defined]  # for `emit_rows`; typing knows no attributes of functions
        return emit

    def __len__(self) -> int:
        return len(self.data) // self.width

    def __getitem__(self, index: int) -> R:
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"event {index} of {len(self)}")
        at = index * self.width
        return self.row(*self._data[at : at + self.width])

    def __iter__(self) -> Iterator[R]:
        fields = iter(self.data)
        return (self.row(*values) for values in zip(*[fields] * self.width, strict=True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Events) and self.row is other.row and self.data == other.data

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __repr__(self) -> str:
        return f"<{len(self)} events of {getattr(self.row, '__name__', 'rows')}>"


AnyEvents = Events[Any]

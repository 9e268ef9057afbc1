"""The vector of code points after each normalizer, replayed from the events alone.

A normalizer makes one pass over the text, a Unicode form up to three: it decomposes, orders the marks, composes. Each
pass reads the vector that the one before it wrote. An event says what becomes of the code point at an index of the
vector that the pass reads, so a pass is a vector and what stands in the places that have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from explorer.engine.items import Item, Segment
from explorer.engine.normalizers.stage import NormalizeEvent, NormalizeRow

BEGINNINGS = (NormalizeEvent.BEGIN, NormalizeEvent.PASS)
CONTINUED = (NormalizeEvent.MORE, NormalizeEvent.ALSO)
"""Events that continue the one before."""
DROPS = (NormalizeEvent.DROP_CONTROL, NormalizeEvent.DROP_MARK, NormalizeEvent.STRIP, NormalizeEvent.ALSO)
INSERTIONS = (NormalizeEvent.PREFIX, NormalizeEvent.INSERT)
SILENT = (NormalizeEvent.NO_PREFIX, NormalizeEvent.FORM)
"""Events that change no code point."""


class Pass:
    """One pass of a normalizer over one item.

    item: the index among the stage's items. normalizer: its index in the stage. number: of the pass, from 0. was: the
    code points that it reads.
    """

    def __init__(self, item: int, normalizer: int, number: int, was: Sequence[int]) -> None:
        self.item, self.normalizer, self.number, self.was = item, normalizer, number, was
        self.now: dict[int, list[int]] = {}
        """What has become of the code points that have changed, by their index in `was`."""
        self.front: dict[int, list[int]] = {}
        """What has been inserted before a code point."""
        self._last: list[int] = []

    def take(self, row: NormalizeRow) -> None:
        """Does what an event of this pass says."""
        if row.kind in SILENT:
            return
        if row.kind == NormalizeEvent.MORE:
            self._last.append(row.code_point)
            return
        if row.kind in INSERTIONS:
            self._last = self.front.setdefault(row.at, [])
        else:
            self._last = self.now[row.at] = []
            if row.kind in DROPS:
                return
        if row.kind == NormalizeEvent.ISOLATE:
            self._last += (ord(" "), row.code_point, ord(" "))
        elif row.code_point >= 0:
            self._last.append(row.code_point)

    def at(self, index: int) -> Sequence[int]:
        """What has become of the code point at an index of `was`."""
        found = self.now.get(index)
        return (self.was[index],) if found is None else found

    @property
    def vector(self) -> list[int]:
        """The code points that the pass has written so far, with those that it has not changed."""
        if not self.now and not self.front:
            return list(self.was)
        places = range(len(self.was) + 1)
        return list(
            chain.from_iterable(
                (*self.front.get(index, ()), *(self.at(index) if index < len(self.was) else ())) for index in places
            )
        )


def replayed(before: Sequence[Item], events: Iterable[NormalizeRow]) -> Iterator[Pass]:
    """Every pass over every item, in the order they ran, each as it is at its end.

    >>> from explorer.engine.normalizers.bert import bert_normalizers
    >>> from explorer.engine.normalizers.stage import Normalization
    >>> from explorer.engine.part import Options
    >>> from explorer.engine.trace import Events
    >>> events, before = Events(NormalizeRow), [Segment.of("Å")]
    >>> _ = Normalization(bert_normalizers()).run(before, Options(), events.emit)
    >>> ["".join(map(chr, each.vector)) for each in replayed(before, events)][-2:]
    ['A', 'a']
    """
    current: Pass | None = None
    for row in events:
        if row.kind not in BEGINNINGS:
            assert current is not None, "a pass begins before its events"
            current.take(row)
            continue
        if current is not None:
            yield current
        current = begun(before, current, row)
    if current is not None:
        yield current


def begun(before: Sequence[Item], last: Pass | None, row: NormalizeRow) -> Pass:
    """The pass that an event begins. last: the one before it, at its end."""
    if last is not None and last.item == row.item:
        was: Sequence[int] = last.vector
    else:
        item = before[row.item]
        assert isinstance(item, Segment)
        was = [ord(ch) for ch in item.text]
    if row.kind == NormalizeEvent.BEGIN:
        return Pass(row.item, row.at, 0, was)
    assert last is not None, "a normalizer begins before its second pass"
    return Pass(row.item, last.normalizer, row.at, was)

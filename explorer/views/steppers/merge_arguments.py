"""The kind of each merge step and the arguments of its sentences; the sentences are in `merge_sentences`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from explorer.engine.models.bpe import Bpe
from explorer.engine.models.bpe_symbols import KnownCharacters
from explorer.engine.models.merges import PAIRS, STALE, MergeEvent, MergeModel, MergeRow
from explorer.text import visible
from explorer.text.quantities import number, plural
from explorer.views.steppers.merge_future import DRAWN, NO_PAIR, NO_PAIR_DRAWN
from explorer.views.steppers.merge_stories import Key
from explorer.views.steppers.merge_symbols import DrawnSymbols
from explorer.views.steppers.queue_tracks import QueueTracks
from explorer.views.steppers.script import ScriptBuilder
from explorer.vocabulary import Vocabulary, spelled

Said: TypeAlias = tuple[Key, tuple[int, ...]]


class MergeArguments:
    """The arguments for each event.

    pushed: (left, right, token) of a pair in the queue → its text, its priority and the texts of both symbols, as
    indices in the string table. priorities: of all pairs, in pop order.
    """

    def __init__(self, builder: ScriptBuilder, model: MergeModel, vocabulary: Vocabulary, queue: QueueTracks) -> None:
        self.builder, self.model, self.vocabulary, self.queue = builder, model, vocabulary, queue
        self.pushed: dict[tuple[int, int, int], tuple[int, int, int, int]] = {}
        self.priorities: Sequence[float] = ()

    def of(self, row: MergeRow, symbols: DrawnSymbols, future: str) -> Said:
        """The kind of step and its arguments, after the event changed the symbols. future: see `futures`."""
        kind = MergeEvent(row.kind)
        if kind == MergeEvent.MISS:
            return self._miss(row, symbols, future)
        if kind == MergeEvent.WHOLE:
            return self._whole(row, symbols)
        if kind == MergeEvent.MERGE:
            return self._merge(row, symbols, future)
        if kind in STALE:
            return kind, self._stale(row, symbols)
        if kind in PAIRS:
            return kind, (row.left, row.right, *self.pushed[row.left, row.right, row.token])
        if kind in (
            MergeEvent.SKIPPED,
            MergeEvent.FALLBACK,
            MergeEvent.UNKNOWN_RUN,
            MergeEvent.PREFIXED,
            MergeEvent.SUFFIXED,
            MergeEvent.NOT_WHOLE,
        ):
            return kind, self._before_merging(row, symbols)
        return kind, self._output(row, symbols)

    def _miss(self, row: MergeRow, symbols: DrawnSymbols, future: str) -> Said:
        """A pair that isn't pushed; it may make a token and still not be in the list of merges."""
        joined, plain, priority = symbols.joined(row.left, row.right), self.builder.plain, self.model.priority_of
        args = row.left, row.right, self.builder.text(spelled(joined)), *self.sides(row, symbols), plain(future)
        if self.model.priority != "merge" or joined not in self.vocabulary.ids:
            return MergeEvent.MISS, args
        other = any(priority(joined[:at], joined[at:]) is not None for at in range(1, len(joined)))
        return "unlisted", (*args, plain(f"It is a token all the same{', made of other parts' if other else ''}."))

    def sides(self, row: MergeRow, symbols: DrawnSymbols) -> tuple[int, int]:
        """The texts of both symbols of a pair."""
        text = self.builder.text
        return text(spelled(symbols.data(row.left))), text(spelled(symbols.data(row.right)))

    def _merge(self, row: MergeRow, symbols: DrawnSymbols, future: str) -> Said:
        """A merge, and the pair it came before: what the queue would give next, were nothing pushed."""
        pair = self.pushed[row.left, row.right, row.token]
        best = self.queue.best()
        if best is None:
            # pairs outside the window may wait still
            whole, plain = len(symbols.drawn()) == len(symbols.size), self.builder.plain
            future = NO_PAIR_DRAWN if future == NO_PAIR and not whole else future
            return "merge last", (row.left, row.right, *pair, plain(future), plain("" if whole else DRAWN))
        equal = self.priorities[best[1]] == self.priorities[self.queue.popped[1]]
        key: Key = "merge equal" if equal else MergeEvent.MERGE
        return key, (row.left, row.right, *pair, best[0], best[2])

    def _stale(self, row: MergeRow, symbols: DrawnSymbols) -> tuple[int, ...]:
        """A stale entry: which of its symbols changed, and the symbol that has it now."""
        *pair, left, right = self.pushed[row.left, row.right, row.token]
        cell, changed = (row.left, left) if row.kind == MergeEvent.STALE_LEFT else (row.right, right)
        while not symbols.size[cell]:
            cell -= 1
        return row.left, row.right, *pair, changed, self.builder.text(spelled(symbols.data(cell)))

    def _whole(self, row: MergeRow, symbols: DrawnSymbols) -> Said:
        """A piece taken whole; its text is merged as well, to see whether that gives the same token."""
        builder, spelling = self.builder, self.vocabulary.spelling
        args = row.right, builder.text(spelling(row.token)), builder.plain(str(row.token))
        merged = [cut.id for cut in cast(Bpe, self.model).merged(symbols.segment.text)]
        if merged == [row.token]:
            return "could be built", args
        shown = " ".join(f"“{visible(spelling(id))}”" for id in merged)
        return "could not be built", (*args, builder.plain(plural(len(merged), "token")), builder.plain(shown))

    def _before_merging(self, row: MergeRow, symbols: DrawnSymbols) -> tuple[int, ...]:
        """What is decided before the first pair."""
        builder = self.builder
        if row.kind == MergeEvent.SKIPPED:
            return row.left, builder.text(symbols.segment.text[row.right])
        if row.kind == MergeEvent.FALLBACK:
            return row.left, builder.text(symbols.source(row.left)), builder.plain(plural(row.right, "byte"))
        if row.kind == MergeEvent.UNKNOWN_RUN:
            return row.left, builder.text(symbols.source(row.left))
        if row.kind == MergeEvent.NOT_WHOLE:
            return self.count(symbols), builder.text(spelled(b"".join(symbols.pieces)))
        start = cast(Bpe, self.model).initial
        assert isinstance(start, KnownCharacters), "only these have a prefix or a suffix"
        return (builder.text(spelled(start.prefix if row.kind == MergeEvent.PREFIXED else start.suffix)),)

    def _output(self, row: MergeRow, symbols: DrawnSymbols) -> tuple[int, ...]:
        """What becomes of a symbol once the queue is empty."""
        builder, shown = self.builder, spelled(symbols.data(row.left))
        if row.kind == MergeEvent.DROPPED:
            return row.left, builder.text(shown), row.right + 1, symbols.size[row.left]
        spelling, id = builder.text(self.vocabulary.spelling(row.token)), builder.plain(str(row.token))
        if row.kind == MergeEvent.UNMERGE:
            return row.left, row.right, spelling, builder.plain(number(self.vocabulary.scores[row.token]))
        if row.kind == MergeEvent.TOKEN:
            return row.left, spelling, id
        if row.kind in (MergeEvent.UNKNOWN_SYMBOL, MergeEvent.UNKNOWN_JOINED):
            return row.left, builder.text(shown), spelling, id
        return row.left, builder.text(shown), row.right + 1, symbols.size[row.left], spelling, id

    def count(self, symbols: DrawnSymbols) -> int:
        """How many symbols a fragment begins with."""
        return self.builder.plain(plural(len(symbols.size), "symbol"))

"""A finished training: what was learned, and every decision on the way.

A trainer is a function of words, options and a sink for events (`engine/trace.py`). It runs when its result is asked
for: without a sink for what was learned, with one for the events. Both runs are the same code, so the second gives what
was learned, too.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Generic, TypeVar

from explorer.engine import budget
from explorer.engine.items import AnyEvents, Emit, Events, silent
from explorer.training.rows import Train, TrainRow
from explorer.vocabulary import PieceKind

TRAINER: Final = "the trainer"
"""What errors call it."""

ask = partial(budget.ask, TRAINER)
"""Raises TooSlow if the time is up."""
asking = partial(budget.asking, stage=TRAINER)
"""Yields the elements, and asks regularly if there are many."""
turns = partial(budget.turns, stage=TRAINER)
"""An endless iterator for a loop over something of this size."""

Spelling = TypeVar("Spelling", str, bytes)


def is_over(size: int, wanted: int, queue: Sequence[object], emit: Emit) -> bool:
    """Whether a training ends: it has the tokens or merges it wants, or no pair is left. Emits which.

    Asked before each merge, so it also asks the budget: a merge reads all words that hold a pair.
    """
    ask()
    if size >= wanted:
        emit(Train.STOP_SIZE, size, wanted, 0)
    elif not queue:
        emit(Train.STOP_NO_PAIR, size, wanted, 0)
    else:
        return False
    return True


@dataclass(frozen=True)
class Learned(Generic[Spelling]):
    """What a trainer makes of a corpus.

    symbols: what each symbol of the events spells, by its number.
    tokens: the vocabulary by id. Where a trainer numbers its symbols as it makes them, these are the symbols.
    merges: the pairs that were merged, in order, as symbols (left, right, made).
    scores, kinds: of each token, where the original writes them. special: ids of the special tokens.
    """

    symbols: tuple[Spelling, ...]
    tokens: tuple[Spelling, ...]
    merges: tuple[tuple[int, int, int], ...] = ()
    scores: tuple[float, ...] = ()
    special: tuple[int, ...] = ()
    kinds: tuple[PieceKind, ...] = ()

    @cached_property
    def ids(self) -> dict[Spelling, int]:
        return {token: id for id, token in enumerate(self.tokens)}

    @property
    def pairs(self) -> list[tuple[Spelling, Spelling]]:
        """What the two sides of each merge spell, in order."""
        return [(self.symbols[left], self.symbols[right]) for left, right, _ in self.merges]


class Training(Generic[Spelling]):
    """A training, which runs when its result is asked for the first time. For both, ask for the events first.

    learn: the trainer with its words and options; it is called with a sink for the events, and may raise InputError.
    row: the type of the events.

    >>> from explorer.training.huggingface import bpe
    >>> training = bpe.train({"ab": 3}, bpe.Options(vocab_size=3))
    >>> training.learned.tokens, training.events[-1].n
    (('a', 'b', 'ab'), 0)
    """

    def __init__(self, learn: Callable[[Emit], Learned[Spelling]], row: Callable[..., Any] = TrainRow) -> None:
        self._learn: Callable[[Emit], Learned[Spelling]] = learn
        self.row = row

    @cached_property
    def learned(self) -> Learned[Spelling]:
        """What was learned. Raises InputError for words or options that the trainer refuses."""
        return self._learn(silent)

    @cached_property
    def events(self) -> AnyEvents:
        """Every decision, in order. Raises InputError as `learned` does."""
        events: AnyEvents = Events(self.row, array("q"))
        budget.count_events(events.filled)
        learned = self._learn(events.emit)
        self.__dict__.setdefault("learned", learned)
        return events

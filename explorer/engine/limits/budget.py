"""One budget of computing time for a whole run, whatever part of it a stranger's file or text makes slow.

An entry point (`encode`, `trace`, `decode` …) opens a run, and every loop that can grow faster than the
text calls `ask` now and then: partition, normalizers, pre-tokenizers, models, decoders, the untraced paths. Whoever
asks when the budget is spent gets a `TooSlow`, one line that names the stage and the size of the input. A run within a
larger one (`within`: a comparison encodes the same text many times) also ends when that one is over.

What counts is the processor time of the thread, so a busy machine refuses nothing. Reading that clock takes a
microsecond; it cannot run faster than the wall clock, so the cheap wall clock is read first.

The run is kept by the thread, as is the clock: it would otherwise have to pass through some sixty signatures, and a
context variable takes twice as long to set. A short text whose pieces are all known never asks, and for it nothing but
its length is written down. Loops ask in blocks (`turns`, `asking`), which adds nothing to a single turn.

Left out: a single call into C that does not come back; patterns have a time limit of their own (`limits/time.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, repeat
from math import inf
from threading import local
from time import monotonic, thread_time
from typing import Final, TypeVar

from explorer.engine.trace import AnyEvents
from explorer.errors import InputError
from explorer.text.quantities import plural

SECONDS: Final = 10.0
SECONDS_A_CHARACTER: Final = 0.0005
"""Traces take the longest: up to 0.00002 of the bundled tokenizers on a machine of 2020."""

SECONDS_AN_ID: Final = 0.002
"""Of ids that are decoded. Those of the longest pieces take the longest, up to 0.0003."""

EVENTS: Final = 1_000_000
EVENTS_A_CHARACTER: Final = 100
"""Decisions that one stage of a trace may hold, of 16 bytes each. The most that bundled tokenizers make is 14."""

WHOLE_TIMES: Final = 6
"""A comparison or an explanation may take as long as so many runs on the same text."""

OPENING: Final = 30.0
"""Seconds that opening a file may take: its added tokens are normalized, its settings tried."""

TASK: Final = 60.0
"""Seconds that a task of a corpus may take for each tokenizer, beside those for its characters: it makes tables."""

MODEL: Final = "the model"
"""What errors call that stage."""

SHORT: Final = 256
"""Turns of a loop that need not ask: whoever called it does."""

BLOCK: Final = 32
"""Turns between two questions of a longer one."""


class TooSlow(InputError):
    """The budget is spent; whoever has another way to do the same need not try it."""


class Budget:
    """What one run may take. It begins when it is made.

    what: the input, for people. seconds: of processor time. decisions: that one stage of a trace may hold.

    >>> Budget("a text of 3 characters", 10.0, 1_000_000).ask("the model")
    """

    __slots__ = ("began", "decisions", "kept", "look", "over", "seconds", "what", "whole")

    def __init__(self, what: str, seconds: float, decisions: float = inf) -> None:
        self.what, self.seconds, self.decisions = what, seconds, decisions
        self.kept: Sequence[int] = ()
        """the events of the stage that runs"""
        self.whole: Budget | None = None
        """what this is the rest of"""
        self.over: TooSlow | None = None
        """what was said when the time was over"""
        self.began = thread_time()
        self.look = monotonic() + seconds
        """when the processor's clock has to be read: before that, the time cannot be over"""

    def ask(self, stage: str) -> None:
        """Raises TooSlow where the time is over, InputError where the events are too many."""
        if len(self.kept) > 4 * self.decisions:
            raise InputError(
                f"{stage} makes more than {self.decisions:,} decisions on {self.what}, too many to keep; give a "
                "shorter text, or another file"
            )
        if monotonic() >= self.look:
            left = self.left()
            if left <= 0:
                self.over = TooSlow(
                    f"{stage} took too long: {self.what} may take {self.seconds:,.6g} s of computing in all, and this "
                    "needs more; give less of it, or another file"
                )
                if self.whole is not None:
                    self.whole.over = self.over
                raise self.over
            self.look = monotonic() + left

    def grow(self, characters: int) -> None:
        """So much more is to be done."""
        more = SECONDS_A_CHARACTER * characters
        self.seconds += more
        self.look += more

    def left(self) -> float:
        """Seconds that are left, below 0 where it is overdrawn."""
        return self.seconds - (thread_time() - self.began)


class Now:
    """What a thread is doing.

    run: the run that is going on: its budget, or as long as nobody has asked the number of characters of its text.
    whole: what it is a part of.
    """

    __slots__ = ("run", "whole")

    def __init__(self) -> None:
        self.run: int | Budget | None = None
        self.whole: Budget | None = None


THREAD: Final = local()


def now() -> Now:
    """That of this thread."""
    try:
        mine: Now = THREAD.now
    except AttributeError:
        mine = THREAD.now = Now()
    return mine


def ask(stage: str) -> None:
    """Raises TooSlow where the time of the run, or of what it is a part of, is over. Outside of any run nothing ends.

    stage: who asks, for people.

    >>> ask("the model")
    """
    mine = now()
    run = mine.run
    if run is None:
        if mine.whole is not None:
            mine.whole.ask(stage)
        return
    if isinstance(run, int):
        run = mine.run = of_text(run)
    run.ask(stage)


def seconds_of(characters: int) -> float:
    """How long a run on so much text may take."""
    return SECONDS + SECONDS_A_CHARACTER * characters


def of_text(characters: int) -> Budget:
    """The budget of a text, within what it is a part of."""
    return limited(Budget(a_text(characters), seconds_of(characters), EVENTS + EVENTS_A_CHARACTER * characters))


def of_ids(count: int) -> Budget:
    """The budget of ids that are decoded."""
    what = plural(count, "id")
    return limited(Budget(what, SECONDS + SECONDS_AN_ID * count, EVENTS + EVENTS_A_CHARACTER * count))


def growing() -> Budget:
    """The budget of texts that are still to come."""
    return limited(Budget("texts of so many characters", SECONDS))


def a_text(characters: int) -> str:
    """
    >>> a_text(1), a_text(100_000)
    ('a text of 1 character', 'a text of 100,000 characters')
    """
    return f"a text of {plural(characters, 'character')}"


def limited(budget: Budget) -> Budget:
    """The budget, or where less of the whole is left, as much as that."""
    whole = now().whole
    if whole is not None and (left := whole.left()) < budget.seconds:
        budget.whole, budget.what, budget.seconds, budget.began = whole, whole.what, whole.seconds, whole.began
        budget.look = monotonic() + left
    return budget


@contextmanager
def run(budget: Budget) -> Iterator[Budget]:
    """A run with a budget that is made for it."""
    mine = now()
    before, mine.run = mine.run, budget
    try:
        yield budget
    finally:
        mine.run = before


@contextmanager
def within(what: str, seconds: float) -> Iterator[Budget]:
    """One budget for all runs in it, together with what is done between them.

    what: is done, for people. Within another one the smaller of the two holds. Raises TooSlow at the end where somebody
    took one for an input that cannot be used and went on: what was found then is not all there is.

    >>> with within("opening a file", 10.0):
    ...     ask("the model")
    """
    mine = now()
    before = mine.run, mine.whole
    whole = limited(Budget(what, seconds))
    mine.run, mine.whole = None, whole
    try:
        yield whole
        if whole.over is not None:
            raise whole.over
    finally:
        mine.run, mine.whole = before


def many_runs(what: str, characters: int) -> AbstractContextManager[Budget]:
    """`within` for what takes some runs on a text of that size.

    >>> with many_runs("a comparison", 10):
    ...     ask("the model")
    """
    return within(f"{what} of {a_text(characters)}", WHOLE_TIMES * seconds_of(characters))


def keeps(events: AnyEvents) -> None:
    """The run counts these decisions."""
    run = now().run
    if isinstance(run, Budget):
        run.kept = events.held


Each = TypeVar("Each")


def turns(size: int, stage: str, block: int = BLOCK) -> Iterator[None]:
    """Turns without end for a loop over something of that size: a long one asks from time to time.

    >>> next(turns(10, "the model"))
    """
    return repeat(None) if size < SHORT else chain.from_iterable(_blocks(stage, block))


def _blocks(stage: str, block: int) -> Iterator[Iterator[None]]:
    while True:
        yield repeat(None, block)
        ask(stage)


def asking(each: Sequence[Each], stage: str, block: int = BLOCK) -> Iterable[Each]:
    """The same things; where they are many, the loop over them asks from time to time.

    >>> sum(asking(range(1000), "the model")) == sum(range(1000))
    True
    """
    return each if len(each) < SHORT else chain.from_iterable(_slices(each, stage, block))


def _slices(each: Sequence[Each], stage: str, block: int) -> Iterator[Sequence[Each]]:
    for begin in range(0, len(each), block):
        yield each[begin : begin + block]
        ask(stage)

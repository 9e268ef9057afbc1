"""What bounds a call: the types of its arguments, and the processor time of its run.

A run has one budget of processor time, whichever stage an untrusted file or text makes slow. An entry point (`encode`,
`trace`, `decode` …) opens a run, and every loop that can grow faster than the text calls `ask` regularly: partition,
normalizers, pre-tokenizers, models, decoders, the fast path. If the budget is spent, `ask` raises `TooSlow`, one line
that names the stage and the size of the input. A run within a larger one (`within`: a comparison encodes the same text
many times) also ends with that one.

The budget counts the processor time of the thread, so a busy machine refuses nothing. Reading that clock takes a
microsecond; it cannot run faster than the wall clock, so the cheap wall clock is read first.

A computation for a visitor is marked (`while_wanted`), and `ask` then also ends what the visitor no longer waits for.

The run is stored in a thread local, not passed through some sixty signatures; a context variable takes twice as long to
set. A short text whose pieces are all cached never asks, and only its length is stored. Loops ask in blocks (`turns`,
`asking`), which costs nothing per iteration.

Left out: a single call into C that does not return; patterns have a time limit of their own (`regexes/safe.py`).

The types of a caller's arguments (a text, ids, a switch) are checked where they enter. A wrong type would fail deep
inside, or worse, work: a string is not a list of texts, and bytes are not a list of ids. Anything that behaves as an
integer (`__index__`), such as NumPy's integers, is accepted as one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, repeat
from math import inf
from operator import index
from threading import local
from time import monotonic, thread_time
from typing import TypeVar

from explorer.errors import InputError, shown
from explorer.text.say import plural

SECONDS, SECONDS_A_CHARACTER, SECONDS_AN_ID = 10.0, 0.0005, 0.002
"""Seconds that any run may take, and more per character of its text, or per id that it decodes.

Traces are slowest: up to 0.00002 per character with the bundled tokenizers on a machine of 2020. Of ids, those of the
longest pieces are slowest, up to 0.0003.
"""

EVENTS, EVENTS_A_CHARACTER = 1_000_000, 100
"""Events (16 bytes) of one stage of any trace, at most, and more per character. Bundled tokenizers make at most 14."""

WHOLE_TIMES = 6
"""A comparison or an explanation may take as long as this many runs on the same text."""

OPENING = 30.0
"""Seconds that opening a file may take: its added tokens are normalized, its settings tried."""

TASK = 60.0
"""Seconds that a corpus task may take per tokenizer, plus those for its characters: it builds tables."""

MODEL = "the model"
"""The name of the stage in errors."""

WANTED_SECONDS = 0.1
"""Seconds between two questions whether the result is still wanted."""

SHORT = 256
"""Loops with fewer iterations do not ask: their caller does."""

BLOCK = 32
"""Iterations between two calls of `ask`."""


class TooSlow(InputError):
    """The budget is spent. A caller with an alternative need not try it."""


class Budget:
    """The budget of one run, which begins when the object is created.

    what: the input, for error messages. seconds: processor time. decisions: events that one stage of a trace may have.

    >>> Budget("a text of 3 characters", 10.0, 1_000_000).ask("the model")
    """

    __slots__ = ("began", "decisions", "events", "next_check", "outer", "raised", "seconds", "what")

    def __init__(self, what: str, seconds: float, decisions: float = inf) -> None:
        self.what, self.seconds, self.decisions = what, seconds, decisions
        self.events: Sequence[int] = ()
        """the fields of the events of the current stage"""
        self.outer: Budget | None = None
        """the larger budget whose remaining time this is"""
        self.raised: TooSlow | None = None
        """the error raised when the time was up"""
        self.began = thread_time()
        self.next_check = monotonic() + seconds
        """the wall clock time before which the processor time cannot be up"""

    def ask(self, stage: str) -> None:
        """Raises TooSlow if the time is up, InputError if there are too many events."""
        if len(self.events) > 4 * self.decisions:
            raise InputError(
                f"{stage} makes more than {self.decisions:,} decisions on {self.what}, too many to keep; give a "
                "shorter text, or another file"
            )
        if monotonic() >= self.next_check:
            left = self.left()
            if left <= 0:
                allowed = f"{round(self.seconds, 2):,.6g} s of computing in all"
                self.raised = TooSlow(
                    f"{stage} took too long: {self.what} may take {allowed}, and this needs more; give less of it, or "
                    "another file"
                )
                if self.outer is not None:
                    self.outer.raised = self.raised
                raise self.raised
            self.next_check = monotonic() + left

    def grow(self, characters: int) -> None:
        """Adds the time for more characters."""
        more = SECONDS_A_CHARACTER * characters
        self.seconds += more
        self.next_check += more

    def left(self) -> float:
        """The seconds left, negative if the budget is overdrawn."""
        return self.seconds - (thread_time() - self.began)


class ThreadState:
    """The runs of a thread.

    run: the budget of the current run; before the first `ask`, the number of characters of its text. outer: the budget
    of the larger one that it is part of. wanted: raises once the result is not wanted; next_wanted: when to call it.
    """

    __slots__ = ("next_wanted", "outer", "run", "wanted")

    def __init__(self) -> None:
        self.run: int | Budget | None = None
        self.outer: Budget | None = None
        self.wanted: Callable[[], None] | None = None
        self.next_wanted = 0.0


THREAD = local()
"""Its attribute `state` is the thread's `ThreadState`, once `thread_state` has been called."""


def thread_state() -> ThreadState:
    """The state of this thread."""
    try:
        state: ThreadState = THREAD.state
    except AttributeError:
        state = THREAD.state = ThreadState()
    return state


def ask(stage: str) -> None:
    """Raises TooSlow if the time of the run, or of the larger one around it, is up. Time outside of a run is unlimited.

    stage: the name of the stage in errors. Also raises what `while_wanted` was given raises.

    >>> ask("the model")
    """
    state = thread_state()
    if state.wanted is not None and monotonic() >= state.next_wanted:
        state.next_wanted = monotonic() + WANTED_SECONDS
        state.wanted()
    run = state.run
    if run is None:
        if state.outer is not None:
            state.outer.ask(stage)
        return
    if isinstance(run, int):
        run = state.run = of_text(run)
    run.ask(stage)


@contextmanager
def while_wanted(wanted: Callable[[], None] | None) -> Iterator[None]:
    """Computes for somebody who may leave. wanted: raises once they did; None: computes to the end in any case.

    >>> with while_wanted(None):
    ...     ask("the model")
    """
    state = thread_state()
    before, state.wanted = state.wanted, wanted
    try:
        yield
    finally:
        state.wanted = before


def seconds_of(characters: int) -> float:
    """The seconds that a run on a text may take."""
    return SECONDS + SECONDS_A_CHARACTER * characters


def of_text(characters: int) -> Budget:
    """The budget for a text, within the larger one around it."""
    return _limited(Budget(_text_name(characters), seconds_of(characters), EVENTS + EVENTS_A_CHARACTER * characters))


def of_ids(count: int) -> Budget:
    """The budget for decoding ids."""
    what = plural(count, "id")
    return _limited(Budget(what, SECONDS + SECONDS_AN_ID * count, EVENTS + EVENTS_A_CHARACTER * count))


def growing() -> Budget:
    """The budget for texts that are still to come; `grow` adds to it."""
    return _limited(Budget("texts of so many characters", SECONDS))


def _text_name(characters: int) -> str:
    """
    >>> _text_name(1), _text_name(100_000)
    ('a text of 1 character', 'a text of 100,000 characters')
    """
    return f"a text of {plural(characters, 'character')}"


def _limited(budget: Budget) -> Budget:
    """The budget, reduced to what is left of the larger one around it."""
    outer = thread_state().outer
    if outer is not None and (left := outer.left()) < budget.seconds:
        budget.outer, budget.what, budget.seconds, budget.began = outer, outer.what, outer.seconds, outer.began
        budget.next_check = monotonic() + left
    return budget


@contextmanager
def run(budget: Budget) -> Iterator[Budget]:
    """Opens a run with this budget."""
    state = thread_state()
    before, state.run = state.run, budget
    try:
        yield budget
    finally:
        state.run = before


@contextmanager
def within(what: str, seconds: float) -> Iterator[Budget]:
    """Opens one budget for several runs and the code between them.

    what: the operation, for error messages. Nested budgets: the smaller one applies. Raises TooSlow at the end if the
    code inside caught one as an ordinary InputError and continued, because its result is then incomplete.

    >>> with within("opening a file", 10.0):
    ...     ask("the model")
    """
    state = thread_state()
    before = state.run, state.outer
    outer = _limited(Budget(what, seconds))
    state.run, state.outer = None, outer
    try:
        yield outer
        if outer.raised is not None:
            raise outer.raised
    finally:
        state.run, state.outer = before


def many_runs(what: str, characters: int) -> AbstractContextManager[Budget]:
    """`within` for an operation that takes several runs on a text of this size.

    >>> with many_runs("a comparison", 10):
    ...     ask("the model")
    """
    return within(f"{what} of {_text_name(characters)}", WHOLE_TIMES * seconds_of(characters))


def excuse(seconds: float) -> None:
    """Adds processor time that the input is not the cause of to the run and all around it."""
    run = thread_state().run
    budget = run if isinstance(run, Budget) else thread_state().outer
    while budget is not None:
        budget.seconds += seconds
        budget.next_check += seconds
        budget = budget.outer


def count_events(fields: Sequence[int]) -> None:
    """Makes the run count events from now on. fields: all that they consist of."""
    run = thread_state().run
    if isinstance(run, Budget):
        run.events = fields


Each = TypeVar("Each")


def turns(size: int, stage: str, block: int = BLOCK) -> Iterator[None]:
    """An endless iterator for a loop over something of this size; it asks regularly if the size is large.

    >>> next(turns(10, "the model"))
    """
    return repeat(None) if size < SHORT else chain.from_iterable(_blocks(stage, block))


def _blocks(stage: str, block: int) -> Iterator[Iterator[None]]:
    while True:
        yield repeat(None, block)
        ask(stage)


def asking(each: Sequence[Each], stage: str, block: int = BLOCK) -> Iterable[Each]:
    """Yields the elements, and asks regularly if there are many.

    >>> sum(asking(range(1000), "the model")) == sum(range(1000))
    True
    """
    return each if len(each) < SHORT else chain.from_iterable(_slices(each, stage, block))


def _slices(each: Sequence[Each], stage: str, block: int) -> Iterator[Sequence[Each]]:
    for begin in range(0, len(each), block):
        yield each[begin : begin + block]
        ask(stage)


def text(value: object, what: str = "the text") -> str:
    """The text. Raises InputError for anything else.

    >>> text(b"a")
    Traceback (most recent call last):
    explorer.errors.InputError: the text is bytes and not str; decode it first, as in data.decode("utf-8")
    """
    if isinstance(value, str):
        return value
    raise InputError(f"{what} is {named(value)} and not str; {instead_of_text(value)}")


def instead_of_text(value: object) -> str:
    """How to pass a text instead of this value, for an error."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return 'decode it first, as in data.decode("utf-8")'
    if isinstance(value, (list, tuple)):
        return "give one text, or all of them to encode_batch"
    return "give a text"


def texts(values: Iterable[str]) -> Iterable[str]:
    """Several texts. Raises InputError for anything else, a single text included.

    >>> texts("abc")
    Traceback (most recent call last):
    explorer.errors.InputError: the texts are one str; give a list of them, or encode this one
    """
    if isinstance(values, (str, bytes, bytearray)):
        raise InputError(f"the texts are one {type(values).__name__}; give a list of them, or encode this one")
    if not isinstance(values, Iterable):
        raise InputError(f"the texts are {named(values)}; give a list of texts")
    return values


def ids(values: Iterable[int]) -> Sequence[int]:
    """Ids as a list of int. Raises InputError naming the first value that is not an id.

    >>> ids([1, 2.5])
    Traceback (most recent call last):
    explorer.errors.InputError: id number 2 is 2.5, of type float; ids are whole numbers
    """
    if isinstance(values, (str, bytes, bytearray, dict, set, frozenset)) or not isinstance(values, Iterable):
        raise InputError(f"the ids are {named(values)}; give a list of whole numbers")
    found = list(values)
    if set(map(type, found)) <= {int}:
        return found
    return [an_id(value, f"id number {number}") for number, value in enumerate(found, 1)]


def an_id(value: object, what: str) -> int:
    """An id. Raises InputError for anything that is no integer. what: its name in the error."""
    return whole(value, what, "give one list of ids" if isinstance(value, (list, tuple)) else "ids are whole numbers")


def whole(value: object, what: str, wanted: str = "give a whole number") -> int:
    """An integer. Raises InputError for anything else. what: its name in the error. wanted: what to do.

    >>> whole(1.5, "the seed")
    Traceback (most recent call last):
    explorer.errors.InputError: the seed is 1.5, of type float; give a whole number
    """
    try:
        if not isinstance(value, bool):
            return index(value)  # type: ignore[arg-type]  # a TypeError is handled
    except TypeError:
        pass
    raise InputError(f"{what} is {shown(value)}, of type {type(value).__name__}; {wanted}")


def switch(value: object, what: str) -> None:
    """Raises InputError for a switch that is neither True nor False: "false" would count as True."""
    if value is not True and value is not False:
        raise InputError(f"{what} is {shown(value)}; give True or False")


def named(value: object) -> str:
    """The type of a value, for an error."""
    return "None" if value is None else type(value).__name__

"""Whose questions compute: turns of the processors, given to the visitor who used least of them lately.

Fair-share scheduling: each visitor has an account of the seconds computed for them, which halves every `HALF_LIFE`
seconds. A question pauses when somebody with less on the account waits: after `SLICE` seconds of computing, or at once
if the difference is larger. So a short question of a visitor who asked for little is answered at once, however long the
questions of others take. Leaves out how a question is paused: `runs` tells the thread that waits for the answer, which
stops and continues the process.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition, Lock
from time import monotonic

from explorer.answers.questions import POLL_SECONDS, CheckWanted

HALF_LIFE = 20.0
"""Seconds in which what a visitor used counts half."""
SLICE = 0.25
"""Seconds a question computes before it may be paused."""
PLACES = max(2, (os.cpu_count() or 2) - 1)
"""Questions that compute at once: one for each core but one, and at least two."""
FIRST_GUESS = 1.0
"""Seconds a question is expected to take before any was answered."""

Waits = Callable[[int, float], None]
"""Called while a question waits: the number of questions before it, and the seconds they are expected to take."""


@dataclass
class Account:
    """Seconds computed for one visitor, which count less as time passes."""

    seconds: float = 0.0
    since: float = 0.0

    def add(self, seconds: float, now: float) -> None:
        """Adds seconds computed until `now`."""
        self.seconds, self.since = self.at(now) + seconds, now

    def at(self, now: float) -> float:
        """What counts now.

        >>> account = Account()
        >>> account.add(8.0, now=0.0)
        >>> account.at(HALF_LIFE)
        4.0
        """
        return float(self.seconds * 0.5 ** ((now - self.since) / HALF_LIFE))


class LeftAccounts:
    """The accounts of visitors who left, for those who come: who comes again is not a new visitor. Thread-safe.

    >>> left, account = LeftAccounts(), Account()
    >>> account.add(8.0, now=0.0)
    >>> left.add(account)
    >>> left.take(now=1.0) is account, left.take(now=1.0).seconds
    (True, 0.0)
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._accounts: list[Account] = []

    def add(self, account: Account) -> None:
        """Keeps the account of a visitor who left."""
        with self._lock:
            self._accounts.append(account)

    def take(self, now: float) -> Account:
        """The account with most on it, which nobody else gets; a new one if nobody left who used anything lately."""
        with self._lock:
            self._accounts = sorted(
                (each for each in self._accounts if each.at(now) > SLICE), key=lambda it: it.at(now)
            )
            return self._accounts.pop() if self._accounts else Account()


@dataclass(eq=False)
class Turn:
    """One question that computes or waits."""

    account: Account
    number: int
    computed: float = 0.0
    """seconds in all"""
    resumed: float = 0.0
    """when it last began to compute"""
    counted: float = 0.0
    """until when its computing is on the account"""
    weight: float = 1.0
    """how many times a second of it counts there"""

    def rank(self, now: float) -> tuple[float, int]:
        """The lowest goes first."""
        return self.account.at(now), self.number


@dataclass
class Turns:
    """The questions that compute, at most `places`, and those that wait. Thread-safe."""

    places: int = PLACES
    slice: float = SLICE
    """seconds a question computes before it may be paused"""
    clock: Callable[[], float] = monotonic
    expected: float = FIRST_GUESS
    """seconds a question takes: the recent average"""
    _computing: set[Turn] = field(default_factory=set)
    _waiting: set[Turn] = field(default_factory=set)
    _changed: Condition = field(default_factory=Condition)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @contextmanager
    def turn(self, account: Account, check_wanted: CheckWanted, waits: Waits) -> Iterator[Turn]:
        """Waits for a first turn. check_wanted: raises once the answer isn't wanted; called while it waits."""
        turn = self.enter(account)
        try:
            while not self.runs(turn):
                check_wanted()
                waits(*self.before(turn))
                with self._changed:
                    self._changed.wait(POLL_SECONDS)
            yield turn
        finally:
            self.leave(turn)

    def enter(self, account: Account) -> Turn:
        """Another one that waits."""
        turn = Turn(account, next(self._numbers))
        with self._changed:
            self._waiting.add(turn)
        return turn

    def runs(self, turn: Turn) -> bool:
        """Whether the question computes now. Asked again and again: this is where it pauses and goes on."""
        with self._changed:
            now = self.clock()
            if turn in self._computing:
                self._count(turn, now)
                if not self._waiting or self._keeps(turn, self._first(now), now):
                    return True
                self._computing.remove(turn)
                self._waiting.add(turn)
                self._changed.notify_all()
                return False
            if len(self._computing) >= self.places or turn is not self._first(now):
                return False
            self._waiting.remove(turn)
            self._computing.add(turn)
            turn.resumed = turn.counted = now
            return True

    def leave(self, turn: Turn) -> None:
        """Takes one out that is answered, or no longer wanted."""
        with self._changed:
            if turn in self._computing:
                self._count(turn, self.clock())
                self.expected += 0.1 * (turn.computed - self.expected)
            self._computing.discard(turn)
            self._waiting.discard(turn)
            self._changed.notify_all()

    def before(self, turn: Turn) -> tuple[int, float]:
        """How many questions come before a waiting one, and the seconds they are expected to take."""
        with self._changed:
            now = self.clock()
            ahead = len(self._computing) + sum(1 for each in self._waiting if each.rank(now) < turn.rank(now))
            return ahead, ahead * self.expected / self.places

    def _keeps(self, turn: Turn, first: Turn, now: float) -> bool:
        """Whether one that computes goes on before the first that waits: for a slice, unless it used much more."""
        used, waits_with = turn.account.at(now), first.account.at(now)
        return used <= waits_with + self.slice and (now - turn.resumed < self.slice or used <= waits_with)

    def _first(self, now: float) -> Turn:
        return min(self._waiting, key=lambda each: each.rank(now))

    def _count(self, turn: Turn, now: float) -> None:
        turn.account.add(turn.weight * (now - turn.counted), now)
        turn.computed += now - turn.counted
        turn.counted = now

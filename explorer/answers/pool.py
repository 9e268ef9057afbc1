"""The worker processes of all sessions together: how many there are, and what they occupy.

A process is started only under `MAX_PROCESSES`: the one idle longest makes room. If all compute, visitors wait, who
used least first, and after `PATIENCE_SECONDS` the process that computed most ends. Beyond `MAX_RESIDENT`, idle ones end
first, then the largest. What a process shares with the fork server is not counted.
"""

from __future__ import annotations

from threading import Lock
from time import monotonic, sleep
from typing import Final, Protocol

from explorer.answers.cache import POLL_SECONDS, CheckWanted
from explorer.answers.turns import SLICE, Account, Waits

MAX_PROCESSES: Final = 48
"""Worker processes."""
MAX_RESIDENT: Final = 4_000_000_000
"""Bytes of memory of all worker processes."""
OWN_BYTES: Final = 60_000_000
"""Bytes counted for each process: what it soon writes of the memory it shared."""
PATIENCE_SECONDS: Final = 2.0
"""How long a visitor waits before the process that computed most makes room."""


class Member(Protocol):
    """A worker process, as the pool needs it."""

    account: Account
    last_used: float

    @property
    def own_bytes(self) -> int:
        """Bytes of its memory that it doesn't share."""

    def end_if_idle(self, since: float) -> bool:
        """Ends it if it isn't computing and was last asked before `since`. Returns whether it ended."""

    def evict(self) -> None:
        """Ends it though it computes; its visitor is told why."""


class Pool:
    """Processes and their bytes. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._bytes: dict[Member, int] = {}
        self._waiting: list[Member] = []

    def enter(self, member: Member, check_wanted: CheckWanted, waits: Waits) -> None:
        """Waits until there is room for another process. check_wanted: raises once it isn't needed."""
        since = monotonic()
        with self._lock:
            self._waiting.append(member)
        try:
            while not self._entered(member):
                check_wanted()
                waits(len(self._bytes), 0.0)
                if monotonic() - since > PATIENCE_SECONDS and self._let_in(member):
                    since = monotonic()
                sleep(POLL_SECONDS)
        finally:
            with self._lock:
                self._waiting.remove(member)
        self.measured(member)

    def _entered(self, member: Member) -> bool:
        now = monotonic()
        with self._lock:
            if min(self._waiting, key=lambda each: each.account.at(now)) is not member:
                return False
            if len(self._bytes) < MAX_PROCESSES:
                self._bytes[member] = OWN_BYTES
                return True
        return self._end_idle() and self._entered(member)

    def _let_in(self, member: Member) -> bool:
        """Ends the process that computed most, unless that is less than `member` did. Returns whether it did."""
        now = monotonic()
        most = max(self._members(), key=lambda each: each.account.at(now), default=member)
        if most.account.at(now) <= member.account.at(now) + SLICE / 2:
            return False
        most.evict()
        return True

    def left(self, member: Member) -> None:
        """The process has ended."""
        with self._lock:
            self._bytes.pop(member, None)

    def measured(self, member: Member) -> None:
        """Measures a process that computes. If all of them occupy too much, idle ones end, then the largest."""
        with self._lock:
            self._bytes[member] = OWN_BYTES + member.own_bytes
        while sum(self._bytes.copy().values()) > MAX_RESIDENT:
            if not self._end_idle():
                max(self._bytes.copy().items(), key=lambda each: each[1])[0].evict()
                return

    def _members(self) -> list[Member]:
        with self._lock:
            return list(self._bytes)

    def _end_idle(self) -> bool:
        """Ends the process idle longest. Returns whether there was one."""
        return any(each.end_if_idle(monotonic()) for each in sorted(self._members(), key=lambda each: each.last_used))


POOL: Final = Pool()
"""The one of this server."""

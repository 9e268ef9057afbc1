"""The sessions that ask: each has a memory of its own and, once it brings something strange, a process.

What a session holds is given back within seconds of its end (`GIVEN_BACK`), and the process of one that asks nothing
for a while (`IDLE`) as well: it is started anew with the next question.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import monotonic, sleep
from typing import Any, Final

from explorer.answers import asking
from explorer.answers.asking import ALONE, Question, runs_in
from explorer.answers.memory import Memory, Weighed
from explorer.answers.workers import Process

SWITCH: Final = "EXPLORER_WORKERS"
"""An environment variable: 0 has strangers' files and patterns run in the server itself."""

PRIVATE: Final = 64_000_000
"""Bytes of answers that one session keeps."""
OPENED: Final = 600_000_000
"""Bytes of tokenizers that one session keeps, where they are opened in the server."""
GIVEN_BACK: Final = 5.0
"""Seconds between two looks which sessions have ended."""
IDLE: Final = 600.0
"""Seconds after which the process of a session that asks nothing is ended."""
MOST: Final = 32
"""Processes; where another session needs one more, the one that has been asked nothing for longest is ended."""
RESIDENT: Final = 4_000_000_000
"""Bytes that all of them together have in memory; where it is more, the same is done."""


def apart() -> bool:
    """Whether what is strange runs in processes of its own. Needs signals and limits of POSIX."""
    return os.name == "posix" and os.environ.get(SWITCH, "") != "0"


@dataclass
class Session:
    """One visitor. still: raises where the run that asks has been overtaken by the person's next wish.

    over: it was given back; a file that is still being written for it (`later`) leaves nothing behind.
    """

    still: Callable[[], None] = lambda: None
    away: float = 0.0
    """since when its browser is gone, by `monotonic`; 0 where it is here"""
    at_end: dict[str, Callable[[], None]] = field(default_factory=dict)
    """what else gives something back, by a name"""
    memory: Memory = field(default_factory=lambda: Memory(PRIVATE))
    tokenizers: Memory = field(default_factory=lambda: Memory(OPENED))
    process: Process | None = None
    over: bool = False

    def answer(self, asked: Question[..., Any], args: tuple[Any, ...]) -> Any:
        runs = list(runs_in(args))
        if not any(run.private for run in runs):
            return ALONE.answer(asked, args)
        if asked.opens:
            return self.tokenizers.get(asked.key(args), partial(asked.worked_out, args), self.still)
        return self.memory.get(asked.key(args), partial(self._worked_out, asked, args, kept=True), self.still)

    def directly(self, asked: Question[..., Any], args: tuple[Any, ...]) -> Any:
        return self._worked_out(asked, args, kept=False, still=lambda: None).answer

    def _worked_out(
        self, asked: Question[..., Any], args: tuple[Any, ...], *, kept: bool, still: Callable[[], None] | None = None
    ) -> Weighed:
        if not (apart() and any(run.strange for run in runs_in(args))):
            return asked.worked_out(args)
        process = self._own()
        try:
            return process.ask(asked, args, kept=kept, still=still or self.still)
        finally:
            if self.over:
                process.end()
                self.forget()

    def _own(self) -> Process:
        if self.process is None:
            self.process = spare()
        make_room(self.process)
        return self.process

    def forget(self) -> None:
        """Gives back what this session's own files take."""
        self.memory.clear()
        self.tokenizers.clear()
        process, self.process = self.process, None
        if process is not None:
            process.end()


_sessions: dict[str, Session] = {}
_spare: list[Process] = []
"""One that is started already, for the session that needs one next."""
_watched = False
"""whether `watch` has been started"""
_lock = Lock()


def session(id: str, still: Callable[[], None], ended: Callable[[str], bool]) -> Session:
    """The session of this id. ended: told an id, whether that session is over."""
    global _watched
    with _lock:
        if not _watched:
            _watched = True
            threading.Thread(target=watch, args=(ended,), daemon=True).start()
        found = _sessions.setdefault(id, Session())
        keep_spare()
    found.still = still
    return found


def watch(ended: Callable[[str], bool]) -> None:
    """Gives back what sessions held that are over, as long as the server runs."""
    while True:
        sleep(GIVEN_BACK)
        with suppress(Exception):  # a server that is shutting down
            give_back(ended, monotonic())


def give_back(ended: Callable[[str], bool], now: float) -> None:
    """One look. A session is over when two of them say so: a browser may come back after a moment."""
    with _lock:
        for id, each in _sessions.items():
            each.away = (each.away or now) if ended(id) else 0.0
        over = [_sessions.pop(id) for id, each in list(_sessions.items()) if each.away and each.away < now]
        idle = [each.process for each in _sessions.values() if each.process is not None]
    for each in over:
        each.over = True
        each.forget()
        for does in each.at_end.values():
            does()
    for process in idle:
        process.end_idle(now - IDLE)
    if over:
        over.clear()
        gc.collect()
        trim()


def trim() -> None:
    """Has the C library give freed memory back to the machine, where it can be asked to."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def keep_spare() -> None:
    """Sees to it that there is one, started. Costs nothing where there is."""
    if apart() and not _spare:
        _spare.append(Process())
        _spare[0].start()


def spare() -> Process:
    """A process for a session that has none yet."""
    with _lock:
        found = _spare.pop() if _spare else Process()
        keep_spare()
        return found


@atexit.register
def end_all() -> None:
    """No process outlives the server."""
    for each in [*_spare, *(session.process for session in _sessions.values())]:
        if each is not None:
            each.end()


def make_room(wanted: Process) -> None:
    """Ends the processes that have been asked nothing for longest, where there are more than `MOST`."""
    with _lock:
        others = [each.process for each in _sessions.values() if each.process not in (None, wanted)]
    running = sorted((each for each in others if each is not None and each.running), key=lambda each: each.asked)
    sizes = [each.resident for each in running]
    for place, each in enumerate(running):
        if len(running) - place + 1 <= MOST and sum(sizes[place:]) + wanted.resident <= RESIDENT:
            return
        each.end_idle(monotonic())


def ask_for(find: Callable[[], Session | None]) -> None:
    """From now on the session that this finds for a thread is asked; without one, this process alone."""
    asking.ask_as(lambda: find() or ALONE)

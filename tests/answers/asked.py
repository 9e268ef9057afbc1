"""Questions that try what a worker bears."""

from __future__ import annotations

import os
import time

from explorer.answers.asking import question
from explorer.answers.explore import opened
from explorer.answers.offers import Run
from explorer.errors import ChoiceNeeded, InputError


@question()
def process(run: Run) -> int:
    """Who answers."""
    return os.getpid()


@question()
def endless(run: Run) -> None:
    """Steps of Python without end, that catch what they can."""
    while True:
        try:
            for _ in range(1_000):
                pass
        except Exception:
            continue


@question()
def endless_in_a_library(run: Run) -> None:
    """One call that does not come back and looks for no signals."""
    sum(range(10**13))


@question()
def asleep(run: Run, seconds: float) -> None:
    """Takes its time without computing."""
    time.sleep(seconds)


@question()
def huge(run: Run) -> int:
    """More memory than there is for it."""
    return len([bytes(10_000_000) for _ in range(1_000)])


@question()
def gone(run: Run) -> None:
    """The process ends, as it does where a library finds no memory."""
    os._exit(1)


@question()
def refused(run: Run) -> None:
    raise InputError("line 3: not a number; give one")


@question()
def left_open(run: Run) -> None:
    raise ChoiceNeeded("which letter? choose one", "letter", ("a", "b"), free="a letter")


@question()
def faulty(run: Run) -> None:
    raise KeyError("".join(["sec", "ret"]))


@question()
def name(run: Run) -> str:
    return opened(run.original).name


@question(lambda text: 10 * len(text))
def heavy(run: Run, size: int) -> str:
    return "x" * size


class Clumsy:
    """What takes its time to go."""

    def __del__(self) -> None:
        for _ in range(3_000_000):
            pass


@question()
def endless_in_what_drops_exceptions(run: Run) -> None:
    while True:
        Clumsy()

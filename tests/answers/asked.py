"""Questions that try what a worker bears."""

from __future__ import annotations

import os
import time

from explorer.answers.explore import opened
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.errors import ChoiceNeeded, InputError


@question()
def process(spec: TokenizerSpec) -> int:
    """Who answers."""
    return os.getpid()


@question()
def endless(spec: TokenizerSpec) -> None:
    """Steps of Python without end, that catch what they can."""
    while True:
        try:
            for _ in range(1_000):
                pass
        except Exception:
            continue


@question()
def endless_in_a_library(spec: TokenizerSpec) -> None:
    """One call that does not come back and looks for no signals."""
    sum(range(10**13))


@question()
def asleep(spec: TokenizerSpec, seconds: float) -> None:
    """Takes its time without computing."""
    time.sleep(seconds)


@question()
def huge(spec: TokenizerSpec) -> int:
    """More memory than there is for it."""
    return len([bytes(10_000_000) for _ in range(1_000)])


@question()
def gone(spec: TokenizerSpec) -> None:
    """The process ends, as it does where a library finds no memory."""
    os._exit(1)


@question()
def refused(spec: TokenizerSpec) -> None:
    raise InputError("line 3: not a number; give one")


@question()
def left_open(spec: TokenizerSpec) -> None:
    raise ChoiceNeeded("which letter? choose one", "letter", ("a", "b"), free="a letter")


@question()
def faulty(spec: TokenizerSpec) -> None:
    raise KeyError("".join(["sec", "ret"]))


@question()
def name(spec: TokenizerSpec) -> str:
    return opened(spec.without_pattern).name


@question(lambda text: 10 * len(text))
def heavy(spec: TokenizerSpec, size: int) -> str:
    return "x" * size


class Clumsy:
    """What takes its time to go."""

    def __del__(self) -> None:
        for _ in range(3_000_000):
            pass


@question()
def endless_in_what_drops_exceptions(spec: TokenizerSpec) -> None:
    while True:
        Clumsy()

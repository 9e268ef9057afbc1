"""Questions that test a worker's limits."""

from __future__ import annotations

import os
import time
from pathlib import Path

from explorer.answers import worker
from explorer.answers.explore import opened
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import Store, question
from explorer.errors import ChoiceNeeded, InputError


@question
def process(spec: TokenizerSpec) -> int:
    """The id of the process that answers."""
    return os.getpid()


@question
def opened_before(spec: TokenizerSpec) -> int:
    """The weight of the tokenizers that the worker had open when it began."""
    return worker.ANSWERER.caches[Store.TOKENIZERS].weight


@question
def oom_score(spec: TokenizerSpec) -> int:
    """How soon the system ends this process when memory runs out."""
    return int(Path("/proc/self/oom_score_adj").read_text())


@question
def endless(spec: TokenizerSpec) -> None:
    """An endless loop in Python that catches every Exception."""
    while True:
        try:
            for _ in range(1_000):
                pass
        except Exception:
            continue


@question
def endless_in_a_library(spec: TokenizerSpec) -> None:
    """A call that doesn't return and doesn't check for signals."""
    sum(range(10**13))


@question
def asleep(spec: TokenizerSpec, seconds: float) -> None:
    """Waits without computing."""
    time.sleep(seconds)


@question
def huge(spec: TokenizerSpec) -> int:
    """Needs more memory than the limit."""
    return len([bytes(10_000_000) for _ in range(1_000)])


@question
def growing(spec: TokenizerSpec) -> None:
    """Takes ten megabytes more again and again, slowly."""
    taken = []
    while True:
        taken.append(b"x" * 10_000_000)
        time.sleep(0.01)


@question
def gone(spec: TokenizerSpec) -> None:
    """The process ends, as it does when a library runs out of memory."""
    os._exit(1)


@question
def refused(spec: TokenizerSpec) -> None:
    raise InputError("line 3: not a number; give one")


@question
def left_open(spec: TokenizerSpec) -> None:
    raise ChoiceNeeded("which letter? choose one", "letter", ("a", "b"), free="a letter")


@question
def faulty(spec: TokenizerSpec) -> None:
    raise KeyError("".join(["sec", "ret"]))


@question
def name(spec: TokenizerSpec) -> str:
    return opened(spec.without_pattern).name


@question
def heavy(spec: TokenizerSpec, size: int) -> str:
    return "x" * size


class Clumsy:
    """An object whose destructor is slow, and swallows exceptions."""

    def __del__(self) -> None:
        for _ in range(3_000_000):
            pass


@question
def endless_in_what_drops_exceptions(spec: TokenizerSpec) -> None:
    while True:
        Clumsy()

"""The command line while a template runs: a child goes on with the command, and this process says if it was ended."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from explorer.cli.shared import say
from explorer.prompts import guards


def watch_templates() -> None:
    """Has a child go on with the command from its first template, where the system can fork."""
    if hasattr(os, "fork"):
        guards.set_guard(_in_child)


@contextmanager
def _in_child(run: str) -> Iterator[None]:
    sys.stdout.flush()
    sys.stderr.flush()
    if child := os.fork():
        os._exit(_followed(child))
    guards.set_guard(_limited)
    with guards.limited():
        yield


def _limited(run: str) -> AbstractContextManager[None]:
    return guards.limited()


def _followed(child: int) -> int:
    """The exit status of the child that goes on. Says why there is none if the system ended it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child gets it, too
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        return os.waitstatus_to_exitcode(status)
    if os.WTERMSIG(status) == signal.SIGXCPU:
        say(f"explorer: {guards.ENDED}", error=True)
        return 1
    return 128 + os.WTERMSIG(status)

"""The command line: `explorer COMMAND …`, or `python -m explorer COMMAND …`.

Text comes from the arguments or from standard input (`-`, or nothing), as bytes that must be UTF-8. Results go to
standard output, errors to standard error, one line each. Exit status: 0 done, 1 bad input, 2 wrong usage. The
commands that compare (`compare`, `diff`, `roundtrip`) exit with 1 if something differs, and with 2 for bad input,
too.

When a command renders a chat template, a child goes on with it (`watch_templates`), and this process says if the
system ended it.
"""

import atexit
import gc
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from explorer.cli.parser import named, parser
from explorer.cli.shared import error_line, say
from explorer.errors import InputError
from explorer.prompts import guards

SELDOM = 100_000
"""New objects between two searches for garbage."""


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
    guards.set_guard(lambda run: guards.limited())
    with guards.limited():
        yield


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit status. For wrong usage, argparse exits with 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # UTF-8 whatever the locale, for --help, too: tokens are in every script
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    from_shell = arguments is None
    if from_shell:
        # little that a command makes is garbage: to look for it while modules load, and at the end, takes 30 ms
        gc.set_threshold(SELDOM)
        atexit.register(gc.freeze)
    arguments = sys.argv[1:] if arguments is None else arguments
    top = parser(next(iter(arguments), ""))
    parsed, rest = top.parse_known_args(arguments)
    if rest and "passes_on" not in parsed:
        top.error(f"unrecognized arguments: {' '.join(rest)}")
    parsed.rest = rest
    if sys.stdin is None or sys.stdout is None:
        say("explorer: standard input or output is closed; open both", error=True)
        return 1
    try:
        if from_shell and "renders" in parsed:
            watch_templates()
        status: int = named(parsed.run)(parsed)
        sys.stdout.flush()
        return status
    except InputError as error:
        say(error_line(error), error=True)
        return 1
    except BrokenPipeError:
        # the reader is gone (`| head`)
        abandon_output()
        return 0
    except OSError as error:
        abandon_output()
        say(
            f"explorer: cannot read or write: {error.strerror or error}; free disk space or check permissions",
            error=True,
        )
        return 1
    except KeyboardInterrupt:
        return 130


def abandon_output() -> None:
    """Discards what is still buffered; otherwise the interpreter would try to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

"""An exception nobody foresaw: the visitor reads one sentence and a number, the log has the stack under that number.

Neither says what was typed: a visitor sees no path and no code of the server, and the log holds no message of an
exception, because messages quote values.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from explorer.answers.workers import Fault
from explorer.ui.problem import problem

LOGGERS: Final = ("streamlit.error_util", "streamlit.runtime.scriptrunner.exec_code", "streamlit.runtime.fragment",
                  "streamlit.runtime.scriptrunner.script_runner", "streamlit.runtime.app_session")  # fmt: skip
"""Streamlit's loggers that may hold an exception of ours."""


def failed(error: Exception) -> bool:
    """Says on the page that something went wrong; what Streamlit would show is not shown."""
    problem(
        f"That is a fault of this program and not of what you did. It is noted in the server's log as {number(error)}. "
        "Change the text or the tokenizer, or reload the page.",
        "Something went wrong.",
    )
    return True


def number(error: BaseException) -> str:
    """The same for the same fault, whatever was typed.

    >>> number(ValueError("a")) == number(ValueError("b")), number(ValueError()) == number(KeyError())
    (True, False)
    """
    return sha256("".join(stack(error)).encode()).hexdigest()[:8]


def stack(error: BaseException) -> Iterator[str]:
    """The stack of an exception and of those it came from, without their messages."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield from traceback.format_list(traceback.extract_tb(at.__traceback__))
        yield f"{type(at).__module__}.{type(at).__qualname__}\n"
        if isinstance(at, Fault):
            yield f"in another process:\n{at}\n"
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)


class WithoutMessages(logging.Filter):
    """Writes the stack of a logged exception in place of the exception."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            said = record.msg if isinstance(record.msg, str) and not record.args else "An exception"
            record.msg, record.args = f"{said} {number(error)}\n{''.join(stack(error))}", ()
            record.exc_info = record.exc_text = None
        return True


def quiet() -> None:
    """Has Streamlit log in this way. May be called again and again."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, WithoutMessages) for each in logger.filters):
            logger.addFilter(WithoutMessages())

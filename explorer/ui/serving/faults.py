"""Unexpected exceptions: the visitor reads one sentence with a number, and the log has the stack under that number.

Neither quotes what was typed. The visitor sees no path and no code of the server, and the log has no exception
messages, because they quote values.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from explorer.answers.worker_process import WorkerCrash
from explorer.ui.notices import show_error

LOGGERS: Final = ("streamlit.error_util", "streamlit.runtime.scriptrunner.exec_code", "streamlit.runtime.fragment",
                  "streamlit.runtime.scriptrunner.script_runner", "streamlit.runtime.app_session")  # fmt: skip
"""Streamlit's loggers that may log an exception."""


def show_fault(error: Exception) -> bool:
    """Draws the sentence in place of Streamlit's own message."""
    show_error(
        "This is a fault of the program, not of what you did. The server's log has the details under "
        f"{fault_number(error)}. Change the text or the tokenizer, or reload the page.",
        "Something went wrong.",
    )
    return True


def fault_number(error: BaseException) -> str:
    """Identifies a fault by its stack, whatever was typed.

    >>> fault_number(ValueError("a")) == fault_number(ValueError("b"))
    True
    >>> fault_number(ValueError()) == fault_number(KeyError())
    False
    """
    return sha256("".join(stack(error)).encode()).hexdigest()[:8]


def stack(error: BaseException) -> Iterator[str]:
    """The stacks of an exception and of its causes, without their messages."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield from traceback.format_list(traceback.extract_tb(current.__traceback__))
        yield f"{type(current).__module__}.{type(current).__qualname__}\n"
        if isinstance(current, WorkerCrash):
            yield f"in another process:\n{current}\n"
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


class WithoutMessages(logging.Filter):
    """Replaces a logged exception by its stack."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record; always logs it."""
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            title = record.msg if isinstance(record.msg, str) and not record.args else "An exception"
            record.msg, record.args = f"{title} {fault_number(error)}\n{''.join(stack(error))}", ()
            record.exc_info = record.exc_text = None
        return True


def redact_logs() -> None:
    """Installs the filter in Streamlit's loggers. Idempotent."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, WithoutMessages) for each in logger.filters):
            logger.addFilter(WithoutMessages())

"""Unexpected exceptions: the visitor reads one sentence with a number, and the log has the stack under that number.

Neither quotes what was typed. The visitor sees no path and no code of the server, and the log has no exception
messages, because they quote values.
"""

import logging
import traceback
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from threading import Lock

from explorer.answers.worker_process import WorkerCrash
from explorer.errors import InputError
from explorer.ui.frame import show_error
from explorer.ui.language import words

LOGGERS = ("streamlit.error_util", "streamlit.runtime.scriptrunner.exec_code", "streamlit.runtime.fragment",
                  "streamlit.runtime.scriptrunner.script_runner", "streamlit.runtime.app_session")  # fmt: skip
"""Streamlit's loggers that may log an exception."""
MOST_COUNTED = 1_000
"""Exceptions that are counted; beyond them, counting begins anew."""
MOST_FRAMES = 30
"""Frames of a stack's beginning and of its end that are logged."""


def show_fault(error: Exception) -> bool:
    """Draws the sentence in place of Streamlit's own message; for a refusal in a callback, what it says."""
    if isinstance(error, InputError):
        show_error(error)
        return True
    show_error(
        words(
            "This is a fault of the program, not of what you did. The server's log has the details under {0:t}. "
            "Change the text or the tokenizer, or reload the page.",
            fault_number(error),
        ),
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
        frames = traceback.extract_tb(current.__traceback__)
        left_out = [f"  … {len(frames) - 2 * MOST_FRAMES} more\n"] if len(frames) > 2 * MOST_FRAMES else []
        first, last = (frames[:MOST_FRAMES], frames[-MOST_FRAMES:]) if left_out else (frames, [])
        yield from [*traceback.format_list(first), *left_out, *traceback.format_list(last)]
        yield f"{type(current).__module__}.{type(current).__qualname__}\n"
        if isinstance(current, WorkerCrash):
            yield f"in another process:\n{current}\n"
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


class WithoutMessages(logging.Filter):
    """Replaces a logged exception by its stack, and one that is logged again by how often it has come."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record. Logs an exception for the first time, and the 10th, 100th, 1,000th …"""
        if not record.exc_info or record.exc_info[1] is None:
            return True
        error = record.exc_info[1]
        if isinstance(error, InputError):  # no fault
            return False
        number = fault_number(error)
        times = counted(number)
        if times > 1 and str(times).strip("0") != "1":
            return False
        title = record.msg if isinstance(record.msg, str) and not record.args else "An exception"
        what = f"\n{''.join(stack(error))}" if times == 1 else f", {times:,} times by now"
        record.msg, record.args = f"{title} {number}{what}", ()
        record.exc_info = record.exc_text = None
        return True


_times: Counter[str] = Counter()
_lock = Lock()


def counted(number: str) -> int:
    """How often the exception of a number has been logged, this time included."""
    with _lock:
        if len(_times) >= MOST_COUNTED and number not in _times:
            _times.clear()
        _times[number] += 1
        return _times[number]


def redact_logs() -> None:
    """Installs the filter in Streamlit's loggers. Idempotent."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, WithoutMessages) for each in logger.filters):
            logger.addFilter(WithoutMessages())

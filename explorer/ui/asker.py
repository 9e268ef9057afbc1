"""The session that asks in a script's thread: the pages ask their questions (`explorer.answers`) as it.

A run that the person's next wish has overtaken, and one whose session is over, is noticed while it waits for an answer.
"""

from __future__ import annotations

from collections.abc import Callable

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.answers.sessions import Session, ask_for, session


def asker() -> Session | None:
    """This thread's; None outside of a script."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    still: Callable[[], None] = getattr(context, "yield_check", lambda: None)
    return session(context.session_id, still, over)


def over(id: str) -> bool:
    """Whether a session has ended, or its browser has gone: what it held is made again if it comes back."""
    return exists() and not get_instance().is_active_session(id)


def at_end(name: str, does: Callable[[], None]) -> None:
    """Has this done when the session is over. name: of what is given back then."""
    mine = asker()
    if mine is not None:
        mine.at_end[name] = does


def forget_private() -> None:
    """Gives back what this session's own files take."""
    mine = asker()
    if mine is not None:
        mine.forget()


ask_for(asker)

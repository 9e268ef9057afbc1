"""The visitor's session in a script's thread, which answers the questions that the pages ask (`explorer.answers`).

A run that the visitor's next action has overtaken, or whose session has ended, stops while it waits for an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.answers.sessions import Session, session, use_sessions


def current_session() -> Session | None:
    """This thread's session; None outside of a script."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    check_wanted: Callable[[], None] = getattr(context, "yield_check", lambda: None)
    return session(context.session_id, check_wanted, has_ended)


def has_ended(id: str) -> bool:
    """Whether a session has ended or its browser has disconnected."""
    return exists() and not get_instance().is_active_session(id)


def at_session_end(name: str, release: Callable[[], None]) -> None:
    """Calls `release` when the session ends. name: what it releases; a later call with the same name replaces it."""
    current = current_session()
    if current is not None:
        current.at_end[name] = release


def release_uploads_at_end() -> None:
    """Has Streamlit's own copies of this session's uploads deleted when the session ends; it keeps them for minutes."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None and exists():
        manager = get_instance().uploaded_file_mgr
        at_session_end("uploads in Streamlit", partial(manager.remove_session_files, context.session_id))


def release_private() -> None:
    """Frees what the session's uploads occupy."""
    current = current_session()
    if current is not None:
        current.release()


use_sessions(current_session)

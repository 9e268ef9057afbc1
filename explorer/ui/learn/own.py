"""A lesson of one's own: a TOML file that is dropped on the page, and the links to it.

The file is read and checked, and nothing in it is run. Its claims are held against the engine, and what fails is listed
for its author. It lives in the session; a small lesson fits into a link.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from explorer.answers.learn import faults_of
from explorer.answers.offers import short_name
from explorer.errors import InputError
from explorer.learning.languages import phrases
from explorer.learning.lessons import Lesson
from explorer.learning.lessons.reading import MOST_BYTES, link_of
from explorer.ui.frame import show_error, show_notice
from explorer.ui.learn.visit import Place, Visit, own_lesson
from explorer.ui.tokenizers.uploads import delete_from_streamlit

MOST_SAID: Final = 8
"""Claims that fail, in the list."""


def draw_field(state: Visit) -> None:
    """Draws the field for a lesson file, and what was wrong with the last one."""
    key = f"lesson file {st.session_state.setdefault('lesson files', 0)}"

    def take() -> None:
        file = st.session_state[key]
        if file is None:
            return
        st.session_state["lesson files"] += 1  # an empty field for the next file
        try:
            take_file(state, file.name, file.getvalue())
        finally:
            delete_from_streamlit([file])

    with st.container(key="drop-lesson", width="content"):
        to = phrases(state.language)
        st.file_uploader(to.words("Your own lesson"), key=key, width=190, on_change=take, max_upload_size=1,
                         type="toml", help=to.value(f"A TOML file of up to {MOST_BYTES:,} bytes; docs/LESSONS.md says "
                         "how to write one. It lives in this session, and nobody else sees it."))  # fmt: skip


def take_file(state: Visit, name: str, data: bytes) -> None:
    """Reads a dropped lesson and opens it; one that can't be read leaves the problem."""
    try:
        lesson = own_lesson(data, short_name(name))
    except InputError as error:
        state.problem = str(error)
        return
    link = link_of(lesson.source)
    state.own[link or lesson.key] = lesson
    state.go(Place(lesson.key, link=link or ""))


def draw_claims(lesson: Lesson) -> None:
    """Lists what of an own lesson the engine does not confirm."""
    wrong = faults_of(lesson.source, lesson.key)
    for fault in wrong[:MOST_SAID]:
        show_error(fault.shown, "Not confirmed.")
    if len(wrong) > MOST_SAID:
        show_notice(f"{len(wrong) - MOST_SAID} more are not confirmed.")

"""Compare: one text in many languages."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.languages import Language, languages, read_parallel
from explorer.analysis.provenance import short_hash
from explorer.answers.compare import CompareRequest, costs_export, languages_view
from explorer.errors import InputError
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.premiums import premiums
from explorer.ui.notices import show_error, show_notice
from explorer.ui.progress import Report
from explorer.ui.tokenizers.upload_field import stable_row


def languages_tab(request: CompareRequest, report: Report) -> None:
    """Draws who pays more for the same text, and the choice of the language that others are compared with."""
    with st.container(horizontal=True, vertical_alignment="top", key="languages-bar"):
        row = st.container(width="stretch")
        own = uploaded_texts()
    texts = own or tuple(languages().values())
    names = {language.code: language.name for language in texts}
    with row:
        base = st.selectbox(
            "Baseline language",
            list(names),
            key="language",
            bind="query-params",
            format_func=lambda code: names.get(code, code),
            width=320,
            label_visibility="collapsed",
        )
    specs = tuple(request.specs.values())
    try:
        report("tokenizing every language")
        view = languages_view(specs, texts, base, "your own text" if own else "four sentences")
    except InputError as error:
        show_error(error)
        return
    premiums(view.picture, content_id=short_hash(repr(view.picture)), key="languages")
    downloads(request, view.names, costs_export, specs, texts, base)


class ParallelUpload(NamedTuple):
    """A visitor's parallel text: the file's name, its texts or its error."""

    name: str
    texts: tuple[Language, ...] = ()
    error: InputError | None = None


def uploaded_texts() -> tuple[Language, ...]:
    """Draws the upload of a parallel text and returns its texts; they stay in this session when the tab changes."""
    state = st.session_state

    def take() -> None:
        file = state.parallel
        state.own = read(file.name, file.getvalue()) if isinstance(file, UploadedFile) else None

    def discard() -> None:
        state.own = None

    with st.popover("Your own text", icon=":material/upload_file:", width="content"):
        st.caption("A line for each language as `code`, tab, text; or a CSV with the columns language, text")
        file = st.file_uploader("Parallel text", type=["tsv", "csv", "txt"], key="parallel", on_change=take)
    own: ParallelUpload | None = state.get("own")
    with stable_row():
        if own is not None and own.error is not None:
            with st.container():
                show_error(own.error)
                show_notice("Below is the bundled text, not yours.")
        elif own is not None and file is None:
            # the uploader loses its file while another tab is shown
            show_notice(f"This is your own text, {own.name}.")
            st.button("Back to the bundled text", on_click=discard)
    return own.texts if own is not None else ()


def read(name: str, data: bytes) -> ParallelUpload:
    """An uploaded parallel text."""
    try:
        return ParallelUpload(name, read_parallel(data, name))
    except InputError as error:
        return ParallelUpload(name, error=error)

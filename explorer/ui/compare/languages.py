"""Compare: one text in many languages."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.languages import Language, languages, read_parallel
from explorer.answers.compare import CompareRequest, costs_export, languages_view
from explorer.errors import InputError
from explorer.text.say import Text, plural
from explorer.ui.compare.controls import downloads
from explorer.ui.components.tokens import premiums
from explorer.ui.frame import Report, show_error, show_notice, side_by_side
from explorer.ui.language import words


def languages_bar() -> None:
    """Draws what the tab reads instead of the page's text: the language that others are compared with, an own text."""
    with side_by_side(key="languages-bar"):
        first, middle = st.container(width="content"), st.container(width="stretch", key="languages-read")
        choose_file()
        texts = texts_read()
        names = {language.code: language.name for language in texts}
        with first:
            st.selectbox(
                words("Baseline language"), list(names), key="language", bind="query-params",
                format_func=lambda code: names.get(code, code), width=260, label_visibility="collapsed",
            )  # fmt: skip
        with middle:
            st.caption(words("{0:t}, {1:t} in each", plural(len(texts), "language"), text_title()))


def languages_tab(request: CompareRequest, report: Report) -> None:
    """Draws who pays more for the same text."""
    show_upload()
    texts, specs = texts_read(), tuple(request.specs.values())
    base, waiting = str(st.session_state.language), st.empty()
    try:
        counts = plural(len(texts), "language"), plural(len(specs), "tokenizer")
        report(words("tokenizing every language"))
        waiting.caption(words("Tokenizing {0:t} with {1:t} …", *counts))
        view = languages_view(specs, texts, base, text_title())
    except InputError as error:
        show_error(error)
        return
    finally:
        waiting.empty()
    premiums(view.picture, key="languages")
    downloads(request, view.names, costs_export, specs, texts, base)


class ParallelUpload(NamedTuple):
    """A visitor's parallel text: the file's name, its texts or its error."""

    name: str
    texts: tuple[Language, ...] = ()
    error: InputError | None = None


def own_upload() -> ParallelUpload | None:
    """The parallel text that was uploaded last; it stays in this session when the tab changes."""
    own: ParallelUpload | None = st.session_state.get("own")
    return own


def texts_read() -> tuple[Language, ...]:
    """The texts that are compared: the visitor's own, else the bundled ones."""
    own = own_upload()
    return (own.texts if own is not None else ()) or tuple(languages().values())


def text_title() -> str:
    """What the texts are called."""
    own = own_upload()
    return Text.of("your own text" if own is not None and own.texts else "four sentences")


def choose_file() -> None:
    """Draws the upload of a parallel text."""
    state = st.session_state

    def take() -> None:
        file = state.parallel
        state.own = read(file.name, file.getvalue()) if isinstance(file, UploadedFile) else None

    with st.popover(words("Your own text"), icon=":material/upload_file:", width="content"):
        st.caption(words("A line for each language as `code`, tab, text; or a CSV with the columns language, text"))
        st.file_uploader(words("Parallel text"), type=["tsv", "csv", "txt"], key="parallel", on_change=take)


def show_upload() -> None:
    """Says what is wrong with the upload, or that the uploader has lost a file that is still in use."""
    state, own = st.session_state, own_upload()

    def discard() -> None:
        state.own = None

    with side_by_side():
        if own is not None and own.error is not None:
            with st.container():
                show_error(own.error)
                show_notice("Below is the bundled text, not yours.")
        elif own is not None and state.get("parallel") is None:
            # the uploader loses its file while another tab is shown
            show_notice("This is your own text, {0:t}.", own.name)
            st.button(words("Back to the bundled text"), on_click=discard)


def read(name: str, data: bytes) -> ParallelUpload:
    """An uploaded parallel text."""
    try:
        return ParallelUpload(name, read_parallel(data, name))
    except InputError as error:
        return ParallelUpload(name, error=error)

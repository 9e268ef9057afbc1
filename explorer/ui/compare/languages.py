"""Compare: one text in many languages."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.languages import Language, languages, read_parallel
from explorer.answers.compare import Comparing, InLanguages, languages_drawn, languages_file
from explorer.errors import InputError
from explorer.ui.compare.downloads import take_away
from explorer.ui.problem import notice, problem
from explorer.ui.sentence import answer
from explorer.ui.tokenizers.drop_field import beside
from explorer.ui.working import Says
from explorer.views.compare.languages_chart import FIGURES, SHARES


def languages_part(chosen: Comparing, says: Says) -> None:
    """A heat map and a table of what each language costs."""
    texts = own_texts() or tuple(languages().values())
    names = {language.code: language.name for language in texts}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        base = st.selectbox(
            "Baseline language",
            list(names),
            key="language",
            bind="query-params",
            format_func=lambda code: names.get(code, code),
            width=220,
        )
        figure = st.selectbox("Colour by", list(FIGURES), key="figure", bind="query-params", width=200)
    runs = tuple(chosen.runs.values())
    try:
        says("tokenizing every language")
        found = languages_drawn(runs, texts, base, figure or "premium")
    except InputError as error:
        problem(error)
        return
    show(found, figure or "premium")
    take_away(chosen, found.names, lambda ending: languages_file.later(runs, texts, base, ending))


class Own(NamedTuple):
    """A person's own parallel text: the file's name, what is in it, what is wrong with it."""

    name: str
    texts: tuple[Language, ...] = ()
    error: InputError | None = None


def own_texts() -> tuple[Language, ...]:
    """A person's own parallel text. It lives in this session only, and stays while other questions are asked."""
    state = st.session_state

    def take() -> None:
        file = state.parallel
        state.own = read(file.name, file.getvalue()) if isinstance(file, UploadedFile) else None

    def give_up() -> None:
        state.own = None

    with st.expander(
        "Your own text: one language a line as `code`, tab, text; or a CSV with the columns language, text"
    ):
        file = st.file_uploader("Parallel text", type=["tsv", "csv", "txt"], key="parallel", on_change=take)
    own: Own | None = state.get("own")
    with beside():
        if own is not None and own.error is not None:
            with st.container():
                problem(own.error)
                notice("What follows is the bundled text, not yours.")
        elif own is not None and file is None:
            # the field forgot its file while another question was asked
            notice(f"This is your own text, {own.name}.")
            st.button("Back to the bundled text", on_click=give_up)
    return own.texts if own is not None else ()


def read(name: str, data: bytes) -> Own:
    try:
        return Own(name, read_parallel(data, name))
    except InputError as error:
        return Own(name, error=error)


def show(found: InLanguages, figure: str) -> None:
    answer(found.say, key="languages_say")
    st.caption(
        "Premium: tokens as a multiple of the baseline language's. Bytes a character is the script's own cost in "
        f"UTF-8, the same for every tokenizer. The colours: {FIGURES[figure].says}."
    )
    st.altair_chart(found.chart, width="stretch")
    st.dataframe(
        found.table, hide_index=True,
        column_config={
            name: st.column_config.NumberColumn(format="percent" if name.endswith(SHARES) else "%.2f")
            for name in map(str, found.table.select_dtypes("float"))
        },
    )  # fmt: skip

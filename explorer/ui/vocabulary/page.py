"""The Vocabulary page: the search and what it finds, the dossier, the checks, the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.offers import TokenizerSpec
from explorer.answers.vocabulary import (
    FIRST,
    MOST,
    PARTS,
    checked_part,
    findings_of,
    others_of,
    token_view,
    vocabulary_view,
)
from explorer.errors import InputError
from explorer.ui.components.vocabulary import Asked, asked, vocabulary
from explorer.ui.progress import progress_line
from explorer.ui.vocabulary.edits import draw_edits
from explorer.ui.vocabulary.pair import choose_look, draw_look
from explorer.ui.vocabulary.tokens_file import draw_files

KEY = "vocabulary"


@st.fragment
def follow(spec: TokenizerSpec) -> None:
    """Draws the page; a key press runs this alone."""
    st.html(Path(__file__).with_name("vocabulary.css"))
    now = asked(KEY)
    linked = spec.name if st.query_params.get("checked") == "true" else None
    checked = st.session_state.setdefault("checked tokenizer", linked) == spec.name
    edits = st.container(key="edits-part")
    look = st.container(key="look-part")
    vocabulary({**answer(spec, now, checked), "checked": checked}, key=KEY)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="vocabulary-end"):
        draw_checks(spec, checked, look)
        draw_files(spec, now.query, checked)
        chosen = choose_look()
        editing = st.toggle("Edit", key="edit", bind="query-params")
    if editing:
        with edits:
            draw_edits(spec, now.token)
    if chosen:
        with look:
            draw_look(spec, chosen)


def answer(spec: TokenizerSpec, now: Asked, checked: bool) -> dict[str, Any]:
    """What the component draws. A search that can't be read leaves the list as it was."""
    explore = {"m": spec.offer.label, "as": spec.implementation}
    data: dict[str, Any] = {"error": "", "explore": explore, "dossier": None, "scored": False, "token": now.token,
                            "answers": now.number}  # fmt: skip
    try:
        found = vocabulary_view(spec, now.query, checked, MOST if now.more else FIRST)
        data |= found._asdict()
        data |= {"scored": found.sorted_by_score, "more": found.found > len(found.rows) < MOST,
                 "search": f"{spec.name} {now.query!r}"}  # fmt: skip
    except InputError as error:
        data["error"] = f"{error}."
    try:
        token = now.token
        if token is None and "rows" in data and data["rows"]:
            token = data["token"] = data["rows"][0][0]
        if token is not None:
            others = {"others": others_of(spec, token)} if now.others == token and not spec.untrusted else {}
            data["dossier"] = {**token_view(spec, token, checked), **others}
            data["others"] = not spec.untrusted
    except InputError as error:
        data["error"] = data["error"] or f"{error}."
    return data


def draw_checks(spec: TokenizerSpec, checked: bool, room: DeltaGenerator) -> None:
    """Draws the button that runs the tokenizer on every token. room: for its progress."""
    if checked:
        found = sum(each.key.startswith(("unreached", "unbuilt")) for each in findings_of(spec, True))
        st.caption("Every token was asked for: see Checks." if found else "Every token was asked for, and given.",
                   width="content")  # fmt: skip
        return
    if st.button("Check every token", icon=":material/fact_check:", key="check",
                 help="Encodes each token's text: does it give the token back?"):  # fmt: skip
        with room:
            report = progress_line()
        for part in range(PARTS):
            report(f"encoding the text of every token, {100 * part // PARTS} % done")
            checked_part(spec, part)
        st.session_state["checked tokenizer"] = spec.name
        st.rerun(scope="fragment")

"""The Vocabulary page: the search and what it finds, the dossier, the checks, the files."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.vocabulary.query import Query
from explorer.answers.explore import download
from explorer.answers.offers import TokenizerSpec
from explorer.answers.vocabulary import (
    FIRST,
    MOST,
    PARTS,
    check_text,
    checked_part,
    checks_say,
    file_names,
    opening_of,
    others_of,
    search_export,
    surprises_of,
    token_view,
    vocabulary_view,
)
from explorer.errors import InputError
from explorer.ui import STYLES
from explorer.ui.components.sentence import sentence
from explorer.ui.components.vocabulary import Asked, asked, vocabulary
from explorer.ui.frame import fragment, progress_line
from explorer.ui.tokenizers.chooser import other_specs
from explorer.ui.vocabulary.edits import draw_edits
from explorer.ui.vocabulary.pair import choose_look, draw_look

KEY = "vocabulary"


@fragment
def follow(spec: TokenizerSpec) -> None:
    """Draws the page; a key press runs this alone."""
    st.html(STYLES / "vocabulary.css")
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
    """What the component draws. A search that can't be read leaves the list as it was, which is whole at first."""
    explore = {"m": spec.offer.label, "as": spec.implementation}
    data: dict[str, Any] = {"error": "", "explore": explore, "dossier": None, "scored": False, "token": now.token,
                            "answers": now.number, "say": None, "surprises": surprises_of(spec)}  # fmt: skip
    query = now.query
    try:
        data |= drawn(spec, query, checked, MOST if now.more else FIRST)
    except InputError as error:
        data["error"] = f"{error}."
        if now.number is None:
            query = Query()
            data |= drawn(spec, query, checked, FIRST)
    if now.token is not None:
        try:
            draw_token(data, spec, now.token, now, checked)
        except InputError as error:
            data["error"] = data["error"] or f"{error}."
    if data["dossier"] is None and "rows" in data:
        first = None
        try:
            first, data["say"] = first_token(spec, query)
        except InputError as error:
            data["error"] = data["error"] or f"{error}."
        if first is None and data["rows"]:
            first = data["rows"][0][0]
        if first is not None:
            data["token"] = first
            draw_token(data, spec, first, now, checked)
    return data


def first_token(spec: TokenizerSpec, query: Query) -> tuple[int | None, dict[str, Any] | None]:
    """The token whose dossier is open before one is chosen, None for the first found; and what the search itself says.

    A search for a text opens the token that spells it. If there is none, the sentence says what the text gives.
    """
    if query == Query():
        return opening_of(spec), None
    if query != Query(query.text):
        return None, None
    check = check_text(spec, query.text)
    return check.token, None if check.say is None else check.say._asdict()


def drawn(spec: TokenizerSpec, query: Query, checked: bool, most: int) -> dict[str, Any]:
    """What the component draws of a search. Raises InputError."""
    found = vocabulary_view(spec, query, checked, most)
    more = {"scored": found.sorted_by_score, "more": found.found > len(found.rows) < MOST}
    return {**found._asdict(), **more, "search": f"{spec.name} {query!r}"}


def draw_token(data: dict[str, Any], spec: TokenizerSpec, token: int, now: Asked, checked: bool) -> None:
    """Adds the dossier of a token. Raises InputError."""
    others = {"others": others_of(spec, token, other_specs(spec))} if now.others == token else {}
    data["dossier"] = {**token_view(spec, token, checked), **others}


def draw_checks(spec: TokenizerSpec, checked: bool, room: DeltaGenerator) -> None:
    """Draws the button that runs the tokenizer on every token. room: for its progress."""
    if checked:
        with room:
            sentence(checks_say(spec), key="checks-answer")
        return
    if st.button("Check every token", icon=":material/fact_check:", key="check",
                 help="Encodes each token's text: does it give the token back?"):  # fmt: skip
        with room:
            report = progress_line()
        for part in range(PARTS):
            report(f"encoding the text of every token, {100 * part // PARTS} % done")
            checked_part(spec, part)
        st.session_state["checked tokenizer"] = spec.name
        st.rerun()


def draw_files(spec: TokenizerSpec, query: Query, checked: bool) -> None:
    """Draws the buttons for CSV and JSON."""
    names = file_names(spec)
    for ending, label, kind in (("csv", "CSV", "text/csv"), ("json", "JSON", "application/json")):
        st.download_button(label, download.deferred(search_export, (spec, query, checked), ending), names[ending], kind,
                           on_click="ignore", icon=":material/download:", key=f"vocabulary {ending}",
                           help="All tokens found")  # fmt: skip

"""The tokenizers this session can choose, on every page: bundled ones, the server's files, the person's own.

The one that is chosen stands in the address by its label, which is never taken for a path. A label that names nothing
here (a link to a file that somebody else dropped) is said, and the default takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.card import size
from explorer.errors import InputError
from explorer.ui import card
from explorer.ui.components.echo import echo, heard
from explorer.ui.offers import Offer, Origin, Run, bundled
from explorer.ui.problem import notice, problem
from explorer.ui.question import answered, refused, settled
from explorer.ui.server_files import server_files
from explorer.ui.uploads import MOST_BYTES, MOST_FILES, came, open_shown, uploads
from explorer.views.say import plural

DROPPED = re.compile(r"(.{1,80}) \(([0-9a-f]{8})\)")
"""A label of a file that was dropped: its name and the beginning of its sha256."""


def offers() -> Mapping[str, Offer]:
    """All of them by label, the default first."""
    return {**bundled(), **server_files().offers, **uploads().offers}


@contextmanager
def row() -> Iterator[Run]:
    """Draws what chooses a tokenizer and what takes a file, in a row to which the page adds its own switches."""
    state = st.session_state
    with st.container():
        new = came()
    if new is not None:
        state.before = (state.get("m"), state.get("as"))
        select(new)
    hold()
    known = offers()
    linked, removed = st.query_params.get("m"), uploads().removed
    if linked is not None and linked not in known and not (removed and linked == removed.label):
        state.absent = linked
    elif state.get("absent") in known:
        state.absent = None
    st.html(Path(__file__).with_name("drop.css"))
    with st.container(horizontal=True, vertical_alignment="bottom", key="choices"):
        # the names are those of the command line and the library, and stand in the address
        label = st.selectbox(
            "Tokenizer", list(known), key="m", bind="query-params", width=220, on_change=follow_default
        )
        offer = state.offer = known[label or next(iter(known))]
        implementation = st.selectbox(
            "Implementation", offer.implementations, key="as", bind="query-params", width=180,
            help="Whose behaviour the ids are checked against",
        )  # fmt: skip
        with st.container(key="drop", width="content"):
            st.file_uploader(
                "Your own file", accept_multiple_files=True, key=uploads().widget, width=170,
                help="GGUF, tokenizer.json, tekken.json, SentencePiece .model, tiktoken ranks, vocab.txt, RWKV .txt: "
                f"up to {st.get_option('server.maxUploadSize')} MB each, {MOST_FILES} files and {size(MOST_BYTES)} "
                "together. Nobody else sees them. A larger file opens by its path: `streamlit run app.py -- "
                "--tokenizer PATH`.",
            )  # fmt: skip
        echo(state.wanted.number if "wanted" in state else 0, key="echo")
        yield answered(Run(offer, implementation or offer.implementations[0]))


class Wanted(NamedTuple):
    """What Python chose for the person: it stands until the browser has heard of it."""

    number: int
    label: str
    implementation: str


def select(offer: Offer, implementation: str | None = None) -> None:
    """Chooses a tokenizer on the person's behalf."""
    state, known = st.session_state, offer.implementations
    number = state.wanted.number + 1 if "wanted" in state else 1
    state.wanted = Wanted(number, offer.label, implementation if implementation in known else known[0])


def hold() -> None:
    """Sets the widgets to what was chosen for the person, before they are drawn, until the browser shows it."""
    state = st.session_state
    wanted: Wanted | None = state.get("wanted")
    if wanted is not None and heard("echo") < wanted.number:
        state.m, state["as"] = wanted.label, wanted.implementation


def follow_default() -> None:
    """Another tokenizer was chosen: whoever had the default implementation of the last one gets that of this one."""
    state = st.session_state
    offer = offers().get(state.m)
    if offer is not None and state.get("as") == state.offer.implementations[0]:
        state["as"] = offer.implementations[0]


def usable(run: Run) -> bool:
    """Opens the tokenizer and draws what there is to say about it; False where it cannot be used yet."""
    # one place on the page, however much is said: what follows would be put together anew if its place moved
    with st.container(key="tokenizer"):
        absent()
        what_came()
        what_went()
        mine(run)
        try:
            open_shown(run)
        except InputError as error:
            refused(run, error)
            return False
        settled(run)
        card.about(run)
        what_the_server_lacks()
        return True


# --- what is said beneath: each in a place of its own, which is there even while it is empty --------------------------


def beside() -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center")


def absent() -> None:
    """A link to something that is not here."""

    def dismiss() -> None:
        st.session_state.absent = None

    with beside():
        label = st.session_state.get("absent")
        if label is None:
            return
        match = DROPPED.fullmatch(label)
        if match:
            notice(
                f"This link leads to a file that somebody dropped: {match[1]}, sha256 {match[2]}… A file is never kept "
                f"for others, so drop it here again to see what the link shows. Until then you see {shown_instead()}."
            )
        else:
            notice(f"This link names {label[:80]!r}, which is no tokenizer here. You see {shown_instead()} instead.")
        st.button("Understood", on_click=dismiss, key="dismiss absent")


def shown_instead() -> str:
    return str(st.session_state.get("m") or next(iter(bundled())))


def what_came() -> None:
    """What was wrong with the files dropped last."""
    held = uploads()
    with beside():
        if not held.problems:
            return
        with st.container():
            for line in held.problems:
                problem(line, "Not opened.")
        st.button("Understood", on_click=held.problems.clear, key="dismiss problems")


def what_went() -> None:
    """The file that was removed last, and the way back."""
    held = uploads()

    def undo() -> None:
        offer = held.undo()
        if offer is not None:
            select(offer)

    with beside():
        if held.removed is not None:
            notice(f"{held.removed.label} was removed.")
            st.button("Undo", on_click=undo, key="undo removal", icon=":material/undo:")


def mine(run: Run) -> None:
    """Whose file it is, and the way to remove it."""

    def remove() -> None:
        uploads().remove(run.offer.label)
        label, implementation = st.session_state.get("before", (None, None))
        select(offers().get(label) or next(iter(bundled().values())), implementation)

    with beside():
        if run.offer.origin is Origin.UPLOAD:
            says = "This file lives in this session: nobody else sees it, and it goes when the session ends."
            st.caption(says, width="content")
            st.button("Remove it", on_click=remove, key="remove", icon=":material/delete:", type="tertiary")


def what_the_server_lacks() -> None:
    """The operator's files that cannot be opened."""
    problems = server_files().problems
    if not problems:
        return
    with st.expander(f"{plural(len(problems), 'file')} of this server cannot be opened", icon=":material/error:"):
        for line in problems:
            problem(line, "")

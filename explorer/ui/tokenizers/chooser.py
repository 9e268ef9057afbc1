"""The tokenizers this session can choose, on every page: bundled ones, the server's files, the person's own.

The one that is chosen stands in the address by its label, which is never taken for a path. A label that names nothing
here (a link to a file that somebody else dropped) is said, and the default takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import streamlit as st

from explorer.answers.explore import told
from explorer.answers.offers import Offer, Origin, Run, bundled
from explorer.errors import InputError
from explorer.text.quantities import plural
from explorer.ui.problem import notice, problem
from explorer.ui.tokenizers import card
from explorer.ui.tokenizers.drop_field import absent, beside, drop_field, look_for_absent, what_came
from explorer.ui.tokenizers.held import ask_for_echo, choose_for_person, hold
from explorer.ui.tokenizers.question import answered, answers, choosable, refused, refused_choices, settled, take_linked
from explorer.ui.tokenizers.server_files import server_files
from explorer.ui.tokenizers.uploads import came, open_shown, uploads


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
    hold("m", "as")
    known, removed = offers(), uploads().removed
    linked = st.query_params.get("m")
    look_for_absent([linked] if linked is not None and not (removed and linked == removed.label) else [], known)
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
        drop_field()
        ask_for_echo()
        run = Run(offer, implementation or offer.implementations[0])
        take_linked(run)
        yield answered(run)


def select(offer: Offer, implementation: str | None = None) -> None:
    """Chooses a tokenizer on the person's behalf."""
    known = offer.implementations
    choose_for_person(m=offer.label, **{"as": implementation if implementation in known else known[0]})


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
        absent(f"you see {shown_instead()}")
        what_came()
        what_went()
        refused_choices()
        mine(run)
        try:
            open_shown(run)
        except InputError as error:
            refused(run, error)
            return False
        settled(run)
        usual = run._replace(choices=tuple(answers(run).given.items())).original
        choosable(run, told(usual).choosable, told(run.original).choosable)
        card.about(run)
        what_the_server_lacks()
        return True


# --- what is said beneath: each in a place of its own, which is there even while it is empty --------------------------


def shown_instead() -> str:
    return str(st.session_state.get("m") or next(iter(bundled())))


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
    """What the operator gave that cannot be used: files, a folder, words of the command line."""
    problems = server_files().problems
    if not problems:
        return
    with st.expander(f"{plural(len(problems), 'problem')} with what this server was given", icon=":material/error:"):
        for line in problems:
            problem(line, "")

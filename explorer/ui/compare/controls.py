"""The controls of the Compare page: the text, two to six tokenizers, a baseline, the options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from explorer.analysis.alignment import MOST
from explorer.answers.compare.request import CompareRequest
from explorer.answers.explore import facts_of
from explorer.answers.offers import Offer, TokenizerSpec
from explorer.errors import InputError
from explorer.ui.explore.controls import text_field
from explorer.ui.notices import show_notice
from explorer.ui.text_options import read_text, text_switches
from explorer.ui.tokenizers.choices import (
    choice_state,
    choose_linked,
    show_refused_choices,
    show_unopened,
    with_choices,
)
from explorer.ui.tokenizers.chooser import offers
from explorer.ui.tokenizers.upload_field import (
    dismissible,
    note_missing,
    quoted_names,
    show_missing,
    upload_field,
    upload_messages,
)
from explorer.ui.tokenizers.uploads import open_new_uploads
from explorer.ui.widget_overrides import apply_overrides, is_overridden, overrides, request_echo

DEFAULTS = ("llama-2", "gpt-2@huggingface", "llama-3@huggingface", "o200k_base")


def all_specs() -> dict[str, TokenizerSpec]:
    """Everything that can be compared, by name."""
    return {
        name_of(offer, implementation): with_choices(TokenizerSpec(offer, implementation))
        for offer in offers().values()
        for implementation in offer.implementations
    }


def name_of(offer: Offer, implementation: str) -> str:
    """A spec's name on the page: its label, followed by the implementation if there are several."""
    return offer.label if len(offer.implementations) == 1 else f"{offer.label}@{implementation}"


def choose() -> CompareRequest | None:
    """Draws the controls and returns the request; None after a message if there is nothing to compare."""
    typed = text_field()
    with st.container():
        select_new_upload()
    apply_overrides("with")
    take_linked_choices(all_specs())
    known = all_specs()
    linked = st.query_params.get_all("with")
    note_missing(linked, known)
    note_surplus(linked, known)
    names = choose_tokenizers(known)
    with st.container(horizontal=True, vertical_alignment="bottom", key="choices"):
        base = st.selectbox("Baseline", names, key="base", bind="query-params", width=240,
                            help="The one that the others are measured against")  # fmt: skip
        upload_field()
        request_echo()
        # other parameters than on Explore: when the page changes, Streamlit deletes those bound on the page before
        add, parse, escapes = text_switches("addspecial", "parsespecial", "readescapes")
    specs = {name: known[name] for name in names}
    with st.container(key="tokenizer"):
        if not open_all(specs):
            return None
    text = read_text(typed, escapes)
    if text is None:
        return None
    return CompareRequest(specs, text, typed, escapes, add, parse, base if base in names else names[0])


def choose_tokenizers(known: Mapping[str, TokenizerSpec]) -> list[str]:
    """Draws the list of tokenizers and returns the names selected."""
    default = None if is_overridden("with") else list(DEFAULTS)
    return st.multiselect(
        "Tokenizers", list(known), default=default, max_selections=MOST, key="with", bind="query-params",
        help="Two to six; you can add one model under several implementations, or a file of your own",
    )  # fmt: skip


def open_all(specs: Mapping[str, TokenizerSpec]) -> bool:
    """Opens the selected tokenizers and draws the messages about them; False if one can't be used yet."""
    show_missing(f"you see {', '.join(specs)}" if specs else "nothing is compared")
    show_refused_choices()
    show_surplus()
    upload_messages()
    if not specs:
        show_notice("Choose two tokenizers or more.")
        return False
    with st.spinner("Reading the tokenizers", show_time=True):
        for spec in specs.values():
            try:
                facts_of(spec.without_pattern)
            except InputError as error:
                show_unopened(spec, error)
                return False
    show_choices(specs)
    return True


def take_linked_choices(known: Mapping[str, TokenizerSpec]) -> None:
    """Takes optional choices from the URL, once a session: a parameter `NAME KEY=VALUE` for each."""
    state = st.session_state
    if state.get("linked_here"):
        return
    refused: list[str] = []
    for each in st.query_params.get_all("chosen"):
        name, _, choice = each.rpartition(" ")
        key, _, value = choice.partition("=")
        lines = choose_linked(known[name], {key: value}) if name in known else []
        if lines is None:
            return
        refused += lines
    state.linked_here = True
    if refused:
        state.refused_choices = refused


def show_choices(specs: Mapping[str, TokenizerSpec]) -> None:
    """Draws the optional choices in force, each of which can be removed.

    Streamlit writes a widget that Python set to the URL when it is drawn a second time: with the next click.
    """
    state = st.session_state
    chosen = {
        f"{name} {key}={value}": (spec, key)
        for name, spec in specs.items()
        for key, value in choice_state(spec).optional.items()
    }

    def remove() -> None:
        for each, (spec, key) in chosen.items():
            if each not in state.chosen:
                choice_state(spec).optional.pop(key, None)

    # always present, so that what follows keeps its position and isn't rebuilt
    with st.container():
        if chosen:
            state.chosen = list(chosen)
            st.multiselect(
                "Their options", list(chosen), key="chosen", bind="query-params", on_change=remove,
                help="Options you set on Explore. Remove one to use the file's own setting",
            )  # fmt: skip


def note_surplus(linked: Iterable[str], known: Mapping[str, TokenizerSpec]) -> None:
    """Remembers which tokenizers of the URL are beyond the limit; the list takes the first ones."""
    names = [name for name in dict.fromkeys(linked) if name in known]
    if len(names) > MOST:
        st.session_state.left_out = names[MOST:]


def show_surplus() -> None:
    """Says which were left out."""
    names = st.session_state.get("left_out", [])
    lines = []
    if names:
        lines = [f"You can compare {MOST} tokenizers at once. This link names more; left out: {quoted_names(names)}."]
    dismissible(lines, "left_out", "dismiss left out")


def choose_one(request: CompareRequest, label: str) -> str:
    """Draws the choice of one tokenizer, for tabs about a single one; it is the same in all of them."""
    return st.selectbox(label, request.names, key="of", bind="query-params", width=260)


def select_new_upload() -> None:
    """Adds a new upload to the comparison; if the list is full, it replaces the last one."""
    new = open_new_uploads()
    if new is None:
        return
    name = name_of(new, new.implementations[0])
    before = [each for each in st.session_state.get("with", DEFAULTS) if each != name]
    overrides().set(**{"with": [*before[: MOST - 1], name]})

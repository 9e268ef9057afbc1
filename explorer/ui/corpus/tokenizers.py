"""Chooses the tokenizers that a job counts with: bundled ones, the server's, and those that the session made or opened.

The names are in the URL. What a link names that isn't here is said, as on the other pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from explorer.answers.explore import facts_of
from explorer.answers.offers import Origin, TokenizerSpec
from explorer.corpus.models import MOST
from explorer.corpus.result import Result
from explorer.errors import InputError
from explorer.facts import listed
from explorer.opening.catalog import title_of
from explorer.ui.frame import show_notice
from explorer.ui.tokenizers.choices import choice_state, show_unopened
from explorer.ui.tokenizers.chooser import all_specs, offers, spec_option
from explorer.ui.tokenizers.uploads import UPLOAD_LABEL, open_new_uploads, show_missing, upload_messages
from explorer.ui.widget_values import apply_overrides, linked_choices, linked_multiselect, overrides

KEY: Final = "models"
"""Of the list, and of its parameter in the URL."""
DEFAULTS: Final = ("gpt-2@huggingface", "o200k_base", "llama-2")


def select_new_upload() -> bool:
    """Opens what was dropped here or made on another page, and adds it to the list. Returns whether there was one."""
    new = open_new_uploads()
    if new is None:
        return False
    name = TokenizerSpec(new, new.implementations[0]).name
    before = [each for each in names_kept() if each != name]
    overrides().set(**{KEY: [*before[: MOST - 1], name]})
    return True


def names_kept() -> list[str]:
    """The names chosen last."""
    return list(linked_choices().kept.get(KEY, DEFAULTS))


def choose_tokenizers() -> tuple[TokenizerSpec, ...] | None:
    """Draws the list and the messages about it; None if one of the tokenizers can't be opened yet."""
    known = all_specs()
    apply_overrides(KEY)
    state = st.session_state
    if KEY in state:  # one of them may have been removed, or have got another name with its settings
        state[KEY] = [each for each in state[KEY] if each in known]
    names = linked_multiselect(
        "Tokenizers", list(known), key=KEY, title=lambda name: spec_option(known[name]), default=DEFAULTS,
        max_selections=MOST, select_all=False, placeholder="One or more, a model also under several implementations",
        help="Your own, too: those you opened, edited or trained in this session. Drop a file under Settings",
    )  # fmt: skip
    specs = {name: known[name] for name in names}
    with st.container(key="tokenizer"):
        show_missing(f"you count with {listed([spec.title for spec in specs.values()]) or 'none'}")
        upload_messages()
        if not all(map(is_usable, specs.values())):
            return None
        show_choices(specs)
        return tuple(specs.values())


def is_usable(spec: TokenizerSpec) -> bool:
    """Opens a tokenizer that may not open, and draws why it doesn't."""
    if spec.offer.origin is Origin.BUNDLED and not spec.choices:
        return True
    try:
        with st.spinner("Reading the tokenizers", show_time=True):
            facts_of(spec)
    except InputError as error:
        show_unopened(spec, error)
        return False
    return True


def show_choices(specs: Mapping[str, TokenizerSpec]) -> None:
    """Says which optional settings are in force, which are made on Explore."""
    made = [
        f"{spec.title}: {key} = {value}"
        for spec in specs.values()
        for key, value in choice_state(spec).optional.items()
    ]  # fmt: skip
    if made:
        show_notice(f"Counted with what you set on Explore: {listed(made)}.")


def with_titles(result: Result) -> Result:
    """The result with its tokenizers by the names people know."""
    both = zip(result.tokenizers, result.made.tokenizers, strict=True)
    named = (label.replace(made.model, title_of(made.model)) if made.model else label for label, made in both)
    return result._replace(tokenizers=tuple(named))


def name_in_urls(result: Result, index: int) -> str:
    """The name in URLs of the tokenizer at an index; "" if it isn't here.

    A visitor's own has its name also where it is missing: the page that it leads to says so.
    """
    made = result.made.tokenizers[index]
    offer = offers().get(made.model)
    if offer is None and not UPLOAD_LABEL.fullmatch(made.model):
        return ""
    runs = offer is None or made.implementation in offer.implementations
    return f"{made.model}@{made.implementation}" if runs else made.model

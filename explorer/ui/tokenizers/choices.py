"""The choices of a tokenizer: required ones, which its file leaves open, and optional ones.

A required choice is drawn as a question with known answers or a text field. Optional choices other than the default
are in the URL, as `choose_KEY`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import streamlit as st

from explorer.answers.explore import facts_of
from explorer.answers.offers import TokenizerSpec
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import Choosable
from explorer.ui.frame import show_error, show_notice, side_by_side
from explorer.ui.parameters import CHOOSE
from explorer.ui.tokenizers.uploads import MAX_NAMES, dismissible


@dataclass
class ChoiceState:
    """The choices made for one tokenizer under one implementation.

    required: answers by key, in the order they were asked. optional: values by key that differ from the default
    (`Choosable`). question: the last required choice asked.
    """

    required: dict[str, str] = field(default_factory=dict)
    optional: dict[str, str] = field(default_factory=dict)
    question: ChoiceNeeded | None = None

    @property
    def untried(self) -> bool:
        """Whether the last question is answered, but the answer not yet tried."""
        return self.question is not None and self.question.key in self.required


def choice_state(spec: TokenizerSpec) -> ChoiceState:
    """This session's choices for a tokenizer and implementation."""
    known: dict[tuple[str, str], ChoiceState] = st.session_state.setdefault("answers", {})
    return known.setdefault((spec.offer.key, spec.implementation), ChoiceState())


def with_choices(spec: TokenizerSpec) -> TokenizerSpec:
    """The spec with the choices made for it."""
    state = choice_state(spec)
    return spec._replace(choices=(*state.required.items(), *state.optional.items()))


def take_linked(spec: TokenizerSpec) -> None:
    """Takes the optional choices in the URL, once a session; refused ones are remembered."""
    state = st.session_state
    if "refused_choices" in state or st.query_params.get("m") not in (None, spec.offer.label):
        return
    linked = {name.removeprefix(CHOOSE): st.query_params[name] for name in st.query_params if name.startswith(CHOOSE)}
    refused = choose_linked(spec, linked)
    if refused is not None:
        state.refused_choices = refused


def choose_linked(spec: TokenizerSpec, linked: Mapping[str, str]) -> list[str] | None:
    """Makes optional choices; returns a line for each that is refused, None while a required choice is open."""
    if not linked:
        return []
    state = choice_state(spec)
    try:
        facts = facts_of(spec._replace(choices=tuple(state.required.items())))
    except InputError:
        return None
    offered = {each.key: each for each in facts.choosable}
    lines = []
    for key, value in linked.items():
        each = offered.get(key)
        if each is None or value not in each.options:
            reason = (
                f"{spec.offer.label} has no such choice" if each is None else f"known are {', '.join(each.options)}"
            )
            lines.append(f"This link chooses {key[:40]} = {value[:40]!r}, but {reason}.")
        elif value != each.chosen:
            state.optional[key] = value
    return lines


def show_refused_choices() -> None:
    """Says which choices of a link were refused."""
    dismissible(st.session_state.get("refused_choices", [])[:MAX_NAMES], "dismiss choices", "refused_choices")


def show_unopened(spec: TokenizerSpec, error: InputError) -> None:
    """Draws why a tokenizer didn't open: a question, a wrong answer to one, or an error."""
    state = choice_state(spec)
    question, wrong = state.question, ""
    if isinstance(error, ChoiceNeeded):
        wrong = str(error) if error.key in state.required else ""
        state.question = question = error
    elif state.untried:
        wrong = str(error)
    else:
        show_error(error)
        return
    assert question is not None, "an untried answer has a question"
    ask(state, question, wrong)


def open_each(specs: Iterable[TokenizerSpec]) -> bool:
    """Opens tokenizers, and draws why the first doesn't that does not open; whether all did."""
    with st.spinner("Reading the tokenizers", show_time=True):
        for spec in specs:
            try:
                facts_of(spec.without_pattern)
            except InputError as error:
                show_unopened(spec, error)
                return False
    return True


def ask(state: ChoiceState, question: ChoiceNeeded, wrong: str) -> None:
    """Draws a question with its fields. wrong: why the last answer failed. Another tokenizer can be chosen instead."""
    key = question.key
    answer = state.required.get(key, "")

    def take() -> None:
        typed = str(st.session_state.get(f"typed {key}") or "").strip()
        given = typed or st.session_state.get(f"chosen {key}")
        if given:
            state.required[key] = str(given)

    with st.container(border=True, key="question"):
        show_notice(str(question))
        with side_by_side("bottom"):
            if question.options:
                # when any text is allowed, no known answer is likely enough to be the default
                default = None if question.free else 0
                index = question.options.index(answer) if answer in question.options else default
                st.selectbox(
                    "Known answers", question.options, index, key=f"chosen {key}", placeholder="Choose one", width=320
                )
            if question.free:
                own = "" if answer in question.options else answer
                label = f"{question.free} of your own"
                label = f"Or {label}" if question.options else label[0].upper() + label[1:]
                st.text_input(label, own, key=f"typed {key}", width=420)
            st.button("Use this answer", type="primary", on_click=take)
        if wrong:
            show_error(wrong, "That answer doesn't work.")


def show_answers(spec: TokenizerSpec) -> None:
    """Says which required choices were made, and offers to change them."""
    state = choice_state(spec)

    def clear() -> None:
        state.required.clear()

    with side_by_side():
        if state.required:
            chosen = ", ".join(f"{key} = {value}" for key, value in state.required.items())
            show_notice(f"This file doesn't specify everything. You chose {chosen}.")
            st.button("Choose again", on_click=clear)


def choose_optional(spec: TokenizerSpec, defaults: tuple[Choosable, ...], offered: tuple[Choosable, ...]) -> None:
    """Draws the optional choices of a tokenizer. defaults: the same choices with nothing chosen."""
    choices, state = choice_state(spec), st.session_state
    default_of = {each.key: each.chosen for each in defaults}

    def take(key: str) -> None:
        value = str(state[CHOOSE + key])
        choices.optional.pop(key, None)
        if value != default_of[key]:
            choices.optional[key] = value

    # always present, if empty, so that what follows keeps its position and isn't rebuilt
    with side_by_side("top", key="choosable"):
        for each in offered:
            # the URL omits the first option; tokenizers with other defaults share the parameter
            default = default_of[each.key]
            options = sorted(each.options, key=lambda option, default=default: option != default)  # type: ignore[misc]
            state[CHOOSE + each.key] = each.chosen
            st.selectbox(
                each.label, options, key=CHOOSE + each.key, bind="query-params", width=260, on_change=take,
                args=(each.key,), help=f"The same as --choose {each.key}=… on the command line",
            )  # fmt: skip

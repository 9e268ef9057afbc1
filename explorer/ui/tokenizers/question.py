"""What a file leaves open is asked of the person: the known answers to choose from, or a text of their own.

What may be chosen besides is in the address, as `choose_KEY`, where it is not the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from explorer.answers.explore import told
from explorer.answers.offers import Run
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import Choosable
from explorer.ui.links import CHOOSE
from explorer.ui.problem import notice, problem
from explorer.ui.tokenizers.drop_field import MOST_SAID, understood


@dataclass
class Answers:
    """What was answered for one tokenizer under one implementation.

    given: by key, in the order they were asked. question: the last one asked. chosen: what may be chosen besides
    (`Choosable`), by key, where it is not the default.
    """

    given: dict[str, str] = field(default_factory=dict)
    chosen: dict[str, str] = field(default_factory=dict)
    question: ChoiceNeeded | None = None

    @property
    def doubtful(self) -> bool:
        """Whether the last thing that happened is an answer that nobody has tried yet."""
        return self.question is not None and self.question.key in self.given


def answers(run: Run) -> Answers:
    """This session's for this tokenizer and implementation."""
    known: dict[tuple[str, str], Answers] = st.session_state.setdefault("answers", {})
    return known.setdefault((run.offer.key, run.implementation), Answers())


def answered(run: Run) -> Run:
    """The run with what was answered for it."""
    held = answers(run)
    return run._replace(choices=(*held.given.items(), *held.chosen.items()))


def take_linked(run: Run) -> None:
    """Takes what the address chooses for its tokenizer, once a session; what is not offered is kept in mind."""
    state = st.session_state
    if "refused_choices" in state or st.query_params.get("m") not in (None, run.offer.label):
        return
    asked = {name.removeprefix(CHOOSE): st.query_params[name] for name in st.query_params if name.startswith(CHOOSE)}
    refused = take_choices(run, asked)
    if refused is not None:
        state.refused_choices = refused


def take_choices(run: Run, asked: Mapping[str, str]) -> list[str] | None:
    """Chooses these of a tokenizer; a line for each that cannot be. None where its file has a question first."""
    if not asked:
        return []
    held = answers(run)
    try:
        offered = {each.key: each for each in told(run._replace(choices=tuple(held.given.items()))).choosable}
    except InputError:
        return None
    lines = []
    for key, value in asked.items():
        each = offered.get(key)
        if each is None or value not in each.options:
            has = f"{run.offer.label} has no such choice" if each is None else f"known are {', '.join(each.options)}"
            lines.append(f"This link chooses {key[:40]} = {value[:40]!r}, but {has}.")
        elif value != each.chosen:
            held.chosen[key] = value
    return lines


def refused_choices() -> None:
    """Says what a link chose in vain."""
    understood(st.session_state.get("refused_choices", [])[:MOST_SAID], "refused_choices", "dismiss choices")


def refused(run: Run, error: InputError) -> None:
    """Shows why a tokenizer did not open: as a question, as an answer that does not do, or as an error."""
    held = answers(run)
    question, wrong = held.question, ""
    if isinstance(error, ChoiceNeeded):
        wrong = str(error) if error.key in held.given else ""
        held.question = question = error
    elif held.doubtful:
        wrong = str(error)
    else:
        problem(error)
        return
    assert question is not None, "only a question has an answer"
    ask(held, question, wrong)


def ask(held: Answers, question: ChoiceNeeded, wrong: str) -> None:
    """The question with its fields. Nothing is lost if it is never answered: another tokenizer may be chosen."""
    key = question.key
    given = held.given.get(key, "")

    def take() -> None:
        typed = str(st.session_state.get(f"typed {key}") or "").strip()
        answer = typed or st.session_state.get(f"chosen {key}")
        if answer:
            held.given[key] = str(answer)

    with st.container(border=True, key="question"):
        notice(str(question))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if question.options:
                # where any text is an answer, none of those that are known is likely
                place = question.options.index(given) if given in question.options else None if question.free else 0
                st.selectbox(
                    "Known answers", question.options, place, key=f"chosen {key}", placeholder="Choose one", width=320
                )
            if question.free:
                own = "" if given in question.options else given
                label = f"{question.free} of your own"
                label = f"Or {label}" if question.options else label[0].upper() + label[1:]
                st.text_input(label, own, key=f"typed {key}", width=420)
            st.button("Open with this", type="primary", on_click=take)
        if wrong:
            problem(wrong, "This answer does not do.")


def settled(run: Run) -> None:
    """Says what was answered, and lets it be changed."""
    held = answers(run)

    def again() -> None:
        held.given.clear()

    with st.container(horizontal=True, vertical_alignment="center"):
        if held.given:
            chosen = ", ".join(f"{key} = {value}" for key, value in held.given.items())
            notice(f"The file leaves something open. You chose {chosen}.")
            st.button("Choose again", on_click=again)


def choosable(run: Run, usual: tuple[Choosable, ...], offered: tuple[Choosable, ...]) -> None:
    """What may be chosen of this tokenizer. usual: with nothing chosen, which is the default of each."""
    held, state = answers(run), st.session_state
    defaults = {each.key: each.chosen for each in usual}

    def take(key: str) -> None:
        value = str(state[CHOOSE + key])
        held.chosen.pop(key, None)
        if value != defaults[key]:
            held.chosen[key] = value

    # always there, if empty: what follows would be put together anew if its place moved
    with st.container(horizontal=True, key="choosable"):
        for each in offered:
            # the first option is left out of the address; each tokenizer keeps its own under the one name there
            usually = defaults[each.key]
            options = sorted(each.options, key=lambda option, usually=usually: option != usually)  # type: ignore[misc]
            state[CHOOSE + each.key] = each.chosen
            st.selectbox(
                each.label, options, key=CHOOSE + each.key, bind="query-params", width=260, on_change=take,
                args=(each.key,), help=f"As --choose {each.key}=… on the command line",
            )  # fmt: skip

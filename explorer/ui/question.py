"""What a file leaves open is asked of the person: the known answers to choose from, or a text of their own."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from explorer.engine.tokenizer import Tokenizer
from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import Choosable
from explorer.ui.offers import Run
from explorer.ui.problem import notice, problem


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


def choosable(run: Run, usual: Tokenizer, offered: tuple[Choosable, ...]) -> None:
    """What may be chosen of this tokenizer. usual: the same with nothing chosen, which knows the defaults."""
    held = answers(run)
    defaults = {each.key: each.chosen for each in usual.choosable}

    def take(key: str) -> None:
        value = str(st.session_state[widget(key)])
        held.chosen.pop(key, None)
        if value != defaults[key]:
            held.chosen[key] = value

    def widget(key: str) -> str:
        return f"choose {key} {run.offer.key} {run.implementation}"

    # always there, if empty: what follows would be put together anew if its place moved
    with st.container(horizontal=True, key="choosable"):
        for each in offered:
            st.selectbox(
                each.label, each.options, each.options.index(each.chosen), key=widget(each.key), width=260,
                on_change=take, args=(each.key,), help=f"As --choose {each.key}=… on the command line",
            )  # fmt: skip

"""The controls of the Train page: algorithm, whom it follows, size, cutting, the trainer's own options."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.answers.train import LONGEST, LONGEST_OPTION, TrainRequest, largest, letters_of
from explorer.answers.train_offers import ALGORITHMS, CUTS, OFFERED, SIZES, Offered
from explorer.training.sentencepiece.options import RULES
from explorer.training.trainers import TRAINERS
from explorer.ui.components.live_text import linked_text, live_text, reported_text
from explorer.ui.components.url_values import url_values
from explorer.views.train_examples import CORPORA, SETTINGS, TWO_LINES

SIZE: Final = 48
"""Tokens at first."""
MORE: Final = 18
"""At first, at least so many more than are there before anything is learned."""
UNSHOWN: Final = {"vocab_size", "charsmap"}
"""Options with a control of their own, and one that is a file's."""


def draw_bar() -> tuple[DeltaGenerator, TrainRequest]:
    """Draws the bar; returns room at its end, and what is asked for. The text is the field's, which is drawn later."""
    state = st.session_state
    opened = state.pop("training_opened", False)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="training"):
        algorithm = st.segmented_control(
            # a default in the run that sets the value would be a contradiction to Streamlit
            "Algorithm", list(ALGORITHMS), format_func=ALGORITHMS.__getitem__, default=None if opened else "bpe",
            key="algorithm", bind="query-params", required=True, label_visibility="collapsed",
        ) or "bpe"  # fmt: skip
        titles = {offered.title: trainer_id for trainer_id, offered in OFFERED.items() if trainer_id[0] == algorithm}
        title = st.selectbox(
            "Trainer", list(titles), key=f"{algorithm}-as", bind="query-params", label_visibility="collapsed", width=208
        )
        trainer_id = titles[title]
        offered = OFFERED[trainer_id]
        sizes = st.container(horizontal=True, vertical_alignment="center", gap="small", key="size-row", width="content")
        cutting = draw_cutting(algorithm, offered)
        with st.popover("Options", icon=":material/tune:", width="content", key="options"):
            options = draw_options(trainer_id, offered)
        end = st.container(horizontal=True, gap="small", width="content", key="trained")
        request = TrainRequest(trainer_id, cutting, current_corpus(), 0, options)
        with sizes:
            size = draw_size(request, offered)
            # Streamlit leaves out of the URL what was set before its widget came, as by an example
            linked: dict[str, str | None] = {size_key(each): None for each in OFFERED.values()}
            linked[f"{algorithm}-as"] = None if offered.title == next(iter(titles)) else title
            if is_chosen(offered):
                linked[size_key(offered)] = str(size)
            url_values(linked, key="training-url")
    return end, request._replace(vocab_size=size)


def draw_size(request: TrainRequest, offered: Offered) -> int:
    """Draws the size of the vocabulary, as a slider and as a number. Until it is chosen, it follows the alphabet."""
    state, key = st.session_state, size_key(offered)
    slider = f"{key}-slider"

    def take() -> None:
        state[key] = state[slider]

    letters = letters_of(request)
    usual = usual_size(letters, offered)
    most = offered.smallest + SIZES + (0 if letters <= SIZES - 100 else LONGEST)
    if not is_chosen(offered):
        state[key] = state[following(offered)] = usual
    if key in state:
        state[key] = min(most, max(offered.smallest, state[key]))
    place = st.container(width=96)
    size = int(
        st.number_input(
            "Tokens", offered.smallest, most, key=key, bind="query-params", width=92, label_visibility="collapsed"
        )
    )
    state[slider] = size
    place.slider("Vocabulary", offered.smallest, most, key=slider, on_change=take, label_visibility="collapsed")
    return size


def following(offered: Offered) -> str:
    """Where the session keeps the size that the page chose by itself."""
    return f"{size_key(offered)}-following"


def is_chosen(offered: Offered) -> bool:
    """Whether the visitor or the URL chose the size."""
    state, key = st.session_state, size_key(offered)
    return state[key] != state.get(following(offered)) if key in state else key in st.query_params


def usual_size(letters: int, offered: Offered) -> int:
    """The size at first. letters: how many tokens there are before anything is learned."""
    return max(SIZE, offered.smallest + MORE, letters + MORE)


def size_key(offered: Offered) -> str:
    """The key of the size, which is its parameter: one for each least size."""
    return f"size{offered.smallest or ''}"


def draw_cutting(algorithm: str, offered: Offered) -> str:
    """Draws how words are cut, where there is a choice."""
    if len(offered.cuttings) < 2:
        return "none"
    return st.selectbox(
        "Words", offered.cuttings, format_func=CUTS.__getitem__, key=f"{algorithm}-words",
        bind="query-params", label_visibility="collapsed", width=186,
    )  # fmt: skip


def draw_options(trainer_id: tuple[str, str], offered: Offered) -> tuple[tuple[str, Any], ...]:
    """Draws the trainer's own options under their names; returns those that differ from its defaults."""
    usual = dict(offered.options)
    chosen: dict[str, Any] = {}
    shown = [each for each in fields(TRAINERS[trainer_id].options) if each.name not in UNSHOWN]
    if not shown:
        st.caption("This trainer has no other option than the size.")
    for each in shown:
        default = usual.get(each.name, each.default)
        value = draw_option(f"{'-'.join(trainer_id)}.{each.name}", each, default)
        if value != each.default:
            chosen[each.name] = value
    return tuple(chosen.items())


def draw_option(key: str, option: Field[Any], default: Any) -> Any:
    """Draws one option by its type; returns its value."""
    name, kind = option.name, str(option.type)
    if kind == "bool":
        return st.toggle(name, default, key=key, bind="query-params")
    if kind in ("int", "float"):
        step = 0.0005 if kind == "float" else 1
        most = type(step)(largest(name))
        return st.number_input(name, max_value=most, value=default, step=step, key=key, bind="query-params",
                               format="%.4f" if kind == "float" else None)  # fmt: skip
    if kind == "int | None":
        usual = "" if default is None else str(default)
        typed = st.text_input(name, usual, key=key, bind="query-params", placeholder="no limit")
        return int(typed) if typed.isdecimal() and len(typed) < 9 else None
    if kind.startswith("tuple"):
        typed = st.text_input(name, " ".join(default), key=key, bind="query-params", max_chars=LONGEST_OPTION,
                              help="Separated by spaces")  # fmt: skip
        return tuple(typed.split())
    if name == "normalization_rule_name":
        return st.selectbox(name, RULES, key=key, bind="query-params")
    typed = st.text_input(name, default or "", key=key, bind="query-params", max_chars=LONGEST_OPTION)
    return typed or (None if kind == "str | None" else "")


def draw_corpus() -> str:
    """Draws the text field and the examples; returns the text."""
    state = st.session_state
    current_corpus()
    live_text(
        state.corpus, rev=state.corpus_rev, key="corpus_field", label="Text to learn from", parameter="corpus",
        max_chars=LONGEST, unlinked=TWO_LINES, selectable=False, placeholder="Type or paste text to learn from",
        note=f"Up to {LONGEST:,} characters; for more: explorer train",
    )  # fmt: skip
    st.pills("Examples", list(CORPORA), key="corpus_example", on_change=open_example, label_visibility="collapsed")
    return str(state.corpus)


def current_corpus() -> str:
    """The text of the field, at first that of the URL."""
    state = st.session_state
    if "corpus" not in state:
        state.corpus, state.corpus_rev = linked_text("corpus", TWO_LINES, LONGEST), 0
    typed = reported_text("corpus_field", rev=state.corpus_rev, longest=LONGEST)
    if typed is not None:
        state.corpus = typed
    return str(state.corpus)


def open_example() -> None:
    """Puts an example into the field, with the trainer that shows its point."""
    state = st.session_state
    name = state.corpus_example
    if name is None:
        return
    state.corpus, state.corpus_rev = CORPORA[name], state.corpus_rev + 1
    state.corpus_example = None
    setting = SETTINGS.get(name)
    for offered in OFFERED.values():
        state[following(offered)] = state.get(size_key(offered))
    if setting is not None:
        (algorithm, _), offered = setting.trainer_id, OFFERED[setting.trainer_id]
        state.training_opened, state.algorithm = True, algorithm
        state[f"{algorithm}-as"], state[size_key(offered)] = offered.title, setting.size
        if setting.cutting in offered.cuttings:
            state[f"{algorithm}-words"] = setting.cutting

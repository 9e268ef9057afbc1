"""The controls of the Train page: algorithm, whom it follows, size, cutting, the trainer's own options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, fields
from typing import Any, Final, Literal, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.answers.train import letters_of
from explorer.errors import nearest, no_longer_offered
from explorer.training.request import (
    ALGORITHMS,
    CUTS,
    LONGEST,
    LONGEST_OPTION,
    OFFERED,
    SIZES,
    Offered,
    TrainRequest,
    largest,
)
from explorer.training.sentencepiece.options import RULES
from explorer.training.trainers import TRAINERS
from explorer.ui.components.every_page import TextField, reported_text
from explorer.ui.frame import choose_tab, show_notice, side_by_side
from explorer.ui.language import words
from explorer.ui.parameters import url_values
from explorer.views.examples import CORPORA, PROSE, SETTINGS, TWO_LINES

FIRST: Final = {"bpe": (48, 18), "wordpiece": (64, 15), "unigram": (48, 22), "wordlevel": (0, 0)}
"""The size at first, by algorithm: so many tokens at least, and so many more than are there before a training."""
MORE: Final = 18
"""At first, at least so many more than the least size that a trainer takes."""
UNSHOWN: Final = {"vocab_size", "charsmap"}
"""Options with a control of their own, and one that is a file's."""
LEVELS: Final = {"Story": "story", "Algorithm": "algorithm", "Implementation": "implementation"}
"""Of the stepper, by their names in the row of views."""
SIZE_SET: Final = "training_size_set"
"""Where the session keeps that a size was set since the field was drawn."""


class Bar(NamedTuple):
    """What the bar holds. text, end: room for the text field, and after its buttons. view: the name of the view."""

    text: DeltaGenerator
    end: DeltaGenerator
    request: TrainRequest
    view: str


def draw_bar(questions: Sequence[str]) -> Bar:
    """Draws the bar but for the text, whose first value depends on the algorithm. questions: views after the levels."""
    state = st.session_state
    opened = state.pop("training_opened", False)
    with side_by_side("top", key="learn-from"):
        text = st.container(key="corpus-part")
        st.menu_button(
            words("Examples"), list(CORPORA), key="train_example", on_click=open_example, width="content",
            type="tertiary", format_func=words,
        )  # fmt: skip
        settings = st.popover(words("Options"), icon=":material/tune:", width="content", key="options")
        end = st.container(width="content", key="trained")
    with side_by_side(key="training"):
        algorithm = choose_tab(
            "Algorithm", list(ALGORITHMS), key="algorithm", default=None if opened else "bpe",
            format_func=ALGORITHMS.__getitem__,
        )  # fmt: skip
        titles = {offered.title: trainer_id for trainer_id, offered in OFFERED.items() if trainer_id[0] == algorithm}
        if said := no_longer_offered("trainer", asked := st.query_params.get(f"{algorithm}-as", "")):
            state[f"{algorithm}-as"], state["trainer_notice"] = nearest("trainer", asked), said
        title = st.selectbox(
            words("Trainer"), list(titles), key=f"{algorithm}-as", bind="query-params", label_visibility="collapsed",
            width=198,
        )  # fmt: skip
        trainer_id = titles[title]
        offered = OFFERED[trainer_id]
        sizes = side_by_side(gap=None, key="size-row", width="content")
        with settings:
            cutting = draw_cutting(algorithm, offered)
            options = draw_options(trainer_id, offered)
        request = TrainRequest(trainer_id, cutting, current_corpus(algorithm), 0, options)
        with sizes:
            size = draw_size(request, offered)
            # Streamlit leaves out of the URL what was set before its widget came, as by an example
            linked: dict[str, str | None] = {size_key(each): None for each in OFFERED.values()}
            linked[f"{algorithm}-as"] = None if offered.title == next(iter(titles)) else title
            linked |= {f"{each}-words": None for each in ALGORITHMS}
            if cutting in offered.cuttings[1:]:
                linked[f"{algorithm}-words"] = CUTS[cutting]
            if is_chosen(offered):
                linked[size_key(offered)] = str(size)
            url_values(linked, key="training-url")
        view = draw_views(questions)
    if state.get("trainer_notice"):
        show_notice(state.pop("trainer_notice"))
    return Bar(text, end, request._replace(vocab_size=size), view)


def draw_views(questions: Sequence[str]) -> str:
    """Draws the row of views, the stepper's levels among them; returns the name of the one chosen."""
    state = st.session_state
    linked = next((name for name, level in LEVELS.items() if level == st.query_params.get("level")), "Story")
    first = state.setdefault("training_level", linked)
    return choose_tab("View", [*LEVELS, *questions], key="ask", default=first)


def draw_size(request: TrainRequest, offered: Offered) -> int:
    """Draws the size of the vocabulary, as a slider and as a number. Until it is chosen, it follows the alphabet."""
    state, key = st.session_state, size_key(offered)
    slider = f"{key}-slider"

    def take() -> None:
        set_size(offered, state[slider])

    letters = letters_of(request)
    most = offered.smallest + SIZES + (0 if letters <= SIZES - 100 else LONGEST)
    usual = min(most, usual_size(letters, request.trainer_id))
    back = is_back()
    chosen = key in st.query_params if back else is_chosen(offered)
    if not chosen:
        state[following(offered)] = usual
    if key in state and not back:
        wanted = min(most, max(offered.smallest, state[key] if chosen else usual))
        if state[key] != wanted:
            set_size(offered, wanted)
    # a default in the run that sets the value would be a contradiction to Streamlit
    default: int | Literal["min"] = "min" if state.pop(SIZE_SET, False) else usual
    st.html(words("size"), width="content")
    place = st.container(width=92)
    field = st.number_input(
        words("Tokens"),
        offered.smallest,
        most,
        default,
        key=key,
        bind="query-params",
        width=54,
        label_visibility="collapsed",
    )
    size = int(field)
    state[slider] = size
    place.slider(words("Vocabulary"), offered.smallest, most, key=slider, on_change=take, label_visibility="collapsed")
    return size


def is_back() -> bool:
    """Whether this run follows Back or Forward: Streamlit sets bound widgets from the URL, others to their default."""
    return getattr(get_script_run_ctx(suppress_warning=True), "is_history_navigation", False)


def set_size(offered: Offered, size: int) -> None:
    """Sets the size for the visitor."""
    st.session_state[size_key(offered)] = size
    st.session_state[SIZE_SET] = True


def following(offered: Offered) -> str:
    """Where the session keeps the size that the page chose by itself."""
    return f"{size_key(offered)}-following"


def is_chosen(offered: Offered) -> bool:
    """Whether the visitor or the URL chose the size."""
    state, key = st.session_state, size_key(offered)
    return state[key] != state.get(following(offered)) if key in state else key in st.query_params


def usual_size(letters: int, trainer_id: tuple[str, str]) -> int:
    """The size at first. letters: how many tokens there are before anything is learned."""
    least, more = FIRST[trainer_id[0]]
    smallest = OFFERED[trainer_id].smallest
    return max(least, smallest + MORE if smallest else 0, letters + more)


def size_key(offered: Offered) -> str:
    """The key of the size, which is its parameter: one for each least size."""
    return f"size{offered.smallest or ''}"


def draw_cutting(algorithm: str, offered: Offered) -> str:
    """Draws how words are cut, where there is a choice."""
    if len(offered.cuttings) < 2:
        return "none"
    # the URL has the English, whatever the page shows
    state, key = st.session_state, f"{algorithm}-words"
    if state.get(key) not in offered.cuttings or is_back():
        linked = (each for each in offered.cuttings if CUTS[each] == st.query_params.get(key))
        state[key] = next(linked, offered.cuttings[0])
    titles = {each: words(CUTS[each]) for each in offered.cuttings}
    return st.selectbox(words("How words are cut"), offered.cuttings, format_func=titles.__getitem__, key=key)


def draw_options(trainer_id: tuple[str, str], offered: Offered) -> tuple[tuple[str, Any], ...]:
    """Draws the trainer's own options under their names; returns those that differ from its defaults."""
    usual = dict(offered.options)
    chosen: dict[str, Any] = {}
    shown = [each for each in fields(TRAINERS[trainer_id].options) if each.name not in UNSHOWN]
    if not shown:
        st.caption(words("This trainer has no other option than the size."))
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
        typed = st.text_input(name, usual, key=key, bind="query-params", placeholder=words("no limit"))
        return int(typed) if typed.isdecimal() and len(typed) < 9 else None
    if kind.startswith("tuple"):
        typed = st.text_input(name, " ".join(default), key=key, bind="query-params", max_chars=LONGEST_OPTION,
                              help=words("Separated by spaces"))  # fmt: skip
        return tuple(typed.split())
    if name == "normalization_rule_name":
        return st.selectbox(name, RULES, key=key, bind="query-params")
    typed = st.text_input(name, default or "", key=key, bind="query-params", max_chars=LONGEST_OPTION)
    return typed or (None if kind == "str | None" else "")


def draw_corpus(algorithm: str) -> str:
    """Draws the text field; returns the text. algorithm: decides which text is there at first."""
    state = st.session_state
    current_corpus(algorithm)
    field(algorithm).draw(state.train_text, state.train_rev, key="train_field")
    return str(state.train_text)


def field(algorithm: str) -> TextField:
    """The text field. The text at first is one from which the algorithm learns something."""
    return TextField(
        LONGEST, words("Text to learn from"), "corpus", words("Type or paste text to learn from"),
        words("Up to {0} characters; for more: explorer train", LONGEST),
        PROSE if algorithm == "unigram" else TWO_LINES, selectable=False, bar=True,
    )  # fmt: skip


def current_corpus(algorithm: str) -> str:
    """The text of the field, at first that of the URL. Until one is chosen, it is the algorithm's own."""
    state, shown = st.session_state, field(algorithm)
    if "train_text" not in state:
        state.train_text, state.train_rev = shown.linked(), 0
        state.train_first = shown.unlinked if "corpus" not in st.query_params else None
    typed = reported_text("train_field", rev=state.train_rev, longest=LONGEST)
    if typed is not None and typed != state.train_text:
        state.train_text, state.train_first = typed, None
    if state.train_first not in (None, shown.unlinked):
        state.train_text = state.train_first = shown.unlinked
        state.train_rev += 1
    return str(state.train_text)


def open_corpus(text: str) -> None:
    """Puts a text into the field."""
    state = st.session_state
    state.train_text, state.train_rev, state.train_first = text, state.get("train_rev", 0) + 1, None


def open_example() -> None:
    """Puts an example into the field, with the trainer that shows its point."""
    state = st.session_state
    name = state.train_example
    if name is None:
        return
    open_corpus(CORPORA[name])
    setting = SETTINGS.get(name)
    for offered in OFFERED.values():
        state[following(offered)] = state.get(size_key(offered))
    if setting is not None:
        (algorithm, _), offered = setting.trainer_id, OFFERED[setting.trainer_id]
        state.training_opened, state.algorithm = True, algorithm
        state[f"{algorithm}-as"] = offered.title
        set_size(offered, setting.size)
        if setting.cutting in offered.cuttings:
            state[f"{algorithm}-words"] = setting.cutting

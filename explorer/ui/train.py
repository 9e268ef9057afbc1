"""The Train page: the bar with the trainer and its options, the training, a question about it if one is asked.

The bar has the algorithm, whom it follows, the size, how words are cut, and the trainer's own options.
Questions are why a text is a token, what if, the ways to write a word, lint. What was trained takes the way of
an upload to the session's tokenizers.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.answers.offers import Upload
from explorer.answers.saved import training_file
from explorer.answers.train import (
    FEWER,
    FORBID,
    LONGEST_ASKED,
    LONGEST_LIST,
    MORE,
    TIES,
    TrainView,
    against,
    algorithm_of,
    learned_tokens,
    letters_of,
    lint_of,
    train_view,
    what_if,
    what_if_choices,
    why_token,
    word_view,
)
from explorer.errors import InputError, nearest, no_longer_offered
from explorer.languages import phrases
from explorer.text import visible
from explorer.text.say import Say, plural, two_digits
from explorer.training.sentencepiece.sentences import RULES
from explorer.training.trainers import (
    ALGORITHMS,
    CUTS,
    LONGEST,
    LONGEST_OPTION,
    OFFERED,
    SIZES,
    TRAINERS,
    Offered,
    TrainerId,
    TrainRequest,
    largest,
    type_of,
)
from explorer.training.why import stored
from explorer.ui import STYLES
from explorer.ui.components.every_page import TextField, page_button, picture, reported_text, sentence
from explorer.ui.components.tokens import LAST_STEP, Play, stepper
from explorer.ui.explore import show_text
from explorer.ui.frame import choose_tab, fragment, show_error, show_notice, side_by_side
from explorer.ui.language import language, words
from explorer.ui.parameters import app_url, context, url_values
from explorer.ui.tokenizers.chooser import offer_made, own_spec
from explorer.views.examples import CLAIMS, CORPORA, ENGLISH, FIRST_SIZES, GREETING, PROSE, SETTINGS, TWO_LINES, YOURS

MORE_THAN_LEAST = 18
"""At first, at least so many more than the least size that a trainer takes."""
UNSHOWN = {"vocab_size", "charsmap"}
"""Options with a control of their own, and one that is a file's."""
LEVELS = {"Story": "story", "Algorithm": "algorithm", "Implementation": "implementation"}
"""Of the stepper, by their names in the row of views."""
SIZE_SET = "training_size_set"
"""Where the session keeps that a size was set since the field was drawn."""


class Bar(NamedTuple):
    """What the bar holds. text, end: room for the text field, and after its buttons. view: the name of the view."""

    text: DeltaGenerator
    end: DeltaGenerator
    request: TrainRequest
    view: str


def draw_bar(questions: Sequence[str]) -> Bar:
    """Draws the bar but for the text, whose first value depends on the algorithm. questions: views after the levels."""
    state, own = st.session_state, context().own_text
    follow_tokenizer()
    opened = state.pop("training_opened", False)
    with side_by_side("top", key="learn-from"):
        text = st.container(key="corpus-part")
        st.menu_button(
            words("Examples"), [*([YOURS] if own else []), *CORPORA], key="train_example", on_click=open_example,
            width="content", type="tertiary", format_func=words,
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


def follow_tokenizer() -> None:
    """Chooses the algorithm of the visitor's tokenizer, whenever that is another one. A link's stays."""
    state, own = st.session_state, own_spec()
    name = "" if own is None else own.name
    before, state.train_own = state.get("train_own", ""), name
    if name == before or (before == "" and "algorithm" in st.query_params):
        return
    with suppress(InputError):  # the tokenizer is not open yet, or refused
        algorithm = "bpe" if own is None else algorithm_of(own)
        if algorithm and algorithm != state.get("algorithm", "bpe"):
            state.training_opened, state.algorithm = True, algorithm


def draw_views(questions: Sequence[str]) -> str:
    """Draws the row of views, the stepper's levels among them; returns the name of the one chosen."""
    state = st.session_state
    linked = next((name for name, level in LEVELS.items() if level == st.query_params.get("level")), "Story")
    first = state.setdefault("training_level", linked)
    chosen = choose_tab(
        "View", [*LEVELS, *questions], key="ask", default=None if state.pop("view_set", False) else first
    )
    # they keep their addresses, and are seen once they are chosen
    st.html(
        f"<style>.st-key-ask button[aria-checked=false]:nth-of-type(n + {len(LEVELS) + 3}) {{ display: none; }}</style>"
    )
    st.menu_button(words("More"), questions[2:], key="more_views", on_click=open_view, width="content", type="tertiary",
                   format_func=words)  # fmt: skip
    return chosen


def open_view() -> None:
    """Opens a view of the menu."""
    if (name := st.session_state.more_views) is not None:
        st.session_state.ask, st.session_state.view_set = name, True


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


def usual_size(letters: int, trainer_id: TrainerId) -> int:
    """The size at first. letters: how many tokens there are before anything is learned."""
    least, more = FIRST_SIZES[trainer_id[0]]
    smallest = OFFERED[trainer_id].smallest
    return max(least, smallest + MORE_THAN_LEAST if smallest else 0, letters + more)


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


def draw_options(trainer_id: TrainerId, offered: Offered) -> tuple[tuple[str, Any], ...]:
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
    name, kind = option.name, type_of(option)
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
        words("A larger corpus: {0:t}", "explorer train"),
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
    open_corpus(context().own_text or "" if name == YOURS else CORPORA[name])
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


def draw_why(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """Why a text is a token, or why not."""
    field, answer = st.columns(PARTS, gap="medium")
    typed = field.text_input(words("Why is this a token, or why not?"), key="why", bind="query-params",
                             max_chars=LONGEST_ASKED, placeholder=words("For example: {0:t}", "the"))  # fmt: skip
    if typed:
        found = why_token(request, typed)
        with answer:
            sentence(found.say, key="why-answer", steps=found.lines)


def draw_what_if(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """One thing of the training changed, and what that changes in the vocabulary."""
    choices = what_if_choices(request)
    offered = [
        MORE,
        *([FEWER] if choices.words else []),
        *([FORBID] if choices.merges else []),
        *([TIES] if choices.ties else []),
    ]
    trainer_id = "-".join(request.trainer_id)
    field, answer = st.columns(PARTS, gap="medium")
    change = field.selectbox(words("What if"), offered, key=f"{trainer_id}-change", label_visibility="collapsed",
                             format_func=words)  # fmt: skip
    value = ""
    if change == MORE:
        value = field.text_input(words("The line"), key="more", max_chars=LONGEST_ASKED,
                                 placeholder=words("For example: {0:t}", "the quick dog"),
                                 label_visibility="collapsed")  # fmt: skip
    elif change == FEWER:
        value = field.selectbox(words("The word"), choices.words, format_func=visible, label_visibility="collapsed")
    elif change == FORBID:
        value = field.selectbox(words("The merge"), choices.merges, label_visibility="collapsed").partition(":")[0]
    elif change == TIES:
        value = TIES
    if value:
        with answer:
            sentence(what_if(request, change, value), key="what-if-answer")


def draw_word(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """All ways to write a word with the pieces of a Unigram model."""
    if request.trainer_id[0] != "unigram":
        st.caption(words("Only a Unigram model weighs all ways to write a word. Choose Unigram above."))
        return
    every = request.text.split()
    usual = max((each for each in every if len(each) <= WORD), key=len, default=every[0][:WORD])
    longest = stored(f" {usual}", request.trainer_id, request.cutting).strip()
    field, answer = st.columns(PARTS, gap="medium")
    word = field.text_input(
        words("All ways to write"), longest, max_chars=LONGEST_ASKED, key="word", bind="query-params"
    )
    if not word:
        return
    found, lattice = word_view(request, word, language())
    joined = " + ".join(f"{{{at}:q}}" for at in range(len(found.best)))
    say = Say("The best: {0}.", Say(joined, *map(visible, found.best)))
    with answer:
        counted = Say("{0:t}, score {1:t}.", plural(found.ways, "way"), two_digits(found.score))
        sentence(say.then(counted), key="ways")
    rows = [(visible(piece.text), piece.expected, piece.score, piece.loss if piece.used else None)
            for piece in found.pieces]  # fmt: skip
    table = pd.DataFrame(rows, columns=[words("Piece"), words("Expected"), words("Score"), words("Loss")])
    numbers = {name: st.column_config.NumberColumn(format="%.2f", width="small") for name in table.columns[1:]}
    with beside:
        stepper(lattice, Play(f"{view.id} {word}", "lattice", start=LAST_STEP), key="word_lattice")
    with answer:
        st.dataframe(table, hide_index=True, height=176, column_config=numbers, placeholder=words("not in the best"))


def draw_lint(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """Contradictions in the file."""
    found = lint_of(request)
    if len(found) < 2:  # the last says which versions can read it
        st.caption(words("Nothing found. Searched are marks that only one part of a tokenizer.json knows, tokens that "
                         "are missing, characters that get lost. For your own file: explorer lint FILE"))  # fmt: skip
    for number, say in enumerate(found):
        sentence(say, key=f"lint-{number}")


def draw_against(request: TrainRequest, view: TrainView, beside: DeltaGenerator) -> None:
    """Where a pasted list of merges parts from this training."""
    if request.trainer_id[0] != "bpe" or request.trainer_id[1] == "minbpe":
        st.caption(words("Merges are compared with those of BPE, other than minbpe's. Choose it above."))
        return
    field, answer = st.columns(PARTS, gap="medium")
    listed = field.text_area(words("Your merges, one a line"), key="against", max_chars=LONGEST_LIST)
    if listed.strip():
        with answer:
            try:
                found = against(request, listed)
                sentence(found.say, key="against-answer", steps=found.lines)
            except InputError as error:
                show_error(error)


PARTS = (3, 7)
"""Shares of the width: what is asked, and the answer."""
WORD = 24
"""Characters of the word that is asked about at first."""
PANELS = {"Why": draw_why, "What if": draw_what_if, "Word": draw_word, "Lint": draw_lint, "My merges": draw_against}
"""By their names on the page and in the URL."""


def draw_files(view: TrainView, text: str) -> None:
    """Draws the download of the file that the original writes, and the way to Compare. text: what it shows there."""
    if st.button(words("Compare"), key="to_compare", icon=":material/compare_arrows:", type="tertiary"):
        show_trained("compare", view, text)
    st.download_button(words("{0} tokens as {1:t}", view.tokens, Path(view.file_name).suffix), view.file,
                       view.file_name, "application/octet-stream", on_click="ignore", icon=":material/download:",
                       type="tertiary")  # fmt: skip
    st.download_button(words("Recipe"), view.recipe, "recipe.json", "application/json", on_click="ignore",
                       type="tertiary", icon=":material/receipt_long:",
                       help=words("Repeats this training with explorer train --replay, given the same text"),
                       )  # fmt: skip


def card_of(request: TrainRequest, view: TrainView) -> dict[str, Any]:
    """The picture of a training: what it makes of the text, and the tokens that it learned."""
    learned = learned_tokens(request)
    rows = [{"boxes": [{"t": text, "id": id} for text, id in learned]}]
    say = words("{0:t} learned: the text takes {1} tokens instead of {2}", plural(len(learned), "token"), view.after,
                view.before)  # fmt: skip
    return {"say": say, "facts": request.text.replace("\n", " ")[:300], "rows": rows if learned else []}


def show_trained(page: str, view: TrainView, text: str) -> None:
    """Leaves for a page that opens the tokenizer."""
    offer_made("trained", (Upload(view.file_name, view.file, Path(view.file_name).stem),))
    show_text(page, text)


SETTING = SETTINGS["Byte fallback"]
"""Its size is that without the bytes."""
BYTES = 256


def fallback_view(*, on: bool) -> TrainView:
    """The training with byte fallback or without: the same pieces, and one more for each byte."""
    # no BOS and EOS: which of them are added to a text depends on byte fallback, and bytes alone are to differ
    options = (*OFFERED[SETTING.trainer_id].options, ("bos_id", -1), ("eos_id", -1), *((("byte_fallback", True),) * on))
    view = train_view(TrainRequest(SETTING.trainer_id, SETTING.cutting, ENGLISH, SETTING.size + BYTES * on, options))
    return view._replace(file_name=f"English, byte fallback {'on' if on else 'off'}.model")


def draw_fallback() -> None:
    """Draws a button for each, which opens Explore."""
    with side_by_side("top"):
        for on in (True, False):
            if st.button(
                words("See it with" if on else "See it without"),
                key=f"fallback-{on}",
                icon=":material/search:",
                type="tertiary",
            ):
                show_trained("explore", fallback_view(on=on), GREETING)


@fragment
def follow() -> None:
    """Draws the page; a key press runs this alone."""
    st.html(STYLES / "train.css")
    text_room, end, request, view_name = draw_bar(list(PANELS))
    with text_room:
        text = draw_corpus(request.trainer_id[0])
    with st.container(key="trainer"):
        question, stage, result = (st.container(key=f"{part}-part") for part in ("question", "stage", "result"))
    try:
        view = train_view(request, language())
    except InputError as error:
        with stage:
            show_error(error, "Nothing was trained.")
        return
    first_line = text.split("\n")[0]  # the other pages show it
    with end:
        if st.button(words("Open in Explore"), type="primary", key="to_explore"):
            show_trained("explore", view, first_line)
    with stage:
        beside = st.container()  # the drawing of a question goes before the training
        board = Say("Your text: {0} tokens", view.after)
        if view.before != view.after:
            board = Say("Your text: {0} → {1} tokens", view.before, view.after)
        play = Play(
            view.id,
            start=view.opens,
            level=LEVELS.get(view_name, "story"),
            board=phrases(language()).say(board)._asdict(),
        )
        stepper(view.script, play, key="training_stepper")
    if view_name in PANELS:
        with question:
            PANELS[view_name](request, view, beside)
    with result:
        with side_by_side(key="trained-end"):
            draw_files(view, first_line)
            picture(card_of(request, view), key="training_picture")
            page_button(lambda: training_file(request, app_url()), content_id=view.id, key="training_page")
            if text == ENGLISH:
                draw_fallback()
        if said := CLAIMS.get(text):
            st.caption(words(said))

"""The Compare page: its head, its tabs, each of which asks one question, and the files of an answer.

In the head are the text, two to six tokenizers as chips, of which a question may be about one or two, and the settings.
Behind buttons are the list of all tokenizers, and the settings with the baseline and the options. A link from one tab
to another sets the widgets, as a click on each would, and they write the URL. A file is written when it is requested.

The questions:

Where two tokenizers part, and the step of each at which they do; aligned rows or a border under all tokenizers,
ids from another program, each switch flipped, a text as it is typed, one text in many languages.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.analysis.export import LONGEST_LINK, Export
from explorer.analysis.languages import Language, languages, read_parallel
from explorer.analysis.ownership import MOST
from explorer.answers.compare import (
    CompareRequest,
    PartingView,
    SideView,
    borders_export,
    borders_view,
    costs_export,
    drawn_of,
    examples_view,
    expected_examples,
    expected_export,
    expected_view,
    flip_one,
    languages_view,
    parting_example,
    parting_export,
    parting_id,
    parting_view,
    rows_export,
    rows_view,
    side_view,
    stages_view,
    tokenize,
    typing_export,
    typing_view,
    variations_of,
    what_if_export,
    what_if_view,
)
from explorer.answers.explore import Request, content_id
from explorer.answers.offers import Offer, Specs, TokenizerSpec
from explorer.answers.saved import comparison_file
from explorer.engine.part import Options
from explorer.errors import InputError
from explorer.stages.spelling import implementation_title
from explorer.text.say import Say, Text, plural
from explorer.ui.components import tokens
from explorer.ui.components.every_page import (
    TextField,
    download_buttons,
    headline,
    json_in,
    list_in,
    page_button,
    reported,
    text_in,
    whole,
)
from explorer.ui.components.tokens import (
    Play,
    aligned_rows,
    chosen_place,
    framed_rows,
    parting,
    place_tokens,
    premiums,
    stepper,
    tokenizer_chips,
    typed_rows,
)
from explorer.ui.explore import expander_of_pair
from explorer.ui.frame import Report, bar, refusals, reporting, settings_button, show_error, show_notice, side_by_side
from explorer.ui.language import language, language_name, words
from explorer.ui.parameters import (
    URL,
    app_url,
    apply_overrides,
    choose_window,
    context,
    examples_button,
    explore_link,
    keep,
    linked_multiselect,
    linked_select,
    new_url,
    open_page,
    overrides,
    pattern_state,
    read_text,
    stored_switch,
    text_field,
    text_switches,
    to_explore,
    url_values,
    window_at,
    window_start,
)
from explorer.ui.tokenizers.chooser import (
    all_specs,
    arrival,
    choice_state,
    choose_linked,
    dismissible,
    found_by,
    note_former,
    note_missing,
    open_each,
    open_new_uploads,
    own_first,
    quoted_names,
    show_missing,
    show_refused_choices,
    spec_name,
    upload_field,
    upload_messages,
    uploads,
)
from explorer.views.compare.aligned import Parting
from explorer.views.examples import COMPARED

LABELS = {"json": "JSON", "csv": "CSV", "md": "Markdown"}


def downloads(
    request: CompareRequest, export: Callable[..., Export], *arguments: Any, saves: int | None = None
) -> None:
    """Draws buttons for JSON, CSV and Markdown, and says what the page's URL leaves out.

    export: called with the arguments when a file is requested, on another thread. saves: where the window of the
    text begins, if the comparison can be saved as a page.
    """
    with st.container(key="section-take-away"), side_by_side():
        download_buttons(export, arguments, LABELS, page="compare", icon=":material/download:", type="tertiary")
        if saves is not None and len(request.specs) > 1:
            save_page(request, saves)
        missing = {
            Text("the text, which is too long for a link"): len(request.typed) > LONGEST_LINK,
            Text("your own files, which nobody else has"): any(spec.private for spec in request.specs.values()),
        }
        for what, is_missing in missing.items():
            if is_missing:
                st.caption(words("A link to this page leaves out {0:t}.", what))


def save_page(request: CompareRequest, start: int) -> None:
    """Draws the button that saves the rows, and where they part, as a page. start: of the window that is drawn."""
    stored = bool(st.session_state.get("asstored"))
    here = content_id(next(iter(request.specs.values())), (request.names, start), request.text, request.options, stored)
    page_button(lambda: comparison_file(request, start, stored, app_url()), content_id=here, key="comparison_page")


DEFAULTS = ("llama-2", "gpt-2@huggingface", "llama-3@huggingface", "o200k_base")
ONE_OF = ("base", "left", "right", "of")
"""Parameters that name one of the tokenizers compared."""
PLACE = ("place", "sel")
"""Parameters that name where they part: the number of the place, or else a span of the text."""


class Head(NamedTuple):
    """The head of the page. bar: of the text. chips: the place of the chips, asked: the row that they are in.

    request: None after a message if there is nothing to compare.
    """

    bar: DeltaGenerator
    asked: DeltaGenerator
    chips: DeltaGenerator
    request: CompareRequest | None


def choose() -> Head:
    """Draws the head, but for the chips: they show what the question is about."""
    with st.container():
        new = open_new_uploads()
    take_linked_choices(all_specs())
    known = all_specs()
    with arrival():
        linked = take_linked_tokenizers(known)
    add_uploads(new, linked, known)
    apply_overrides("with")
    with (row := bar()):
        with side_by_side("top", gap=None, key="text"):
            typed = text_field(COMPARED)
            examples_button()
        settings = settings_button()
    with (asked := side_by_side(key="asked")):
        chips = st.container(width="content", key="chips")
        names = choose_tokenizers(known)
    with settings:
        base = "" if not names else linked_select(
            words("Baseline"), names, key="base", title=lambda name: known[name].title,
            help=words("The one that the others are measured against"),
        )  # fmt: skip
        upload_field()
        # other parameters than on Explore: when the page changes, Streamlit deletes those bound on the page before
        add, parse, escapes = text_switches("addspecial", "parsespecial", "readescapes")
        stored_switch("asstored")
        st.toggle(words("step together"), True, key="together", bind="query-params",
                  help=words("First difference: a step on one side is a step on both"))  # fmt: skip
    with row:
        usual = {"with": list(DEFAULTS), "base": "".join(names[:1])}
        url_values({"with": names, "base": base}, usual, key=URL, echo=overrides().number)
    specs = {name: known[name] for name in names}
    with st.container(key="tokenizer"):
        if not open_all(specs):
            return Head(row, asked, chips, None)
    text = read_text(typed, escapes)
    request = None if text is None else CompareRequest(specs, text, Options(add, parse), typed, escapes, base)
    return Head(row, asked, chips, request)


def take_linked_tokenizers(known: Mapping[str, TokenizerSpec]) -> bool:
    """Takes what a URL from outside names, and remembers which of its tokenizers are missing or too many.

    Returns whether it names any.
    """
    linked = new_url("compare", ("with", *ONE_OF, *PLACE), URL)
    if linked is not None:
        place = next(("".join(linked.pop(key)[:1]) for key in PLACE if linked.get(key)), "")
        note_former("implementation", chain.from_iterable(linked.values()))
        linked = {key: [spec_name(each, known) for each in named] for key, named in linked.items()}
    note_missing(linked["with"] if linked else (), known)
    if linked is None:
        return False
    kept = context().kept
    kept["place"] = place
    kept.pop("place_of", None)
    named = [name for name in dict.fromkeys(linked["with"]) if name in known]
    if len(named) > MOST:
        st.session_state.left_out = named[MOST:]
    keep({"with": named[:MOST] or list(DEFAULTS)} | {key: "".join(linked[key][:1]) for key in ONE_OF})
    return bool(named)


def choose_tokenizers(known: Mapping[str, TokenizerSpec]) -> list[str]:
    """Draws the button that opens the list of tokenizers, and returns the names selected."""
    about = words("Add or remove tokenizers")
    with st.popover(words("Add"), icon=":material/add:", width="content", key="add", help=about):
        return linked_multiselect(
            words("Tokenizers, two to six; a model also under several implementations"), list(known), key="with",
            title=lambda name: listed(known[name]), default=DEFAULTS, max_selections=MOST, select_all=False,
            placeholder=words("Type a name"),
        )  # fmt: skip


def listed(spec: TokenizerSpec) -> str:
    """How the list names a tokenizer. Of the titles that match what is typed, the field takes the shortest first."""
    title, first = spec.title, spec.offer.implementations[0]
    title = title if spec.implementation == first else words("{0:t} · as run in {1:t}", *title.split(" · ", 1))
    return found_by(spec.name, title, " · ")


def draw_chips(request: CompareRequest, about: int) -> None:
    """Draws the tokenizers as chips. about: how many of them the question is about; 0 if it is about all."""
    names, choices, changed = request.names, context(), overrides()
    chosen = {1: [one_of(request)], 2: pair_of(request)}.get(about)

    def choose(name: str) -> None:
        if about == 1:
            choices.kept["of"] = name
        elif chosen is not None and name not in chosen:
            # the baseline stays at first; then each click replaces the choice that is older
            older = choices.kept.get("older", "right")
            for side, was in zip(("left", "right"), chosen, strict=False):
                choices.kept[side] = name if side == older else was
            choices.kept["older"] = "left" if older == "right" else "right"

    def remove(name: str) -> None:
        changed.set(**{"with": [each for each in names if each != name]})

    titles = dict(zip(names, request.labels(), strict=True))
    # a phone shows them only where there is something to choose
    with st.container(key="chips-choice" if 0 < about < len(names) else "chips-all"):
        tokenizer_chips(titles, chosen, key="tokenizer_chips", on_choose=choose, on_remove=remove)


def pair_of(request: CompareRequest) -> list[str]:
    """The names of the two tokenizers chosen, at first the baseline and the next; of one alone, that one."""
    names = [request.baseline, *(name for name in request.names if name != request.baseline)]
    kept = context().kept
    left = str(kept["left"]) if kept.get("left") in names else names[0]
    others = [name for name in names if name != left]
    right = str(kept["right"]) if kept.get("right") in others else "".join(others[:1])
    return [left, right] if right else [left]


def one_of(request: CompareRequest) -> str:
    """The name of the tokenizer chosen, at first the first one."""
    name = context().kept.get("of")
    return str(name) if name in request.names else request.names[0]


def open_all(specs: Mapping[str, TokenizerSpec]) -> bool:
    """Opens the selected tokenizers and draws the messages about them; False if one can't be used yet."""
    titles = ", ".join(spec.title for spec in specs.values())
    show_missing(Say("you see {0:t}", titles) if specs else Say("nothing is compared"))
    show_refused_choices()
    surplus = st.session_state.get("left_out", [])
    about = "You can compare {0} tokenizers at once. This link names more; left out: {1}."
    dismissible([words(about, MOST, quoted_names(surplus))] if surplus else [], "dismiss left out", "left_out")
    upload_messages()
    if not specs:
        show_notice("Choose two tokenizers or more.")
        return False
    if not open_each(specs.values()):
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
        name = spec_name(name, known)
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
                words("Their options"), list(chosen), key="chosen", bind="query-params", on_change=remove,
                help=words("Options you set on Explore. Remove one to use the file's own setting"),
            )  # fmt: skip


def choose_one(request: CompareRequest) -> str:
    """The tokenizer chosen among the chips, for tabs about a single one; it is the same in all of them."""
    chosen = one_of(request)
    url_values({"of": chosen}, {"of": request.names[0]}, key="url_of")
    return chosen


def choose_pair(request: CompareRequest) -> tuple[TokenizerSpec, TokenizerSpec]:
    """The two tokenizers chosen among the chips."""
    names = pair_of(request)
    first = request.baseline
    after = next(name for name in request.names if name not in (first, names[0])) if names[0] == first else first
    url_values({"left": names[0], "right": names[1]}, {"left": first, "right": after}, key="url_pair")
    return request.specs[names[0]], request.specs[names[1]]


def add_uploads(new: Offer | None, linked: bool, known: Mapping[str, TokenizerSpec]) -> None:
    """Adds uploads to the comparison. new: the one dropped here; if the list is full, it replaces the last one.

    Those of other pages are added once, where they have room, and not to those of a link.
    """
    others = uploads().take_uncompared()
    before = [each for each in context().kept.get("with", DEFAULTS) if each in known]
    led = own_first("with", before, MOST, linked=linked)
    if led != before:
        before = led
        keep({"with": led, "base": led[0]})
    if new is not None:
        name = new.spec().name
        overrides().set(**{"with": [*[each for each in before if each != name][: MOST - 1], name]})
    elif not linked:
        names = [name for each in others if (name := each.spec().name) not in before]
        if names:
            keep({"with": [*before, *names][: max(MOST, len(before))]})


def explore_query(request: CompareRequest, spec: TokenizerSpec, **more: Any) -> dict[str, str]:
    """The parameters that open the text under one of the tokenizers on Explore. more: of `to_explore`."""
    return to_explore(
        spec, request.typed, escapes=request.escapes, **request.options._asdict(), choices=choice_state(spec).optional,
        **more,
    )  # fmt: skip


def tokenize_all(request: CompareRequest, report: Report, only: Collection[TokenizerSpec] | None = None) -> None:
    """Tokenizes the text with all specs of a request, or some, so that later steps find it cached."""
    names = [name for name, spec in request.specs.items() if only is None or spec in only]
    for name in reporting(names, report, lambda name: words("tokenizing with {0:t}", request.specs[name].title)):
        tokenize(request.of(request.specs[name]))


VIEWS = ("Where they part", "What if")
"""The tabs that links lead to."""


def follow(key: str) -> Callable[[], None]:
    """A callback for the component `key`: goes where the link that was clicked leads."""
    # any access to the session state may end a callback halfway
    kept, changed, known = context().kept, overrides(), frozenset(all_specs())

    def go() -> None:
        state = st.session_state
        view, named, several = read_link((state.get(key) or {}).get("go"), known)
        if view is None:
            return
        kept.update(named)
        changed.set(**({"with": several} if several else {}), view=view)

    return go


def read_link(given: object, known: frozenset[str]) -> tuple[str | None, dict[str, str], list[str]]:
    """The tab, the tokenizers it is about and those of the page, in what the browser reports, which may be anything.

    >>> read_link('{"view": "What if", "of": "a", "with": ["a", 7], "x": 1}', frozenset("ab"))
    ('What if', {'of': 'a'}, ['a'])
    >>> read_link("[]", frozenset()), read_link('{"view": "None"}', frozenset())
    ((None, {}, []), (None, {}, []))
    """
    query = json_in(given, 10_000)
    if query.get("view") not in VIEWS:
        return None, {}, []
    named = {each: name for each in ("of", "left", "right") if (name := text_in(query.get(each), 200)) in known}
    return query["view"], named, [name for each in list_in(query.get("with")) if (name := text_in(each, 200)) in known]


def languages_bar() -> None:
    """Draws what the tab reads instead of the page's text: the language that others are compared with, an own text."""
    with side_by_side(key="languages-bar"):
        first, middle = st.container(width="content"), st.container(width="stretch", key="languages-read")
        choose_file()
        texts = texts_read()
        names = {language.code: language_name(language.name) for language in texts}
        with first:
            st.selectbox(
                words("Baseline language"), list(names), key="language", bind="query-params",
                format_func=lambda code: names.get(code, code), width=260, label_visibility="collapsed",
            )  # fmt: skip
        with middle:
            st.caption(words("{0:t}, {1:t} in each", plural(len(texts), "language"), text_title()))


def languages_tab(request: CompareRequest, report: Report) -> None:
    """Draws who pays more for the same text."""
    show_upload()
    texts, specs = texts_read(), tuple(request.specs.values())
    base, waiting = str(st.session_state.language), st.empty()
    try:
        counts = plural(len(texts), "language"), plural(len(specs), "tokenizer")
        report(words("tokenizing every language"))
        waiting.caption(words("Tokenizing {0:t} with {1:t} …", *counts))
        drawn = languages_view(specs, texts, base, text_title())
    except InputError as error:
        show_error(error)
        return
    finally:
        waiting.empty()
    premiums(drawn, key="languages")
    downloads(request, costs_export, specs, texts, base)


class ParallelUpload(NamedTuple):
    """A visitor's parallel text: the file's name, its texts or its error."""

    name: str
    texts: tuple[Language, ...] = ()
    error: InputError | None = None


def own_upload() -> ParallelUpload | None:
    """The parallel text that was uploaded last; it stays in this session when the tab changes."""
    own: ParallelUpload | None = st.session_state.get("own")
    return own


def texts_read() -> tuple[Language, ...]:
    """The texts that are compared: the visitor's own, else the bundled ones."""
    own = own_upload()
    return (own.texts if own is not None else ()) or tuple(languages().values())


def text_title() -> str:
    """What the texts are called."""
    own = own_upload()
    return Text("your own text" if own is not None and own.texts else "four sentences")


def choose_file() -> None:
    """Draws the upload of a parallel text."""
    state = st.session_state

    def take() -> None:
        file = state.parallel
        state.own = read(file.name, file.getvalue()) if isinstance(file, UploadedFile) else None

    with st.popover(words("Your own text"), icon=":material/upload_file:", width="content"):
        st.caption(words("A line for each language as `code`, tab, text; or a CSV with the columns language, text"))
        st.file_uploader(words("Parallel text"), type=["tsv", "csv", "txt"], key="parallel", on_change=take)


def show_upload() -> None:
    """Says what is wrong with the upload, or that the uploader has lost a file that is still in use."""
    state, own = st.session_state, own_upload()

    def discard() -> None:
        state.own = None

    with side_by_side():
        if own is not None and own.error is not None:
            with st.container():
                show_error(own.error)
                show_notice("Below is the bundled text, not yours.")
        elif own is not None and state.get("parallel") is None:
            # the uploader loses its file while another tab is shown
            show_notice("This is your own text, {0:t}.", own.name)
            st.button(words("Back to the bundled text"), on_click=discard)


def read(name: str, data: bytes) -> ParallelUpload:
    """An uploaded parallel text."""
    try:
        return ParallelUpload(name, read_parallel(data, name))
    except InputError as error:
        return ParallelUpload(name, error=error)


KEY = "parting_picture"

Pair = tuple[TokenizerSpec, TokenizerSpec]


def divergence_tab(request: CompareRequest, report: Report) -> None:
    """Draws the answer, both sides' stages, every place on the text, and one place with both sides' panels.

    A text that can't be read leaves the last answer, dimmed, below the reason.
    """
    if len(request.specs) < 2:
        only_one(request)
        return
    specs, kept = choose_pair(request), context().kept
    args = request.of(specs[0]), specs[1]
    try:
        tokenize_all(request, report, specs)
        report(words("comparing stage by stage"))
        view = parting_view(*args, wanted_place(parting_id(*args)))
    except InputError as error:
        headline(Say("{0:t}", str(error)), key="parting_say")
        if "last_parting" in kept:
            with st.container(key="stale"):
                draw_card(*kept["last_parting"])
        return
    headline(view.say, view.more, key="parting_say")
    report(words("drawing both sides"))
    draw_card(request, specs, view)
    kept["last_parting"] = request, specs, view
    if view.place is None:
        offer_example(args)
    downloads(request, parting_export, *args, saves=window_at(request.text))


def draw_card(request: CompareRequest, specs: Pair, view: PartingView) -> None:
    """Draws the picture, and below it the panels of the place chosen."""
    args = request.of(specs[0]), specs[1]
    sides = [] if view.place is None else [side_view(*args, index, view.place, language()) for index in (0, 1)]
    both = bool(sides) and all(side.stage is not None for side in sides)
    with st.container(key="parting"):
        parting(drawn_of(view, specs, sides), key=KEY)
        if view.rows is not None:
            with st.container(key="side_links"):  # at the end of their rows
                for spec, side in zip(specs, sides, strict=True):
                    link(request, spec, view, side)
        if both:
            for index, column in enumerate(st.columns(2, gap="large")):
                with column, st.container(key=f"side_{index}"):
                    draw_panel(view, sides[index], index, ("left", "right")[index])
                    if view.rows is None:
                        with side_by_side():
                            place_tokens(view.tokens[index], key=f"side_tokens_{index}")
                            link(request, specs[index], view, sides[index])
        else:
            for index, side in enumerate(sides):
                draw_panel(view, side, index, "alone")
    if both and all(side.stage is not None and side.stage.key == "pre-tokenize" for side in sides):
        with st.container(key="patterns"):
            expander_of_pair(specs, view.labels)


def only_one(request: CompareRequest) -> None:
    """Draws the stages of the only tokenizer, and what it may be compared with."""
    (spec,) = request.specs.values()
    headline(
        Say("Choose a second tokenizer."),
        Say("Where do two part? Add one, or take the same model as another program runs it."),
        key="parting_say",
    )
    known, changed = all_specs(), overrides()
    others = [name for name, each in known.items() if each.offer.label == spec.offer.label and name != spec.name]
    others += [name for name in DEFAULTS if name not in others and known[name].offer.label != spec.offer.label][:2]
    with st.container(key="parting"):
        side: dict[str, object] = {"name": spec.offer.name, "about": implementation_title(spec.implementation)}
        parting(Parting(stages_view(request.of(spec)), [side], "one", words("The stages")), key=KEY)
        with side_by_side("top", key="seconds"):
            for name in others:
                st.button(known[name].title, key=f"second {name}", icon=":material/add:",
                          on_click=lambda name=name: changed.set(**{"with": [spec.name, name]}))  # fmt: skip


def offer_example(args: tuple[Request, TokenizerSpec]) -> None:
    """Draws a button that opens an example in which the two differ."""
    if st.button(words("Try a text where they differ"), key="try_text"):
        text = parting_example(*args)
        if text is None:
            show_notice("They give the same ids for every example.")
        else:
            context().fill(text)
            st.rerun()


def wanted_place(comparison: str) -> int | tuple[int, int] | None:
    """The place to show: the one clicked in this comparison; in the first comparison of a URL, the one in the URL."""
    kept = context().kept
    clicked = chosen_place(KEY, comparison)
    if clicked is not None:
        return clicked
    linked = kept.get("place")
    if linked and kept.setdefault("place_of", comparison) == comparison:
        number = re.fullmatch(r"[0-9]{1,5}", linked)
        span = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", linked)
        return int(linked) - 1 if number else (int(span[1]), int(span[2])) if span else None
    return None


def draw_panel(view: PartingView, side: SideView, index: int, position: str) -> None:
    """Draws the stepper of one side, if it has the stage. position: as `stepper` names it."""
    stage = side.stage
    if stage is None or stage.script is None:
        return
    spot = view.spot if view.spot != (0, view.picture["size"]) else None  # all of it says nothing
    drawn = view.rows is not None and view.rows["columns"]
    play = Play(
        f"{index} {side.step} {side.id}", f"step{index}", side.step, spot=spot,
        together=None if position == "alone" else bool(st.session_state.get("together", True)),
        side=f"{position} rows" if drawn else position, name=view.labels[index],
    )  # fmt: skip
    stepper(stage.script, play, key=f"side_stepper_{index}")


def link(request: CompareRequest, spec: TokenizerSpec, view: PartingView, side: SideView) -> None:
    """Draws the link that opens one side on Explore, at its step."""
    stage = side.stage
    query = explore_query(
        request, spec, at=side.at, select=view.spot, section="" if stage is None else stage.key, step=side.step
    )
    explore_link("Open in Explore", query)


BORDERS = "borders"
"""The key of the component."""
OPEN = "borders_open"
"""Whether the border is shown, in place of the rows."""


def show_border(request: CompareRequest) -> None:
    """Draws the border that was asked for last, at first the one in the URL, and its downloads."""
    state = st.session_state
    stored = bool(state.get("asstored"))
    first = next(iter(request.specs.values()))
    here = content_id(first, request.names, request.text, request.options, stored)
    at = tokens.border_offset(BORDERS, here)
    picture = borders_view(request, at, stored)
    with st.container(key="stage"):
        tokens.border(picture, content_id=here, key=BORDERS, on_closed=partial(setattr, state, OPEN, False))
    if picture["borders"]:
        marked = tokens.border_mark(BORDERS, here, picture)
        downloads(request, borders_export, request, marked)


def rows_tab(request: CompareRequest, report: Report) -> None:
    """Draws the aligned rows, each with its count; or a border in the text."""
    if st.session_state.setdefault(OPEN, "border" in st.query_params):
        report(words("cutting the text"))
        show_border(request)
        return
    at = window_start(request.text)
    tokenize_all(request, report)
    report(words("aligning and drawing the rows"))
    view = rows_view(request, at, bool(st.session_state.get("asstored")))
    choose_window(
        request.text,
        Say("All {0} characters of the text are tokenized and counted.", len(request.text)),
        Say("Characters {0} to {1} are drawn below.", view.part.start + 1, view.part.end),
    )
    aligned_rows(view.drawn, view.say, view.parting, key="rows", names=request.names, on_go=follow("rows"),
                 on_border=partial(setattr, st.session_state, OPEN, True))  # fmt: skip
    if request.text:
        downloads(request, rows_export, request, saves=at)


def what_if_tab(request: CompareRequest, report: Report) -> None:
    """Draws a row for each switch of a tokenizer: the tokens it changes."""
    name = choose_one(request)
    spec = request.specs[name]
    asked = request.of(spec)
    tokenize_all(request, report, (spec,))
    for variation in reporting(
        variations_of(asked), report, lambda each: words("flipping {0:q}", each.spec or each.switch.value)
    ):
        flip_one(asked, variation)
    report(words("aligning the rows"))
    view = what_if_view(name, asked)
    framed_rows(view.frame, view.drawn, key="flips", names=request.names, on_go=follow("flips"))
    downloads(request, what_if_export, name, asked)


def typing_tab(request: CompareRequest, report: Report) -> None:
    """Draws which earlier tokens change while the text is typed."""
    name = choose_one(request)
    args = name, Request(request.specs[name], request.text, Options(False, request.options.parse_special))
    report(words("tokenizing every prefix of the text"))
    typed_rows(typing_view(args[1]))
    if request.text:
        downloads(request, typing_export, *args)


IDS = TextField(
    2_000_000, "Ids from another program", "expect", "[1, 1724, 338, 4309, 4717, 29973]", selectable=False, bar=True,
    ids=True,
)  # fmt: skip
"""The field, for 100,000 ids and more in any notation."""
PICTURE = "expected-rows"
"""The key of the picture."""


def expected_tab(request: CompareRequest, report: Report) -> None:
    """Draws a field for the ids, and what they are; examples while it is empty."""
    name = choose_one(request)
    spec = request.specs[name]
    take_example(request, spec)
    pasted = IDS.kept("expected")
    tokenize_all(request, report, (spec,))
    if not pasted.strip():
        examples_card(request, spec)
        return
    args = name, request.of(spec), pasted
    report(words("looking for the reason"))
    try:
        view = expected_view(*args)
    except InputError as error:
        examples_card(request, spec, sentence_of(error))
        return
    framed_rows(view.picture.frame, view.picture.drawn, key=PICTURE, names=request.names, on_go=follow(PICTURE))
    if view.pattern is not None:
        show_pattern(request, spec, view.pattern)
    downloads(request, expected_export, *args)


def sentence_of(error: InputError) -> str:
    """An error as a sentence."""
    text = str(error).strip()
    return text[:1].upper() + text[1:] + "." * (not text.endswith("."))


def others_of(request: CompareRequest, spec: TokenizerSpec) -> Specs:
    """The other tokenizers of the page, whose ids are examples."""
    return tuple(other for other in request.specs.values() if other != spec)


def examples_card(request: CompareRequest, spec: TokenizerSpec, problem: str = "") -> None:
    """Draws the tokenizer's own ids and examples of other ones. problem: what is wrong with what was pasted."""
    picture = examples_view(request.of(spec), others_of(request, spec), problem)
    framed_rows(picture.frame, key=PICTURE)


def take_example(request: CompareRequest, spec: TokenizerSpec) -> None:
    """Fills the field with the example that was clicked since the last run."""
    state = st.session_state
    clicked = reported(PICTURE, "use")
    if not isinstance(clicked, str) or clicked == state.get("expect_used"):
        return
    state.expect_used = clicked
    number = whole(clicked.partition(" ")[0])
    offered = expected_examples(request.of(spec), others_of(request, spec))
    if number is not None and number < len(offered):
        state.expect = ", ".join(map(str, offered[number].ids))
        state.expect_rev = state.get("expect_rev", 0) + 1


def show_pattern(request: CompareRequest, spec: TokenizerSpec, pattern: str) -> None:
    """Draws a button that opens the text on Explore with a pattern in place of the tokenizer's own."""
    if not st.button(
        words("Open it on Explore with that pattern"), key="with_pattern", icon=":material/search:", type="tertiary"
    ):
        return
    pattern_state().fill(pattern)
    st.session_state.stage = "pre-tokenize"
    query = explore_query(request, spec) | {"pattern": pattern, "stage": "pre-tokenize"}
    open_page("explore", query)


class Tab(NamedTuple):
    """draw: draws the answer and reports its steps. chosen: how many of the tokenizers it is about; 0 for all.

    reads: draws in the bar what it reads, if not the text. shown: its words, if not its name.
    """

    draw: Callable[[CompareRequest, Report], None]
    chosen: int = 0
    reads: Callable[[], None] | None = None
    shown: str = ""


TABS = {
    "Side by side": Tab(rows_tab),
    "Where they part": Tab(divergence_tab, 2, shown="First difference"),
    "Expected ids": Tab(expected_tab, 1, shown="Why are my ids different?"),
    "What if": Tab(what_if_tab, 1),
    "While typing": Tab(typing_tab, 1),
    "Languages": Tab(languages_tab, reads=languages_bar),
}
"""The tabs by name. A name is a value of the URL parameter `view`."""
READ = "read-instead"
"""The key of the container in the bar for what a tab reads if not the text."""


def tab_key(name: str) -> str:
    """The key of a tab's container.

    >>> tab_key("Side by side")
    'tab-side-by-side'
    """
    return f"tab-{name.lower().replace(' ', '-')}"


def hide_unless_selected(name: str) -> str:
    """CSS that hides a tab's container, and the gap before it, while another tab is selected."""
    number, container = list(TABS).index(name) + 1, f".st-key-{tab_key(name)}"
    other, here = (
        f".stMain:has(.st-key-view button[aria-checked=true]{which})"
        for which in (f":not(:nth-of-type({number}))", f":nth-of-type({number})")
    )
    own = f"{other} :is({container}, [data-testid=stLayoutWrapper]:has(> {container})) {{ display: none; }}\n"
    if TABS[name].reads is None:
        return own
    bar, text = (f"[data-testid=stLayoutWrapper]:has(> .st-key-{key})" for key in (READ, "text"))
    return f"{own}{other} {bar}, {here}:has(.st-key-{READ} *) {text} {{ display: none; }}\n"


def draw_read(name: str) -> None:
    """Draws in the bar what a tab reads, if not the text."""
    with st.container(key=READ):
        reads = TABS[name].reads
        if reads is not None:
            reads()


def draw_tab(name: str, request: CompareRequest, report: Report) -> None:
    """Draws one tab; the others are not computed.

    Each tab has a container of its own, and CSS hides those not selected. So a click hides the previous tab at once,
    without waiting for the server to clear it.
    """
    st.html(f"<style>{''.join(map(hide_unless_selected, TABS))}</style>")
    for each, tab in TABS.items():
        with st.container(key=tab_key(each)):
            if each == name:
                with refusals():
                    tab.draw(request, report)

"""The head of the Compare page: the text, the tokenizers as chips, the settings; and the files of an answer.

There are two to six tokenizers, of which a question may be about one or two. Behind buttons are the list of all
tokenizers, and the settings with the baseline and the options. A link from one tab to another sets the widgets, as a
click on each would, and they write the URL. A file is written when it is requested.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.alignment import MOST
from explorer.analysis.export import LONGEST_LINK, Export
from explorer.answers.compare import CompareRequest, FileNames, tokenize
from explorer.answers.explore import content_id
from explorer.answers.offers import Offer, TokenizerSpec
from explorer.answers.saved import comparison_file
from explorer.engine.part import Options
from explorer.text.say import Say, Text
from explorer.ui.components.every_page import download_buttons, json_in, list_in, page_button, text_in
from explorer.ui.components.tokens import tokenizer_chips
from explorer.ui.frame import Report, bar, reporting, settings_button, show_notice, side_by_side
from explorer.ui.language import words
from explorer.ui.parameters import (
    URL,
    app_url,
    apply_overrides,
    context,
    examples_button,
    keep,
    linked_multiselect,
    linked_select,
    new_url,
    overrides,
    read_text,
    stored_switch,
    text_field,
    text_switches,
    to_explore,
    url_values,
)
from explorer.ui.tokenizers.chooser import (
    all_specs,
    arrival,
    choice_state,
    choose_linked,
    found_by,
    open_each,
    own_first,
    show_refused_choices,
    spec_name,
)
from explorer.ui.tokenizers.uploads import (
    dismissible,
    note_former,
    note_missing,
    open_new_uploads,
    quoted_names,
    show_missing,
    upload_field,
    upload_messages,
    uploads,
)
from explorer.views.examples import COMPARED

LABELS: Final = {"json": "JSON", "csv": "CSV", "md": "Markdown"}


def downloads(
    request: CompareRequest, names: FileNames, export: Callable[..., Export], *arguments: Any, saves: int | None = None
) -> None:
    """Draws buttons for JSON, CSV and Markdown, and says what the page's URL leaves out.

    export: called with the arguments when a file is requested, on another thread. saves: where the window of the
    text begins, if the comparison can be saved as a page.
    """
    with st.container(key="section-take-away"), side_by_side():
        download_buttons(export, arguments, LABELS, names, "compare", icon=":material/download:", type="tertiary")
        if saves is not None and len(request.specs) > 1:
            save_page(request, saves)
        missing = {
            Text.of("the text, which is too long for a link"): len(request.typed) > LONGEST_LINK,
            Text.of("your own files, which nobody else has"): any(spec.private for spec in request.specs.values()),
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
    show_missing(Say.of("you see {0:t}", titles) if specs else Say.of("nothing is compared"))
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

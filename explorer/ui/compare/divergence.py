"""Compare: where two tokenizers part, and the step of each at which they do."""

from __future__ import annotations

import re

import streamlit as st

from explorer.answers.compare import (
    CompareRequest,
    PartingView,
    SideView,
    drawn_of,
    parting_example,
    parting_export,
    parting_id,
    parting_view,
    side_view,
    stages_view,
)
from explorer.answers.explore import Request
from explorer.answers.offers import TokenizerSpec
from explorer.errors import InputError
from explorer.stages.spelling import implementation_title
from explorer.text.say import Say
from explorer.ui.compare.controls import DEFAULTS, choose_pair, downloads, explore_query, tokenize_all
from explorer.ui.components.comparison import chosen_place, parting, place_tokens
from explorer.ui.components.every_page import headline
from explorer.ui.components.tokens import Play, stepper
from explorer.ui.explore.controls import open_text
from explorer.ui.explore.patterns import expander_of_pair
from explorer.ui.frame import Report, show_notice, side_by_side
from explorer.ui.parameters import explore_link, linked_choices, overrides, window_at
from explorer.ui.tokenizers.chooser import all_specs
from explorer.views.compare.parting import Parting

KEY = "parting_picture"

Pair = tuple[TokenizerSpec, TokenizerSpec]


def divergence_tab(request: CompareRequest, report: Report) -> None:
    """Draws the answer, both sides' stages, every place on the text, and one place with both sides' panels.

    A text that can't be read leaves the last answer, dimmed, below the reason.
    """
    if len(request.specs) < 2:
        only_one(request)
        return
    specs, kept = choose_pair(request), linked_choices().kept
    args = request.of(specs[0]), specs[1]
    try:
        tokenize_all(request, report, specs)
        report("comparing stage by stage")
        view = parting_view(*args, wanted_place(parting_id(*args)))
    except InputError as error:
        headline(Say.of("{0:t}", str(error)), key="parting_say")
        if "last_parting" in kept:
            with st.container(key="stale"):
                draw_card(*kept["last_parting"])
        return
    headline(view.say, view.more, key="parting_say")
    report("drawing both sides")
    draw_card(request, specs, view)
    kept["last_parting"] = request, specs, view
    if view.place is None:
        offer_example(args)
    downloads(request, view.names, parting_export, *args, saves=window_at(request.text))


def draw_card(request: CompareRequest, specs: Pair, view: PartingView) -> None:
    """Draws the picture, and below it the panels of the place chosen."""
    args = request.of(specs[0]), specs[1]
    sides = [] if view.place is None else [side_view(*args, index, view.place) for index in (0, 1)]
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
        parting(Parting(stages_view(request.of(spec)), [side], "one", "The stages"), key=KEY)
        with side_by_side("top", key="seconds"):
            for name in others:
                st.button(known[name].title, key=f"second {name}", icon=":material/add:",
                          on_click=lambda name=name: changed.set(**{"with": [spec.name, name]}))  # fmt: skip


def offer_example(args: tuple[Request, TokenizerSpec]) -> None:
    """Draws a button that opens an example in which the two differ."""
    if st.button("Try a text where they part", key="try_text"):
        text = parting_example(*args)
        if text is None:
            show_notice("They give the same ids for every example.")
        else:
            open_text(text)
            st.rerun()


def wanted_place(comparison: str) -> int | tuple[int, int] | None:
    """The place to show: the one clicked in this comparison; in the first comparison of a URL, the one in the URL."""
    kept = linked_choices().kept
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

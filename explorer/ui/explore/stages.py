"""The Explore page below its controls: tokens, the stages of a text, downloads.

All of it follows the text, so it is one fragment (`follow_text`): a key press reruns it, and neither the tokenizer's
controls nor the navigation. What is seen first is computed and sent first.
"""

from __future__ import annotations

import streamlit as st

from explorer.answers.decode import IdsRequest, known_ids, stream_of_text
from explorer.answers.explore import (
    BORDER,
    WAYS,
    ExploreView,
    content_id,
    downloads_of,
    section_view,
    stages_before_end,
    text_export,
    why_elsewhere,
    why_of,
)
from explorer.answers.saved import explore_file
from explorer.errors import InputError, Unfinished
from explorer.languages import ENGLISH, phrases
from explorer.text.say import number
from explorer.ui.components import tokens
from explorer.ui.components.every_page import Made, asked_page, download_buttons, page_for, sentence
from explorer.ui.components.tokens import LAST_STEP, Around, Hint
from explorer.ui.explore import controls, decoding, patterns, questions
from explorer.ui.explore.controls import Bar, Choice, choice_of, reading, stage_stepper, text_field
from explorer.ui.explore.decoding import follow_ids
from explorer.ui.frame import fragment, show_error, show_warnings, side_by_side
from explorer.ui.parameters import LINKS, app_url, choose_window, step_parameter, with_links
from explorer.ui.tokenizers.chooser import other_specs
from explorer.views.charts import trie_structures
from explorer.views.examples import Example, example_of


@fragment
def follow_text(bar: Bar, usable: bool) -> None:
    """Draws the text field and all that follows from the text: a key press runs this alone.

    bar: where the field belongs. usable: whether its tokenizer is open.
    """
    with bar.text:
        typed = text_field()
    backwards = reading() == "ids"
    choice = choice_of(bar, typed) if usable and not backwards else None
    # drawn in any case, because a fragment may only return to where it has been in the page's own run
    warnings = bar.warnings.container(width="content")
    if usable and backwards:
        follow_known_ids(bar, typed)
    if choice is None:
        return
    data = controls.chosen(typed)
    if data:
        choice = controls.with_bytes(choice, data)
        controls.reminder(data)
    try:
        view = patterns.view_with_pattern(*choice)
        if data:
            view = controls.view_of_bytes(view, data)
        with warnings:
            # where an example has its words beside the text
            show_warnings((*(view.doubled if hint(view).words else ()), *view.warnings))
        for part in PARTS:
            part(view)
    except Unfinished as error:
        show_error(error, "The stages end before there are tokens.")
        unfinished(choice)
    except InputError as error:
        show_error(error)


def unfinished(choice: Choice) -> None:
    """Draws the stages up to their end."""
    request, *_, stored = choice
    for index, section in enumerate(stages_before_end(request, stored), 1):
        # a stage may be there twice
        key = f"{section.key}-{index}"
        with st.container(key=f"section-{key}"):
            explained = "\n".join(f"- **{word.word}**: {word.means}" for word in section.words)
            anchor = section.title.lower().replace(" ", "-")
            st.header(f"{index} · {section.title}", anchor=anchor, help=explained or None)
            st.caption(section.what)
            if section.result is not None:
                sentence(section.result, key=f"result_{key}")
            if section.script is not None:
                stage_stepper(section.script, key, content_id(*request, stored), start=LAST_STEP)


def follow_known_ids(bar: Bar, typed: str) -> None:
    """Draws the way from ids to their text: of those that the vocabulary has."""
    try:
        ids, problem = known_ids(IdsRequest(bar.chosen.spec, typed, bar.add_special))
    except InputError as error:
        show_error(error, "These ids can't be decoded.")
        return
    if problem:
        show_error(problem, "Below are the other ids, without those that this vocabulary lacks.")
    follow_ids(bar, ids)


def overview_of(view: ExploreView) -> None:
    """Draws the result first: the text in its tokens, the row of stages."""
    patterns.reminder(view)
    draw_top(view, "overview", Around(hint(view), border=True, saves=True))


def hint(view: ExploreView) -> Hint:
    """What to look for while the page shows the example opened last, by a click or by its link; or a warning."""
    state, spec = st.session_state, view.spec
    here = view.text, spec.offer.label, spec.implementation, view.focus
    if "opened" not in state:
        step = st.query_params.get(step_parameter(view.focus), "0")
        state.opened = example_of(*here, step, spec.choices)
    opened: Example | None = state.opened
    shown = opened and (opened.text, opened.model, opened.implementation, opened.stage)
    warning = " ".join(view.doubled)
    if opened is None or shown != here or opened.choose != spec.choices:
        return Hint(warning=warning)
    return Hint(opened.shows, opened.level, warning)


def window(view: ExploreView) -> None:
    """Says which part of a long text is drawn, and offers another."""
    window = view.window
    choose_window(
        view.text,
        f"All {number(len(view.text))} characters of the text are tokenized. Characters {number(window.start + 1)} to "
        f"{number(window.end)} are drawn below, with the pairs of the queue that lie within them.",
    )


def stage(view: ExploreView) -> None:
    """Draws the stage in focus, the border or other ways."""
    if view.focus == BORDER:
        questions.draw_between(view)
        return
    if view.focus == WAYS:
        questions.draw_ways(view)
        return
    section = section_view(view.request, view.window.start, view.focus, view.stored)
    box = st.container(gap="small")
    above, panel = box.container(), box.container(key="stage")
    if section.key == "utf8":
        with box:
            data = controls.field()
        if data:
            controls.stage(panel, data)
            return
    else:
        controls.keep_in_url()
    # drawn in the place above the panel, so that the panel knows the choice
    with above:
        by_one = section.key == "decode" and decoding.one_by_one()
    with panel:
        if by_one:
            spec, text, options = view.request
            decoding.player(stream_of_text(spec, text, options.parse_special), view.id)
        elif section.script is not None:
            stage_stepper(section.script, section.key, view.id)
        else:
            st.caption(section.what)
    if section.key == "pre-tokenize":
        patterns.pattern_field(view)
        patterns.expander(view)
    if section.trie:
        structures_expander()


def downloads(view: ExploreView) -> None:
    """Draws the tokens as a table, and the downloads, while their expander is open."""
    label = "Tokens as a table, and downloads"
    with st.expander(label, icon=":material/download:", on_change="rerun", key="section-take-away") as box:
        if not box.open:
            return
        table, names = downloads_of(view.request)
        files = {"csv": names["tokens"], "json": names["trace"]}
        with side_by_side("top"):
            labels = {"csv": "Tokens as CSV", "json": "Trace as JSON"}
            download_buttons(text_export, (view.request,), labels, files)
            if view.focus == BORDER:
                questions.between_downloads(view)
        # not every vocabulary has scores
        table = with_links(table, view.spec.name)
        columns = [str(name) for name in table if name != "score" or table[name].notna().any()]
        st.dataframe(table, hide_index=True, height=320, placeholder="–", column_order=columns, column_config=LINKS)


PARTS = (overview_of, window, stage, downloads)
"""The parts of the page, from top to bottom."""


@fragment
def structures_expander() -> None:
    """Draws the comparison while its expander is open."""
    with st.expander(
        "How else a trie can be held", icon=":material/account_tree:", on_change="rerun", key="tries"
    ) as box:
        if not box.open:
            return
        found = trie_structures()
        st.table(list(found.rows))
        st.caption(
            "The longest match needs nothing but a trie; how it is kept is a question of memory and speed. All of "
            "these give the same tokens. Speed is relative to this engine, memory is what Python's allocator counts. "
            "pygtrie, marisa-trie and pyahocorasick are packages of PyPI. Measured by `python -m benchmarks.tries`:"
        )
        st.text(found.measured)


def draw_top(view: ExploreView, key: str, around: Around, language: str = ENGLISH) -> None:
    """Draws the top of a view. key: of the component. language: of the answers to Why."""
    asked, answer = tokens.question(key, view.id), None
    if asked is not None:
        card = why_of(view.request, view.window.start, view.stored, asked.cut, asked.number)
        if card and asked.others:
            found = why_elsewhere(view.request, asked.number, other_specs(view.spec))
            card = {**card, "elsewhere": found}
        answer = card and {**phrases(language).data(card), "of": f"{asked.kind} {asked.number} {view.id}"}

    def page() -> Made:
        return explore_file(view.request, view.window.start, view.stored, app_url())

    saved = page_for(asked_page(key, view.id), page)
    tokens.overview(view.top, around, focus=view.focus, key=key, answer=answer, page=saved)

"""The Vocabulary page: the search and what it finds, the dossier, the checks, the files, a second vocabulary beside.

Search field, facets, list and dossier are one browser component (`components/vocabulary/`). The browser owns what is
asked for: it writes the URL and reports the question as JSON, which is checked here, because anything may arrive at
the socket. Every text that is sent is already visible, and reaches the DOM as textContent.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.analysis.vocabulary.index import LONGEST_QUERY, By, Query, Sort
from explorer.answers.offers import TokenizerSpec
from explorer.answers.vocabulary import (
    FIRST,
    MOST,
    MOST_ROWS,
    PARTS,
    check_text,
    checked_part,
    checks_say,
    file_names,
    opening_of,
    others_of,
    pair_rows,
    pair_view,
    picture_of,
    search_export,
    surprises_of,
    token_view,
    tokens_in,
    vocabulary_view,
)
from explorer.errors import InputError
from explorer.tables import Json, Record
from explorer.text.say import Say, Text, plural
from explorer.ui import STYLES
from explorer.ui.components.every_page import (
    download_buttons,
    json_in,
    list_in,
    number_in,
    register,
    reported,
    sentence,
    table_in,
    text_in,
    whole,
)
from explorer.ui.frame import choose_tab, color_theme, fragment, progress_line, said_in_style, show_error, side_by_side
from explorer.ui.language import localized, words
from explorer.ui.parameters import context, open_page
from explorer.ui.tokenizers.chooser import offers, other_specs
from explorer.ui.vocabulary.edits import draw_edits
from explorer.ui.vocabulary.trim import draw_trim
from explorer.views.charts import chart_of_growth, chart_of_lengths, chart_of_scripts, named_scripts, turn_say

CHARTS = "Charts"
PAIR = "Differences"
CUT = "Trim and extend"
ALONE = "no other"
LONGEST_TEXT = 2_000
"""Characters of a text."""
NAMED = 12
"""Tokens that a sentence names."""


def draw_look(spec: TokenizerSpec, look: str) -> None:
    """Draws charts or a comparison: with what is chosen, else with the vocabulary that was used before this one."""
    known, state = offers(), st.session_state
    if look == PAIR and state.get("beside", st.query_params.get("beside")) in (None, ALONE, spec.offer.label):
        state.beside = next(each for each in state.vocabularies[1:] if each in known)
    # the URL has what is shown, except for the first
    label = st.selectbox(words("Compared with"), [ALONE, *known], key="beside", bind="query-params", width=320,
                         format_func=lambda each: words(each) if each == ALONE else each)  # fmt: skip
    other = None if label == ALONE else known[label].spec()
    try:
        if look == PAIR and other:
            draw_pair(spec, other)
        else:
            draw_charts(spec, other)
    except InputError as error:
        show_error(error, "The other vocabulary can't be used.")


def draw_charts(spec: TokenizerSpec, other: TokenizerSpec | None) -> None:
    """What was learned when, scripts and lengths."""
    with st.spinner(words("Reading the vocabulary")):
        pictures = {each.title: picture_of(each) for each in (spec, other) if each}
    for at, (title, one) in enumerate(pictures.items()):
        sentence(turn_say(title, one), key=f"turn-{at}")
    named, theme = named_scripts(pictures), color_theme()
    rooms = st.columns(len(pictures), gap="medium")
    for room, (title, one) in zip(rooms, pictures.items(), strict=True):
        room.vega_lite_chart(localized(chart_of_growth(title, one, named, theme, words)))
    left, right = st.columns(2, gap="medium")
    left.vega_lite_chart(localized(chart_of_scripts(pictures, theme, words)))
    right.vega_lite_chart(localized(chart_of_lengths(pictures, theme, words)))


def draw_pair(left: TokenizerSpec, right: TokenizerSpec) -> None:
    """What differs, and the way to what that does to a text."""
    with st.spinner(words("Comparing the vocabularies")):
        view = pair_view(left, right)
    say = Say("{0:t} with the same id.", plural(view.same, "token"))
    if view.merges is not None:
        say = say.then(Say("Merges: {0} only left, {1} only right, {2} in both.", *view.merges))
    kinds = {kind: n for kind, n in view.counts.items() if n}
    say = say.then(*(Say("{0:t}: {1}.", Text(kind), n) for kind, n in kinds.items()))
    sentence(say, key="pair")
    if not kinds:
        st.caption(words("Both have the same tokens."))
    else:
        kind = choose_tab("Tokens", list(kinds), key="pair-kind")
        table = pd.DataFrame(pair_rows(left, right, kind), columns=[words("Token"), left.title, right.title])
        st.dataframe(table, hide_index=True, height=300)
        if view.counts[kind] > MOST_ROWS:
            st.caption(words("The first {0}. All of them: explorer vocab diff --json", MOST_ROWS))
    if st.button(words("Compare them on a text"), key="pair_compare"):
        open_page("compare", {"with": [left.name, right.name]})


vocabulary = register("vocabulary")
"""Draws the page. data: rows, counts and dossier (`answers.vocabulary`), or an error; see `vocabulary.js`."""

FACETS: Mapping[str, str] = {"kind": "kind", "script": "script", "with": "having", "check": "check"}
"""The URL parameter of each facet."""


class Asked(NamedTuple):
    """What the visitor asks for.

    token: the one whose dossier is open. more: rows beyond the first are wanted. others: the token whose text is asked
    for in other tokenizers. number: of the question, so that the browser knows its answer; None in a link.
    """

    query: Query = Query()
    token: int | None = None
    more: bool = False
    others: int | None = None
    number: int | None = None


def asked(key: str) -> Asked:
    """What the browser asked last; before it has reported, what the URL asks."""
    given = reported(key, "ask")
    return read_asked(json_in(given, 20_000)) if isinstance(given, str) else asked_in_url()


def asked_in_url() -> Asked:
    """What a link asks for."""
    given = st.query_params
    lengths = {name: [whole(each) for each in given.get(name, "").split("-")] for name in ("bytes", "characters")}
    facets = {name: given.get_all(parameter) for name, parameter in FACETS.items()}
    return read_asked(
        {**given.to_dict(), **lengths, "exact": given.get("case") == "exact", "facets": facets,
         "token": whole(given.get("token", ""))}
    )  # fmt: skip


def read_asked(given: Json) -> Asked:
    """What the browser reports, where anything may stand.

    >>> found = read_asked({"q": "a", "by": "regex", "facets": {"kind": ["letters", 3], "x": []}, "token": 5})
    >>> found.query.text, found.query.by.name, found.query.facets, found.token
    ('a', 'REGEX', (('kind', ('letters',)),), 5)
    >>> read_asked({}) == Asked(), read_asked({"bytes": [1, "2"], "sort": []}).query.bytes
    (True, None)
    """
    facets = table_in(given.get("facets"))
    values = ((name, names_in(facets.get(name))) for name in FACETS)
    query = Query(
        text_in(given.get("q"), LONGEST_QUERY + 1),
        next((by for by in By if by == given.get("by")), By.TEXT),
        given.get("exact") is True,
        tuple((name, names) for name, names in values if names),
        range_in(given.get("bytes")),
        range_in(given.get("characters")),
        next((sort for sort in Sort if sort == given.get("sort")), Sort.ID),
    )
    token, others, number = (number_in(given.get(name)) for name in ("token", "others", "number"))
    return Asked(query, token, given.get("more") is True, others, number)


def names_in(given: object) -> tuple[str, ...]:
    """The names in a list that may hold anything."""
    return tuple(each for each in list_in(given)[:40] if isinstance(each, str) and 0 < len(each) < 200)


def range_in(given: object) -> tuple[int, int] | None:
    """A range of lengths."""
    first, last, *_ = *map(number_in, list_in(given)), None, None
    return None if first is None or last is None else (first, last)


KEY = "vocabulary"


@fragment
def follow(spec: TokenizerSpec) -> None:
    """Draws the page; a key press runs this alone."""
    st.html(STYLES / "vocabulary.css")
    now = asked(KEY)
    linked = spec.name if st.query_params.get("checked") == "true" else None
    checked = st.session_state.setdefault("checked tokenizer", linked) == spec.name
    edits = st.container(key="edits-part")
    look = st.container(key="look-part")
    used = [spec.offer.label, *st.session_state.get("vocabularies", offers())]
    st.session_state.vocabularies = list(dict.fromkeys(used))  # the last one used is first
    text = context().own_text
    own = [] if text is None else tokens_in(spec, text[:LONGEST_TEXT])[:NAMED]
    vocabulary(data={**answer(spec, now, checked), "checked": checked, "own": own}, key=KEY)
    with side_by_side(key="vocabulary-end"):
        draw_checks(spec, checked, look)
        download_buttons(
            search_export, (spec, now.query, checked), {"csv": "CSV", "json": "JSON"}, file_names(spec),
            "vocabulary", icon=":material/download:", help=words("All tokens found"),
        )  # fmt: skip
        looks = {CHARTS: CHARTS, PAIR: PAIR, CUT: CUT}
        chosen = st.segmented_control(
            words("Look at it"), list(looks), key="look", bind="query-params", label_visibility="collapsed"
        )
        said_in_style("look", looks)
        editing = st.toggle(words("Edit"), key="edit", bind="query-params")
    if editing:
        with edits:
            draw_edits(spec, now.token)
    if chosen:
        with look:
            if chosen == CUT:
                draw_trim(spec)
            else:
                draw_look(spec, chosen)


def answer(spec: TokenizerSpec, now: Asked, checked: bool) -> Record:
    """What the component draws. A search that can't be read leaves the list as it was, which is whole at first."""
    explore = {"m": spec.offer.label, "as": spec.implementation}
    data: Record = {"error": "", "explore": explore, "dossier": None, "scored": False, "token": now.token,
                            "answers": now.number, "say": None, "surprises": surprises_of(spec)}  # fmt: skip
    query = now.query
    try:
        data |= drawn(spec, query, checked, MOST if now.more else FIRST)
    except InputError as error:
        data["error"] = f"{error}."
        if now.number is None:
            query = Query()
            data |= drawn(spec, query, checked, FIRST)
    if now.token is not None:
        try:
            draw_token(data, spec, now.token, now, checked)
        except InputError as error:
            data["error"] = data["error"] or f"{error}."
    if data["dossier"] is None and "rows" in data:
        first = None
        try:
            first, data["say"] = first_token(spec, query)
        except InputError as error:
            data["error"] = data["error"] or f"{error}."
        if first is None and data["rows"]:
            first = data["rows"][0][0]
        if first is not None:
            data["token"] = first
            draw_token(data, spec, first, now, checked)
    return data


def first_token(spec: TokenizerSpec, query: Query) -> tuple[int | None, Record | None]:
    """The token whose dossier is open before one is chosen, None for the first found; and what the search itself says.

    A search for a text opens the token that spells it. If there is none, the sentence says what the text gives.
    """
    if query == Query():
        return opening_of(spec), None
    if query != Query(query.text):
        return None, None
    check = check_text(spec, query.text)
    return check.token, None if check.say is None else check.say._asdict()


def drawn(spec: TokenizerSpec, query: Query, checked: bool, most: int) -> Record:
    """What the component draws of a search. Raises InputError."""
    found = vocabulary_view(spec, query, checked, most)
    more = {"scored": found.sorted_by_score, "more": found.found > len(found.rows) < MOST}
    return {**found._asdict(), **more, "search": f"{spec.name} {query!r}"}


def draw_token(data: Record, spec: TokenizerSpec, token: int, now: Asked, checked: bool) -> None:
    """Adds the dossier of a token. Raises InputError."""
    others = {"others": others_of(spec, token, other_specs(spec))} if now.others == token else {}
    data["dossier"] = {**token_view(spec, token, checked), **others}


def draw_checks(spec: TokenizerSpec, checked: bool, room: DeltaGenerator) -> None:
    """Draws the button that runs the tokenizer on every token. room: for its progress."""
    if checked:
        with room:
            sentence(checks_say(spec), key="checks-answer")
        return
    if st.button(words("Check every token"), icon=":material/fact_check:", key="check",
                 help=words("Encodes each token's text: does it give the token back?")):  # fmt: skip
        with room:
            report = progress_line()
        for part in range(PARTS):
            report(words("encoding the text of every token, {0} % done", 100 * part // PARTS))
            checked_part(spec, part)
        st.session_state["checked tokenizer"] = spec.name
        st.rerun()

"""What goes with a visitor to every page, in the page's head: the own text and tokenizer as a chip.

The state is `parameters.Context`, which every bar writes. The head is drawn after the page, which may have taken
another text from the address. While a text is typed, the browser follows it by itself (`components/header/`). It keeps
the context while its tab is open, so that a new session, as after a reload, has it where the address doesn't.
"""

import streamlit as st

from explorer.answers.explore import Request, first_tokens
from explorer.answers.offers import Origin
from explorer.errors import InputError
from explorer.tables import Record
from explorer.ui.components.every_page import json_in, number_in, register, reported, text_in
from explorer.ui.frame import fragment
from explorer.ui.language import words
from explorer.ui.palette import SWITCHES, WITH_TEXT, WITH_TOKENIZER, data_of, fetched, rows, rows_of_file, take_files
from explorer.ui.parameters import LONGEST_TEXT, TOKENIZER, Context, context, overrides
from explorer.ui.prompt import prompt_state
from explorer.ui.tokenizers.chooser import all_specs, carried, linked_parts, offers, own_spec
from explorer.ui.tokenizers.server import hub_state
from explorer.ui.tokenizers.uploads import fresh_uploader, uploads
from explorer.views.components import Component
from explorer.views.examples import PRESETS

BEGINNING = 200
"""Code points of a text whose tokens are drawn in the chip."""
SHOWN = 40
"""Those that the chip has room for."""
HEAD = "header"
"""The key of the component."""

_draw_head = register(
    Component(
        "header",
        "../classroom/line.js ../classroom/pill.js chip.js palette_rows.js palette.js header.js",
        "../classroom/pill.css chip.css palette.css",
        '<div class="tx hd" hidden></div>',
    ),
    "set",
)


def chip() -> Record:
    """What the chip shows. kept: what it has, nothing at first; link: what of it a link brought; own: what that was."""
    text, own = context().own_text, own_spec()
    here = offers().get(st.session_state.get("m", "")) if "m" in linked_parts() else None
    spec = (here or next(iter(offers().values()))).spec() if own is None else own
    compared = context().kept.get("with", ()) if context().page == "compare" else ()
    if compared and spec.name not in compared:  # a link's
        spec = all_specs().get(compared[0], spec)
    try:
        bars = [] if text is None else first_tokens(Request(spec, text[:BEGINNING]))
    except InputError:
        bars = []
    kept, now = {key: value for key, value in carried().items() if value is not None}, context()
    link = {key: None if value == now.first else value for key, value in now.link.items()}
    icon = ICONS.get(spec.offer.origin, "archive")
    return {
        "name": spec.offer.name, "icon": "" if icon == "archive" else icon, "bars": bars,
        "text": (text or "")[:SHOWN], "kept": kept, "first": PRESETS[0].text,
        "link": link if any(now.own.values()) else {}, "own": {key: now.own[key] for key in now.link},
        # own: whether it is the chosen one, or the visitor has opened it
        "tokenizers": [
            {
                "m": label, "name": each.name, "note": each.kind, "icon": (sign := ICONS.get(each.origin, "archive")),
                "chosen": (chosen := each == spec.offer), "own": chosen or sign != "archive",
            }
            for label, each in offers().items()
        ],
    }  # fmt: skip


ICONS = {Origin.UPLOAD: "draft", Origin.HUB: "cloud_done"}
"""Of those that the visitor has opened."""


def take() -> bool:
    """Takes what the browser reports, which may be anything. Returns whether the page follows; a question is none."""
    given, now = json_in(reported(HEAD, "set"), 2 * LONGEST_TEXT), context()
    match what := given.get("set"):
        case "first":
            (now.leave_link if linked_parts() and any(now.own.values()) else now.start_again)()
        case "before":
            now.undo()
        case "kept":
            take_kept(now, given)
        case "text":
            now.set_to(text_in(given.get("text"), LONGEST_TEXT), now.tokenizer(), None)
            if now.page == "prompt":
                prompt_state().first = []
        case "choose" if given.get("m") in offers():
            now.set_to(now.own_text, {"m": given["m"], "as": offers()[given["m"]].implementations[0]}, None)
        case "remove":
            uploads().remove(text_in(given.get("m"), 200))
        case "switch" if given.get("key") in SWITCHES.get(now.page, {}).values():
            overrides().set(**{given["key"]: given.get("to") is True})
        case "hub":
            st.session_state.palette_then = then if (then := given.get("then")) in ("compare", "prompt") else ""
            hub_state().ask(text_in(given.get("name"), LONGEST_TEXT))
        case "cancel":
            hub_state().cancel()
    return what not in ("ask", "hub", "cancel", "look")


def take_kept(now: Context, given: Record) -> None:
    """Takes what the browser kept for a new session: what the address of this page would say stays as it is."""
    text, chosen = text_in(given.get("text"), LONGEST_TEXT), {key: text_in(given.get(key), 200) for key in TOKENIZER}
    offer = offers().get(chosen["m"])
    if not any(now.own.values()):
        now.own |= {"text": text or None} | (chosen if offer is not None else {})
        here, own = carried() | {"text": now.text}, now.own | {"text": text or now.first}
        by_address = ["text"] * (now.page in WITH_TEXT) + [*TOKENIZER] * (now.page in WITH_TOKENIZER)
        now.link = {key: here[key] for key in by_address if here[key] != own[key]}
    if (
        offer is not None
        and chosen["as"] in offer.implementations
        and own_spec() is None
        and now.page not in WITH_TOKENIZER
    ):
        now.kept |= chosen
        now.restored = offer.spec(chosen["as"]).name
    if text and now.own_text is None and now.page not in WITH_TEXT:
        now.fill(text)
        if now.page == "prompt":
            prompt_state().first = []


@fragment
def draw_head() -> None:
    """Draws the head's part that is the visitor's."""

    def taken() -> None:
        st.session_state["head_taken"] = take()

    given, answers = json_in(reported(HEAD, "set"), 2 * LONGEST_TEXT), None
    # before another run nothing is answered, because the browser would not get it
    again = st.session_state.pop("head_taken", False)
    if not again and given.get("set") == "ask" and given.get("at") != st.session_state.get("head_asked"):
        st.session_state["head_asked"] = given.get("at")
        wide = given.get("wide") is True
        reading, found = rows(text_in(given.get("typed"), LONGEST_TEXT), wide)
        number = number_in(given.get("number"))
        answers = {"number": number, "wide": wide, "reading": reading, "rows": data_of(found)}
    with st.container(key="head-file"):
        label = words("Your own file")
        fresh_uploader(label, "palette file", take_files, max_upload_size=None, accept_multiple_files=True)
    dropped = st.session_state.pop("palette_file", None)
    file = None if dropped is None else {"name": dropped, "rows": data_of(rows_of_file(dropped))}
    began = hub_state().fetch
    fetch = None if began is None else fetched(began, st.session_state.get("palette_then", ""))
    data = {"chip": chip(), "answers": answers, "file": file, "fetch": fetch and {**fetch, "at": given.get("at")}}
    _draw_head(key=HEAD, data=data, on_set_change=taken)
    if again:
        st.rerun()

"""The text field of a page: typed text reaches Python at once, or 60 ms after the last of several quick keys.

`st.text_area` reports on blur only and `st.text_input(live=…)` has one line, so this is a browser component
(`live_text/`). The browser owns the text. Python sends one at the first run and whenever `rev` changes, and can't
overwrite anything in between. A server that lost the session (it was restarted, or another process goes on in its
place) gets the text from the browser again; `session` tells the browser so. Leaves out rich text, files, and `\\r\\n`,
which every browser turns into `\\n`.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

import streamlit as st

from explorer.text.input import whole_characters
from explorer.ui.components.assets import register

LONGEST_LINK = 2_000
"""Code points of a text that fits into a URL."""

_HTML = """
<div class="tx lt" hidden>
  <label for="text"></label>
  <textarea id="text" dir="auto" rows="2" spellcheck="false" autocapitalize="off" autocomplete="off"
    autocorrect="off" aria-describedby="problem note size"></textarea>
  <div class="foot">
    <p class="problem" id="problem" role="status"></p>
    <p class="note" id="note"></p>
    <p class="size" id="size"></p>
  </div>
</div>
"""

_mount = register(
    "explorer_live_text",
    "live_text",
    js="text_facts.js kept_text.js live_text.js",
    css="live_text.css",
    html=_HTML,
)


def live_text(
    text: str,
    *,
    rev: int | str,
    key: str,
    label: str = "Text",
    parameter: str = "text",
    placeholder: str = "",
    note: str = "",
    max_chars: int,
    unlinked: str | None = "",
    readings: Mapping[str, str | None] | None = None,
    longest_link: int = LONGEST_LINK,
    selectable: bool = True,
    bar: bool = False,
    ids: bool = False,
) -> str | None:
    """Draws the field and returns its text, or None if the browser has not reported one for this `rev`.

    `text` fills the field at the first run and whenever `rev` changes (for an example, pass its text and `rev + 1`).
    With the same `rev`, `text` is ignored: the visitor is typing. `note` is a quiet line below the field.

    The browser keeps the text in the URL as `parameter`, unless it is `unlinked`, which the field shows without a URL,
    or longer than `longest_link` code points. Of such a text the URL has a mark, `parameter` + "_kept", and the tab
    keeps the text: a reload finds it again, and another tab says that it is missing. Back and forward restore a text as
    if typed. A text of more than `max_chars` code points stays in the field and is not reported; the field says so. The
    returned text has no lone
    surrogates (each is replaced by U+FFFD, and the field says where), and `\\n` as its only line end, except that an
    unedited `text` is reported unchanged. `selectable`: the page's selection is a span of this text, cleared when it
    changes. `readings`: what the field may hold, "text" or "ids", with the `unlinked` of each; `parameter` says which
    it holds. The browser offers the other one where it fits, and reports a choice as `reading`. `ids`: the field is for
    a list of ids: it counts those, shows its label, and has a button that clears it.

    Usually the text is kept in the session state::

        typed = live_text(state.text, rev=state.rev, key="field", max_chars=20_000)
        if typed is not None:
            state.text = typed
    """
    result = _mount(
        key=key,
        data={
            "text": text,
            "rev": rev,
            "session": st.session_state.setdefault("live text session", uuid4().hex[:12]),
            "label": label,
            "parameter": parameter,
            "selectable": selectable,
            "bar": bar,
            "ids": ids,
            "placeholder": placeholder,
            "note": note,
            "max": max_chars,
            "unlinked": readings[parameter] if readings else unlinked,
            "readings": readings,
            "longest_link": longest_link,
        },
        on_text_change=lambda: None,
        on_rev_change=lambda: None,
        on_reading_change=lambda: None,
    )
    return current_text(result, rev, max_chars)


def reported_text(key: str, *, rev: int | str, longest: int) -> str | None:
    """The same before the field is drawn, for anything above it. longest: the field's `max_chars`."""
    return current_text(st.session_state.get(key) or {}, rev, longest)


def current_text(state: Mapping[str, object], rev: int | str, longest: int) -> str | None:
    """The text in the component's state; None if it reports a text that has been replaced since.

    Checks everything again, because any text may arrive at the socket: None if it is too long.

    >>> current_text({"text": "a\\ud83d\\ude0a\\ud83d", "rev": 1}, 1, 9), current_text({"text": "ab", "rev": 1}, 1, 1)
    ('a😊\ufffd', None)
    """
    text = state.get("text") if state.get("rev") == rev else None
    return whole_characters(text) if isinstance(text, str) and len(text) <= longest else None


def linked_text(parameter: str, default: str, longest: int) -> str:
    """The text in the URL; `default` if there is none, or one longer than the field allows."""
    text = st.query_params.get(parameter, default)
    return whole_characters(text) if len(text) <= longest else default

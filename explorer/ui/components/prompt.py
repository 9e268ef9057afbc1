"""The Prompt page in the browser: messages as pills and as rows, the cards, the stage of a view, the settings.

One module, mounted four times; all mounts share what is asked (`prompt/store.js`): the call, the template, whether
control tokens are read as text, the date. The browser owns it, writes it to the URL, and the mount in the bar reports
it to Python, as a text field reports its text (`live_text.py`). The cards report the view that was chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import uuid4

import streamlit as st

from explorer.prompts.templates import own_template
from explorer.text.input import whole_characters
from explorer.ui.components.assets import register
from explorer.ui.components.tokens import reported_stage
from explorer.views.components import EMBLEM, PICTURE
from explorer.views.prompt.examples import EXAMPLES, FIRST

LONGEST_SOURCE: Final = 200_000
"""Characters of a template of the visitor's own."""
LONGEST_RESPONSE: Final = 2_000
"""Characters of a text after which is trained."""
LONGEST_CALL: Final = 1_000_000
"""Characters of a call that is reported."""

_mount = register(
    "explorer_prompt",
    "prompt",
    js=[
        *PICTURE,
        "../overview/ribbon.js",
        "../overview/lecture.js",
        "../live_text/kept_text.js",
        "codec.js",
        "store.js",
        "cards.js",
        "tokens.js",
        "strip.js",
        "source.js",
        "share.js",
        "stages.js",
        "editor.js",
        "rows.js",
        "engines.js",
        "turns.js",
        "training.js",
        "pills.js",
        "settings.js",
        "prompt.js",
    ],
    css=["../overview/ribbon.css", "tokens.css", "prompt.css", "rows.css", "engines.css", "turns.css", "training.css"],
    constants={
        "EMBLEM": EMBLEM,
        "EXAMPLES": [each._asdict() for each in EXAMPLES],
        "FIRST_CALL": FIRST.call,
        "OWN_SOURCE": own_template("chatml").source,
    },
)  # fmt: skip


class Asked(NamedTuple):
    """What is asked. call: JSON. template: a name, "" for the model's default. source: of the visitor's own one.

    response: the text after which is trained, None for what the template asks for an answer with.
    """

    call: str
    template: str = ""
    source: str | None = None
    as_text: bool = False
    date: str = ""
    response: str | None = None


def pills(asked: Asked, *, rev: int, key: str) -> None:
    """Draws the messages as pills. asked: fills the page at the first run and whenever `rev` changes."""
    session = st.session_state.setdefault("live text session", uuid4().hex[:12])
    data = {"part": "pills", "asked": asked._asdict(), "rev": rev, "session": session}
    _mount(key=key, data=data, on_asked_change=lambda: None)


def cards(shown: Sequence[Mapping[str, Any]], *, focus: str, key: str) -> None:
    """Draws the cards. What is chosen is read by `overview.chosen_stage`."""
    data = {"part": "cards", "cards": list(shown), "focus": focus, "answers": reported_stage(key)}
    _mount(key=key, data=data, on_stage_change=lambda: None)


def stage(view: Mapping[str, Any], *, key: str) -> None:
    """Draws the stage of a view. view: of `answers.prompt.PromptView`, as plain data."""
    _mount(key=key, data={"part": "stage", **view})


def settings(given: Mapping[str, Any], *, key: str) -> None:
    """Draws the settings. given: of `answers.prompt.Settings`."""
    _mount(key=key, data={"part": "settings", **given})


def reported(key: str, rev: int) -> Asked | None:
    """What the browser reports for this `rev`, None if nothing. Call it before drawing."""
    return read_asked((st.session_state.get(key) or {}).get("asked"), rev)


def read_asked(value: object, rev: int) -> Asked | None:
    """What is asked in what the browser reports, which may be anything.

    >>> read_asked({"rev": 1, "call": "[]", "as_text": True}, 1)
    Asked(call='[]', template='', source=None, as_text=True, date='', response=None)
    >>> read_asked({"rev": 1, "call": 7}, 1), read_asked({"rev": 0, "call": "[]"}, 1)
    (None, None)
    """
    if not isinstance(value, dict) or value.get("rev") != rev:
        return None
    call, source = value.get("call"), value.get("source")
    if not isinstance(call, str) or len(call) > LONGEST_CALL:
        return None
    own = whole_characters(source[:LONGEST_SOURCE]) if isinstance(source, str) else None
    response = value.get("response")
    after = whole_characters(response[:LONGEST_RESPONSE]) if isinstance(response, str) else None
    names = [str(value.get(name) or "")[:100] for name in ("template", "date")]
    return Asked(whole_characters(call), names[0], own, value.get("as_text") is True, names[1], after)

"""The language of a visitor, and what pages say in it.

Decided here alone: `lang=` in the address, or the language of the lesson in it; else what the visitor chose in the
page's head, which the session has and a cookie keeps; else the browser's language; else English. `words` says what a
page says by itself, and every component is sent its data in this language (`components/every_page.py`). Leaves out the
words of Streamlit's own widgets.
"""

from typing import Any

import streamlit as st

from explorer.languages import ENGLISH, known_language, languages, phrases
from explorer.text.say import Say, Value, plain

COOKIE = "explorer_language"
"""Keeps the choice in the browser (`components/key_list/key_list.js`)."""
SPOKEN = "spoken language"
LINKED = "linked language"
"""Of the session: the visitor's language, and the one that the address named last."""


def language() -> str:
    """The visitor's language, by the name of its catalog."""
    found: str = st.session_state.get(SPOKEN, ENGLISH)
    return found


def settle_language() -> None:
    """Decides the language, at the beginning of a page's run. An address counts when it is new: the choice is later."""
    state, linked = st.session_state, linked_language()
    if linked != state.get(LINKED, ""):
        state[LINKED] = linked
        state[SPOKEN] = linked or language()
    if SPOKEN not in state:
        state[SPOKEN] = known_language(st.context.cookies.get(COOKIE) or st.context.locale or ENGLISH)


def linked_language() -> str:
    """The language that the address names; empty if it names none that has a catalog."""
    given = st.query_params
    _, _, of_lesson = given.get("lesson", "").partition(".")
    names = (each.partition("-")[0].lower() for each in (given.get("lang", ""), of_lesson))
    return next((each for each in names if each in languages()), "")


def choose_language(name: object) -> None:
    """Takes what the visitor chose, which may be anything."""
    if name in languages():
        st.session_state[SPOKEN] = name


def words(text: str | Say, *values: Value, many: str = "") -> str:
    """What a page says by itself, in the visitor's language. values, many: as of `Say`, if it is a template.

    >>> words("Baseline"), words("{0} tokens of {1:t}", 1200, "GPT-2")
    ('Baseline', '1,200 tokens of GPT-2')
    """
    name = language()
    if not isinstance(text, Say) and not values:
        return str(text) if name == ENGLISH else phrases(name).text(text)
    say = text if isinstance(text, Say) else Say(text, *values, many=many)
    return plain(say) if name == ENGLISH else phrases(name).plain(say)


def language_name(name: str) -> str:
    """The name of a language, such as a label of a corpus, in the visitor's."""
    return phrases(language()).named(name)


def localized(chart: dict[str, Any]) -> dict[str, Any]:
    """A chart in Vega-Lite whose numbers are written as in the visitor's language."""
    marks = phrases(language()).format.marks
    locale = {"number": {"decimal": marks[1], "thousands": marks[0], "grouping": [3], "currency": ["", ""]}}
    return chart | {"config": {**chart.get("config", {}), "locale": locale}}


def said(data: Any) -> Any:
    """What a component is sent, in the visitor's language; in English nothing is looked at."""
    name = language()
    return data if name == ENGLISH or not isinstance(data, dict) else {"language": name, **phrases(name).data(data)}


def said_id(id: str, language: str) -> str:
    """The id of a script in a language, which isn't that of the English one."""
    return id if language == ENGLISH else f"{id} {language}"

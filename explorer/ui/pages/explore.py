"""Explore: what happens to my text, stage by stage, and why?"""

from pathlib import Path

import streamlit as st

from explorer.errors import InputError
from explorer.ui.explore import stages as explore_stages
from explorer.ui.explore.controls import choose
from explorer.ui.explore.custom_pattern import prepared_as_typed
from explorer.ui.problem import problem

st.html(Path(__file__).with_name("pages.css"))
st.html(
    '<h1 style="font-size: clamp(1.6rem, 5vw, 2.4rem); margin: 0; padding: 0">Tokenizer explorer</h1>'
    '<p style="margin: 0">What becomes of your text before a language model sees it: stage by stage, step by step, in '
    "exact ids.</p>"
)
choice = choose()
if choice is not None:
    try:
        ready = prepared_as_typed(*choice)
    except InputError as error:
        problem(error)
    else:
        for part in explore_stages.IN_ORDER:
            part(ready)

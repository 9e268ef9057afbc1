"""Explore: what happens to my text, stage by stage, and why?"""

import streamlit as st

from explorer.errors import InputError
from explorer.ui import cautions
from explorer.ui.explore import stages as explore_stages
from explorer.ui.explore.controls import choose
from explorer.ui.explore.custom_pattern import view_with_pattern
from explorer.ui.heading import CSS
from explorer.ui.notices import show_error

st.html(CSS)
st.html('<h1 class="unseen">Tokenizer explorer</h1>')
bar, choice = choose()
if choice is not None:
    try:
        view = view_with_pattern(*choice)
    except InputError as error:
        show_error(error)
    else:
        with bar:
            cautions.show_in_bar(view.warnings)
        for part in explore_stages.PARTS:
            part(view)

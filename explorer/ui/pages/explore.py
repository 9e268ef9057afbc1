"""Explore: what happens to my text, stage by stage, and why?"""

import streamlit as st

from explorer.ui import explore_stages as stages
from explorer.ui.explore_input import choose
from explorer.ui.prepared import prepared
from explorer.ui.problem import problem
from explorer.errors import InputError

st.html("<h1>Tokenizer explorer</h1>")
choice = choose()
if choice is not None:
    try:
        ready = prepared(*choice)
    except InputError as error:
        problem(error)
    else:
        stages.tokens(ready)
        stages.window(ready)
        stages.utf8(ready)
        stages.partition(ready)
        stages.normalize(ready)
        stages.model(ready)
        stages.post_process(ready)
        stages.decode(ready)
        stages.take_away(ready)
